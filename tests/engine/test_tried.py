"""Settings compared and what to measure next: by repeats, by what is assumed, and by the gain that is expected."""

import pytest

from specmodel import engine
from specmodel.engine.tried import tried_settings
from specmodel.measured.spec_stats import SpecStats


def sweep(times: dict[int, float], tau: dict[int, float] | None = None) -> SpecStats:
    """Settings by draft length with their time per token; 0 is off."""
    parts = [
        SpecStats(
            "a", "b", label=f"k = {k}" if k else "off", speculation=k > 0, num_speculative_tokens=k or None,
            tpot_ms=ms, printed_length=(tau or {}).get(k),
        )
        for k, ms in times.items()
    ]  # fmt: skip
    main = min((each for each in parts if each.speculation), key=lambda each: each.tpot_ms or 0.0)
    return main.replace(parts=tuple(parts), parts_are_settings=True, label="x.csv")


def test_ties_are_those_that_five_per_cent_between_runs_cannot_tell_apart() -> None:
    tried = tried_settings(sweep({0: 20.0, 2: 10.0, 4: 10.3, 8: 15.0}))
    assert [each.stats.label for each in tried if each.is_best] == ["k = 2"]
    assert [each.stats.label for each in tried if each.ties] == ["k = 4"]
    assert sum(each.chance_best for each in tried) == pytest.approx(1.0)


def test_repeats_that_agree_tell_apart_what_single_runs_cannot() -> None:
    parts = [
        SpecStats(
            "a",
            "b",
            label="off" if not k else f"k = {k}",
            speculation=k > 0,
            num_speculative_tokens=k or None,
            tpot_ms=ms,
        )
        for k, times in ((0, (20.0, 20.01)), (2, (10.0, 10.01, 9.99)), (4, (10.5, 10.51, 10.49)))
        for ms in times
    ]
    tried = tried_settings(parts[2].replace(parts=tuple(parts), parts_are_settings=True))
    assert [each.runs for each in tried] == [3, 3, 2] and not any(each.ties for each in tried)


def test_the_next_length_is_the_one_between_that_promises_most() -> None:
    tau = {1: 1.8, 3: 2.7, 9: 3.6}
    times = {k: 20.0 * (1.1 + 0.08 * k) / tokens for k, tokens in tau.items()}
    found = engine.answer(sweep({0: 20.0, **times}, tau)).next_setting
    assert found is not None and found.kind == "length" and 3 < (found.num_speculative_tokens or 0) < 9
    assert found.gain is not None and found.gain > 0.005 and found.speedup is not None


def test_without_a_plain_run_that_comes_first() -> None:
    found = engine.answer(sweep({2: 10.0, 4: 11.0}, {2: 2.0, 4: 2.5})).next_setting
    assert found is not None and found.kind == "plain"


def test_without_acceptance_only_repeats_can_tell_ties_apart() -> None:
    found = engine.answer(sweep({0: 20.0, 2: 10.0, 4: 10.1})).next_setting
    assert found is not None and found.kind == "repeat" and "k = 2, k = 4" in str(found.reason)


def test_one_length_asks_for_a_second_one() -> None:
    found = engine.answer(sweep({0: 20.0, 4: 11.0}, {4: 2.6})).next_setting
    assert found is not None and found.kind == "length" and "Only one draft length ran" in str(found.reason)


def test_settings_at_another_batch_are_not_compared() -> None:
    main = sweep({0: 20.0, 2: 10.0})
    other = main.parts[1].replace(batch_size=8.0, tpot_ms=2.0)
    assert len(tried_settings(main.replace(parts=(*main.parts, other)))) == 2
