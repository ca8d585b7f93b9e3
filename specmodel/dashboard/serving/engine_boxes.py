"""The boxes of the Serving load page that choose whose configuration is shown."""

from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.parts.paste import FORMS
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.serving.configuration import engine_and_method
from specmodel.dashboard.session import state
from specmodel.engine.setting import ENGINES, methods


def choose_engine(page: Page) -> None:
    """The engine and the way of drafting; one that is not offered gives way to the first that is."""
    _, (engine, method) = page.translate, engine_and_method(page.chosen)
    state.set_option("engine", engine)
    state.set_option("method", method)
    select(page, "engine", _("Engine"), ENGINES, str)
    offered = {each.key: each for each in methods(engine)}
    select(page, "method", _("Way of drafting"), list(offered), lambda key: _(offered[key].label))
    select(page, "form", _("Form"), list(FORMS), lambda key: _(FORMS[key]))
