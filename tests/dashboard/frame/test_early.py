"""The header that tells the browser what a page will need: on pages alone, and of files that are there."""

import asyncio
import re
from collections.abc import MutableMapping
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from specmodel.dashboard.frame.early import EarlyScripts
from specmodel.dashboard.parts.assets import FRONTEND, ROUTED_BY, plotly_route, under_base


def links_of(response: Response) -> list[str]:
    """The links that the middleware adds to a response."""
    headers: dict[bytes, bytes] = {}

    async def send(message: MutableMapping[str, Any]) -> None:
        headers.update(message.get("headers", ()))

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request"}

    asyncio.run(EarlyScripts(response)({"type": "http", "method": "GET", "path": "/"}, receive, send))
    return headers.get(b"link", b"").decode().split(", ")


def test_a_page_names_plotly_and_every_script_and_they_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ROUTED_BY, "")  # the route says that it is there; the tests of pages have none
    plotly, *modules = links_of(HTMLResponse("<p>page</p>"))
    assert plotly.endswith("; rel=preload; as=script") and "plotly" in plotly
    assert len(modules) == len(list(FRONTEND.glob("*.js")))
    serve, start = plotly_route().endpoint, under_base("specmodel-assets/")
    for link in (plotly, *modules):
        (address,) = re.findall(f"^<{start}(.+?)>; rel=", link)
        asked = Request({"type": "http", "method": "GET", "headers": [], "path_params": {"name": address}})
        assert serve(asked).status_code == 200


def test_nothing_else_does() -> None:
    assert links_of(PlainTextResponse("1")) == links_of(HTMLResponse("<p>no</p>", status_code=404)) == [""]
