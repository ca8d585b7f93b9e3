"""Words and cards of the engine page: the verdict, what is known and how sure, and what to measure where it is not."""

from collections.abc import Iterator

from specmodel.dashboard.parts.ranges import ranges
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.case import EngineCase
from specmodel.engine.lengths import LengthChoice, off_is_as_good
from specmodel.engine.sweep import MeasuredSetting
from specmodel.engine.unused import Unused
from specmodel.measured.intervals import INTERVAL_METHODS, Estimate
from specmodel.measured.spec_stats import TYPED

LOSS_SHOWN = 0.0005
"""Smaller expected losses are not worth a word."""


def shown(estimate: Estimate, pattern: str) -> str:
    """A value with its interval, or alone."""
    if estimate.value is None:
        return "–"
    value = format(estimate.value, pattern)
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return value
    return f"{value} ({format(estimate.low, pattern)}–{format(estimate.high, pattern)})"


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
