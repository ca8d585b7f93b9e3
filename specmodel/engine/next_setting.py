"""What to measure next after a sweep: the setting whose expected gain is largest, and why.

The gain of a draft length that nobody ran is what it may win over the chosen one, averaged over all that the
measurements leave open, a loss counted as none, since one goes back then (the expected improvement of Mockus 1978, here
relative).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.engine.case import EngineCase
from specmodel.engine.lengths import LengthChoice, best_choice, length_choices
from specmodel.engine.tried import Tried
from specmodel.measured.intervals import Estimate

WORTH = 0.005
"""Smaller expected gains are not worth a run."""

Kind = Literal["plain", "length", "acceptance", "repeat", "nothing"]


@dataclass(frozen=True)
class NextSetting:
    """What to run: `kind` is a plain run, a draft length (`num_speculative_tokens`), the acceptance of what ran,
    repeats of settings that tie, or nothing more. `gain` is the expected one as a share of speed, `speedup` what is
    predicted."""

    kind: Kind
    reason: Message
    num_speculative_tokens: int | None = None
    gain: float | None = None
    speedup: Estimate | None = None


def next_setting(case: EngineCase, lengths: Sequence[LengthChoice], tried: Sequence[Tried]) -> NextSetting | None:
    """What to measure next after the settings `tried`; None where nothing was timed.

    >>> from specmodel.measured.spec_stats import SpecStats
    >>> stats = SpecStats("a", "b", num_speculative_tokens=3, printed_length=2.5, tpot_ms=8.0)
    >>> from specmodel.engine.tried import tried_settings
    >>> main = stats.replace(parts=(stats,), parts_are_settings=True)
    >>> next_setting(EngineCase(main), (), tried_settings(main)).kind
    'plain'
    """
    if not tried:
        return None
    if case.plain_ms is None:
        return NextSetting("plain", Message("Without it nobody knows whether any of these settings pays."))
    open_ = [each for each in lengths if not each.measured and each.num_speculative_tokens and each.gain is not None]
    ran = sorted({each.num_speculative_tokens for each in lengths if each.measured and each.num_speculative_tokens})
    if not open_:
        lengths = _from_one(case)
        open_ = [each for each in lengths if not each.measured and each.num_speculative_tokens and each.gain]
    promising = max(open_, key=lambda each: each.gain or 0.0, default=None)
    if promising is not None and (promising.gain or 0.0) >= WORTH:
        return _length(promising, ran, best_choice(lengths))
    ties = [each for each in tried if each.ties or each.is_best]
    most = 0.0 if promising is None else promising.gain or 0.0
    values = {"most": most, "names": Verbatim(", ".join(each.stats.label or "–" for each in ties[:6]))}
    if open_ and len(ties) > 1:
        text = (
            "No other draft length promises more than {most:.1%}; what is open is which of these is fastest: {names}."
        )
        return NextSetting("repeat", Message(text, values), gain=most)
    if open_:
        text = "No other draft length promises more than {most:.1%} over the best of these."
        return NextSetting("nothing", Message(text, values), gain=most)
    if len(ties) > 1:
        return NextSetting("repeat", Message("What is open is which of these is the fastest: {names}.", values))
    text = "Draft length and tokens per round are not both known here, so no other length can be predicted."
    return NextSetting("acceptance", Message(text))


def _from_one(case: EngineCase) -> tuple[LengthChoice, ...]:
    """What one run tells of other draft lengths; nothing where its acceptance is not known."""
    try:
        return length_choices(case)
    except SpecmodelError:
        return ()


def _length(choice: LengthChoice, ran: Sequence[int], best: LengthChoice | None) -> NextSetting:
    k, now = choice.num_speculative_tokens, best.num_speculative_tokens if best else 0
    values: dict[str, object] = {"k": k, "gain": choice.gain or 0.0, "now": now}
    shorter, longer = [each for each in ran if each < k], [each for each in ran if each > k]
    if len(ran) < 2:
        text = (
            "Only one draft length ran, so what a round costs at once and for each draft is not told apart: of all "
            "others k = {k} may gain most over k = {now}, {gain:.1%} on average."
        )
    elif shorter and longer:
        values |= {"shorter": shorter[-1], "longer": longer[0]}
        text = (
            "It lies between k = {shorter} and k = {longer}, which ran: by their acceptance and the fitted cost of a "
            "round it may gain {gain:.1%} over k = {now} on average."
        )
    else:
        text = (
            "It lies beyond what ran: carried on by acceptance and the fitted cost of a round it may gain {gain:.1%} "
            "over k = {now} on average, and the band is widest there."
        )
    return NextSetting("length", Message(text, values), k, choice.gain, choice.speedup)
