"""How long to measure, on the engine page: enough now or not yet, in a sentence and a number."""

from specmodel.base.messages import N_, SpecmodelError
from specmodel.dashboard.parts.answer import Note, Notice, Part, Text
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.how_long import HowLong, how_long

UNITS = {"requests": N_("requests"), "windows": N_("windows of the log"), "rounds": N_("rounds"), "runs": N_("runs")}
WHAT = {"speedup": N_("the speedup"), "tokens": N_("tokens per step")}


def how_long_parts(chosen: Chosen, measured: EngineAnswer, translate: Translator) -> dict[str, Part | None]:
    """The sentence, and what it rests on; nothing where no acceptance and no times are known."""
    _ = translate
    matters, pace = (typed_number(str(chosen.option(key))) for key in ("matters", "perminute"))
    if matters is not None and matters >= 1:
        matters /= 100  # typed without its sign
    try:
        found = how_long(measured.case, 0.05 if matters is None else matters, pace)
    except SpecmodelError as error:
        return {"how_long_error": Notice("error", escaped(_.message(error.message)))}
    if found is None:
        return {}
    headline, reason = (_enough if found.is_enough else _not_yet)(found, _)
    return {"how_long": Text(f"**{headline}** {reason}".strip()), "how_long_note": Note(_rests_on(found, _))}


def typed_number(text: str) -> float | None:
    """A number above 0, per cent as a share; None for what is none.

    >>> typed_number("5 %"), typed_number("0.02"), typed_number("many")
    (0.05, 0.02, None)
    """
    body = text.strip()
    try:
        value = float(body.removesuffix("%").strip().replace(",", "."))
    except ValueError:
        return None
    return (value / 100 if body.endswith("%") else value) if 0 < value < 1e9 else None


def _enough(found: HowLong, translate: Translator) -> tuple[str, str]:
    _ = translate
    text = _("Enough: {what} is known to ± {margin:.1%}.")
    headline = text.format(what=_(WHAT[found.what]), margin=found.margin)
    if found.margin <= found.matters:
        return headline, ""
    return headline, _("It is further from 1 than that, so which side it is on is sure; its size is not yet.")


def _not_yet(found: HowLong, translate: Translator) -> tuple[str, str]:
    """What is missing: units of one run, or runs where no length of one is enough."""
    _ = translate
    now = _("Now {what} is known to ± {margin:.1%}; wanted is ± {wanted:.1%}.")
    said = now.format(what=_(WHAT[found.what]), margin=found.margin, wanted=found.wanted)
    unit = _(UNITS[found.unit])
    if found.needed is None:
        headline = _("Not yet: about {runs:,} runs like this one are needed.").format(runs=found.runs or 2)
        return headline, _.sentences(said, _("A longer run does not help: what differs between runs stays."))
    headline = _("Not yet: {needed:,} {unit} in all are needed, {more:,} more.")
    more = max(round(found.needed - found.now), 0)
    sentences = [said]
    if found.soonest is not None:
        text = _("If the difference stays as large as it is now, {soonest:,} are enough.")
        sentences.append(text.format(soonest=found.soonest))
    if found.minutes is not None:
        sentences.append(_("That takes about {minutes:,.0f} min more.").format(minutes=max(found.minutes, 1)))
    return headline.format(needed=found.needed, unit=unit, more=more), _.sentences(*sentences)


def _rests_on(found: HowLong, translate: Translator) -> str:
    _ = translate
    if found.is_assumed:
        return _(
            "Rests on an assumed spread between requests and between runs, since the file does not tell requests or "
            "repeats apart ({now:,.0f} requests taken)."
        ).format(now=found.now)
    return _("Rests on the spread of the {now:,.0f} {unit} so far; so many are enough in nine of ten cases.").format(
        now=found.now, unit=_(UNITS[found.unit])
    )
