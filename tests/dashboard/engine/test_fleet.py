"""The table of all models: who loses stands first, every name leads to its verdict, texts of a server stay texts."""

from urllib.parse import parse_qs, urlsplit

from specmodel.base.messages import Message
from specmodel.dashboard.engine.fleet_part import fleet_parts, judged
from specmodel.dashboard.parts.answer import Table
from specmodel.dashboard.session.translation import translator
from specmodel.logs.prometheus import FleetRow, Target
from specmodel.measured.spec_stats import SpecStats

_ = translator("en")


def row(model: str, tokens: float = 0.0, step_ms: float = 13.0, plain: bool = True) -> FleetRow:
    target = Target("vLLM", model, (("model_name", model),), "vllm:")
    if not tokens:
        return FleetRow(target, None, None, Message("it was idle"))
    rounds = 50_000
    stats = SpecStats(
        "vLLM", "Prometheus", num_speculative_tokens=3, num_rounds=rounds, num_draft_tokens=3 * rounds,
        num_accepted_draft_tokens=rounds * (tokens - 1), num_steps=rounds, generated_tokens=rounds * tokens,
        step_ms=step_ms, window_s=1800, batch_size=8.0,
    )  # fmt: skip
    beside = SpecStats("vLLM", "Prometheus", speculation=False, step_ms=10.0, num_steps=rounds, batch_size=8.0)
    return FleetRow(target, stats, beside if plain else None)


def test_what_loses_most_stands_first_and_what_wins_last() -> None:
    rows = (
        row("wins", 2.6),
        row("idle"),
        row("loses", 1.1),
        row("alone", 2.6, plain=False),
        row("loses more", 1.05, 16),
    )
    found = judged(rows)
    assert [each.row.target.model for each in found[:2]] == ["loses more", "loses"]
    assert found[-1].row.target.model == "wins" and {each.kind for each in found[2:4]} == {"off"}
    assert found[0].wasted_per_hour == (150_000 - 2_500) * 2


def test_a_name_is_a_link_to_the_whole_verdict_and_stays_a_text() -> None:
    evil = "[x](http://127.0.0.1/evil) *b* | `c`"
    parts = fleet_parts((row(evil, 2.6),), {"window": "300"}, _)
    table = parts["fleet"]
    assert isinstance(table, Table)
    (cell,) = table.columns["model"]
    text, _sep, link = str(cell).rpartition("](")
    assert "\\[x\\]" in text and "\\*b" in text
    query = parse_qs(urlsplit(link.rstrip(")")).query)
    assert query["window"] == ["300"] and query["src"] == ["live"] and evil in query["model"][0]
    assert table.data is not None and list(table.data["verdict"]) == ["pays"]


def test_why_nothing_is_known_is_said() -> None:
    table = fleet_parts((row("idle"), row("alone", 2.0, plain=False)), {}, _)["fleet"]
    assert isinstance(table, Table)
    assert set(table.columns["why not known"]) == {"it was idle", "no plain instances"}
