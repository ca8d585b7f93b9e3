"""What is known of costs beside their source: the fixed cost of a round, what was measured, how far they were off."""

from specmodel.base.messages import N_
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.calibrate import Measured
from specmodel.serving.cost_band import EXACT, Off
from specmodel.serving.fixed_cost import FIXED_CHOICES, UNKNOWN, FixedChoice, FixedCost
from specmodel.serving.load import Drafter
from specmodel.validation import record

SERVED_OFF = N_(
    "Not calibrated: served plain steps took {low:.2f} to {high:.2f} times as long as such costs say (nine of ten), "
    "and checking beside a plain step {check_low:.2f} to {check_high:.2f} times."
)


def fixed_cost(chosen: Chosen) -> tuple[FixedCost, FixedChoice | None]:
    """The fixed cost of a round, and the choice whose band it has; None for a number of the visitor's own.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> fixed_cost(read_link({"fixed": "0.2"})[0])[0].many, fixed_cost(read_link({"fixedfrom": "vllm"})[0])[0].few
    (0.2, 0.1)
    """
    choice, typed = FIXED_CHOICES[chosen.option("fixedfrom")], chosen.group(Drafter).fixed_cost
    if typed != choice.value.few:
        return FixedCost(typed, typed), None
    if choice.key == UNKNOWN and chosen.scenario.overhead_ms:
        return choice.value, None  # it was said in ms
    return choice.value, choice


def band_words(off: Off, measured: Measured, chosen: Chosen, translate: Translator) -> str:
    """How far such costs were off, or what they were calibrated by; and where the fixed cost of a round is from."""
    _, lines = translate, []
    if measured.plain_ms:
        text = _("Calibrated by your plain step of {ms:,.2f} ms at batch {batch:,} and context {context:,}.")
        lines.append(text.format(ms=measured.plain_ms, batch=measured.plain_batch, context=measured.plain_context))
    elif off != EXACT:
        ends = {"low": off.plain[0], "high": off.plain[1], "check_low": off.check[0], "check_high": off.check[1]}
        lines.append(_(SERVED_OFF).format(**ends))
    return _.sentences(*lines, _fixed_words(measured, chosen, translate), _record(measured, translate))


def _record(measured: Measured, translate: Translator) -> str:
    """How often bands calibrated at one load held what was measured at others; empty without a measurement."""
    if not measured.plain_ms and not measured.round_ms:
        return ""
    passes, speedups = record("calibrated", "pass"), record("calibrated", "speedup")
    text = translate(
        "Away from the load that calibrates them such bands are too narrow: they held {passes:.0%} of {n:,} passes and "
        "{speedups:.0%} of {m:,} speedups (page Validation)."
    )
    held = {"passes": passes.coverage or 0.0, "speedups": speedups.coverage or 0.0}
    return text.format(**held, n=passes.num_banded, m=speedups.num_banded)


def _fixed_words(measured: Measured, chosen: Chosen, translate: Translator) -> str:
    _ = translate
    if measured.round_ms:
        text = _("The fixed cost of a round is that of your round of {ms:,.2f} ms with k = {k} at batch {batch:,}.")
        return text.format(ms=measured.round_ms, k=measured.round_k, batch=measured.round_batch)
    cost, choice = fixed_cost(chosen)
    if choice is not None:
        return _.sentences(_("Fixed cost of a round:"), _(choice.source))
    if cost.few:
        return _("Fixed cost of a round: {steps:.2f} plain steps, your number.").format(steps=cost.few)
    ms = chosen.scenario.overhead_ms
    return _("Fixed cost of a round: {ms:,.2f} ms, your number.").format(ms=ms) if ms else ""
