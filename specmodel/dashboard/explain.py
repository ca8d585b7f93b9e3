"""The "why" at the end of a page: the docstrings of the functions that computed its numbers, and the model's limits."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from specmodel import curves, vocabulary
from specmodel.acceptance import Acceptance
from specmodel.arrivals import crossings, fixed_points
from specmodel.block_verification import BlockModels
from specmodel.capacity import capacity
from specmodel.choices import best_num_speculative_tokens, draft_lengths, marginal_gain_ms, speedup_map
from specmodel.costs import round_cost
from specmodel.dashboard.language import Translator
from specmodel.docs import paragraphs
from specmodel.drift.adaptation import Adaptation
from specmodel.drift.boundary import failure_boundary, phase_speedups
from specmodel.drift.given import with_spread
from specmodel.drift.phases import Phase
from specmodel.drift.plan import best_plan
from specmodel.drift.rounds import draw_rounds
from specmodel.engine_case import EngineCase
from specmodel.engine_groups import first_rejected, group_row, mix
from specmodel.engine_lengths import length_choices, setting_choices
from specmodel.engine_speed import speedup_ceiling
from specmodel.independent_drafts import lookahead_acceptance, recursive_rejection_acceptance
from specmodel.language import (
    LookupDrafter,
    NgramModel,
    build_vocabulary,
    measure_rounds,
    speculate,
    train,
)
from specmodel.language.along import expected_acceptance
from specmodel.language.continuations import compare_continuations
from specmodel.load_answer import bill
from specmodel.measured import MeasuredRounds
from specmodel.measured_acceptance import measured_acceptance
from specmodel.methods import compare
from specmodel.outcome import evaluate
from specmodel.rates import translate_rate
from specmodel.roofline import RooflinePass, experts_touched, turning_tokens
from specmodel.rounds import mean_rounds, rounds_distribution
from specmodel.sampling import residual, verify
from specmodel.sampling_breaks import rounding, typical_acceptance, wrong_draft_output
from specmodel.sampling_draws import chi_square
from specmodel.sampling_policy import acceptance_by_temperature, toy_logits
from specmodel.scenario import break_even_alpha, cost_ratio
from specmodel.schedule import schedule, short_schedule
from specmodel.serving import Serving, best_k
from specmodel.simulate import simulate, trace
from specmodel.stationary import stationary_batch
from specmodel.trees import best_tree, expected_tokens

EXPLAINED: tuple[Callable[..., Any], ...] = (
    evaluate,
    break_even_alpha,
    cost_ratio,
    round_cost,
    Acceptance,
    best_num_speculative_tokens,
    draft_lengths,
    marginal_gain_ms,
    speedup_map,
    mean_rounds,
    rounds_distribution,
    curves.speedup_curve,
    vocabulary.effective_alpha,
    vocabulary.alpha_ceiling,
    vocabulary.alpha_floor,
    simulate,
    trace,
    MeasuredRounds.alpha,
    MeasuredRounds.conditional_acceptance,
    MeasuredRounds.mean_acceptance_length,
    MeasuredRounds.speedup,
    measured_acceptance,
    length_choices,
    setting_choices,
    EngineCase,
    group_row,
    mix,
    first_rejected,
    speedup_ceiling,
    translate_rate,
    Serving.speedup,
    best_k,
    RooflinePass,
    experts_touched,
    turning_tokens,
    schedule,
    short_schedule,
    fixed_points,
    crossings,
    stationary_batch,
    capacity,
    bill,
    compare,
    expected_tokens,
    best_tree,
    lookahead_acceptance,
    recursive_rejection_acceptance,
    verify,
    residual,
    chi_square,
    acceptance_by_temperature,
    wrong_draft_output,
    typical_acceptance,
    rounding,
    BlockModels.by_token,
    BlockModels.by_block,
    toy_logits,
    speculate,
    NgramModel,
    LookupDrafter,
    failure_boundary,
    phase_speedups,
    Phase,
    with_spread,
    draw_rounds,
    best_plan,
    Adaptation.learned,
    measure_rounds,
    expected_acceptance,
    compare_continuations,
    train,
    build_vocabulary,
)
"""Every function whose docstring a page may show: the catalogue of translations holds their paragraphs."""


def draw_why(translate: Translator, functions: Sequence[Callable[..., Any]], leaves_out: Sequence[str]) -> None:
    """An expander with one part a function, then what the model leaves out; sent only while it is open."""
    title = translate("Why: formulas, sources, and what the model leaves out")
    with st.expander(title, key="why", on_change="rerun") as why:
        if why.open:
            st.markdown(
                "\n\n".join((*(_part(function, translate) for function in functions), _limits(translate, leaves_out)))
            )


def _part(function: Callable[..., Any], translate: Translator) -> str:
    """A function's name, prose and formulas as markdown."""
    parts = [f"**`{function.__qualname__}`**"]
    for kind, text in paragraphs(function):
        parts.append(f"```text\n{text}\n```" if kind == "formula" else _plain(translate(text)))
    return "\n\n".join(parts)


def _limits(translate: Translator, leaves_out: Sequence[str]) -> str:
    points = "\n".join(f"- {_plain(text)}" for text in leaves_out)
    return f"**{translate('What the model leaves out')}**\n\n{points}"


def _plain(text: str) -> str:
    """Docstring prose as markdown: stars and underscores of formulas stay what they are."""
    return text.replace("*", "\\*").replace("$", "\\$").replace("~", "\\~")
