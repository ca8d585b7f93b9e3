"""The first page under its own name: Streamlit serves it at the root of the app only."""

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

from specmodel.dashboard.parts.assets import under_base

FIRST = "speedup"
"""The page that opens at the root."""


def first_page_route() -> Route:
    """The route for `st.App(..., routes=[…])` that leads from /speedup to the root of the app, with the link's query.

    >>> first_page_route().path
    '/speedup'
    """
    return Route(under_base(FIRST), _to_root, methods=["GET"])


def _to_root(request: Request) -> RedirectResponse:
    """To the root, told as seen from here: so that a base path or a proxy in front of it does not matter."""
    query = request.url.query
    return RedirectResponse(f"./?{query}" if query else "./")
