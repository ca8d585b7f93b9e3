# mypy: disable-error-code="operator, union-attr, arg-type, type-var"
import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specmodel.base import table_file
from specmodel.base.table_file import RoundsError
from specmodel.measured import rounds_file
from specmodel.measured.bundled import bundled_run, bundled_runs
from specmodel.measured.rounds import MeasuredRounds, read_rounds
from specmodel.measured.rounds_counters import counters
from specmodel.model.acceptance import Acceptance
from tests.conftest import examples

GOOD = """proposed,accepted,draft_ms,verify_ms,temperature,category,k,run_id
4,2,1.5,20,0,code,4,a
4,4,1.5,20,0,code,4,b
"""
JUNK = [b"", b'"', b",", b"\n", b"\r", b";", b"\t", b"-", b"e9", b"\xff", b"\0", b"nan", b"'", b" "]

one_round = st.integers(0, 64).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
many_rounds = st.lists(one_round, min_size=1, max_size=80)


def _written(rounds, delimiter=",", newline="\n"):
    return newline.join(["proposed" + delimiter + "accepted"] + [f"{p}{delimiter}{a}" for p, a in rounds])


def _measured(rounds) -> MeasuredRounds:
    return read_rounds(_written(rounds))


# Reading back


@given(many_rounds, st.sampled_from([",", ";", "\t"]), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(),
       st.booleans())  # fmt: skip
def test_what_was_written_is_read_back(rounds, delimiter, newline, mark, packed):
    data = _written(rounds, delimiter, newline).encode("utf-8-sig" if mark else "utf-8")
    read = read_rounds(gzip.compress(data) if packed else data)
    assert list(zip(read.proposed.tolist(), read.accepted.tolist(), strict=True)) == rounds


def test_all_columns_are_read_and_unknown_ones_are_named(tmp_path):
    header, *lines = GOOD.splitlines()
    path = tmp_path / "rounds.csv"
    path.write_text("\n".join([f"{header},text", *(f'{line},"a ""b"", c"' for line in lines)]) + "\n\n")
    read = read_rounds(path, name="mine")
    assert (read.name, read.ignored_columns, read.num_rounds) == ("mine", ("text",), 2)
    assert read.options() == {"category": ("code",), "k": (4,), "temperature": (0.0,)}
    assert read.request.tolist() == [0, 1]
    assert read.draft_ms.tolist() == [1.5, 1.5]


def test_names_of_columns_may_have_capitals_and_spaces():
    assert read_rounds("Proposed , ACCEPTED\n 3 , 2 \n").accepted.tolist() == [2]


def test_a_prompt_counts_within_its_category():
    read = read_rounds("proposed,accepted,category,prompt,run_id\n1,1,a,0,5\n1,1,b,0,6\n1,1,a,0,7\n1,1,a,1,8\n")
    codes = read.request.tolist()
    assert codes[0] == codes[2] and len(set(codes)) == 3


def test_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        _measured([(1, 1)]).proposed[0] = 5


# Bad input

REFUSED = {
    "no columns": ("a,b\n1,2\n", "line 1 has no column proposed, accepted; found a, b"),
    "one column missing": ("proposed,k\n1,2\n", "line 1 has no column accepted; found proposed, k"),
    "a log": ("INFO started\nINFO done\n", "line 1 has no column"),
    "accepted above proposed": ("proposed,accepted\n4,4\n2,3\n", "line 3: accepted = 3 is more than proposed = 2"),
    "negative": ("proposed,accepted\n4,-1\n", "line 2, column accepted: found -1, expected a whole number from 0"),
    "nan": ("proposed,accepted\n4,nan\n", "line 2, column accepted: found nan"),
    "nan by another name": ("proposed,accepted\n4,2\n4,NA\n", "line 3, column accepted: found NA"),
    "blank": ("proposed,accepted\n4,2\n4,\n", "line 3, column accepted: nothing found, expected a whole number"),
    "text": ("proposed,accepted\n4,2\nfour,2\n", "line 3, column proposed: found four"),
    "true": ("proposed,accepted\n1,True\n", "line 2, column accepted: found True"),
    "not whole": ("proposed,accepted\n4,2.5\n", "line 2, column accepted: found 2.5, expected a whole number"),
    "thousands": ('proposed,accepted\n4,"1,5"\n', "line 2, column accepted: found 1,5"),
    "too many proposed": ("proposed,accepted\n65,1\n", "found 65, expected a whole number from 0 to 64"),
    "huge": (f"proposed,accepted\n1,1\n{'9' * 400},1\n", "line 3, column proposed: found 999"),
    "infinite ms": ("proposed,accepted,draft_ms\n4,2,inf\n", "line 2, column draft_ms: found inf, expected a finite"),
    "overflowing ms": ("proposed,accepted,draft_ms\n4,2,1e999\n", "line 2, column draft_ms: found 1e999"),
    "negative ms": ("proposed,accepted,verify_ms\n4,2,-0.5\n", "line 2, column verify_ms: found -0.5"),
    "decimal comma": ("proposed;accepted;draft_ms\n4;2;1,5\n", "line 2, column draft_ms: found 1,5"),
    "blank category": ("proposed,accepted,category\n4,2,a\n4,2, \n", "line 3, column category: nothing found"),
    "empty": ("", "the file is empty"),
    "only spaces": (" \n\n ", "the file is empty"),
    "byte order mark only": ("\ufeff", "the file is empty"),
    "header only": ("proposed,accepted\n\n", "has a header but no rounds"),
    "empty line": ("proposed,accepted\n1,1\n\n1,1\n", "line 3 is empty"),
    "too few columns": ("proposed,accepted\n1,1\n1\n", "line 3: number of columns is 1, expected 2"),
    "too many columns": ("proposed,accepted\n1,1\n1,1,1\n", "line 3: number of columns is 3, expected 2"),
    "same column twice": ("proposed,accepted,Proposed\n1,1,1\n", "line 1 has the column proposed more than once"),
    "open quote in the header": ('proposed,"accepted\n1,1\n', "line 1 is not a header"),
    "endless header": (f"proposed,accepted,{'x' * 70_000}\n1,1,1\n", "line 1 is not a header"),
    "open quote": ('proposed,accepted\n1,"1\n1,1\n', "line 3 cannot be split into columns"),
    "text after a quote": ('proposed,accepted\n1,"1"x\n', "line 2 cannot be split into columns"),
    "long cell": (f'proposed,accepted,note\n1,"{"x" * 200_000}",1\n', "line 2 cannot be split into columns"),
    "long cell without quotes": (f"proposed,accepted\n1,{'x' * 200_000}\n", "line 2 is too long"),
    "half a surrogate": ("proposed,accepted\n1,\udc80\n", "line 2 is not UTF-8"),
    "zero bytes": (b"proposed,accepted\n1,1\n\x00\x01\x02", "line 3 holds a zero byte"),
    "utf-16": ("proposed,accepted\n1,1\n".encode("utf-16"), "line 1 holds a zero byte"),
    "png": (b"\x89PNG\r\n\x1a\n\xff\xd8", "line 1 is not UTF-8 text"),
    "latin-1": ("proposed,accepted,category\n1,1,caf\xe9\n".encode("latin-1"), "line 2 is not UTF-8 text"),
    "broken gzip": (gzip.compress(b"proposed,accepted\n" + b"1,1\n" * 99)[:-12], "cannot be unpacked"),
    "not gzip at all": (b"\x1f\x8bnonsense", "cannot be unpacked"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_file_is_refused_with_its_reason(case):
    source, reason = REFUSED[case]
    with pytest.raises(RoundsError) as caught:
        read_rounds(source)
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_message_can_be_translated():
    with pytest.raises(RoundsError) as caught:
        read_rounds("proposed,accepted\n4,x\n")
    template = "line {line}, column {column}: found {found}, expected {expected}"
    catalogue = {template: "{line} {column} {found} {expected}", "a whole number from {low} to {high}": "{low}..{high}"}
    assert caught.value.message.translated(catalogue.__getitem__) == "2 accepted x 0..64"


def test_lines_are_counted_across_quoted_line_breaks():
    with pytest.raises(RoundsError, match="line 5, column accepted"):
        read_rounds('proposed,accepted,note\n1,1,"two\nlines"\n1,1,x\n1,y,x\n')


def test_size_is_limited_before_and_after_unpacking(monkeypatch):
    assert table_file.MAX_BYTES == 64 * 2**20
    monkeypatch.setattr(table_file, "MAX_BYTES", 2**20)
    data = b"proposed,accepted\n" + b"1,1\n" * 2**18
    for source in (data, gzip.compress(data), data.decode()):
        with pytest.raises(RoundsError, match="too large: at most 1 MiB"):
            read_rounds(source)


def test_the_number_of_rounds_is_limited(monkeypatch):
    monkeypatch.setattr(table_file, "MAX_ROUNDS", 3)
    assert read_rounds("proposed,accepted\n1,1\n1,1\n1,1\n").num_rounds == 3
    with pytest.raises(RoundsError, match="too many lines: at most 3 rounds"):
        read_rounds("proposed,accepted\n1,1\n1,1\n1,1\n1,1\n")


def test_a_gzip_bomb_is_not_unpacked_whole():
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as file:
        for _ in range(80):
            file.write(b"\n" * 2**20)
    with pytest.raises(RoundsError, match="too large: at most 64 MiB"):
        read_rounds(packed.getvalue())


def test_a_path_that_cannot_be_opened_is_said(tmp_path):
    for path in (tmp_path / "absent.csv", tmp_path, Path("nul\0")):
        with pytest.raises(RoundsError, match="cannot be opened"):
            read_rounds(path)


@settings(examples(300), suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_damaged_file_is_read_or_refused_but_never_crashes(data):
    damaged = bytearray(GOOD.encode())
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(damaged)))
        damaged[place : place + data.draw(st.integers(0, 3))] = data.draw(st.sampled_from(JUNK) | st.binary(max_size=3))
    try:
        read = read_rounds(bytes(damaged))
    except RoundsError as error:
        assert str(error)
    else:
        assert np.all((read.accepted >= 0) & (read.accepted <= read.proposed))
        read.alpha(), read.conditional_acceptance(), counters(read)


@given(st.text() | st.binary())
def test_any_text_is_read_or_refused(source):
    for given_source in (source, GOOD + source if isinstance(source, str) else GOOD.encode() + source):
        try:
            read_rounds(given_source)
        except RoundsError as error:
            assert str(error)


# Estimates


@given(many_rounds)
def test_counts_add_up(rounds):
    read = _measured(rounds)
    assert counters(read).generated_tokens == read.num_rounds + sum(a for _, a in rounds)
    alpha = read.alpha()
    assert alpha.trials == sum(a + (a < p) for p, a in rounds)
    if alpha.value is not None:
        assert alpha.value >= read.draft_acceptance_rate - 1e-12


@given(st.integers(1, 12), st.lists(st.integers(0, 12), min_size=1, max_size=60))
def test_with_equal_lengths_the_chained_positions_are_the_histogram(k, accepted):
    accepted = [min(a, k) for a in accepted]
    read = _measured([(k, a) for a in accepted])
    chained = Acceptance.from_conditional([a.value for a in read.conditional_acceptance() if a.value is not None])
    seen = Acceptance.from_histogram(np.bincount(accepted))
    assert chained.mean_acceptance_length == pytest.approx(seen.mean_acceptance_length)
    assert counters(read).acceptance().mean_acceptance_length == pytest.approx(seen.mean_acceptance_length)


def test_alpha_is_the_maximum_of_the_likelihood():
    rounds = [(4, 4), (4, 1), (4, 0), (2, 2), (3, 2), (0, 0)]
    grid = np.linspace(0.001, 0.999, 999)
    likelihood = sum(a * np.log(grid) + (a < p) * np.log(1 - grid) for p, a in rounds)
    assert _measured(rounds).alpha().value == pytest.approx(grid[np.argmax(likelihood)], abs=1e-3)


def test_alpha_of_simulated_rounds_is_found_again():
    rng = np.random.default_rng(6)
    accepted = np.minimum(rng.geometric(0.3, size=4000) - 1, 5)
    read = _measured([(5, int(a)) for a in accepted])
    alpha = read.alpha()
    assert alpha.low < 0.7 < alpha.high and alpha.half_width < 0.02
    assert all(abs(a.value - 0.7) < 2 * a.half_width for a in read.conditional_acceptance())
    assert read.draft_acceptance_rate == pytest.approx(0.7 * (1 - 0.7**5) / (0.3 * 5), abs=0.02)


def test_rounds_without_a_draft_are_rounds_of_one_token():
    read = _measured([(0, 0), (0, 0), (2, 2)])
    assert (read.num_rounds, counters(read).generated_tokens, counters(read).num_rounds) == (3, 5, 1)
    assert read.share_with_draft == pytest.approx(1 / 3)
    only = _measured([(0, 0), (0, 0)])
    assert (only.alpha().value, only.draft_acceptance_rate, only.conditional_acceptance()) == (None, None, ())
    assert counters(only).tokens_per_step == 1 and not counters(only).speculation


def test_positions_that_were_never_reached_are_cut():
    read = _measured([(4, 1), (4, 0)])
    assert [a.value for a in read.conditional_acceptance()] == [0.5, 0]


def test_times_are_sums_then_divided():
    read = read_rounds("proposed,accepted,draft_ms,verify_ms,overhead_ms,baseline_ms\n4,3,8,20,2,15\n2,0,4,24,2,18\n")
    counted = counters(read)
    assert (counted.step_ms, counted.draft_ms, counted.verify_ms) == (30, 6, 22)
    assert counted.plain_ms == pytest.approx((4 * 15 + 18) / 5)
    assert counted.tokens_per_step * counted.plain_ms / counted.step_ms == pytest.approx((4 * 15 + 18) / 60)
    assert counted.pace.counts.tolist() == [[5, 60, 78]]


def test_what_was_not_measured_is_none():
    counted = counters(_measured([(2, 1)]))
    assert (counted.step_ms, counted.draft_ms, counted.verify_ms, counted.plain_ms, counted.pace) == (None,) * 5


def test_a_selection_without_rounds_knows_nothing():
    empty = read_rounds(GOOD).select(category="prose")
    counted = counters(empty)
    assert (empty.num_rounds, counted.generated_tokens, empty.conditional_acceptance()) == (0, 0, ())
    assert (empty.alpha().value, counted.tokens_per_step, counted.step_ms, counted.pace) == (None,) * 4
    assert (empty.share_with_draft, empty.predicted_mean_acceptance_length(0.5)) == (None, None)


def test_a_missing_column_matches_nothing():
    assert _measured([(2, 1)]).select(k=2).num_rounds == 0
    assert _measured([(2, 1)]).options() == {}


@given(one_round, st.floats(0, 1))
def test_the_prediction_for_equal_lengths_is_the_closed_form(rounds, alpha):
    expected = Acceptance.iid(alpha, rounds[0]).mean_acceptance_length
    assert _measured([rounds] * 3).predicted_mean_acceptance_length(alpha) == pytest.approx(expected)


# The bundled runs: what was found when they were measured (conditions in specmodel/measured/bundled.py)


def _cells(rounds: MeasuredRounds):
    options = rounds.options()
    for category in options["category"]:
        for k in options["k"]:
            for temperature in options["temperature"]:
                yield rounds.select(category, k, temperature)


def _errors(cells, alpha_of):
    """Mean and largest relative error in % of the tokens per round predicted from one alpha for each cell."""
    errors = [
        abs(cell.predicted_mean_acceptance_length(alpha_of(cell)) / counters(cell).tokens_per_step - 1)
        for cell in cells
    ]
    return 100 * np.mean(errors), 100 * np.max(errors)


@pytest.mark.parametrize(
    ("key", "cells", "by_trials", "by_drafts"),
    [("pair", 42, (0.67, 4.4), (33.0, 61.1)), ("lookup", 30, (2.45, 11.0), (23.1, 71.0))],
)
def test_alpha_by_trials_predicts_and_accepted_per_draft_does_not(key, cells, by_trials, by_drafts):
    full = list(_cells(bundled_run(key).load().full_rounds()))
    assert len(full) == cells
    assert _errors(full, lambda cell: cell.alpha().value) == pytest.approx(by_trials, rel=0.01)
    assert _errors(full, lambda cell: cell.draft_acceptance_rate) == pytest.approx(by_drafts, rel=0.01)


def test_with_the_lengths_really_proposed_lookup_is_predicted_better():
    cells = _cells(bundled_run("lookup").load())
    assert _errors(cells, lambda cell: cell.alpha().value) == pytest.approx((1.6, 7.5), rel=0.02)


@pytest.mark.parametrize(
    ("key", "published"),
    [("pair", [0.67, 0.68, 0.50, 0.68, 0.64, 0.66]), ("lookup", [0.74, 0.32, 0.31, 0.17, 0.80, 0.46])],
)
def test_alpha_by_kind_of_text_and_temperature(key, published):
    full = bundled_run(key).load().full_rounds()
    found = [full.select(c, 4, t).alpha().value for c in ("code", "prose", "repetitive") for t in (0, 1)]
    assert found == pytest.approx(published, abs=0.006)


def test_lookup_accepts_more_the_further_it_gets():
    greedy_code = bundled_run("lookup").load().full_rounds().select("code", 12, 0)
    found = [a.value for a in greedy_code.conditional_acceptance()[:6]]
    assert found == pytest.approx([0.50, 0.74, 0.81, 0.88, 0.92, 0.91], abs=0.011)


def test_bundled_runs_are_small_and_complete():
    folder = Path(rounds_file.__file__).parents[1] / "data"
    assert sum(path.stat().st_size for path in folder.glob("rounds_*.csv.gz")) < 250_000
    assert [run.load().num_rounds for run in bundled_runs()] == [29_620, 2_767, 12_845]
    assert all(run.load().ignored_columns == () for run in bundled_runs())
