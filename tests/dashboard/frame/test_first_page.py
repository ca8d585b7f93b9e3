"""The first page under its own name leads to the root of the app, wherever that is, with the link's query."""

import pytest
from starlette.requests import Request

from specmodel.dashboard.frame.first_page import first_page_route


@pytest.mark.parametrize(
    ("query", "location"),
    [("", "./"), ("alpha=0.8&k=3", "./?alpha=0.8&k=3"), ("pin=alpha%3A0.2", "./?pin=alpha%3A0.2")],
)
def test_it_leads_to_the_root_with_the_query(query: str, location: str) -> None:
    scope = {"type": "http", "method": "GET", "path": "/speedup", "query_string": query.encode(), "headers": []}
    scope["server"] = ("127.0.0.1", 80)
    response = first_page_route().endpoint(Request(scope))
    assert (response.status_code, response.headers["location"]) == (307, location)


@pytest.mark.parametrize(("base", "path"), [("", "/speedup"), ("tools/spec", "/tools/spec/speedup")])
def test_it_lies_behind_the_base_path(monkeypatch: pytest.MonkeyPatch, base: str, path: str) -> None:
    monkeypatch.setattr("streamlit.get_option", lambda name: base if name == "server.baseUrlPath" else None)
    assert first_page_route().path == path
