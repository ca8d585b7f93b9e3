"""What the band of the costs leaves open on the Serving load page: in the verdict, the cards and the schedule."""

from specmodel.dashboard.serving.ranges import ranges
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.gain_range import gain_range
from specmodel.serving.schedule import Tier


def has_band(answer: LoadAnswer) -> bool:
    """Whether there are ends to speak of: something is drafted and the costs are not exact."""
    return bool(answer.ends) and bool(answer.num_speculative_tokens)


def range_text(low: float, high: float) -> str:
    """A band of speedups: 1.21–1.66×, or one number where both look the same.

    >>> range_text(1.207, 1.66), range_text(1.5, 1.501)
    ('1.21–1.66×', '1.50×')
    """
    first, last = f"{low:.2f}", f"{high:.2f}"
    return f"{first}×" if first == last else f"{first}–{last}×"


def band_sentence(answer: LoadAnswer, translate: Translator) -> str:
    """The speedups that the costs leave open, for the verdict; empty where there is no band."""
    if not has_band(answer) or not answer.verdict.served:
        return ""
    low, high = gain_range(answer)
    if high - low < 0.005:
        return ""
    text = translate("By how far such costs were off and what a round may cost at once, {range}.")
    return text.format(range=range_text(low, high))


def off_texts(answer: LoadAnswer, translate: Translator) -> tuple[str, str]:
    """Where plain decoding is faster with the chosen k, and what the band makes of it.

    "Never" is said only where no end of the band has such a batch.
    """
    _, k, most = translate, answer.num_speculative_tokens, answer.most
    here = ranges(answer.off, most, _)
    if not has_band(answer):
        return here or _("never"), ""
    possible, sure = answer.band.off(k)
    worst = ranges(possible, most, _) or _("never")
    best = ranges(sure, most, _) or _("never")
    value = here or (_("perhaps") if possible else _("never"))
    if worst == best == value:
        return value, ""
    return value, _("dear end: {worst}, cheap end: {best}").format(worst=worst, best=best)


def schedule_sentence(answer: LoadAnswer, translate: Translator) -> str:
    """From where on the schedule may have to be off: at the ends of the band, with the best k of each batch."""
    if not answer.ends:
        return ""
    _, most = translate, answer.most
    possible, sure = answer.band.off()
    if not possible:
        return _("Some draft length is faster than plain decoding at every batch, at both ends of the band too.")
    worst = ranges(possible, most, _)
    if not sure:
        text = _("At the dear end of the band no draft length pays at batch {worst}; at the cheap end one always does.")
        return text.format(worst=worst)
    text = _("No draft length pays at batch {worst} at the dear end of the band, at batch {best} at the cheap end.")
    return text.format(worst=worst, best=ranges(sure, most, _))


def tier_range(answer: LoadAnswer, tier: Tier) -> tuple[float, float] | None:
    """The speedups of a tier that the band leaves open; None where it is off or there is no band."""
    if not answer.ends or not 0 < tier.num_speculative_tokens <= answer.band.longest:
        return None
    return answer.band.of(tier)
