"""Numbers that others have printed, each with its source, so that a refactor that moves a result fails loudly."""

import itertools

import pytest

from specmodel.model.acceptance import Acceptance
from specmodel.model.mean_rounds import mean_rounds
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario

# Leviathan, Kalman, Matias: Fast Inference from Transformers via Speculative Decoding (ICML 2023, arXiv 2211.17192).
# Table 1: alpha, gamma (our k), speed with c = 0, that is eq. 1.
LEVIATHAN_TABLE_1 = [(0.6, 2, 1.96), (0.7, 3, 2.53), (0.8, 2, 2.44), (0.8, 5, 3.69), (0.9, 2, 2.71), (0.9, 10, 6.86)]
# Table 4 (Table 2 with c and Exp): alpha, gamma, c = draft ÷ target time, and Exp, the speedup by Theorem 3.8.
LEVIATHAN_TABLE_4 = {
    "EnDe, temperature 0, T5-small": (0.75, 7, 0.02, 3.2),
    "EnDe, temperature 0, T5-base": (0.80, 7, 0.04, 3.3),
    "EnDe, temperature 0, T5-large": (0.82, 7, 0.11, 2.5),
    "EnDe, temperature 1, T5-small": (0.62, 7, 0.02, 2.3),
    "EnDe, temperature 1, T5-base": (0.68, 5, 0.04, 2.4),
    "EnDe, temperature 1, T5-large": (0.71, 3, 0.11, 2.0),
    "CNNDM, temperature 0, T5-small": (0.65, 5, 0.02, 2.4),
    "CNNDM, temperature 0, T5-base": (0.73, 5, 0.04, 2.6),
    "CNNDM, temperature 0, T5-large": (0.74, 3, 0.11, 2.0),
    "CNNDM, temperature 1, T5-small": (0.53, 5, 0.02, 1.9),
    "CNNDM, temperature 1, T5-base": (0.55, 3, 0.04, 1.8),
    "CNNDM, temperature 1, T5-large": (0.56, 3, 0.11, 1.6),
}


def speedup(alpha: float, k: int, c: float) -> float:
    return evaluate(Scenario(alpha=alpha, num_speculative_tokens=k, target_ms=100, draft_ms=100 * c)).speedup


@pytest.mark.parametrize(("alpha", "k", "speed"), LEVIATHAN_TABLE_1)
def test_leviathan_table_1(alpha, k, speed):
    assert round(Acceptance.iid(alpha, k).mean_acceptance_length, 2) == speed
    assert round(speedup(alpha, k, 0), 2) == speed


@pytest.mark.parametrize(("alpha", "k", "c", "printed"), LEVIATHAN_TABLE_4.values(), ids=LEVIATHAN_TABLE_4)
def test_leviathan_table_4_within_the_rounding_of_its_inputs(alpha, k, c, printed):
    """alpha and c are printed with two digits and Exp with one: some inputs that round to them give the printed Exp."""
    corners = [speedup(alpha + a, k, c + b) for a, b in itertools.product((-0.005, 0.005), repeat=2)]
    assert min(corners) <= printed + 0.05 and printed - 0.05 <= max(corners)
    assert speedup(alpha, k, c) == pytest.approx(printed, abs=0.1)


def test_leviathan_a_bigram_draft_costs_nothing():
    """Section 3.6: a bigram draft of T5-XXL EnDe, alpha 0.2, gamma 3, c = 0: 1.25."""
    assert round(speedup(0.2, 3, 0), 2) == 1.25


@pytest.mark.parametrize(("alpha", "k", "printed"), [(0.75, 8, 3.3), (0.8, 8, 3.9), (0.87, 8, 4.9)])
def test_leviathan_greedy_lenience(alpha, k, printed):
    """Appendix A.5: T5-XXL with T5-small, EnDe, temperature 0, c = 0.015, by Theorem 3.8."""
    assert round(speedup(alpha, k, 0.015), 1) == printed


@pytest.mark.parametrize(("alpha", "k", "output_tokens", "too_low"), [(0.8, 5, 128, 0.014), (0.9, 8, 20, 0.15)])
def test_n_over_tau_is_too_low(alpha, k, output_tokens, too_low):
    """The design of this project, §4: the mean number of rounds is not N/tau."""
    acceptance = Acceptance.iid(alpha, k)
    naive = output_tokens / acceptance.mean_acceptance_length
    exact = mean_rounds(acceptance, output_tokens)
    digits = 3 if too_low < 0.1 else 2
    assert round(1 - naive / exact, digits) == too_low


def test_the_share_of_accepted_drafts_is_not_alpha():
    """The design of this project, §4: alpha 0.8 with five drafts accepts 53.8 % of them."""
    assert evaluate(Scenario(alpha=0.8)).draft_acceptance_rate == pytest.approx(0.538, abs=5e-4)
