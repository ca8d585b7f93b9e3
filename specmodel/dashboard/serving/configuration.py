"""The schedule of the Serving load page in words, and as configuration to paste into the chosen engine."""

import numpy as np

from specmodel.base.messages import Message, SpecmodelError
from specmodel.dashboard.parts.answer import Note, Notice, Parts
from specmodel.dashboard.parts.paste import paste_parts
from specmodel.dashboard.passes.drafted import Drafted
from specmodel.dashboard.serving.band_words import schedule_sentence
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.dashboard.session.way import CONFIGURED_AS, MEASURED
from specmodel.engine.setting import ENGINES, MAX_K, VLLM, Request, Snippet, methods, snippet
from specmodel.methods import Choice
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.schedule import worst_regret


def engine_and_method(chosen: Chosen) -> tuple[str, str]:
    """The engine to configure and its way of drafting; the first of each where the chosen one is not offered.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> engine_and_method(read_link({"engine": "SGLang"})[0])[0], engine_and_method(read_link({})[0])[0]
    ('SGLang', 'vLLM')
    """
    engine = chosen.option("engine") if chosen.option("engine") in ENGINES else VLLM
    offered = [each.key for each in methods(engine)]
    method = chosen.option("method")
    return engine, method if method in offered else offered[0]


def schedule_parts(chosen: Chosen, at_load: LoadAnswer, found: Drafted, translate: Translator) -> Parts:
    """What the schedule gives away, what the standing cost of off does to it, and what to paste."""
    _, (engine, method) = translate, engine_and_method(chosen)
    lost = worst_regret(at_load.table, at_load.tiers)
    around: Parts = {
        "regret": Note(_("No batch loses more than {share:.1%} of the best speedup by it.").format(share=lost)),
        "standing": Note(_.sentences(_standing(at_load, _), *filter(None, [schedule_sentence(at_load, _)]))),
    }
    if found.choice is not None and not _offered_somewhere(found.choice):
        nowhere = _("No engine here offers {name}: there is nothing to paste.")
        return {**around, "no_schedule": Notice("info", nowhere.format(name=_(found.choice.method.label)))}
    if found.is_tree:
        no_tree = _("k counts the drafts of a tree here: no engine takes such a schedule, so none can be pasted.")
        return {**around, "no_schedule": Notice("info", no_tree)}
    to_paste, refusal = _snippet(engine, method, at_load)
    return {
        **around,
        "no_schedule": Notice("warning", escaped(_.message(refusal))) if refusal else None,
        **paste_parts("paste", to_paste, _, str(chosen.option("form"))),
    }


def _offered_somewhere(choice: Choice) -> bool:
    """Whether some engine has this way of drafting; what was measured, any of them may have."""
    key = CONFIGURED_AS.get(choice.method.key, choice.method.key)
    return key == MEASURED or any(key == each.key for engine in ENGINES for each in methods(engine))


def _standing(at_load: LoadAnswer, translate: Translator) -> str:
    """What the standing cost of off does to the schedule."""
    _, cost = translate, at_load.load.standing_cost
    if not cost:
        return _("Off is taken to cost nothing: an engine with speculation loaded is rarely the plain one.")
    rows = np.arange(at_load.scheduled.size)
    slower = int(np.sum((at_load.scheduled > 0) & (at_load.table.speedup[rows, at_load.scheduled] < 1)))
    text = _("Loaded but off is taken to be {share:.0%} slower than the plain engine (measured elsewhere, not here).")
    line = text.format(share=cost)
    if slower:
        change = _("That keeps drafting at {count} batch sizes where the plain engine would be faster.")
        return _.sentences(line, change.format(count=slower))
    return _.sentences(line, _("It does not change the schedule here."))


def _snippet(engine: str, method: str, at_load: LoadAnswer) -> tuple[Snippet, Message | None]:
    """The schedule in the words of the engine; where it takes none, the longest k and its reason."""
    tiers = tuple((tier.last, min(tier.num_speculative_tokens, MAX_K)) for tier in at_load.tiers)
    longest = max(k for _last, k in tiers)
    try:
        return snippet(Request(engine, method, longest, tiers if len(tiers) > 1 else ())), None
    except SpecmodelError as error:
        return snippet(Request(engine, method, longest)), error.message
