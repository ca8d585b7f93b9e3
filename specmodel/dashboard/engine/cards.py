"""The cards of the engine page: what was measured, what follows for speed, and what kind of number each of them is."""

from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.parts.answer import Card, text_card
from specmodel.dashboard.parts.known import Kind, Known, known
from specmodel.dashboard.parts.ranges import ranges
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.case import EngineCase
from specmodel.measured.acceptance import MeasuredAcceptance
from specmodel.measured.intervals import Estimate
from specmodel.measured.spec_stats import TYPED

RATE = Quantity(
    "rate", N_("Accepted ÷ drafted"), N_("Share of the drafted tokens that were kept, with its 95 % interval.")
)
LENGTH = Quantity(
    "length",
    N_("Tokens per round"),
    N_("Accepted drafts and the one token of the target itself, with its 95 % interval."),
    symbol="τ",
)
STEP_TOKENS = Quantity(
    "tokens_per_step",
    N_("Tokens per decoding step"),
    N_("Steps without a draft included: what speed depends on."),
)
RHO = Quantity(
    "rho",
    N_("Cost of a step"),
    N_("Time of a decoding step with speculation ÷ time of a plain step. Speculation pays while the tokens exceed it."),
    unit="×",
    symbol="ρ",
)
NEEDED = Quantity(
    "needed",
    N_("Break-even cost of a step"),
    N_("Speculation pays while a step with it takes fewer plain steps than this: as many as it emits tokens."),
    unit="×",
    symbol="ρ*",
)
SPEEDUP = Quantity(
    "speedup",
    N_("Decode speedup"),
    N_("Time per output token without ÷ with speculation. Prefill is not in it and does not shrink."),
    unit="×",
)
SLOWER = Quantity(
    "slower",
    N_("P(speedup < 1)"),
    N_(
        "Chance that speculation loses in another run like this: over timed requests or windows where the files have "
        "them, else from what is assumed to differ between runs."
    ),
)
BEST = Quantity(
    "best",
    N_("Best draft length"),
    N_(
        "The draft length up to the measured one that loses least on average where another one is faster, over all "
        "that the measurement leaves open; 0 is off."
    ),
    symbol="k*",
)


def engine_cards(measured: EngineAnswer, translate: Translator) -> list[Card]:
    """Cards of what is known, in the order in which one asks; a number that is not known has none."""
    case, acceptance, best = measured.case, measured.acceptance, measured.best
    counted, timed = _kinds(case)
    some_without = case.tokens_per_step is not None and case.share_with_draft < 0.995
    ties = ranges([each.num_speculative_tokens for each in measured.lengths if each.ties])
    below_best = translate("ties: {ties}").format(ties=ties) if ties else ""
    # the best of measured settings was measured; else the lengths that it is compared to are predictions
    of_best: Kind = "measured" if case.stats.parts_are_settings else "extrapolated"
    length, _below, number = _single(best.num_speculative_tokens if best else None, "d", of_best)
    cards: list[tuple[Quantity, str | None, str, Known]] = [
        (RATE, *_estimated(_measured_rate(case, acceptance) if acceptance else None, ".1%", counted)),
        (LENGTH, *_estimated(acceptance.length if acceptance else None, ".2f", counted)),
        (STEP_TOKENS, *_single(case.tokens_per_step if some_without else None, ".2f", counted)),
        (RHO, *_single(case.rho, ".2f", timed, "×")),
        (NEEDED, *_single(case.tokens_per_step or None if case.rho is None else None, ".2f", counted, "×")),
        (SPEEDUP, *_estimated(case.speedup, ".2f", timed, "×")),
        (SLOWER, *_chance(case, timed)),
        (BEST, length, below_best, number),
    ]
    return [
        text_card(quantity, value, translate, below, known=number)
        for quantity, value, below, number in cards
        if value is not None
    ]


def _kinds(case: EngineCase) -> tuple[Kind, Kind]:
    """What kind of numbers the counts and the times are: a number that rests on one that was typed is assumed."""
    counted: Kind = "assumed" if case.stats.source == TYPED else "measured"
    typed = case.plain_ms_typed is not None or case.round_ms_typed is not None
    return counted, "assumed" if typed else counted


def _single(value: float | None, pattern: str, kind: Kind, unit: str = "") -> tuple[str | None, str, Known]:
    """A value without an interval: its text, the line below it, and the number."""
    return None if value is None else format(value, pattern) + unit, "", known(kind, value)


def _estimated(estimate: Estimate | None, pattern: str, kind: Kind, unit: str = "") -> tuple[str | None, str, Known]:
    """A value, its interval for the line below it, and both as numbers."""
    if estimate is None or estimate.value is None:
        return None, "", known(kind)
    number = known(kind, estimate.value, estimate.low, estimate.high)
    if estimate.low is None or estimate.high is None:
        return format(estimate.value, pattern) + unit, "", number
    return format(estimate.value, pattern) + unit, f"{estimate.low:{pattern}}–{estimate.high:{pattern}}", number


def _chance(case: EngineCase, kind: Kind) -> tuple[str | None, str, Known]:
    """The chance that speculation loses; towards both ends only a bound of it is known."""
    value = case.chance_slower
    if value is None:
        return None, "", known(kind)
    near = 0.001 if case.times_vary else 0.01
    ends = (0.0, near) if value < near else (1 - near, 1.0) if value > 1 - near else (None, None)
    kind = kind if case.times_vary else "assumed"  # what differs between runs is
    return chance(value, case.times_vary), "", known(kind, min(max(value, near), 1 - near), *ends)


def _measured_rate(case: EngineCase, known: MeasuredAcceptance) -> Estimate:
    """Accepted ÷ drafted as counted; drafts shorter than k make it more than that of full rounds."""
    counted, full = case.stats.draft_acceptance_rate, known.rate
    return full.scaled(counted / full.value, most=1) if counted is not None and full.value else full


def chance(value: float, times_vary: bool = True) -> str:
    """A probability from a thousand draws: the ends are not certain, the less so where times carry no own spread.

    >>> chance(0.0), chance(0.004), chance(0.25), chance(0.999), chance(1.0)
    ('≤ 0.1 %', '0.4 %', '25 %', '99.9 %', '≥ 99.9 %')
    >>> chance(0.0, times_vary=False), chance(1.0, times_vary=False)
    ('< 1 %', '> 99 %')
    """
    if not times_vary and not 0.01 <= value <= 0.99:
        return "< 1 %" if value < 0.5 else "> 99 %"
    if value < 0.001:
        return "≤ 0.1 %"
    if value > 0.999:
        return "≥ 99.9 %"
    return f"{value * 100:.0f} %" if 0.1 <= value <= 0.9 else f"{value * 100:.1f} %"
