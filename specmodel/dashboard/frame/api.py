"""The routes for programs: `GET api/` lists the pages, `GET api/<page>?<the query of a link>` gives a page's answer."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from specmodel.base.messages import N_, Message
from specmodel.dashboard.frame.answering import as_json, asked_language, refusal, respond
from specmodel.dashboard.frame.openapi import document, listing
from specmodel.dashboard.frame.shape import CHARTS, shaped
from specmodel.dashboard.parts.assets import under_base

FOLDER = "api"
READ_ONLY = N_("The api only answers: {method} is not among what it does.")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


def api_routes() -> list[Route]:
    """The routes for `st.App(..., routes=[…])`.

    >>> [route.path for route in api_routes()]
    ['/api', '/api/{page:path}']
    """
    return [
        Route(under_base(FOLDER), _to_listing, methods=["GET"]),
        Route(under_base(f"{FOLDER}/{{page:path}}"), _serve, methods=list(METHODS)),
    ]


def _to_listing(request: Request) -> Response:
    """To the list of pages, told as seen from here: so that a base path or a proxy in front does not matter."""
    return RedirectResponse(f"./{FOLDER}/")


def _serve(request: Request) -> Response:
    """A plain function, so that Starlette runs it in a thread, not on the event loop."""
    if request.method not in ("GET", "HEAD"):
        return refusal(request, 405, Message(READ_ONLY, {"method": request.method}), {"Allow": "GET, HEAD"})
    name = request.path_params["page"]
    if name == "":
        return as_json(listing(asked_language(request)))
    if name == "openapi.json":
        return as_json(document(under_base("").rstrip("/")))
    return respond(request, name, shaped, beside=(CHARTS,))
