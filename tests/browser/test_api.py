"""The api of a running app, asked as a script asks it: behind a base path, many at once, and what it never says."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from http.client import HTTPConnection, HTTPMessage
from typing import Any
from urllib.parse import urlsplit

import specmodel as sm
from specmodel.dashboard.session.pages import pages
from tests.conftest import ROOT

AT_ONCE = 40


def asked(address: str, path: str, method: str = "GET") -> tuple[int, HTTPMessage, bytes]:
    there = urlsplit(address)
    connection = HTTPConnection(there.hostname or "", there.port, timeout=60)
    try:
        connection.request(method, f"{there.path}/api{path}")
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def test_it_answers_behind_a_base_path(start_app: Callable[..., str]) -> None:
    address = start_app(ROOT / "app.py", STREAMLIT_SERVER_BASE_URL_PATH="/tools/spec")
    status, headers, body = asked(address, "/speedup?alpha=0.8")
    answer = json.loads(body)
    assert status == 200 and headers["content-type"] == "application/json" and headers["cache-control"] == "no-store"
    assert answer["numbers"][0]["value"] == sm.evaluate(sm.Scenario(alpha=0.8)).speedup
    assert asked(address, "")[1]["location"] == "./api/"
    assert [each["page"] for each in json.loads(asked(address, "/")[2])["pages"]] == list(pages())
    assert json.loads(asked(address, "/openapi.json")[2])["servers"] == [{"url": "/tools/spec"}]


def test_refusals_of_a_server_are_json_too(app_url: str) -> None:
    for path, method, wanted in (
        ("/nowhere", "GET", 404),
        ("/speedup/more", "GET", 404),
        ("/speedup", "POST", 405),
        (f"/speedup?alpha={'9' * 9000}", "GET", 414),
    ):
        status, headers, body = asked(app_url, path, method)
        assert status == wanted and headers["cache-control"] == "no-store", path
        said: dict[str, Any] = json.loads(body)
        assert said["status"] == wanted and said["error"].endswith(".") and "Traceback" not in said["error"]
    status, _, body = asked(app_url, "/speedup", "HEAD")
    assert status == 200 and body == b""


def test_many_at_once_get_their_own_answer_or_are_told_to_come_back(app_url: str) -> None:
    found: dict[int, tuple[int, HTTPMessage, bytes]] = {}

    def ask(number: int) -> None:
        found[number] = asked(app_url, f"/draft_length?tokens={1000 + number}&charts=1")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == AT_ONCE
    for number, (status, headers, body) in found.items():
        if status == 503:
            assert int(headers["retry-after"]) > 0
        else:
            assert status == 200 and json.loads(body)["query"] == {"tokens": str(1000 + number)}
    assert Counter(status for status, _, _ in found.values())[200] > 0
