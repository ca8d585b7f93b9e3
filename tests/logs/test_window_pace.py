# mypy: disable-error-code="arg-type, index, operator, union-attr"
"""Windows of a log as the data that shows how much a speed varies: logs of one generator that differ in the seed."""

import numpy as np
import pytest

from specmodel import logs
from specmodel.engine.answer import answer
from specmodel.logs._window_pace import WindowPace
from specmodel.measured.sampling_units import MAX_UNITS

LINE = "(APIServer pid=7) INFO 11-02 10:{minute:02d}:{second:02d} [loggers.py:311] Engine 000: "
LOAD = "Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: {speed:.1f} tokens/s, Running: {running} reqs, "
REST = "Waiting: 0 reqs, GPU KV cache usage: 12.0%, Prefix cache hit rate: 0.0%\n"
DRAFTS = (
    "(APIServer pid=7) INFO 11-02 10:{minute:02d}:{second:02d} [metrics.py:125] SpecDecoding metrics: Mean acceptance "
    "length: {length:.2f}, Accepted throughput: {good:.2f} tokens/s, Drafted throughput: {all:.2f} tokens/s, Accepted: "
    "{accepted} tokens, Drafted: {drafted} tokens, Per-position acceptance rate: {rates}, Avg Draft acceptance rate: "
    "{rate:.1f}%\n"
)


def log(rng, windows, step_ms, alpha=None, k=3):
    """A server whose load swings: `Running` is what runs at the end of a window, not in it."""
    text = ""
    for at in range(windows):
        when = {"minute": at * 10 // 60 % 60, "second": at * 10 % 60}
        running, shown = 16 + rng.integers(-4, 5), 16 + rng.integers(-4, 5)
        rounds = int(running * 10_000 / step_ms)
        kept = np.zeros(k, dtype=int)
        if alpha:
            chance = np.clip(alpha + 0.05 * rng.standard_normal(), 0, 1)
            kept = (np.cumprod(rng.random((rounds, k)) < chance, axis=1)).sum(axis=0)
        speed = (rounds + kept.sum()) / 10
        text += LINE.format(**when) + LOAD.format(speed=speed, running=shown) + REST
        if alpha:
            rates = kept / rounds
            text += DRAFTS.format(
                **when, length=1 + rates.sum(), good=kept.sum() / 10, all=rounds * k / 10, accepted=kept.sum(),
                drafted=rounds * k, rates=", ".join(f"{rate:.3f}" for rate in rates), rate=100 * rates.sum() / k,
            )  # fmt: skip
    return logs.parse(text)


def test_runs_that_differ_in_the_seed_alone_are_not_told_apart():
    """No speculation against itself: the true factor is 1, and six pairs of logs once read 0.93 to 1.06, each sure."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        plain, fast = log(rng, 24, 20.0), log(rng, 24, 40.0, alpha=0.59)
        found = answer(fast, plain)
        assert found.speedup.low < 1.0 < found.speedup.high, seed
        assert found.verdict.kind == "too_close"
        assert found.case.speedup_method == "timed_windows"
        assert 0.05 < found.case.chance_slower < 0.95


@pytest.mark.sized
def test_the_interval_over_windows_holds_the_true_speedup():
    rng, held = np.random.default_rng(9), []
    tau = 1 + sum(np.mean(np.clip(0.7 + 0.05 * rng.standard_normal(20_000), 0, 1) ** i) for i in (1, 2, 3))
    for _ in range(30):
        found = answer(log(rng, 20, 30.0, alpha=0.7), log(rng, 20, 20.0)).speedup
        held.append(found.low <= tau * 20 / 30 <= found.high)
    assert sum(held) >= 27


def test_windows_are_joined_where_there_are_too_many():
    pace = WindowPace()
    for _ in range(5 * MAX_UNITS):
        pace.add(2.0, 10.0)
    counts = pace.units.counts
    assert len(counts) <= MAX_UNITS and set((counts[:, 1] / counts[:, 0]).tolist()) == {5.0}
    assert WindowPace().units is None
