"""The live route: what a page's elements are told, for any link; refusals with a sentence; nothing kept."""

import asyncio
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette

from specmodel.dashboard.frame import answering
from specmodel.dashboard.frame.answering import LONGEST_QUERY, answered
from specmodel.dashboard.frame.live_route import BESIDE, live_route, told
from specmodel.dashboard.parts.answer import Cards, Chart, Code, Note, Said, Table
from specmodel.dashboard.parts.element_data import element_data, plain
from specmodel.dashboard.session import run_queue
from specmodel.dashboard.session.translation import translator

PAGES = ("speedup", "draft_length", "vocabulary", "serving", "methods", "exactness", "drift", "live_text", "one_round")


@dataclass
class Answer:
    status_code: int
    headers: Mapping[str, str]
    text: str

    def json(self) -> Any:
        return json.loads(self.text)


class Browser:
    """Asks an app without a network between them."""

    def __init__(self) -> None:
        self.app = Starlette(routes=[live_route()])

    def get(self, address: str, headers: Mapping[str, str] | None = None, method: str = "GET") -> Answer:
        return asyncio.run(self._asked(address, headers or {}, method))

    async def _asked(self, address: str, headers: Mapping[str, str], method: str) -> Answer:
        path, _, query = address.partition("?")
        sent: list[Any] = []
        named = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": named}

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        start, *bodies = sent
        told = {name.decode(): value.decode() for name, value in start["headers"]}
        return Answer(start["status"], told, b"".join(each["body"] for each in bodies).decode())


@pytest.fixture
def browser() -> Browser:
    return Browser()


def parts_of(browser: Browser, path: str) -> dict[str, Any]:
    response = browser.get(f"/live/{path}")
    assert response.status_code == 200, response.text
    parts: dict[str, Any] = response.json()["parts"]
    return parts


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_elements_are_told_what_the_pages_tell_them(browser: Browser, page: str, language: str) -> None:
    query = f"lang={language}&alpha=0.73&k=4&batch=6"
    found = answered(page, query)
    data = {name: element_data(part, found.translate) for name, part in found.answer.items()}
    expected = json.loads(json.dumps({name: each for name, each in data.items() if each is not None}))
    assert parts_of(browser, f"{page}?{query}") == expected and expected


def test_only_what_is_asked_for_is_made(browser: Browser) -> None:
    parts = parts_of(browser, "serving?parts=verdict,left_out,nothing,tiers")
    assert set(parts) == {"verdict", "left_out", "tiers"}
    assert parts["verdict"]["kind"] == "success" and parts["left_out"] is parts["tiers"] is None
    found = answered("serving", "parts=verdict", beside=BESIDE)
    assert told(found)["parts"].keys() == {"verdict"} and "speedup" not in found.answer._made


def test_the_link_decides_and_what_it_cannot_mean_is_named(browser: Browser) -> None:
    body = browser.get("/live/speedup?alpha=2&k=3&parts=verdict&lang=ja").json()
    assert body["page"] == "speedup" and body["language"] == "ja" and len(body["complaints"]) == 1
    assert "0.6" in body["complaints"][0]


def test_the_language_is_the_links_else_the_readers(browser: Browser) -> None:
    spoken = {
        browser.get(f"/live/speedup?parts=verdict{link}", headers={"Accept-Language": header}).json()["language"]
        for link, header in (("&lang=ja", "en"), ("", "ja-JP,en;q=0.5"))
    }
    assert spoken == {"ja"}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("nowhere", 404),
        ("", 404),
        ("speedup/../app", 404),
        ("speedup?" + "a" * (LONGEST_QUERY + 1), 414),
        ("speedup?" + "&".join(f"a{number}=1" for number in range(400)), 400),
        ("speedup?pull=draft:0:0.5", 400),
        ("exactness?pull=draft:0:0.5", 400),
        ("exactness?dists=edit&pull=draft:99:0.5", 400),
        ("exactness?dists=edit&pull=draft:0:nan", 400),
        ("exactness?dists=edit&pull=" + "9" * 5000, 400),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_sentence(browser: Browser, path: str, status: int) -> None:
    response = browser.get(f"/live/{path}")
    assert response.status_code == status and response.headers["cache-control"] == "no-store"
    body = response.json()
    assert body["status"] == status and " " in body["error"] and len(response.text) < 400


def test_nothing_is_kept(browser: Browser) -> None:
    assert browser.get("/live/speedup?alpha=0.3").headers["cache-control"] == "no-store"
    assert browser.get("/live/speedup", method="POST").status_code == 405


def test_under_pressure_it_says_when_to_ask_again(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "PATIENCE_S", 0.01)
    monkeypatch.setattr(run_queue, "_turns", run_queue.Turns(aside=0))
    release, entered = threading.Event(), threading.Event()

    def hang() -> None:
        with run_queue.turn():
            entered.set()
            release.wait(10)

    hanging = threading.Thread(target=hang)
    hanging.start()
    entered.wait(10)
    refused = browser.get("/live/speedup?parts=verdict")
    assert refused.status_code == 503 and int(refused.headers["retry-after"]) > 0 and refused.json()["error"]
    release.set()
    hanging.join()
    assert browser.get("/live/speedup?parts=verdict").status_code == 200


@pytest.mark.parametrize("value", ["0", "off", "False"])
def test_a_deployer_switches_it_off(browser: Browser, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("SPECMODEL_LIVE", value)
    refused = browser.get("/live/speedup")
    assert refused.status_code == 404 and "SPECMODEL_LIVE" in refused.json()["error"]


def test_it_stands_under_the_base_path(monkeypatch: pytest.MonkeyPatch) -> None:
    real = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "deep/down" if name == "server.baseUrlPath" else real(name))
    behind = Browser()
    assert behind.get("/deep/down/live/speedup?parts=verdict").status_code == 200
    assert behind.get("/live/speedup").status_code == 404


def test_a_bar_that_is_held_moves_all_numbers(browser: Browser) -> None:
    link = "exactness?dists=edit&probs=5_5,3_3,2_2&parts=verdict"
    held = parts_of(browser, f"{link}&pull=draft:0:0.75")
    assert held == parts_of(browser, link.replace("5_5,3_3,2_2", "5_7.5,3_1.5,2_1")) != parts_of(browser, link)


def test_in_front_of_a_class_the_type_is_larger(browser: Browser) -> None:
    sizes = [
        parts_of(browser, f"exactness?parts=overlap&present={present}")["overlap"]["figure"]["layout"]["font"]["size"]
        for present in (0, 1)
    ]
    assert sizes == [13, 17]


def test_the_way_of_drafting_that_was_taken_is_told_as_on_the_page(browser: Browser) -> None:
    assert parts_of(browser, "speedup?parts=way") == {"way": None}
    assert "EAGLE-3" in parts_of(browser, "draft_length?way=eagle3&parts=way")["way"]["text"]


def test_what_streamlit_draws_is_not_told() -> None:
    ja = translator("ja")
    assert element_data(Table("t", {"a": [1]}), ja) is None and element_data(Code("x"), ja) is None
    assert element_data(Note("n"), ja) == {"kind": "note", "text": "n"}
    assert element_data(Said("does_not_pay", "No.", "It costs."), ja) == {"kind": "error", "text": "**No.** It costs."}
    assert element_data(Cards(()), ja) == {"kind": "cards", "cards": []}
    figure = {"data": [{"y": [1.0, float("inf")]}], "layout": {}}
    assert element_data(Chart(figure, "t", "a"), ja) == {
        "figure": plain(figure), "title": "t", "alt": "a", "height": 380,
    }  # fmt: skip
