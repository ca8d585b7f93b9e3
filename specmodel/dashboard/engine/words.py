"""Words and cards of the engine page: the verdict, what is known and how sure, and what to measure where it is not."""

from collections.abc import Iterator

from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.parts.answer import Card, text_card
from specmodel.dashboard.parts.ranges import ranges
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.case import EngineCase
from specmodel.engine.lengths import LengthChoice, off_is_as_good
from specmodel.engine.sweep import MeasuredSetting
from specmodel.engine.unused import Unused
from specmodel.measured.acceptance import MeasuredAcceptance
from specmodel.measured.intervals import INTERVAL_METHODS, Estimate
from specmodel.measured.spec_stats import TYPED

LOSS_SHOWN = 0.0005
"""Smaller expected losses are not worth a word."""
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
    symbol="ρ",
)
NEEDED = Quantity(
    "needed",
    N_("Break-even cost of a step"),
    N_("Speculation pays while a step with it takes fewer plain steps than this: as many as it emits tokens."),
    symbol="ρ*",
)
SPEEDUP = Quantity(
    "speedup",
    N_("Decode speedup"),
    N_("Time per output token without ÷ with speculation. Prefill is not in it and does not shrink."),
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


def shown(estimate: Estimate, pattern: str) -> str:
    """A value with its interval, or alone."""
    if estimate.value is None:
        return "–"
    value = format(estimate.value, pattern)
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return value
    return f"{value} ({format(estimate.low, pattern)}–{format(estimate.high, pattern)})"


def engine_cards(measured: EngineAnswer, translate: Translator) -> list[Card]:
    """Cards of what is known, in the order in which one asks."""
    case, acceptance, best = measured.case, measured.acceptance, measured.best
    some_without = case.tokens_per_step is not None and case.share_with_draft < 0.995
    ties = ranges([each.num_speculative_tokens for each in measured.lengths if each.ties])
    cards: list[tuple[Quantity, str | None, str]] = [
        (RATE, *_two_lines(_measured_rate(case, acceptance) if acceptance else None, ".1%")),
        (LENGTH, *_two_lines(acceptance.length if acceptance else None, ".2f")),
        (STEP_TOKENS, f"{case.tokens_per_step:.2f}" if some_without else None, ""),
        (RHO, None if case.rho is None else f"{case.rho:.2f}×", ""),
        (NEEDED, f"{case.tokens_per_step:.2f}×" if case.rho is None and case.tokens_per_step else None, ""),
        (SPEEDUP, *_two_lines(case.speedup, ".2f", "×")),
        (SLOWER, None if case.chance_slower is None else chance(case.chance_slower, case.times_vary), ""),
        (
            BEST,
            None if best is None else str(best.num_speculative_tokens),
            translate("ties: {ties}").format(ties=ties) if ties else "",
        ),
    ]
    return [text_card(quantity, value, translate, below) for quantity, value, below in cards if value is not None]


def _two_lines(estimate: Estimate | None, pattern: str, unit: str = "") -> tuple[str | None, str]:
    """A value, and its interval for the line below it."""
    if estimate is None or estimate.value is None:
        return None, ""
    if estimate.low is None or estimate.high is None:
        return format(estimate.value, pattern) + unit, ""
    return format(estimate.value, pattern) + unit, f"{estimate.low:{pattern}}–{estimate.high:{pattern}}"


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


def capitalised(text: str) -> str:
    """A message as a sentence of its own.

    >>> capitalised("k is missing")
    'K is missing.'
    """
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "。")) else ".")


def advice(measured: EngineAnswer, translate: Translator) -> str:
    """What to set, with ties called ties; without a time what the positions alone show, else empty."""
    best = measured.best
    if best is None or best.speedup is None or best.speedup.value is None:
        return _without_times(measured.unused, translate) if measured.unused is not None else ""
    return translate.sentences(_what_to_set(measured, best, translate), *_how_sure(measured, best, translate))


def _what_to_set(measured: EngineAnswer, best: LengthChoice, translate: Translator) -> str:
    k, ran = best.num_speculative_tokens, measured.case.num_speculative_tokens or 0
    if k == 0:
        text = translate("Off loses least: no draft length up to the measured {ran} is predicted to gain more.")
    elif measured.case.stats.parts_are_settings:
        text = translate("Of the measured settings k = {k} is the fastest.")
    elif k == ran:
        text = translate("No shorter draft than the {k} it ran with is predicted to gain more.")
    else:
        text = translate("A draft length of {k} is predicted to give {speedup:.2f}×, against {now:.2f}× with {ran}.")
    speedup = best.speedup.value if best.speedup else None
    return text.format(k=k, ran=ran, speedup=speedup or 0.0, now=measured.case.decode_speedup or 0.0)


def _how_sure(measured: EngineAnswer, best: LengthChoice, translate: Translator) -> Iterator[str]:
    """Ties, what the choice loses where another is faster, whether off would do, and whether longer looks better."""
    choices, k = measured.lengths, best.num_speculative_tokens
    ties = [each.num_speculative_tokens for each in choices if each.ties]
    if ties:
        yield translate("What is known cannot tell it from k = {ties}.").format(ties=ranges(ties))
    if best.regret is not None and best.regret >= LOSS_SHOWN:
        loss = translate("If another length is faster after all, k = {k} loses {loss:.1%} on average.")
        yield loss.format(k=k, loss=best.regret)
    if k and off_is_as_good(choices):
        yield translate("Off loses at most 2 % more, and is the simplest: it needs no drafter.")
    further = [each.speedup.low for each in choices if each.extrapolated and each.speedup and each.speedup.low]
    ran = measured.case.num_speculative_tokens
    if k == ran and best.speedup and any(low > (best.speedup.value or 0.0) for low in further):
        yield translate("Longer drafts look better still, but nobody measured them: try one more.")


def _without_times(unused: Unused, translate: Translator) -> str:
    """What a shorter draft would give, where its last positions were never accepted."""
    if unused.num_speculative_tokens == 0:
        return translate("No draft was ever accepted: off gives the same 1.00 tokens a round.")
    if unused.first == unused.last:
        text = translate(
            "Position {last} was never accepted: k = {k} gives the same {tokens:.2f} tokens a round and drafts less."
        )
    else:
        text = translate(
            "Positions {first} to {last} were never accepted: k = {k} gives the same {tokens:.2f} tokens a round and "
            "drafts less."
        )
    said = text.format(first=unused.first, last=unused.last, k=unused.num_speculative_tokens, tokens=unused.tokens)
    if unused.rounds is None:
        return said
    return translate.sentences(said, translate("Rounds counted: {rounds:,.0f}.").format(rounds=unused.rounds))


def setting_name(setting: MeasuredSetting, translate: Translator) -> str:
    """A measured setting of a sweep in words."""
    if not setting.stats.speculation:
        return translate("off")
    return setting.stats.label or f"k = {setting.num_speculative_tokens}"


def kind_of_numbers(case: EngineCase, translate: Translator) -> str:
    """What kind of numbers the cards show: measured, estimated or typed, and which times were typed beside them."""
    _ = translate
    if case.stats.source == TYPED:
        kind = _("As you typed it, with what follows from it.")
    elif case.stats.estimated:
        kind = _("Measured; some counts are worked out from what was printed. With what follows from them.")
    else:
        kind = _("Measured, with what follows from it.")
    typed = []
    pair = case.comparability
    if case.plain_run is not None and case.plain_ms_typed is None and pair is not None and not pair.load_is_known:
        typed.append(_("Whether both runs had the same load is not in the files."))
    if case.speedup is not None and case.speedup.low is not None:
        typed.append(_("Interval of the speedup: {method}.").format(method=_(INTERVAL_METHODS[case.speedup_method])))
    if case.plain_ms_typed is not None:
        typed.append(_("Plain step as typed: {ms:g} ms.").format(ms=case.plain_ms_typed))
    if case.round_ms_typed is not None:
        typed.append(_("Step with speculation as typed: {ms:g} ms.").format(ms=case.round_ms_typed))
    return _.sentences(kind, *typed)
