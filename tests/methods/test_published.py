"""Published tables of the ways of drafting: speedup = tau / rho, and what the methods here make of their figures."""

import csv
import gzip
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq, least_squares

from specmodel.methods import Proposal, Task, find
from specmodel.methods._by_depth import falling_chances, two_chances
from specmodel.methods.measured import propose_measured
from specmodel.methods.medusa import Medusa
from specmodel.methods.ngram import persistent_lookup
from specmodel.model.acceptance import Acceptance
from specmodel.model.best_tree import tree_acceptance
from specmodel.model.costs import DraftCost
from specmodel.model.draft_tree import DraftTree
from specmodel.serving.passes import AffinePass

DATA = Path(__file__).parents[2] / "specmodel" / "data"


def flat(tokens, batch, context):
    return 1.0 + 0.0 * np.asarray(batch)


# Cai et al. 2024 (arXiv 2401.10774), Table 1: tokens per round, overhead, speedup of Medusa-2.
MEDUSA_TABLE_1 = {
    "Vicuna-7B": (3.47, 1.22, 2.83),
    "Zephyr-7B": (3.14, 1.18, 2.66),
    "Vicuna-13B": (3.51, 1.23, 2.83),
    "Vicuna-33B": (3.01, 1.27, 2.35),
}


@pytest.mark.parametrize(("tau", "overhead", "speedup"), MEDUSA_TABLE_1.values(), ids=MEDUSA_TABLE_1)
def test_medusa_table_1_within_one_percent(tau, overhead, speedup):
    given = Medusa(given_tau=tau, draft_cost_ratio=overhead - 1)
    proposal = find("medusa").propose(given)
    assert proposal.tau == pytest.approx(tau)
    assert proposal.speedup(flat, 1, 0) == pytest.approx(speedup, rel=0.01)


# Li et al. 2024 (arXiv 2401.15077), Tables 2 and 5: n-alpha at positions 1 to 5, tau of the chain of five, at T = 0.
EAGLE_CHAINS = {
    "Vicuna-7B": ((0.79, 0.74, 0.72, 0.73, 0.67), 3.2),
    "Vicuna-13B": ((0.79, 0.74, 0.72, 0.74, 0.70), 3.23),
    "Vicuna-33B": ((0.74, 0.69, 0.67, 0.67, 0.66), 2.97),
    "LLaMA2-Chat-7B": ((0.76, 0.69, 0.67, 0.68, 0.68), 3.0),
    "LLaMA2-Chat-13B": ((0.77, 0.69, 0.69, 0.70, 0.71), 3.18),
    "LLaMA2-Chat-70B": ((0.75, 0.69, 0.65, 0.64, 0.64), 3.12),
}


@pytest.mark.parametrize(("positions", "tau"), EAGLE_CHAINS.values(), ids=EAGLE_CHAINS)
def test_eagle_chain_from_its_positions(positions, tau):
    chain = propose_measured(Acceptance.from_conditional(positions)).tau
    assert round(abs(chain / tau - 1), 3) <= 0.052


@pytest.mark.parametrize(("positions", "tau"), EAGLE_CHAINS.values(), ids=EAGLE_CHAINS)
def test_eagle_chain_from_a_first_and_a_later_chance(positions, tau):
    """Two numbers lose little against five: the largest error grows from 5.2 to 6.7 %."""
    later = float(np.prod(positions[1:])) ** 0.25
    assert two_chances(positions[0], later, 5).mean_acceptance_length == pytest.approx(tau, rel=0.068)


# EAGLE-2 (arXiv 2406.16858) Table 1, EAGLE-3 (2503.01840) Tables 1 and 2: the rows that data/methods.csv starts from.
TREES = [
    ("eagle", "chat", 0, 3.98, 3.07),
    ("eagle", "chat", 1, 3.20, 2.32),
    ("eagle", "mixed", 0, 3.82, 2.95),
    ("eagle", "mixed", 1, 3.39, 2.39),
    ("eagle2", "chat", 0, 4.83, 4.26),
    ("eagle2", "chat", 1, 4.40, 3.80),
    ("eagle2", "mixed", 0, 4.65, 4.04),
    ("eagle2", "mixed", 1, 4.26, 3.65),
    ("eagle3", "chat", 0, 6.13, 4.40),
    ("eagle3", "mixed", 0, 6.23, 4.44),
    ("eagle3", "mixed", 1, 4.92, 3.45),
    ("eagle3", "code", 0, 7.54, 6.47),
    ("medusa", "chat", 0, 2.59, 2.07),
    ("medusa", "mixed", 0, 2.44, 2.07),
    ("draft_model", "chat", 0, 2.27, 1.93),
    ("draft_model", "chat", 1, 1.84, 1.62),
    ("ngram", "chat", 0, 1.63, 1.58),
    ("ngram", "mixed", 0, 1.69, 1.64),
    ("lookahead", "chat", 0, 1.69, 1.65),
    ("lookahead", "mixed", 0, 1.62, 1.58),
    ("block", "chat", 0, 4.24, 2.75),  # DFlash (arXiv 2602.06036) Table 1
    ("block", "mixed", 1, 5.48, 4.03),
]


@pytest.mark.parametrize(("key", "kind", "temperature", "tau", "speedup"), TREES)
def test_published_rows_come_out_again(key, kind, temperature, tau, speedup):
    chosen = find(key).choose(Task(kind, temperature))
    assert chosen.matches
    assert chosen.proposal.tau == pytest.approx(tau, rel=0.001)
    assert chosen.proposal.speedup(flat, 1, 0) == pytest.approx(speedup, rel=0.005)


def test_a_tree_fitted_to_two_sizes_meets_both():
    """DFlash Table 1, EAGLE-3 on Qwen3-8B: GSM8K 3.23 with 16 drafts and 3.71 with 60, at T = 0."""
    eagle3 = find("eagle3")
    values = eagle3.values(Task("math", 0))
    taus = [eagle3.propose(values.replace(num_draft_tokens=drafts)).tau for drafts in (16, 60)]
    assert taus == pytest.approx([3.23, 3.71], rel=0.001)


EAGLE_TREE = (
    *("0", "1", "2", "3"),
    *("00", "01", "02", "10", "11", "20", "21", "30"),
    *("000", "001", "002", "010", "011", "020", "021", "100"),
    *("0000", "0001", "0002", "00000", "00001"),
)


def test_eagle_fixed_tree_is_near_the_best_tree_of_its_size():
    """SafeAILab/EAGLE eagle/model/choices.py: 25 drafts in 5 levels; `eagle` takes the best such tree, 5 % more."""
    tree = DraftTree.from_paths([tuple(map(int, path)) for path in EAGLE_TREE])
    assert (tree.num_draft_tokens, tree.depth) == (25, 5)
    values = find("eagle").values(Task("chat", 0))
    chances = [
        [best * values.next_candidate**rank for rank in range(10)]
        for best in [values.first_acceptance] + [values.later_acceptance] * 4
    ]
    fixed = tree_acceptance(tree, chances).mean_acceptance_length
    assert 0.95 * 3.98 < fixed <= find("eagle").propose(values).tau


def test_medusa_heads_give_what_others_measured():
    """Spec-Bench (arXiv 2401.07851) measured 2.31 and 2.32 tokens a round with the heads of Vicuna-7B."""
    assert find("medusa").propose(Medusa(head_accuracy=0.5604)).tau == pytest.approx(2.32, rel=0.03)
    assert find("medusa").propose(Medusa(head_accuracy=0.5939)).tau == pytest.approx(2.48, rel=0.02)  # 13B's own: 2.48


# MagicDec (arXiv 2408.11049), Tables 1, 2, 3a and 7: gamma T_D, T_V(gamma), T_AR in ms, Omega, speedup.
MAGICDEC = [
    (44.11, 45.12, 36.62, 3.0, 1.21),
    (29.06, 42.02, 35.13, 2.53, 1.22),
    (58.33, 74.85, 62.92, 3.14, 1.46),
    (15.09, 18.3, 17.32, 2.82, 1.42),
    (14.2, 15.64, 14.85, 2.98, 1.44),
    (23.63, 27.9, 26.17, 3.37, 1.68),
    (34.34, 28.5, 25.96, 5.61, 2.29),
    (53.9, 29.89, 25.9, 7.93, 2.43),
    (53.98, 29.93, 25.83, 8.21, 2.51),
    (32.89, 28.8, 25.52, 5.41, 2.21),
    (38.4, 29.11, 25.43, 6.08, 2.27),
    (43.91, 29.29, 25.48, 6.83, 2.36),
    (11.71, 9.62, 8.92, 3.49, 1.46),
    (13.64, 15.64, 14.49, 3.47, 1.72),
    (27.49, 30.65, 25.41, 4.72, 2.06),
    (11.4, 9.26, 8.2, 3.4, 1.35),
    (17.67, 15.67, 13.11, 4.06, 1.6),
    (27.22, 28.51, 22.79, 4.62, 1.89),
    (23.67, 11.98, 10.42, 3.5, 1.02),
    (25.27, 15.29, 13.36, 3.52, 1.16),
    (28.99, 21.9, 19.43, 3.51, 1.34),
    (9.04, 11.31, 10.42, 2.32, 1.19),
    (11.61, 14.59, 13.36, 2.32, 1.18),
    (16.72, 20.87, 19.43, 2.31, 1.19),
    (6.77, 11.31, 10.42, 2.27, 1.31),
    (7.21, 14.59, 13.36, 2.26, 1.39),
    (11.78, 21.82, 19.43, 2.62, 1.51),
    (8.21, 9.55, 8.27, 2.19, 0.95),
    (8.46, 10.66, 9.41, 2.19, 1.01),
    (9.26, 13.05, 10.83, 2.19, 1.0),
    (12.04, 18.87, 14.02, 2.19, 0.94),
    (8.46, 13.21, 11.89, 2.19, 1.13),
    (8.71, 16.19, 14.39, 2.19, 1.2),
    (9.35, 21.83, 19.28, 2.19, 1.3),
    (12.31, 33.82, 28.77, 2.19, 1.32),
    (8.61, 18.4, 16.53, 2.18, 1.27),
    (8.91, 23.67, 21.45, 2.18, 1.38),
    (9.58, 34.32, 31.49, 2.18, 1.51),
    (12.54, 53.78, 49.89, 2.18, 1.6),
    (8.78, 27.79, 26.28, 2.17, 1.5),
    (9.33, 38.29, 35.83, 2.18, 1.59),
    (9.92, 58.14, 55.08, 2.17, 1.72),
    (8.68, 37.57, 35.7, 2.16, 1.62),
    (8.83, 47.35, 44.94, 2.17, 1.69),
]


@pytest.mark.parametrize(("drafting", "checking", "plain", "tau", "speedup"), MAGICDEC)
def test_magicdec_within_eight_percent(drafting, checking, plain, tau, speedup):
    assert tau * plain / (drafting + checking) == pytest.approx(speedup, rel=0.08)

    def pass_ms(tokens, batch, context):
        return plain if tokens == 1 else checking

    accepted = Acceptance.from_mean_acceptance_length(tau, 11)
    proposal = Proposal(accepted, 11, 12, DraftCost("parallel", ms=drafting))
    assert proposal.speedup(pass_ms, 1, 0) == pytest.approx(speedup, rel=0.08)


# Sequoia (arXiv 2402.12374), Table 1, A100: tokens per round, depth, speedup of trees of 128 at c = 0.5 / 24.2.
SEQUOIA = [
    (5.08, 10, 4.04),
    (3.92, 7, 3.18),
    (3.86, 7, 3.22),
    (3.33, 6, 2.71),
    (4.05, 7, 3.41),
    (3.45, 6, 2.83),
    (4.98, 10, 4.03),
    (3.96, 7, 3.18),
]


@pytest.mark.parametrize(("tau", "depth", "speedup"), SEQUOIA)
def test_sequoia_leaves_a_plausible_pass_of_128_tokens(tau, depth, speedup):
    """Speedup = G / (t(n) + d c): what is left for t(128) is 1.03 to 1.11 plain steps in all rows."""
    assert 1.03 <= round(tau / speedup - depth * 0.5 / 24.2, 2) <= 1.11


# AdaEAGLE (arXiv 2412.18910), Table 3: tau and speedup of chains of 2 to 6, Vicuna-7B, A800.
ADAEAGLE = {
    "MT-bench": ([(2.35, 1.496), (2.71, 1.643), (2.95, 1.622), (3.11, 1.632), (3.22, 1.575)], 1.32, 0.120),
    "HumanEval": ([(2.48, 1.617), (2.92, 1.822), (3.24, 1.837), (3.44, 1.881), (3.57, 1.811)], 1.30, 0.110),
}


@pytest.mark.parametrize(("rows", "start", "slope"), ADAEAGLE.values(), ids=ADAEAGLE)
def test_adaeagle_rounds_cost_the_same_more_for_each_draft(rows, start, slope):
    rho = [tau / speedup for tau, speedup in rows]
    fitted = np.polyfit(range(2, 7), rho, 1)
    assert fitted == pytest.approx([slope, start], abs=0.006)
    assert np.polyval(fitted, range(2, 7)) == pytest.approx(rho, rel=0.025)


def test_vllm_eagle_rounds_cost_the_same_more_for_each_draft():
    """vLLM PR #16035, comment of 2025-04-09: tau 1.89 and 2.08, speedup 1.364 and 1.288 at k = 2 and 4."""
    two, four = 1.89 / 1.364, 2.08 / 1.288
    slope = (four - two) / 2
    assert (two - 2 * slope, slope) == pytest.approx((1.156, 0.115), abs=0.001)


# tau, printed speedup, rho as it has been read out of these tables before.
IMPLIED_RHO = {
    "draft model Vicuna-68M, Vicuna-13B": (2.27, 1.93, 1.18),
    "prompt lookup, Vicuna-13B": (1.63, 1.58, 1.03),
    "lookahead, Vicuna-13B": (1.69, 1.65, 1.02),
    "EAGLE, Vicuna-13B": (3.98, 3.07, 1.30),
    "EAGLE-2, Vicuna-13B": (4.83, 4.26, 1.13),
    "EAGLE-3, Vicuna-13B": (6.62, 5.51, 1.20),
    "EAGLE-3, Llama-3.1-8B": (6.23, 4.44, 1.40),
    "EAGLE, Mixtral (arXiv 2401.15077 Table 3)": (3.25, 1.50, 2.17),
    "MTP 8, Inkling (vLLM blog 2026-07-15)": (4.5, 2.714, 1.66),
    "MTP 1, DeepSeek-V3.2 (vLLM blog 2026-05-11)": (1.9, 1.872, 1.015),
}


@pytest.mark.parametrize(("tau", "speedup", "rho"), IMPLIED_RHO.values(), ids=IMPLIED_RHO)
def test_implied_cost_of_a_round(tau, speedup, rho):
    accepted = Acceptance.from_mean_acceptance_length(tau, 10)
    proposal = Proposal(accepted, 10, 11, DraftCost("parallel", ratio=rho - 1))
    assert tau / speedup == pytest.approx(rho, abs=0.006)
    assert proposal.speedup(flat, 1, 0) == pytest.approx(speedup, rel=0.006)


# SpecDecode-Bench (arXiv 2601.11580), predictor.py: Llama-3.1-8B on an H100; a round in plain steps at 1,024 cached
# tokens a sequence, draft included, with k = 3 and k = 5.
@pytest.mark.parametrize(
    ("batch", "k", "rho"), [(1, 3, 1.31), (16, 3, 1.40), (64, 3, 1.58), (128, 3, 1.71), (128, 5, 2.07)]
)
def test_specdecode_bench_cost_model(batch, k, rho):
    def each_sequence(batch):
        return (2.37768493e-6 * 1024 + 8.41429603e-4) * batch

    draft = DraftCost("parallel", ms=2.13526175, step_ms=each_sequence)
    proposal = Proposal(Acceptance.iid(0.7, k), k, k + 1, draft)
    pass_ms = AffinePass()
    assert proposal.round_ms(pass_ms, batch, 1024) / pass_ms(1, batch, 1024) == pytest.approx(rho, abs=0.006)


# SpecDecode-Bench traces replayed at k = 1, 3, 5, 10 (Llama-3.1-8B); the fit in data/methods.csv; its largest error.
TRACES = {
    ("ngram", "math"): ([1.110, 1.165, 1.178, 1.187], 0.0041),
    ("ngram", "chat"): ([1.236, 1.396, 1.452, 1.502], 0.0126),
    ("ngram", "summary"): ([1.205, 1.334, 1.378, 1.413], 0.0099),
    ("ngram", "code"): ([1.512, 2.036, 2.300, 2.588], 0.0269),
    ("eagle", "math"): ([1.697, 2.394, 2.670, 2.800], 0.0038),
    ("eagle", "chat"): ([1.661, 2.255, 2.479, 2.633], 0.0123),
    ("eagle", "summary"): ([1.674, 2.331, 2.581, 2.749], 0.0061),
    ("eagle", "code"): ([1.682, 2.352, 2.630, 2.827], 0.0104),
}


@pytest.mark.parametrize(("which", "trace"), TRACES.items())
def test_hit_rate_and_run_length_fit_the_traces(which, trace):
    method, kind = find(which[0]), which[1]
    taus, error = np.array(trace[0]), trace[1]
    row = next(row for row in method.rows if row.prompt_kind == kind and row.temperature is None)
    hit = row.values.get("found_share", 1) * row.values["first_acceptance"]

    def modelled(chances):
        return np.array([two_chances(chances[0], chances[1], k).mean_acceptance_length for k in (1, 3, 5, 10)])

    fitted = least_squares(lambda chances: modelled(chances) - taus, [0.5, 0.5], bounds=(0, 1)).x  # type: ignore[misc]
    assert (hit, row.values["later_acceptance"]) == pytest.approx(tuple(fitted), abs=0.001)
    misses = np.abs(modelled((hit, row.values["later_acceptance"])) / taus - 1)
    assert misses.max() == pytest.approx(error, abs=0.0005)


def rounds_in_a_row(after_rejection, after_match, later, k, rounds, seed):
    """Accepted drafts of each round, drawn one after another: independent of the formula that is checked."""
    draws = np.random.default_rng(seed).random((rounds, k))
    accepted, whole = [], False
    for drawn in draws:
        chances = [after_match if whole else after_rejection] + [later] * (k - 1)
        kept = next((place for place, (x, p) in enumerate(zip(drawn, chances, strict=True)) if x >= p), k)
        accepted.append(kept)
        whole = kept == k
    return np.array(accepted)


@pytest.mark.parametrize(
    ("after_rejection", "after_match", "later", "k"), [(0.13, 0.90, 0.85, 5), (0.56, 0.83, 0.62, 3), (0.3, 0.3, 0.5, 1)]
)
def test_persistent_lookup_against_a_simulation(after_rejection, after_match, later, k):
    """The first two: how InstructCoder's rounds follow each other with n-grams and EAGLE (SpecDecode-Bench traces)."""
    drawn = rounds_in_a_row(after_rejection, after_match, later, k, 30_000, seed=7)
    expected = persistent_lookup(after_rejection, after_match, later, k)
    for position, share in enumerate(expected.per_position_acceptance, start=1):
        assert (drawn >= position).mean() == pytest.approx(share, abs=0.015)


# papers.md of the project (its section on these traces): first draft after a rejection and after a whole round.
REGIMES = {"ngram": (0.13, 0.90, 0.06), "eagle": (0.56, 0.83, 0.05)}


@pytest.mark.parametrize(("key", "regime"), REGIMES.items())
def test_regimes_fitted_at_three_drafts_predict_the_other_lengths(key, regime):
    """InstructCoder: the chance of later drafts is solved for at k = 3; k = 1, 5 and 10 are then predictions."""
    after_rejection, after_match, tolerance = regime
    taus = dict(zip((1, 3, 5, 10), TRACES[key, "code"][0], strict=True))

    def modelled(later, k):
        return persistent_lookup(after_rejection, after_match, later, k).mean_acceptance_length

    later = brentq(lambda chance: modelled(chance, 3) - taus[3], 0.01, 0.999)
    errors = [modelled(later, k) / tau - 1 for k, tau in taus.items()]
    assert errors[1] == pytest.approx(0, abs=1e-9)
    assert max(round(abs(error), 2) for error in errors) <= tolerance
    assert max(abs(error) for error in errors) > 0.05  # it is a model: the ends of the range are missed by that much


# Accepted by position, drafts of one prediction module: the fit of its three numbers, and what it misses at most.
BY_POSITION = {
    "DeepSeek-V4-Flash (F. Finn)": (
        (0.779, 0.583, 0.444, 0.349, 0.279, 0.226, 0.185, 0.155),
        (0.7756, 0.7529, 1.0182),
        0.0082,
    ),
    "one module eight times (vLLM PR #48892)": (
        (0.7617, 0.6158, 0.5125, 0.4243, 0.3640, 0.3094, 0.2722, 0.2365),
        (0.7592, 0.8151, 1.0129),
        0.0086,
    ),
    "GLM-4.5-Air (arXiv 2601.11580)": ((0.92, 0.68, 0.38), (0.92, 0.7391, 0.7561), 0.0),
    "Qwen3.6-27B, code (ik_llama.cpp PR #2156)": ((0.905, 0.805, 0.736), (0.905, 0.8895, 1.0279), 0.0),
    "Qwen3.6-27B, extraction (ik_llama.cpp PR #2156)": ((0.913, 0.800, 0.696), (0.913, 0.8762, 0.9929), 0.0),
    "GLM-5 (vllm-ascend issue #9803)": ((0.938, 0.769, 0.572), (0.938, 0.8198, 0.9073), 0.0),
    "Gemma-4-26B-A4B (spark-vllm-docker #343)": ((0.844, 0.599, 0.385, 0.271), (0.8519, 0.6825, 0.9970), 0.0293),
}


def shares(chances, k):
    first, second, factor = chances
    return np.array(falling_chances(first, second, factor, k).per_position_acceptance)


@pytest.mark.parametrize(("positions", "fit", "error"), BY_POSITION.values(), ids=BY_POSITION)
def test_three_numbers_fit_the_published_positions(positions, fit, error):
    """Least squares of the relative misses of all positions; exact where there are three."""
    published = np.array(positions)
    start = [positions[0], positions[1] / positions[0], 1.0]
    limits = ([0, 0, 0], [1, 1, 2])

    def missed(chances):
        return shares(chances, len(positions)) / published - 1

    found = least_squares(missed, start, bounds=limits)
    assert fit == pytest.approx(tuple(found.x), abs=0.0006)
    assert np.abs(shares(fit, len(positions)) / published - 1).max() == pytest.approx(error, abs=0.0003)


@pytest.mark.parametrize(
    ("kind", "temperature", "name"),
    [
        ("math", 0, "one module eight times (vLLM PR #48892)"),
        ("qa", None, "GLM-4.5-Air (arXiv 2601.11580)"),
        ("code", 0, "Qwen3.6-27B, code (ik_llama.cpp PR #2156)"),
        ("mixed", None, "DeepSeek-V4-Flash (F. Finn)"),
    ],
)
def test_mtp_rows_hold_these_fits_and_say_what_they_miss(kind, temperature, name):
    positions, fit, error = BY_POSITION[name]
    row = next(row for row in find("mtp").rows if (row.prompt_kind, row.temperature) == (kind, temperature))
    assert (row.values["second_acceptance"], row.values["later_factor"]) == fit[1:]
    first = 0.9 if kind == "mixed" else fit[0]  # the first draft of DeepSeek-V3.2, later ones of another model
    assert row.values["first_acceptance"] == first
    assert f"largest error {error * 100:.1f} %" in row.arithmetic
    assert ", ".join(f"{share:g}" for share in positions) in row.arithmetic


def test_persistence_raises_tokens_per_round():
    """With the same chance of a first draft after a rejection, rounds that go on copying bring more."""
    assert persistent_lookup(0.13, 0.90, 0.85, 5).mean_acceptance_length > (
        two_chances(0.13, 0.85, 5).mean_acceptance_length
    )


@pytest.mark.parametrize(("kind", "category"), [("code", "code"), ("writing", "prose")])
@pytest.mark.parametrize("temperature", [0, 1])
def test_own_lookup_rows_are_those_of_the_bundled_rounds(kind, category, temperature):
    rounds = defaultdict(list)
    with gzip.open(DATA / "rounds_lookup.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rounds[row["category"], float(row["temperature"]), row["k"]].append(
                (int(row["proposed"]), int(row["accepted"]))
            )
    chosen = np.array(rounds[category, temperature, "4"])
    found = chosen[chosen[:, 0] > 0]
    chances = []
    for position in range(1, 5):
        tried = found[(found[:, 0] >= position) & (found[:, 1] >= position - 1)]
        chances.append((tried[:, 1] >= position).mean())
    values = find("ngram").values(Task(kind, temperature))
    assert values.found_share == pytest.approx(len(found) / len(chosen), abs=0.0005)
    assert values.first_acceptance == pytest.approx(chances[0], abs=0.001)
    assert values.later_acceptance == pytest.approx(np.prod(chances[1:]) ** (1 / 3), abs=0.002)
    assert find("ngram").propose(values).tau == pytest.approx(1 + chosen[:, 1].mean(), rel=0.02)


# vLLM blog 2026-03-13: P-EAGLE on gpt-oss-20b, tokens per round at k = 3 and 7.
@pytest.mark.parametrize(("kind", "at_3", "at_7"), [("chat", 2.87, 3.70), ("code", 3.02, 3.94), ("mixed", 2.87, 3.38)])
def test_p_eagle_fits_both_lengths(kind, at_3, at_7):
    parallel = find("parallel")
    values = parallel.values(Task(kind, 0))
    taus = [parallel.propose(values.replace(num_speculative_tokens=k)).tau for k in (3, 7)]
    assert taus == pytest.approx([at_3, at_7], abs=0.005)


# Oliaro et al. 2024 (arXiv 2411.04975), authors' plotting data; vLLM PR #24852 for MT-bench.
@pytest.mark.parametrize(("kind", "tau"), [("agentic", 6.349), ("mixed", 1.8), ("chat", 1.078)])
def test_suffix_tokens_per_round(kind, tau):
    assert find("suffix").choose(Task(kind, 0)).proposal.tau == pytest.approx(tau, abs=0.001)
