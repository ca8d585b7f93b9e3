"""Phases and workloads: the spread of the answers, what is refused, and the published rows behind the defaults."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.base.numbers import OutOfDomain
from specmodel.drift.phases import MAX_TOKENS, Phase, Workload
from specmodel.drift.published import DOMAINS, published_phase, published_phases, workload, workloads
from specmodel.methods import EVIDENCE
from specmodel.model.acceptance import Acceptance
from tests.conftest import examples


@examples(30)
@given(alpha=st.floats(0.02, 0.98), persistence=st.floats(0.01, 0.6))
def test_spread_of_the_answers_is_that_of_the_beta_distribution(alpha, persistence):
    quantiles = (np.arange(2_000) + 0.5)[None, :] / 2_000
    alphas = Phase("A", alpha=alpha, persistence=persistence, requests=1).request_alphas(quantiles)
    assert alphas.mean() == pytest.approx(alpha, abs=3e-3)
    assert alphas.var() == pytest.approx(persistence * alpha * (1 - alpha), abs=3e-3)  # within-class correlation × var


def test_no_persistence_gives_every_answer_the_acceptance_of_the_phase():
    phase = Phase("A", alpha=0.7, persistence=0, requests=3)
    assert phase.request_alphas(np.array([0.1, 0.5, 0.99])).tolist() == [0.7] * 3


@examples(50)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.99), st.floats(0.001, 0.999))
def test_a_higher_mean_never_gives_a_lower_acceptance(one, other, persistence, quantile):
    low, high = sorted((one, other))
    at = np.array([quantile])
    found = [Phase("A", alpha=each, persistence=persistence, requests=1).request_alphas(at)[0] for each in (low, high)]
    assert 0 <= found[0] <= found[1] + 1e-9 <= 1 + 2e-9


def test_certain_and_impossible_acceptance_have_no_spread():
    at = np.array([0.01, 0.99])
    assert Phase("A", alpha=0, persistence=0.5, requests=2).request_alphas(at).tolist() == [0, 0]
    assert Phase("A", alpha=1, persistence=0.5, requests=2).request_alphas(at).tolist() == [1, 1]


def test_a_drifting_phase_changes_evenly():
    assert Phase("A", alpha=0.9, change=-0.4, requests=5).alphas == pytest.approx([0.9, 0.8, 0.7, 0.6, 0.5])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Workload("w", "Mine", ()), "workload Mine has no phase"),
        (lambda: Phase(""), "label is empty"),
        (lambda: Phase("Chat", alpha=0.9, change=0.2), "phase Chat: acceptance 0.9 with a change of 0.2 ends outside"),
        (
            lambda: Workload("w", "Mine", (Phase("A", requests=501, output_tokens=100),)),
            "workload Mine has 50100 tokens: at most 50000",
        ),
        (
            lambda: Workload("w", "Mine", (Phase("A", alpha=0.5), Phase("A", alpha=0.6))),
            "workload Mine has two different phases named A",
        ),
        (lambda: workload("noon"), "there is no workload noon: expected one of day, shift"),
        (lambda: published_phase("noon"), "there is no published phase noon: expected one of minimax_code"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(make, said):
    with pytest.raises(SpecmodelError, match=said):
        make()


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ({"alpha": 1.1}, "Acceptance probability"),
        ({"requests": 0}, "Requests in the phase"),
        ({"requests": 2.5}, "Requests in the phase"),
        ({"output_tokens": MAX_TOKENS + 1}, "Tokens of an answer"),
        ({"persistence": 1}, "Persistence within a request"),
        ({"alpha": float("nan")}, "Acceptance probability"),
    ],
)
def test_a_value_outside_its_domain_names_the_label(value, label):
    with pytest.raises(OutOfDomain, match=label):
        Phase("A", **value)


@pytest.mark.parametrize("row", published_phases(), ids=lambda row: row.key)
def test_published_rows_give_the_published_tokens_per_round(row):
    assert row.domain in DOMAINS
    assert row.kind in EVIDENCE
    assert row.source
    assert row.setup
    if row.tau:
        acceptance = Acceptance.shaped(row.alpha, row.num_speculative_tokens, row.shape)
        # MiniMax, EAGLE-3: solved for; Kimi's curves were read off a plot to ±0.015 a position (7 positions).
        assert acceptance.mean_acceptance_length == pytest.approx(row.tau, abs=0.04 if row.shape else 1e-9)


def test_kimi_code_by_position_is_the_plot():
    acceptance = Acceptance.shaped(published_phase("kimi_code").alpha, 7, published_phase("kimi_code").shape)
    # vLLM blog 2026-07-27, dspark-acceptance-rates.png
    assert acceptance.per_position_acceptance == pytest.approx([0.87, 0.73, 0.60, 0.49, 0.42, 0.35, 0.29], abs=1e-5)


def test_leviathan_by_temperature_is_printed():
    # Leviathan et al. 2023, Table 4: T5-base on EnDe and CNN/DM at temperature 0 and 1
    found = [published_phase(f"t5_{task}_t{t}") for task in ("translation", "summary") for t in (0, 1)]
    assert [(row.alpha, row.temperature, row.kind) for row in found] == [
        (0.8, 0, "published"),
        (0.68, 1, "published"),
        (0.73, 0, "published"),
        (0.55, 1, "published"),
    ]


@pytest.mark.parametrize("each", workloads(), ids=lambda each: each.key)
def test_ready_workloads_name_their_sources(each):
    assert each.label
    assert each.description
    assert all(phase.source for phase in each.phases)


def test_keys_are_unique():
    for keys in ([row.key for row in published_phases()], [each.key for each in workloads()]):
        assert len(keys) == len(set(keys))


def test_eleven_domains_go_from_the_best_to_the_worst():
    # vLLM blog 2026-07-13: MiniMax-M3, tokens per verification step from Coding (3.32) down to Roleplay (2.01)
    phases = workload("domains").phases
    assert len(phases) == 11 and {phase.requests for phase in phases} == {6}
    assert (phases[0].label, phases[-1].label) == ("Code", "Role play")
    alphas = [phase.alpha for phase in phases]
    assert alphas == sorted(alphas, reverse=True)


def test_temperature_lowers_the_acceptance_of_two_tasks_and_not_that_of_chat():
    # Leviathan et al. 2023, Tables 3 and 4: LaMDA 2B for LaMDA 137B is accepted alike at temperature 0 and 1
    phases = {phase.label: phase for phase in workload("temperature").phases}
    assert phases["Chat, greedy"].alpha == phases["Chat at temperature 1"].alpha == 0.71
    for task in ("Translation", "Summaries"):
        assert phases[f"{task}, greedy"].alpha > phases[f"{task} at temperature 1"].alpha
    assert [phase.temperature for phase in phases.values()] == [0, 1] * 3
