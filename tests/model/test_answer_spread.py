"""The band of single answers where prompts differ, against answers played one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.model.acceptance import Acceptance
from specmodel.model.answer_spread import rounds_quantiles
from specmodel.model.outcome import evaluate
from specmodel.model.rounds import rounds_distribution
from specmodel.model.scenario import Scenario
from specmodel.model.speedup_curve import speedup_curve

BAND = (0.05, 0.95)


@given(st.floats(0, 1), st.integers(0, 8), st.integers(1, 400))
def test_without_a_spread_it_is_the_exact_distribution(alpha, drafts, tokens):
    exact = rounds_distribution(Acceptance.iid(alpha, drafts), tokens).quantile(BAND)
    assert rounds_quantiles(alpha, drafts, tokens, (), 0.0, BAND) == tuple(exact.tolist())


@pytest.mark.parametrize(("alpha", "spread"), [(0.6, 0.1), (0.8, 0.05), (0.5, 0.3)])
def test_the_band_is_that_of_answers_played_with_an_alpha_of_their_own(alpha, spread):
    rng, drafts, tokens = np.random.default_rng(4), 4, 300
    total = alpha * (1 - alpha) / spread**2 - 1
    needed = []
    for own in rng.beta(alpha * total, (1 - alpha) * total, 4000):
        kept = np.cumprod(rng.random((tokens, drafts)) < own, axis=1).sum(axis=1) + 1
        needed.append(int(np.searchsorted(np.cumsum(kept), tokens)) + 1)
    found = rounds_quantiles(alpha, drafts, tokens, (), spread, BAND)
    assert found == pytest.approx(np.quantile(needed, BAND), rel=0.05)


@given(st.floats(0.05, 0.95), st.floats(0.01, 0.9))
def test_more_spread_is_a_wider_band_and_leaves_the_means(alpha, share_of_room):
    """Up to where answers are nearly all or nothing: then a tenth of them is another answer, and no band is wider."""
    spread = min(share_of_room * (alpha * (1 - alpha)) ** 0.5, 0.5)
    alike, differing = (evaluate(Scenario(alpha=alpha, prompt_spread=each)) for each in (0.0, spread))
    assert differing.total_ms == alike.total_ms and differing.speedup == alike.speedup
    assert differing.total_ms_low <= alike.total_ms_low * 1.001
    assert differing.total_ms_high >= alike.total_ms_high * 0.999


def test_the_figure_and_the_verdict_take_the_spread():
    narrow, wide = Scenario(alpha=0.5), Scenario(alpha=0.5, prompt_spread=0.15)
    bands = [speedup_curve(each) for each in (narrow, wide)]
    assert np.all(bands[1].high[:-1] - bands[1].low[:-1] >= bands[0].high[:-1] - bands[0].low[:-1] - 1e-9)
    assert evaluate(narrow).verdict.kind == "pays" and evaluate(wide).verdict.kind == "too_close"


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_certain_prompts_have_no_room_to_differ(alpha):
    spread = rounds_quantiles(alpha, 3, 100, (), 0.2, BAND)
    assert spread == rounds_quantiles(alpha, 3, 100, (), 0.0, BAND)
