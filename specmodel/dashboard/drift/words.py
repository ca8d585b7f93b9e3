"""What the Drift page says: the answer, the numbers above its figures, the boundary, and what to predict."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.drift.tables import models
from specmodel.dashboard.lesson.steps import Question
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.drift.adaptation import AdaptationOutcome
from specmodel.drift.boundary import Boundary
from specmodel.drift.phases import Workload
from specmodel.drift.policies import find
from specmodel.drift.run import ORACLE, DriftRun

FIXED = "fixed"
LEAST_SAVED = 0.002
"""Where the oracle saves a smaller share of the time, a share of that says nothing."""
LEAST_SHARE = -20
"""Where the range of a guess starts that may be a little below 0."""
CARDS = {
    "fixed": Quantity(
        "fixed",
        N_("Fixed length"),
        N_("Time without speculation ÷ time with the same draft length in every round, on the same draws."),
        format="",
    ),
    "best": Quantity(
        "best",
        N_("Best rule shown"),
        N_("The fastest of the rules that know only what they have seen."),
        format="",
    ),
    "oracle": Quantity(
        "oracle",
        N_("Oracle"),
        N_("Knows the acceptance of every answer, but not the draws: no rule without that does better on average."),
        format="",
    ),
    "wasted": Quantity(
        "wasted",
        N_("Wasted by the fixed length"),
        N_("Share of its drafts that became no token of an answer: rejected, or behind its end."),
        format="",
    ),
}


def rule_labels(keys: Sequence[str], k: int, translate: Translator) -> dict[str, str]:
    """The rules by key with the names they go by; the fixed length with its k."""
    return {key: f"k = {k}" if key == FIXED else translate(find(key).label) for key in keys}


def answer(run: DriftRun, labels: Mapping[str, str], k: int, seed: int, translate: Translator) -> str:
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
    """Phases in a row; a reader's own name may hold a comma."""
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


def cards(run: DriftRun, labels: Mapping[str, str], k: int, translate: Translator) -> list[tuple[Quantity, str, str]]:
    """Speedups over the whole workload, and the waste."""
    _ = translate
    best = best_rule(run, labels)
    drafted = int(run.run(FIXED).num_speculative_tokens.sum())
    share = run.run(FIXED).num_wasted_draft_tokens / drafted
    known = (CARDS["best"], f"{run.speedup(best):.2f}×", labels[best]) if best else (CARDS["best"], "–", "")
    simulated = _("simulated")
    return [
        (CARDS["fixed"], f"{run.speedup(FIXED):.2f}×", f"k = {k}"),
        known,
        (CARDS["oracle"], f"{run.speedup(ORACLE):.2f}×", simulated),
        (CARDS["wasted"], f"{share:.0%}", _("of {count:,} drafts").format(count=drafted)),
    ]


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
    above = dict.fromkeys(each.label for each in boundary.phases if each.loses and each.alpha > (boundary.alpha or 0))
    if above:
        text = _(
            "Above that acceptance and slower all the same: {phases}. Requests or positions differ there, so it takes "
            "more: α* in the table."
        )
        lines.append(text.format(phases=named(tuple(above), _)))
    return lines


def boundary_question(boundary: Boundary, translate: Translator) -> Question | None:
    """At which acceptance k stops paying; None where it never pays."""
    _ = translate
    if boundary.alpha is None:
        return None
    text = _(
        "A round with k = {k} takes {rho:.2f} times as long as a plain step. "
        "At which acceptance, the same everywhere, does k = {k} stop paying?"
    )
    return Question(
        text.format(k=boundary.num_speculative_tokens, rho=boundary.rho), 0, 1, 0.01, boundary.alpha,
        _("There a round yields as many tokens, 1 + α + … + α^k, as the plain steps that it costs."),
    )  # fmt: skip


def share_question(run: DriftRun, best: Sequence[int], k: int, translate: Translator) -> Question | None:
    """Which share of the oracle's saving the fixed length reaches; None where there is next to nothing to save.

    `best` is the best single length of each phase in the long run.
    """
    _, share = translate, run.saved_share(FIXED)
    if share is None or run.saved_ms(ORACLE)[-1] < LEAST_SAVED * run.plain_ms:
        return None
    why = _("It saves {fixed:,.1f} s and the oracle {oracle:,.1f} s of {plain:,.1f} s.")
    why = why.format(
        fixed=run.saved_ms(FIXED)[-1] / 1000, oracle=run.saved_ms(ORACLE)[-1] / 1000, plain=run.plain_ms / 1000
    )
    text = _(
        "An oracle that knows the acceptance of every answer saves some time. Which share of that does k = {k} in "
        "every round save? Below 0 it costs time."
    )
    why = _.sentences(why, *too_long_or_short(run.rounds.workload, best, k, _))
    return Question(text.format(k=k), -100, 100, 1, 100 * share, why, unit="%", format=".0f").with_answer_in_range()


def too_long_or_short(workload: Workload, best: Sequence[int], k: int, translate: Translator) -> list[str]:
    """In which phases one length is more, and in which less, than the best single length of the phase."""
    _ = translate
    longer = dict.fromkeys(phase.label for phase, each in zip(workload.phases, best, strict=True) if k > each)
    shorter = dict.fromkeys(phase.label for phase, each in zip(workload.phases, best, strict=True) if k < each)
    if not longer and not shorter:
        text = _(
            "k = {k} is the best single length of every phase: what is left comes from requests that differ and from "
            "the ends of answers."
        )
        return [text.format(k=k)]
    lines = []
    if longer:
        lines.append(
            _("k = {k} is longer than the best single length of: {phases}.").format(k=k, phases=named(tuple(longer), _))
        )
    if shorter:
        lines.append(
            _("k = {k} is shorter than the best single length of: {phases}.").format(
                k=k, phases=named(tuple(shorter), _)
            )
        )
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


def learning_question(outcome: AdaptationOutcome, k: int, translate: Translator) -> Question:
    """What training may cost at most."""
    _ = translate
    share = 100 * outcome.break_even_share(FIXED)
    why = _(
        "Learning makes decoding {gain:.2f} times as fast before training is paid; "
        "what is above 1 is what training may take."
    )
    gain = outcome.break_even_share(FIXED) + 1
    text = _(
        "The draft learns while it serves, with k = {k} in every round. How much may its training "
        "take at most, as a share of the decoding time, before it no longer pays?"
    )
    return Question(
        text.format(k=k), LEAST_SHARE, 100, 1, share, why.format(gain=gain), unit="%", format=".0f"
    ).with_answer_in_range()
