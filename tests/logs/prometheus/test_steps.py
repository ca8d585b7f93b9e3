# mypy: disable-error-code="arg-type, union-attr"
"""The steps of a live window as its repeats: from a server that is played here, and from a real one."""

import numpy as np
import pytest

from specmodel.engine.answer import answer
from specmodel.logs.prometheus import LiveError, Target, read_window, targets, with_steps
from specmodel.logs.prometheus.answer import Answer, Curve
from specmodel.logs.prometheus.promql import ROLE
from specmodel.measured.spec_stats import SpecStats
from tests.logs.prometheus.exporter import LARGE

NOW, WINDOW_S, SCRAPE_S = 100_000.0, 900.0, 10.0
TARGET = Target("vLLM", "m", (("model_name", "m"),))
STATS = SpecStats("vLLM", "Prometheus", num_speculative_tokens=3, num_rounds=1000.0, num_draft_tokens=3000.0,
                  num_accepted_draft_tokens=1800.0, window_s=WINDOW_S, estimated=True, step_ms=20.0)  # fmt: skip


class Played:
    """A server whose counters rise by what `increases` says, a value for each step."""

    def __init__(self, **increases):
        self.increases, self.asked = increases, []

    def raw_samples(self, selector, at):
        times = NOW - SCRAPE_S * np.arange(10)[::-1]
        return Answer((Curve({}, times, times),))

    def query_range(self, promql, start, end, step_s):
        self.asked.append((promql, start, end, step_s))
        times = start + step_s * np.arange(round((end - start) / step_s) + 1)
        rows = [Curve({ROLE: role}, times, np.resize(np.array(values, dtype=float), times.size))
                for role, values in self.increases.items()]  # fmt: skip
        return Answer(tuple(rows))


def test_steps_are_units_that_add_up_to_the_window_and_show_its_pace():
    served = Played(rounds=[50, 60], drafted=[150, 180], accepted=[80, 120], generated=[130, 180], step_seconds=[1, 2])
    found = with_steps(served, TARGET, STATS, NOW)
    [(promql, start, end, step_s)] = served.asked
    assert (end, step_s) == (NOW, 40.0) and start == NOW - 40 * 21  # four scrapes a step, 22 of them in 15 minutes
    assert "increase(" in promql and "[40s]" in promql
    assert found.units.kind == found.pace.kind == "windows" and len(found.units.counts) == 22
    assert found.units.counts[:, :3].sum(axis=0) == pytest.approx([1000, 3000, 1800])
    assert found.pace.counts[:2, :2].tolist() == [[130, 1000], [180, 2000]]
    judged = answer(found, plain_ms=10.0)
    assert judged.acceptance.method == "windows" and judged.case.speedup_method == "timed_windows"


@pytest.mark.parametrize(
    "increases",
    [
        {},
        {"rounds": [0.0]},
        {"rounds": [5.0], "accepted": [0.0]},
        {"rounds": [float("nan")], "accepted": [1.0]},
        {"rounds": [5.0]},
    ],
)
def test_without_rounds_in_its_steps_a_window_keeps_its_counters_alone(increases):
    found = with_steps(Played(**increases), TARGET, STATS, NOW)
    assert found.units is None and found.pace is None and found.num_rounds == 1000


def test_a_window_of_few_scrapes_has_no_steps_and_a_server_that_refuses_changes_nothing():
    served = Played(rounds=[5.0], accepted=[3.0])
    assert with_steps(served, TARGET, STATS.replace(window_s=100.0), NOW).units is None and not served.asked

    class Refusing(Played):
        def query_range(self, *asked):
            raise LiveError("no", "refused")

    assert with_steps(Refusing(), TARGET, STATS, NOW) is STATS


def test_steps_of_a_real_server(scraped):
    target = next(each for each in targets(scraped.server, scraped.now) if each.model == LARGE.model)
    stats = read_window(scraped.server, target, 8.0, scraped.now)
    found = with_steps(scraped.server, target, stats, scraped.now)
    assert found.num_rounds == stats.num_rounds
    if found.units is not None:  # as often as this machine let it scrape
        lengths = 1 + found.units.counts[:, 2] / found.units.counts[:, 0]
        assert lengths == pytest.approx(LARGE.acceptance_length, rel=0.1)
