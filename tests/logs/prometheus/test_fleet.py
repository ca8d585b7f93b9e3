"""All models of a server in one table of counters: the same as asked one by one, with one question a naming."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from specmodel.logs.prometheus import LiveError, Server, read_fleet, read_plain, read_window, targets
from specmodel.logs.prometheus.answer import Answer, Sample
from tests.logs.prometheus.exporter import IDLE, LARGE

WINDOW_S = 8.0


@dataclass(frozen=True)
class Counting(Server):
    """A server that remembers how often it was asked."""

    asked: list[str] = field(default_factory=list)

    def query(self, promql: str, at: float) -> Answer[Sample]:
        self.asked.append(promql)
        return super().query(promql, at)


def test_every_row_is_what_its_own_question_gives(scraped: Any) -> None:
    offered = targets(scraped.server, scraped.now)
    rows = read_fleet(scraped.server, offered, WINDOW_S, scraped.now)
    assert [each.target for each in rows] == list(offered)
    drafted = [each for each in rows if each.stats is not None]
    assert len(drafted) > 5
    for row in drafted:
        alone = read_window(scraped.server, row.target, WINDOW_S, scraped.now)
        assert row.stats is not None
        for name in ("num_rounds", "num_draft_tokens", "num_accepted_draft_tokens", "generated_tokens", "step_ms"):
            wanted = getattr(alone, name)
            assert getattr(row.stats, name) == (None if wanted is None else pytest.approx(wanted, rel=1e-6)), name
        assert row.stats.num_speculative_tokens == alone.num_speculative_tokens
        assert row.stats.per_position_acceptance == pytest.approx(alone.per_position_acceptance or (), rel=1e-6) or (
            alone.per_position_acceptance is None
        )
        if row.target.plain is not None:
            beside = read_plain(scraped.server, row.target.plain, WINDOW_S, scraped.now)
            assert row.plain is not None and row.plain.step_ms == pytest.approx(beside.step_ms)


def test_a_model_that_drafted_nothing_says_so(scraped: Any) -> None:
    rows = {
        each.target.model: each
        for each in read_fleet(scraped.server, targets(scraped.server, scraped.now), WINDOW_S, scraped.now)
    }
    assert rows[IDLE.model].stats is None and "drafted nothing" in str(rows[IDLE.model].missing)
    large = rows[LARGE.model].stats
    assert large is not None and large.mean_acceptance_length == pytest.approx(LARGE.acceptance_length, rel=0.01)


def test_it_asks_once_a_naming_however_many_models_there_are(scraped: Any) -> None:
    server = Counting(scraped.server.url)
    offered = targets(server, scraped.now)
    before = len(server.asked)
    read_fleet(server, offered, WINDOW_S, scraped.now)
    assert len(server.asked) - before == len({each.names.prefix for each in offered}) < len(offered)


def test_a_server_that_is_down_is_an_error_of_its_own() -> None:
    from specmodel.logs.prometheus import Target

    with pytest.raises(LiveError) as error:
        read_fleet(Server("http://127.0.0.1:9"), (Target("vLLM", "m", (("model_name", "m"),)),), 300, now=0)
    assert error.value.kind == "down"
