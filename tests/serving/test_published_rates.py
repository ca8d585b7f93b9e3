"""Published sweeps of the request rate: from the rates at which speculation gains, the loss at a high one follows."""

import numpy as np
import pytest

from specmodel.serving.arrivals import EngineTable, latency_curve
from specmodel.serving.crossings import crossings

# Seconds of an answer without and with speculation by requests per second, read off the bars of figure 7 of vLLM's
# blog, 2024-10-17: Llama-3-70B on four H100, k = 4.
SWEEPS = {
    "draft model, ShareGPT": {1: (2.55, 1.67), 2: (2.6, 1.75), 4: (2.95, 2.27), 8: (3.5, 3.4), 10: (3.43, 4.8)},
    "n-gram, CNN/DailyMail": {1: (2.75, 0.95), 2: (2.95, 1.2), 4: (3.8, 1.8), 8: (5.75, 10.75)},
}
FITTED = (1, 2, 4)
PLAIN, SPECULATING = 0, 1
TOKENS = 200
"""The mean length of an answer is not published; it only scales the time per token, and no latency depends on it."""


def fitted(sweep: dict[int, tuple[float, float]], side: int) -> EngineTable:
    """The engine as a line from the low rates: latency = a + b × batch, with batch = rate × latency (Little's law)."""
    latency = np.array([sweep[rate][side] for rate in FITTED])
    slope, base = np.polyfit(np.array(FITTED) * latency, latency, 1)
    return EngineTable(1000 * (base + slope * np.arange(1, 257)) / TOKENS, TOKENS)


@pytest.mark.parametrize("name", SWEEPS)
def test_the_loss_at_a_high_rate_follows_from_the_gain_at_low_ones(name: str) -> None:
    sweep, highest = SWEEPS[name], max(SWEEPS[name])
    plain, speculating = (fitted(sweep, side) for side in (PLAIN, SPECULATING))
    for rate in (1, 2, 4):
        ours, theirs = (float(latency_curve(each, rate).latency_s) for each in (speculating, plain))
        assert ours < theirs and sweep[rate][SPECULATING] < sweep[rate][PLAIN]
    ours, theirs = (float(latency_curve(each, highest).latency_s) for each in (speculating, plain))
    assert sweep[highest][SPECULATING] > sweep[highest][PLAIN]
    assert np.isfinite(theirs) and (np.isnan(ours) or ours > theirs)  # nan: saturated
    rates = [each.rate for each in crossings(speculating, plain) if each.faster_below and not each.faster_above]
    print(f"{name}: off from {rates} /s, at {highest} /s {ours:.2f} and {theirs:.2f} s, {sweep[highest]} published")
    assert len(rates) == 1 and max(FITTED) < rates[0] < highest
    assert speculating.saturation.rate < plain.saturation.rate
