"""What the Drift page says: the answer, the numbers above its figures, the boundary, and the names of rules."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.drift.tables import models
from specmodel.dashboard.drift.tuned import FIXED
from specmodel.dashboard.parts.answer import Card, Cards, text_card
from specmodel.dashboard.parts.known import known
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.drift.boundary import Boundary
from specmodel.drift.phases import Workload
from specmodel.drift.policies import find
from specmodel.drift.run import ORACLE, DriftRun

STEADY = Quantity(
    "fixed_speedup",
    N_("Fixed length"),
    N_("Time without speculation ÷ time with the same draft length in every round, on the same draws."),
    unit="×",
)
FASTEST = Quantity(
    "rule_speedup",
    N_("Best rule shown"),
    N_("The fastest of the rules that know only what they have seen."),
    unit="×",
)
ORACLES = Quantity(
    "oracle_speedup",
    N_("Oracle"),
    N_("Knows the acceptance of every answer, but not the draws: no rule without that does better on average."),
    unit="×",
)
WASTED = Quantity(
    "fixed_wasted_share",
    N_("Wasted by the fixed length"),
    N_("Share of its drafts that became no token of an answer: rejected, or behind its end."),
    format=".0%",
)


def rule_labels(keys: Sequence[str], k: int, translate: Translator) -> dict[str, str]:
    """The rules by key with the names they go by; the fixed length with its k."""
    return {key: f"k = {k}" if key == FIXED else translate(find(key).label) for key in keys}


def summary(run: DriftRun, labels: Mapping[str, str], k: int, seed: int, translate: Translator) -> str:
    """The page's answer in a few sentences."""
    _ = translate
    lines = [
        _range(run.rounds.workload, _),
        _("k = {k} in every round is **{speedup:.2f}×** as fast as plain decoding.").format(
            k=k, speedup=run.speedup(FIXED)
        ),
    ]
    lost = run.losing_phases(FIXED)
    if lost:
        text = _("It loses time in: {phases}.")
        lines.append(text.format(phases=named(lost, _)))
    best = best_rule(run, labels)
    if best:
        text = _(
            "The best rule that sees only what happened, **{rule}**, reaches {speedup:.2f}×, the oracle {oracle:.2f}×."
        )
        lines.append(text.format(rule=labels[best], speedup=run.speedup(best), oracle=run.speedup(ORACLE)))
    lines.append(_("Simulated, seed {seed}.").format(seed=seed))
    return _.sentences(*lines)


def named(labels: Sequence[str], translate: Translator) -> str:
    """Phases in a row; a visitor's own name may hold a comma."""
    return translate.listed(translate("“{name}”").format(name=escaped(translate(label))) for label in labels)


def _range(workload: Workload, translate: Translator) -> str:
    """Between which mean acceptances the workload moves, and whether one drafter shows them all."""
    low = min(workload.phases, key=lambda phase: float(phase.alphas.min()))
    high = max(workload.phases, key=lambda phase: float(phase.alphas.max()))
    values = {"low": float(low.alphas.min()), "high": float(high.alphas.max())}
    if f"{values['low']:.2f}" == f"{values['high']:.2f}":
        return translate("Mean acceptance is {low:.2f} throughout.").format(**values)
    if low.label == high.label:
        return translate("Acceptance moves between {low:.2f} and {high:.2f}.").format(**values)
    used = {models(phase) for phase in workload.phases}
    text = translate("Acceptance is {low:.2f} in “{least}”, {high:.2f} in “{most}”.")
    if len(used) == 1 and "" not in used:
        text = translate("The same models: acceptance {low:.2f} in “{least}”, {high:.2f} in “{most}”.")
    return text.format(least=escaped(translate(low.label)), most=escaped(translate(high.label)), **values)


def best_rule(run: DriftRun, labels: Mapping[str, str]) -> str:
    """The fastest of the rules shown that know nothing of the future; empty where none is shown."""
    rules = [key for key in labels if key not in ("off", FIXED, ORACLE)]
    return max(rules, key=run.speedup) if rules else ""


def cards(run: DriftRun, labels: Mapping[str, str], k: int, translate: Translator) -> Cards:
    """Speedups over the whole workload, and the waste."""
    _ = translate
    best = best_rule(run, labels)
    drafted = int(run.run(FIXED).num_speculative_tokens.sum())
    wasted = run.run(FIXED).num_wasted_draft_tokens / drafted

    def simulated(quantity: Quantity, value: float | None, below: str) -> Card:
        return text_card(quantity, quantity.show(value), _, below, known=known("simulated", value))

    return Cards(
        (
            simulated(STEADY, run.speedup(FIXED), f"k = {k}"),
            simulated(FASTEST, run.speedup(best) if best else None, labels[best] if best else ""),
            simulated(ORACLES, run.speedup(ORACLE), _("simulated")),
            simulated(WASTED, wasted, _("of {count:,} drafts").format(count=drafted)),
        )
    )


def boundary_words(boundary: Boundary, translate: Translator) -> str:
    """Where draft and verification cost what plain decoding does, and which phases are slower than it."""
    _, k = translate, boundary.num_speculative_tokens
    if boundary.alpha is None:
        text = _("A round of k = {k} costs {rho:.2f} plain steps and yields at most {most} tokens: it never pays here.")
        return text.format(k=k, rho=boundary.rho, most=k + 1)
    text = _(
        "The boundary: a round of k = {k} costs {rho:.2f} plain steps, which takes an acceptance of **{alpha:.3f}** "
        "where all requests and positions are alike."
    )
    first = text.format(k=k, rho=boundary.rho, alpha=boundary.alpha)
    if boundary.losing_phases:
        return _.sentences(first, *_losing(boundary, _))
    worst = min(boundary.phases, key=lambda phase: phase.speedup)
    text = _(
        "No phase is slower than plain decoding. The first that would be is “{phase}”, once a round costs {rho:.2f} "
        "plain steps."
    )
    return _.sentences(first, text.format(phase=escaped(_(worst.label)), rho=worst.speedup * boundary.rho))


def _losing(boundary: Boundary, translate: Translator) -> list[str]:
    """The phases that lose, and why some do above the boundary."""
    _ = translate
    lines = [_("Slower than plain decoding: {phases}.").format(phases=named(boundary.losing_phases, _))]
    above = dict.fromkeys(
        phase.label for phase in boundary.phases if phase.loses and phase.alpha > (boundary.alpha or 0)
    )
    if above:
        text = _(
            "Above that acceptance and slower all the same: {phases}. Requests or positions differ there, so it takes "
            "more: α* in the table."
        )
        lines.append(text.format(phases=named(tuple(above), _)))
    return lines


def stationary_words(workload: Workload, speedups: NDArray[np.float64], translate: Translator) -> str:
    """For phases that do not differ: the best single length; empty where they differ. `speedups` by phase and k."""
    kinds = {(phase.alpha, phase.acceptance_shape) for phase in workload.phases}
    if len(kinds) > 1 or any(phase.change for phase in workload.phases):
        return ""
    best = int(speedups[0].argmax())
    if not best:
        return translate("The phases do not differ: no single length beats plain decoding here in the long run.")
    text = translate("The phases do not differ: the best single length is k = {k}, {speedup:.2f}× in the long run.")
    return text.format(k=best, speedup=speedups[0, best])
