"""What the Methods page says: the comparison, its filters and order, one method's sources, its tree."""

import re
from typing import Any

import pytest

from specmodel.dashboard.methods.answer import answer
from specmodel.dashboard.methods.compared import compared
from specmodel.dashboard.parts.answer import Answer, Said, Table, Text
from specmodel.dashboard.passes.drafted import drafted
from specmodel.dashboard.passes.load_answer import load_answer
from specmodel.dashboard.passes.pass_source import pass_source
from specmodel.dashboard.serving.answer import answer as serving_answer
from specmodel.dashboard.session.chosen import Chosen, read_link
from specmodel.dashboard.session.translation import plain, translator
from specmodel.dashboard.session.way import as_scenario, choice_of, drafter_values
from specmodel.methods import Task, chain, find, is_tree, methods
from specmodel.model.outcome import evaluate
from specmodel.serving.load import Drafter
from tests.dashboard.answers import below, numbers, texts

KEYS = [method.key for method in methods()]
MINE = "alpha:0.8,k:3,target:20,draft:2"  # what was measured, as a link keeps it
Row = dict[str, Any]


def answered(chosen: Chosen) -> Answer:
    return answer(chosen, translator("en"))


def at(**query: str) -> Answer:
    chosen, complaints = read_link(query)
    assert not complaints
    return answered(chosen)


def listed(said: Answer) -> dict[str, Row]:
    """The rows of the comparison by the name of the method, without its star, in their order."""
    part = said["methods"]
    assert isinstance(part, Table)
    rows = [dict(zip(part.columns, values, strict=True)) for values in zip(*part.columns.values(), strict=True)]
    return {row["method"].removesuffix(" *"): row for row in rows}


def row(said: Answer, key: str) -> Row:
    return listed(said)[find(key).label if key != "sliders" else "The drafter of your sliders"]


def column(said: Answer, name: str) -> dict[str, Any]:
    return {label: row[name] for label, row in listed(said).items()}


def verdict(said: Answer) -> str:
    part = said["verdict"]
    assert isinstance(part, Said)
    return part.headline


def tree_tokens(said: Answer) -> float:
    part = said["tree_words"]
    match = re.search(r"emits \*\*([\d.]+)\*\* tokens a round", part.markdown if isinstance(part, Text) else "")
    assert match
    return float(match[1])


# The comparison


def test_every_way_of_drafting_is_compared() -> None:
    rows = listed(at(mine=MINE))
    assert set(rows) == {method.label for method in methods()} and len(rows) == 13
    for each in rows.values():
        assert each["tokens per round"] >= 1 and each["cost of a round"] >= 1
        assert each["tokens per round"] / each["cost of a round"] == pytest.approx(each["speedup here"], rel=0.01)


def test_the_csv_holds_plain_numbers_and_the_sources() -> None:
    part = at(mine=MINE)["methods"]
    assert isinstance(part, Table) and part.data
    assert set(part.data) == {
        "method", "speedup_at_one", "speedup", "tau", "rho", "wasted_per_token", "verified_tokens", "weights_billions",
        "cache_bytes_per_token", "lossless", "kind", "prompt_kind", "temperature", "setup", "source",
    }  # fmt: skip
    assert set(part.data["method"]) == set(KEYS) and all(part.data["source"])
    assert [round(value, 2) for value in part.data["speedup"]] == part.columns["speedup here"]


def test_the_answer_and_the_cards_are_those_of_the_table() -> None:
    said = at(batch="64")
    here, alone, train = (column(said, name) for name in ("speedup here", "one request", "to train"))
    untrained = {label: speedup for label, speedup in here.items() if train[label] == "nothing"}
    best = max(here, key=lambda label: here[label])
    assert f"At batch 64 **{best}** is the fastest: {here[best]:.2f}×" in verdict(said)
    for card, speedups in (
        ("Fastest at this batch", here),
        ("Fastest for one request", alone),
        ("Fastest without training", untrained),
    ):
        fastest = max(speedups, key=lambda label: speedups[label])
        assert (below(said)[card], numbers(said)[card]) == (fastest, f"{speedups[fastest]:.2f}×")
    assert numbers(said)["Methods that pay here"] == str(sum(speedup > 1 for speedup in here.values()))


def test_where_nothing_pays_it_says_so() -> None:
    said = at(cost="fit", fit_base="0", fit_token="1", fit_cached="0", fit_step="0")
    assert "At batch 8 no way of drafting pays" in verdict(said)
    assert numbers(said)["Methods that pay here"] in ("0", "1")


def test_a_tree_pays_for_its_nodes_under_load() -> None:
    one, loaded = (row(at(batch=batch), "eagle3") for batch in ("1", "256"))
    assert one["speedup here"] == one["one request"] == loaded["one request"] > 2
    assert loaded["speedup here"] < 1 < loaded["cost of a round"]


def test_passes_beyond_the_measured_ones_are_extrapolated_and_never_the_best() -> None:
    said = at(cost="points", passes="pair", batch="4")
    passes = column(said, "passes")
    assert (
        set(passes.values()) == {"extrapolated", "measured"}
        and passes[below(said)["Fastest at this batch"]] == "measured"
    )
    assert below(said)["Methods that pay here"] == f"of {list(passes.values()).count('measured')} shown"
    assert "all are extrapolated" in verdict(at(cost="points", passes="pair", batch="64"))


@pytest.mark.parametrize(
    ("order", "name", "sign"),
    [
        ("load", "speedup here", -1),
        ("one", "one request", -1),
        ("tau", "tokens per round", -1),
        ("waste", "wasted per token", 1),
    ],
)
def test_sorting(order: str, name: str, sign: int) -> None:
    values = [sign * value for value in column(at(batch="32", sort=order), name).values()]
    assert values == sorted(values) and len(set(values)) > 5


def test_sorting_by_kind_is_the_order_of_the_list() -> None:
    assert list(listed(at(sort="order", mine=MINE))) == [method.label for method in methods()]


def test_filters_add_up() -> None:
    untrained, both, all_three = (
        at(only=only) for only in ("untrained", "lossless_untrained", "lossless_untrained_matching")
    )
    assert set(column(untrained, "to train").values()) == {"nothing"}
    assert below(untrained)["Methods that pay here"] == f"of {len(listed(untrained))} shown"
    assert set(column(both, "to train").values()) == {"nothing"}
    assert set(column(both, "the target's output").values()) == {"yes"}
    assert set(listed(all_three)) < set(listed(both)) < set(listed(untrained))
    assert not any(name.endswith("*") for name in column(all_three, "method").values())


def test_filters_that_nothing_passes_say_so() -> None:
    said = at(kind="agentic", sampling="1", only="lossless_untrained_matching")
    assert not listed(said) and verdict(said) == "No way of drafting passes these filters."
    assert numbers(said)["Fastest at this batch"] == "–" and numbers(said)["Methods that pay here"] == "0"


# The workload, the load, the machine


def test_the_kind_of_prompt_changes_the_figures() -> None:
    chat, code = (column(at(kind=kind), "tokens per round") for kind in ("chat", "code"))
    assert code != chat and code["EAGLE-3"] > chat["EAGLE-3"]
    assert round(find("eagle3").choose(Task("code", 0)).proposal.tau, 2) == code["EAGLE-3"]


def test_the_temperature_changes_the_figures() -> None:
    assert row(at(sampling="1"), "eagle")["tokens per round"] < row(at(), "eagle")["tokens per round"]


def test_figures_of_other_work_have_a_star_and_say_so() -> None:
    said = at(look="parallel")
    assert row(said, "parallel")["method"].endswith(" *") and not row(said, "eagle3")["method"].endswith("*")
    nearest = "Nothing was published for exactly this work: this is the nearest."
    assert nearest in texts(said) and nearest not in texts(at(look="eagle3"))


def test_the_load_and_the_machine_change_the_figures() -> None:
    queries: tuple[dict[str, str], ...] = ({}, {"gpu": "l4"}, {"batch": "128"}, {"cost": "points", "batch": "128"})
    speedups = [column(at(**query), "speedup here") for query in queries]
    assert all(speedups.count(each) == 1 for each in speedups)


def test_a_drafter_costs_memory_where_it_is_known() -> None:
    lost = column(at(), "requests lost to it")
    assert int(lost["EAGLE-3"]) > 0 and lost[find("ngram").label] == "0" and lost[find("parallel").label] == "–"
    assert set(column(at(cost="points"), "requests lost to it").values()) == {"–"}


# One method


@pytest.mark.parametrize("key", KEYS)
def test_every_method_has_its_paragraphs_and_its_source(key: str) -> None:
    said, method = at(look=key, mine=MINE), find(key)
    for text in (method.wins, method.loses, method.needs, method.lossless_note, method.citation):
        assert plain(text) in texts(said)
    assert ("of_sliders" in said) == (key == "measured")


def test_a_changed_number_goes_into_the_table_and_is_named() -> None:
    published, changed = at(look="ngram"), at(look="ngram", ngram_found="0.9")
    assert row(changed, "ngram")["speedup here"] > row(published, "ngram")["speedup here"]
    assert "Changed by you: Rounds with a match." in texts(changed) and "Changed by you" not in texts(published)
    assert "Changed by you" not in texts(at(look="suffix", ngram_found="0.9"))
    assert choice_of("ngram", read_link({"kind": "code", "ngram_found": "0.9"})[0]).values.found_share == 0.9


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ({"look": "telepathy"}, "look = telepathy is none of draft_model, ngram"),
        ({"kind": "poetry"}, "kind = poetry is none of chat, code"),
        ({"sampling": "2"}, "sampling = 2 is none of 0, 1"),
        ({"sort": "name"}, "sort = name is none of load, one, tau, waste, order"),
        ({"only": "junk"}, "only = junk is none of"),
        ({"nodes": "1"}, "nodes = 1 is none of 2–128"),
        ({"levels": "99"}, "levels = 99 is none of 2–16"),
        ({"ngram_found": "2"}, "found_share = '2' is outside 0 to 1 (Rounds with a match)"),
        ({"eagle3_nodes": "many"}, "num_draft_tokens = 'many' is not a whole number"),
        ({"medusa_c": "nan"}, "draft_cost_ratio = 'nan' is outside"),
    ],
    ids=str,
)
def test_what_a_link_cannot_say_is_named_and_its_default_stands(query: dict[str, str], complaint: str) -> None:
    chosen, complaints = read_link(query)
    assert complaint in "\n".join(map(translator("en").message, complaints))
    assert chosen == read_link({})[0]


def test_a_broken_number_of_a_method_is_opened_with_the_published_one() -> None:
    chosen, complaints = read_link({"ngram_found": "2"})
    published = choice_of("ngram", chosen).values.found_share
    assert f"The link was opened with {published:g} instead" in translator("en").message(complaints[0])


@pytest.mark.parametrize("key", [key for key in KEYS if key != "measured"])
def test_what_a_method_brings_to_the_explore_pages(key: str) -> None:
    """Explore shows one request, where checking is free: a chain with the method's own chance and cost of drafting."""
    chosen, _ = read_link({"look": key, "batch": "1"})
    choice = choice_of(key, chosen)
    scenario, row = as_scenario(choice, chosen.scenario), chain(choice)
    k, ratio = scenario.num_speculative_tokens, scenario.draft_ms / scenario.target_ms
    assert k == choice.proposal.acceptance.num_speculative_tokens
    assert evaluate(scenario).speedup == pytest.approx(row.tau / (1 + k * ratio), rel=0.001)
    assert k * scenario.draft_ms == pytest.approx(float(choice.proposal.draft_ms(scenario.target_ms)), abs=0.01)
    own = getattr(choice.values, "first_acceptance", getattr(choice.values, "alpha", None))
    if own is not None and key not in ("ngram", "online"):
        assert scenario.alpha == pytest.approx(own), "the method's own chance, not that of a level of its tree"
    assert row.tau == pytest.approx(choice.proposal.tau) if not is_tree(choice) else row.tau < choice.proposal.tau
    assert Drafter(**drafter_values(choice)).weights_billions == (choice.weights_billions or 0)
    assert ("as_chain" in answered(chosen)) == is_tree(choice)


@pytest.mark.parametrize("batch", ["1", "8", "64"])
@pytest.mark.parametrize(
    "machine", [{}, {"cost": "fit"}, {"cost": "points"}, {"kind": "code", "overhead": "0.5"}], ids=str
)
def test_the_speedup_of_a_method_is_the_same_on_serving(batch: str, machine: dict[str, str]) -> None:
    """All thirteen, at the same batch, context and cost of a pass: tokens, tokens checked and drafting are the same."""
    link = {**machine, "batch": batch, "mine": MINE, "dratio": "0.3", "alpha": "0.33"}
    chosen, complaints = read_link(link)
    assert not complaints
    rows = {each.method.key: each for each in compared(chosen, pass_source(chosen, translator("en")))}
    assert list(rows) == KEYS
    for key, each in rows.items():
        led, complaints = read_link({**link, "way": key})
        assert not complaints
        found = drafted(led)
        there = load_answer(pass_source(led, translator("en")), led, led.scenario, found)
        assert there.outcome.speedup == pytest.approx(each.speedup, rel=1e-9), key
        assert float(there.serving.tau(found.num_speculative_tokens)) == pytest.approx(each.tau)
        assert float(there.serving.verified(found.num_speculative_tokens)) == pytest.approx(each.verified_tokens)
        if there.verdict.kind != "does_not_fit":
            assert numbers(serving_answer(led, translator("en")))["Speedup here"] == f"{each.speedup:.2f}×"


def test_a_measured_one_is_there_once_something_was_measured() -> None:
    assert "Your measured one" not in texts(at()) and "Your measured one" not in listed(at())
    assert len(listed(at())) == 12
    said = at(mine=MINE, look="measured", alpha="0.1", k="9")
    assert row(said, "measured")["tokens per round"] == round(1 + 0.8 + 0.64 + 0.512, 2), "not what the sliders say"
    assert row(said, "measured")["numbers"] == "measured" and not row(said, "measured")["method"].endswith("*")
    assert "Its numbers are those that were measured and taken over" in texts(said)


def test_an_old_link_to_it_shows_the_sliders_under_their_own_name() -> None:
    said = at(look="measured", alpha="0.8", k="3", draft="2.2")
    assert row(said, "sliders")["tokens per round"] == round(1 + 0.8 + 0.64 + 0.512, 2)
    assert "Your measured one" not in listed(said) and row(said, "sliders")["numbers"] == "partly assumed"
    assert "Its numbers are those of the sliders on the Explore pages: nothing was measured yet." in texts(said)


def test_a_measurement_that_a_link_holds_wrongly_is_none() -> None:
    chosen, complaints = read_link({"mine": "alpha:7", "way": "measured"})
    assert "alpha = '7' is outside 0 to 1" in str(complaints) + "".join(map(str, complaints))
    assert "Your measured one" not in listed(answered(chosen)) and chosen.option("way") == ""


# The tree


@pytest.mark.parametrize(
    ("nodes", "levels", "tokens"), [(8, 3, 2.374), (16, 4, 2.865), (32, 9, 3.501), (32, 12, 3.501)]
)
def test_the_best_trees_of_sequoia(nodes: int, levels: int, tokens: float) -> None:
    """Sequoia (arXiv 2402.12374): its demonstration vector, for a method that has no tree of its own."""
    said = at(look="ngram", nodes=str(nodes), levels=str(levels))
    assert "Sequoia's published vector (arXiv 2402.12374)" in texts(said) and tree_tokens(said) == tokens


def test_a_method_with_a_tree_draws_its_own() -> None:
    size = {"look": "eagle", "nodes": "16", "levels": "4"}
    said = at(**size)
    assert "Candidates of: EAGLE." in texts(said) and tree_tokens(said) > 2.865
    assert tree_tokens(at(**size, eagle_first="0.3")) < tree_tokens(said)


@pytest.mark.parametrize(("nodes", "levels"), [(2, 2), (2, 16), (128, 2), (128, 16)])
@pytest.mark.parametrize("key", ["ngram", "eagle3", "medusa"])
def test_the_smallest_and_the_largest_trees_are_drawn(key: str, nodes: int, levels: int) -> None:
    said = at(look=key, nodes=str(nodes), levels=str(levels))
    assert tree_tokens(said) > 1 and "tree" in said
