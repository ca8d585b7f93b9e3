"""What to watch of a measured engine: its levels, as measured and as typed beside it. No Streamlit."""

from collections.abc import Mapping
from urllib.parse import urlencode

from specmodel.base.messages import SpecmodelError
from specmodel.dashboard.engine.how_long_part import typed_number
from specmodel.dashboard.parts.answer import Notice, Part
from specmodel.dashboard.parts.watch_parts import APP, watch_parts
from specmodel.dashboard.session.chosen import Chosen, write_link
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.engine.answer import EngineAnswer
from specmodel.logs.prometheus.engines import ENGINES
from specmodel.watch import Levels, levels_of

LEVEL, MODEL = "tpotlevel", "watchmodel"


def watched(chosen: Chosen, measured: EngineAnswer, address: str = f"{APP}/engine") -> Levels:
    """The measured levels with the service level and the model that were typed; `SpecmodelError` if wrong."""
    more: dict[str, object] = {"tpot_ms": typed_number(str(chosen.option(LEVEL)))}
    if chosen.option("engine") in ENGINES:
        more["engine"] = chosen.option("engine")
    link = f"{address}?{urlencode(write_link(chosen))}"
    return levels_of(measured, model=str(chosen.option(MODEL)).strip(), link=link, **more)


def what_to_watch(chosen: Chosen, measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """The rules and their levels; nothing where nothing is drafted, and a sentence for what cannot be used."""
    if measured.to_paste is None:
        return {}
    try:
        return watch_parts(watched(chosen, measured), translate)
    except SpecmodelError as error:
        return {"watch_error": Notice("error", escaped(translate.message(error.message)))}
