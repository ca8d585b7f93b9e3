"""What the Drift page asks to be predicted before it shows it."""

from collections.abc import Sequence

from specmodel.dashboard.drift.tuned import FIXED
from specmodel.dashboard.drift.words import named
from specmodel.dashboard.lesson.steps import Question
from specmodel.dashboard.session.translation import Translator
from specmodel.drift.adaptation import AdaptationOutcome
from specmodel.drift.boundary import Boundary
from specmodel.drift.phases import Workload
from specmodel.drift.run import ORACLE, DriftRun

LEAST_SAVED = 0.002
"""Where the oracle saves a smaller share of the time, a share of that says nothing."""
LEAST_SHARE = -20
"""Where the range of a guess starts that may be a little below 0."""


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
    longer = dict.fromkeys(phase.label for phase, length in zip(workload.phases, best, strict=True) if k > length)
    shorter = dict.fromkeys(phase.label for phase, length in zip(workload.phases, best, strict=True) if k < length)
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
