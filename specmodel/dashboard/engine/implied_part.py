"""What a speedup implies of an acceptance that nobody counted, for the engine page; and what is missing for more."""

from specmodel.base.messages import SpecmodelError
from specmodel.dashboard.parts.answer import Note, Notice, Part
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.implied import MOST_FIXED, Implied, implied_acceptance


def implied_part(chosen: Chosen, measured: EngineAnswer, translate: Translator) -> Part | None:
    """The bounds that the speedup sets to tokens per round and acceptance; None where these were measured."""
    _ = translate
    text = str(chosen.option("draftcost")).strip()
    try:
        ratio = _ratio(text)
        found = implied_acceptance(measured.case, ratio)
    except (ValueError, SpecmodelError):
        return Notice("error", escaped(_("“{text}” is no cost of a draft: expected 0 to 100.").format(text=text[:40])))
    if found is None:
        return None
    return Note(_.sentences(_implied(found, _), _missing(found, measured, _)))


def _ratio(text: str) -> float | None:
    if not text:
        return None
    return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text.replace(",", "."))


def _implied(found: Implied, translate: Translator) -> str:
    _, k, rates = translate, found.num_speculative_tokens, found.rates
    if not found.is_possible:
        text = _("For this speedup rounds of k = {k} would have to emit {low:.2f} tokens, more than they can: {cause}.")
        cause = _("k or a speed is wrong") if found.draft_cost_ratio is None else _("k, the cost or a speed is wrong")
        return text.format(k=k, low=found.low, cause=cause)
    if rates is None:
        text = _("Implied: a round emits at least {low:.2f} tokens, since it costs one plain step at least.")
        return text.format(low=found.low)
    if found.draft_cost_ratio is None:
        text = _(
            "Implied: a round emits at least {low:.2f} tokens, since it costs one plain step at least; so at least "
            "{rate:.0%} of k = {k} drafts are accepted."
        )
        return text.format(low=found.low, rate=rates[0], k=k)
    text = _(
        "Implied, with drafts of {cost:g} plain steps and a fixed cost of 0 to {fixed:g} (assumed): {low:.2f} to "
        "{high:.2f} tokens a round, {rate:.0%} to {most:.0%} of the drafts accepted."
    )
    return text.format(
        cost=found.draft_cost_ratio, fixed=MOST_FIXED, low=found.low, high=found.high, rate=rates[0], most=rates[1]
    )


def _missing(found: Implied, measured: EngineAnswer, translate: Translator) -> str:
    """What would tell more."""
    _ = translate
    missing = [] if found.num_speculative_tokens else [_("the draft length k")]
    missing.append(_("the acceptance that the engine prints, for other draft lengths"))
    if not measured.case.times_vary:
        missing.append(_("repeats of both runs, for an interval that is not assumed"))
    return _("Missing for more: {list}.").format(list=_.listed(missing))
