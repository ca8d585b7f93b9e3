"""What to paste into an engine's configuration, for the engine page: text, what to fill in, and what to know."""

from collections.abc import Mapping
from dataclasses import replace

from specmodel.dashboard.parts.answer import Code, Heading, Note, Notice, Part, Text
from specmodel.dashboard.parts.paste import paste_parts
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped, with_code
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.measuring import measurement, tools
from specmodel.engine.run_load import load_of
from specmodel.engine.setting import ENGINES, PLACEHOLDERS, Snippet, methods
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
    engine, method = engine_and_method(chosen, to_paste)
    pasted, form = to_paste.pasted(engine, method), str(chosen.option("form"))
    why_not, rehearsal = pasted.without_schedule, pasted.rehearsal
    between = _("Batch sizes between two measured ones get the setting of the larger one: nobody measured them.")
    return {
        "paste_heading": Heading(_("What to set")),
        "no_schedule": Notice("warning", escaped(_.message(why_not))) if why_not is not None else None,
        **paste_parts("paste", pasted.snippet, _, form),
        "schedule_note": Note(between) if to_paste.schedule else None,
        **(_rehearsal(rehearsal, form, _) if rehearsal is not None else {}),
        **_to_measure(chosen, engine, to_paste, measured, _),
    }


def _rehearsal(rehearsal: Snippet, form: str, translate: Translator) -> Mapping[str, Part | None]:
    _ = translate
    label = _("Rehearse it: the time of a step with this acceptance, before there is a good drafter")
    return {"rehearsal_heading": Heading(label), **paste_parts("rehearsal", rehearsal, _, form)}


def chosen_tool(chosen: Chosen, engine: str) -> str:
    """The load generator whose commands are shown: the one chosen where it fits the engine, else its first."""
    offered = tools(engine)
    return str(chosen.option("tool")) if chosen.option("tool") in offered else offered[0]


def _to_measure(
    chosen: Chosen, engine: str, to_paste: ToPaste, measured: EngineAnswer, translate: Translator
) -> Mapping[str, Part | None]:
    """The commands that measure it, filled with what the run's file told of its load."""
    _, load = translate, replace(load_of(measured.case.stats), model=to_paste.named(engine))
    found = measurement(engine, chosen_tool(chosen, engine), load)
    fill = _("{name}: {meaning}.")
    filled = [fill.format(name=key, meaning=_(PLACEHOLDERS[key])) for key in found.placeholders]
    return {
        "measure_heading": Heading(_("Measure it next: the same load with and without")),
        "measure": Code(found.text, "bash"),
        "measure_filled": Note(_.sentences(*filled)) if filled else None,
        "measure_notes": Text("\n".join(f"- {with_code(_.message(note))}" for note in found.notes)),
    }
