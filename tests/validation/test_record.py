"""The record that is kept is what the rules say now; and it is what the project promises."""

import json
import subprocess
import sys
import time

import pytest

from specmodel.validation.judged import by_rule, records, summary, worst
from specmodel.validation.left_out import REASONS, left_out
from specmodel.validation.point import QUANTITIES, RULES, Point
from specmodel.validation.reasons import reason
from specmodel.validation.rules import judge
from specmodel.validation.table import bundled_rows, judged_points, record
from tests.conftest import ROOT


def test_the_kept_points_are_what_the_rules_say():
    """If not: `python -m specmodel.validation --write`."""
    now, kept = judge(bundled_rows()), judged_points()
    assert [(point.rule, point.source, point.k_from, point.k_to) for point in now] == [
        (point.rule, point.source, point.k_from, point.k_to) for point in kept
    ]
    for name in ("predicted", "measured", "low", "high"):
        values = [[getattr(point, name) or 0.0 for point in points] for points in (now, kept)]
        assert values[0] == pytest.approx(values[1], rel=2e-5, abs=1e-6), name


def test_a_record_is_counted_by_hand():
    points = [
        Point("longer", "tokens", "a", "", predicted, 2.0, low, 2.5, k_from=1, k_to=3)
        for predicted, low in ((2.0, 1.9), (2.1, 1.9), (2.3, 2.2), (1.0, 0.5))
    ]
    found = records(points)
    assert found.num_points == found.num_banded == 4
    assert found.median_error == pytest.approx((0.05 + 0.15) / 2)
    assert found.bias == pytest.approx(0.025)
    assert (found.within_10, found.coverage) == (0.5, 0.75)


def test_a_record_is_that_of_its_points():
    points = [point for point in judged_points() if point.rule == "replay" and point.far]
    assert record("replay", far=True) == records(points)
    assert record("engine", "speedup", "longer").num_points < record("engine", "speedup").num_points
    assert record("no such rule").coverage is None


def test_a_record_is_cheap():
    program = (
        "import time; from specmodel.validation import record; start = time.perf_counter();"
        "record('engine', 'speedup'); print(time.perf_counter() - start)"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert float(ran.stdout) < 1.0
    start = time.perf_counter()
    record("engine", "speedup")
    record("engine", "speedup")
    assert time.perf_counter() - start < 1.0


@pytest.mark.parametrize("quantity", ["tokens", "speedup"])
@pytest.mark.parametrize("reach", ["shorter", "longer"])
def test_bands_of_the_product_hold_85_percent_at_other_lengths(quantity, reach):
    for own in (True, False):
        points = [
            point
            for point in judged_points()
            if (point.rule, point.quantity, point.reach) == ("engine", quantity, reach)
            and point.source.startswith("Measured by the project") == own
        ]
        assert len(points) >= 20
        assert (records(points).coverage or 0.0) >= 0.85, own


def test_a_band_that_holds_is_said_with_its_width():
    found = record("engine", "tokens")
    assert found.half_width is not None and 0 < found.half_width < 0.5
    assert record("free").half_width is None


def test_every_rule_is_judged_and_every_point_is_of_a_rule():
    rules = {point.rule for point in judged_points()}
    assert rules == set(RULES)
    assert {point.quantity for point in judged_points()} == set(QUANTITIES)


def test_no_row_of_the_sweep_that_set_the_margins_is_judged():
    """A vLLM sweep over k = 1, 2, 3, 5, 7 with two contexts and three seeds."""
    groups = summary(judged_points(), lambda point: (point.source, point.setup))
    assert not any("seed" in setup.lower() or "32k context" in setup.lower() for _, setup in groups)


def test_rows_by_rule_stand_in_the_order_of_the_rules():
    places = [list(RULES).index(rule) for rule, _, _ in by_rule(judged_points())]
    assert places == sorted(places)


def test_what_no_model_reaches_is_faster_than_its_tokens():
    found = {(point.setup, point.measured) for point in judged_points() if point.unreachable}
    assert len(found) >= 4
    assert ("T5-XXL 11B target, T5-small 77M draft, CNNDM, temp 0, single TPU-v4", 3.1) in found
    assert ("N-gram, second turn of a chat", 1.96) in found


def test_every_point_has_a_reason_that_can_be_said():
    for point in worst(judged_points(), 200, 5):
        assert str(reason(point)).endswith(".")


def test_reasons_follow_from_the_facts_of_the_row():
    lookup = Point("longer", "tokens", "a", "", 1.5, 2.5, k_from=3, k_to=8, drafter="lookup")
    assert "goes on being right" in str(reason(lookup))
    experts = Point("free", "speedup", "a", "", 3.0, 1.5, tokens=3.0, experts=True)
    assert "mixture of experts" in str(reason(experts)) and "2.00 plain steps" in str(reason(experts))
    busy = Point("free", "speedup", "a", "", 4.0, 0.5, tokens=4.0, batch=32)
    assert "32 requests" in str(reason(busy))
    timed = Point("engine", "speedup", "a", "", 1.1, 1.0, tokens_error=0.0, k_from=3, k_to=5)
    assert str(reason(timed)) == "Tokens per step were +0% off, the time of a step -9%."


def test_what_was_left_out_has_reasons():
    assert {row.reason for row in left_out()} == set(REASONS)
    assert sum(row.rows for row in left_out()) > 200


def ran(*arguments):
    command = [sys.executable, "-m", "specmodel.validation", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_prints_the_table_and_the_points():
    table = ran().stdout
    found = record("engine", "speedup", "longer")
    line = next(line for line in table.splitlines() if line.startswith("Your engine") and "speedup, longer" in line)
    assert f"{found.num_points}" in line and f"{found.coverage:.0%} of {found.num_banded}" in line
    assert "By source" in table
    assert len(ran("--csv").stdout.splitlines()) == len(judged_points()) + 1


def test_the_readme_states_what_the_command_prints():
    """If not: paste what `python -m specmodel.validation --markdown` prints."""
    assert ran("--markdown").stdout in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_command_judges_a_file_and_refuses_a_broken_one(tmp_path):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("source,tau,speedup\nmine,3,2\n", encoding="utf-8")
    bad.write_text("source,tau\nmine,many\n", encoding="utf-8")
    assert "50.0%" in ran("--rows", str(good)).stdout
    refused = ran("--rows", str(bad))
    assert refused.returncode == 1 and "line 2, column tau: found many" in refused.stderr
    assert json.dumps(refused.stdout) == '""'
