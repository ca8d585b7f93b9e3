"""What to paste into an engine's configuration, for the engine page: text, what to fill in, and what to know."""

from collections.abc import Mapping

from specmodel.dashboard.parts.answer import Heading, Note, Notice, Part
from specmodel.dashboard.parts.paste import paste_parts
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.config import Snippet, methods
from specmodel.engine.config_text import ENGINES
from specmodel.engine.to_paste import ToPaste


def engine_and_method(chosen: Chosen, to_paste: ToPaste) -> tuple[str, str]:
    """The engine whose configuration is shown and the way of drafting: those chosen, else those that were measured."""
    engine = chosen.option("engine") if chosen.option("engine") in ENGINES else to_paste.engine
    offered = {each.key for each in methods(engine)}
    method = chosen.option("method") if chosen.option("method") in offered else to_paste.method(engine)
    return engine, method


def what_to_set(chosen: Chosen, measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """The configuration that follows from the measurement, and one that rehearses it without a drafter."""
    _, to_paste = translate, measured.to_paste
    if to_paste is None:
        return {}
    pasted = to_paste.pasted(*engine_and_method(chosen, to_paste))
    why_not, rehearsal = pasted.without_schedule, pasted.rehearsal
    between = _("Batch sizes between two measured ones get the setting of the larger one: nobody measured them.")
    return {
        "paste_heading": Heading(_("What to set")),
        "no_schedule": Notice("warning", escaped(_.message(why_not))) if why_not is not None else None,
        **paste_parts("paste", pasted.snippet, _),
        "schedule_note": Note(between) if to_paste.schedule else None,
        **(_rehearsal(rehearsal, _) if rehearsal is not None else {}),
    }


def _rehearsal(rehearsal: Snippet, translate: Translator) -> Mapping[str, Part | None]:
    _ = translate
    label = _("Rehearse it: the time of a step with this acceptance, before there is a good drafter")
    return {"rehearsal_heading": Heading(label), **paste_parts("rehearsal", rehearsal, _)}
