"""The route that answers a slider while it moves: a page's answer to a link, as what the page's elements are told.

`GET live/<page>?<the link's query>` gives `{"page", "language", "parts": {name: data}, "complaints": [sentence]}`.
`parts=a,b` asks for those parts alone, and for no more to be computed; one that is not there is null. `pull=…` is a bar
that is held, on a page with bars to pull. A page's elements get their data from the same function.
"""

import importlib
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from specmodel.base.messages import N_, Message
from specmodel.dashboard.frame.answering import Answered, Refused, refusal, respond
from specmodel.dashboard.lesson.steps import LARGER
from specmodel.dashboard.parts.answer import Answer, Part
from specmodel.dashboard.parts.assets import under_base
from specmodel.dashboard.parts.element_data import element_data
from specmodel.dashboard.parts.linked import linked_answer
from specmodel.dashboard.parts.live import FOLDER, SWITCH, switched_on
from specmodel.dashboard.parts.way import WAY, way_note
from specmodel.dashboard.session.pages import pages

BESIDE = ("parts", "pull")
OFF = N_("The live channel of this server is switched off ({name}=0).")
NO_PULL = N_("There is no bar to pull here.")


def live_route() -> Route:
    """The route for `st.App(..., routes=[…])`.

    >>> live_route().path
    '/live/{page:path}'
    """
    return Route(under_base(f"{FOLDER}/{{page:path}}"), _serve, methods=["GET"])


def _serve(request: Request) -> Response:
    """A plain function, so that Starlette computes in a thread, not on the event loop."""
    if not switched_on():
        return refusal(request, 404, Message(OFF, {"name": SWITCH}))
    return respond(request, request.path_params["page"], told, BESIDE)


def told(found: Answered) -> Mapping[str, Any]:
    """What the elements of a page are told of an answer.

    >>> from specmodel.dashboard.frame.answering import answered
    >>> told(answered("speedup", "alpha=0.8&parts=verdict", beside=BESIDE))["parts"]["verdict"]["kind"]
    'success'
    """
    answer, asked = _answer(found), found.beside.get("parts")
    names = (WAY, *answer.parts) if asked is None else dict.fromkeys(asked.split(","))
    larger = LARGER if found.chosen.option("present") == "1" else 1.0
    data = {}
    for name in names:
        if name == WAY or name in answer.parts:
            part = _part(found, answer, name)
            data[name] = None if part is None else element_data(part, found.translate, larger)
    if asked is None:
        data = {name: each for name, each in data.items() if each is not None}
    return {
        "page": found.key,
        "language": found.translate.language,
        "parts": data,
        "complaints": [found.translate.message(each) for each in found.complaints],
    }


def _part(found: Answered, answer: Answer, name: str) -> Part | None:
    """A part of the answer, or what every page with the sliders of a scenario says of the way of drafting."""
    if name in answer.parts:
        return answer.get_part(name)
    return way_note(pages()[found.key], found.chosen, found.translate)


def _answer(found: Answered) -> Answer:
    """The answer, with the bar that is held where the pointer is."""
    pull = found.beside.get("pull")
    if pull is None:
        return found.answer
    pulled = getattr(importlib.import_module(f"specmodel.dashboard.{found.key}.answer"), "pulled", None)
    chosen = pulled(found.chosen, pull) if pulled else None
    if chosen is None:
        raise Refused(400, Message(NO_PULL))
    return linked_answer(found.key, chosen, found.translate)
