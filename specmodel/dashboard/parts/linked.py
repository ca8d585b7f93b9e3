"""The answer of a page to a link, without its script: for all that has no session and no controls. No Streamlit."""

import importlib

from specmodel.dashboard.parts.answer import Answer
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator


def linked_answer(key: str, chosen: Chosen, translate: Translator) -> Answer:
    """What the page `key` says to what a link chooses, and to nothing else: no file, no text of the visitor's own.

    A page whose answer rests on more than what is chosen has a function `linked` beside its `answer`, which makes the
    rest of the link.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> from specmodel.dashboard.session.translation import translator
    >>> linked_answer("speedup", read_link({"alpha": "0.2"})[0], translator("en"))["verdict"].kind
    'does_not_pay'
    """
    module = importlib.import_module(f"specmodel.dashboard.{key}.answer")
    answer: Answer = getattr(module, "linked", module.answer)(chosen, translate)
    return answer
