"""The "why" at the end of a page: the docstrings of the functions that computed its numbers, and the model's limits."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from specmodel.base.docstrings import paragraphs
from specmodel.dashboard.session.translation import Translator
from specmodel.drift.adaptation import Adaptation
from specmodel.drift.boundary import failure_boundary, phase_speedups
from specmodel.drift.phases import Phase
from specmodel.drift.plan import best_plan
from specmodel.drift.rounds import draw_rounds
from specmodel.drift.workload_inputs import with_spread
from specmodel.engine.case import EngineCase
from specmodel.engine.groups import first_rejected, group_row, mix
from specmodel.engine.lengths import length_choices, setting_choices
from specmodel.engine.speed import speedup_ceiling
from specmodel.measured.acceptance import measured_acceptance
from specmodel.measured.definitions import translate_rate
from specmodel.measured.rounds import MeasuredRounds
from specmodel.methods import compare
from specmodel.model import speedup_curve as curves
from specmodel.model import vocabulary
from specmodel.model.acceptance import Acceptance
from specmodel.model.best_tree import best_tree, expected_tokens
from specmodel.model.costs import round_cost
from specmodel.model.draft_lengths import best_num_speculative_tokens, draft_lengths, marginal_gain_ms, speedup_map
from specmodel.model.independent_drafts import lookahead_acceptance, recursive_rejection_acceptance
from specmodel.model.outcome import evaluate
from specmodel.model.rounds import mean_rounds, rounds_distribution
from specmodel.model.scenario import break_even_alpha, cost_ratio
from specmodel.model.simulate import simulate, trace
from specmodel.ngram import (
    LookupDrafter,
    NgramModel,
    build_vocabulary,
    measure_rounds,
    speculate,
    train,
)
from specmodel.ngram.along import expected_acceptance
from specmodel.ngram.continuations import compare_continuations
from specmodel.sampling.blocks import BlockModels
from specmodel.sampling.breaks import rounding, typical_acceptance, wrong_draft_output
from specmodel.sampling.draws import chi_square
from specmodel.sampling.temperature import acceptance_by_temperature, toy_logits
from specmodel.sampling.verify import residual, verify
from specmodel.serving.arrivals import fixed_points
from specmodel.serving.bill import bill
from specmodel.serving.by_batch import best_k
from specmodel.serving.crossings import crossings
from specmodel.serving.memory import capacity
from specmodel.serving.roofline import RooflinePass, experts_touched, turning_tokens
from specmodel.serving.schedule import schedule, short_schedule
from specmodel.serving.served_model import Serving
from specmodel.serving.stationary import stationary_batch

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
