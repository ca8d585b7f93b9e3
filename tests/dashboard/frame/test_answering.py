"""Answers without a session: the same as the page's, or a refusal with a sentence; in turns, and never kept."""

import json
import threading
from typing import Any
from urllib.parse import quote

import pytest
from starlette.requests import Request
from starlette.responses import Response

import specmodel as sm
from specmodel.base.messages import Message, SpecmodelError
from specmodel.dashboard.frame import answering
from specmodel.dashboard.frame.answering import LONGEST_QUERY, Answered, Refused, answered, json_bytes, respond
from specmodel.dashboard.session import run_queue
from specmodel.dashboard.session.pages import pages
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import pack_stats


def requested(query: str = "", language: str = "") -> Request:
    headers = [(b"accept-language", language.encode())] if language else []
    return Request({"type": "http", "method": "GET", "path": "/", "query_string": query.encode(), "headers": headers})


def said(found: Answered) -> dict[str, Any]:
    return {"alpha": found.chosen.scenario.alpha, "complaints": len(found.complaints)}


def body(response: Response) -> Any:
    return json.loads(bytes(response.body))


@pytest.mark.parametrize("key", pages())
@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_page_answers_a_bare_link(key: str, language: str) -> None:
    found = answered(key, f"lang={language}")
    assert found.translate.language == language and found.complaints == () and list(found.answer)


def test_the_link_decides_and_its_last_value_of_a_key_counts() -> None:
    found = answered("speedup", "alpha=0.2&k=3&alpha=0.8")
    assert found.chosen.scenario == sm.Scenario(alpha=0.8, num_speculative_tokens=3)


def test_what_a_link_cannot_mean_is_named_and_the_rest_stands() -> None:
    found = answered("speedup", "alpha=0.8&k=1e99&color=blue&show=%00%ff")
    assert found.chosen.scenario.alpha == 0.8 and len(found.complaints) == 3


@pytest.mark.parametrize(
    ("key", "query", "status"),
    [
        ("nowhere", "", 404),
        ("", "", 404),
        ("../app", "", 404),
        ("speedup", "a" * (LONGEST_QUERY + 1), 414),
        ("speedup", "&".join(f"a{number}=1" for number in range(400)), 400),
    ],
)
def test_what_cannot_be_answered_is_refused(key: str, query: str, status: int) -> None:
    with pytest.raises(Refused) as refused:
        answered(key, query)
    assert refused.value.status == status
    response = respond(requested(query), key, said)
    assert response.status_code == status and body(response) == {"error": str(refused.value), "status": status}
    assert len(bytes(response.body)) < 400


def test_refusals_speak_the_readers_language() -> None:
    english, japanese = respond(requested(), "nowhere", said), respond(requested("lang=ja"), "nowhere", said)
    assert "There is no page nowhere" in body(english)["error"] and "ページはありません" in body(japanese)["error"]
    assert body(respond(requested("", "ja,en;q=0.5"), "nowhere", said)) == body(japanese)


def test_a_response_is_never_kept() -> None:
    for key in ("speedup", "nowhere"):
        assert respond(requested("alpha=0.3"), key, said).headers["cache-control"] == "no-store"


def test_what_is_asked_beside_the_link_is_no_part_of_it() -> None:
    assert answered("speedup", "charts=1&alpha=0.7", beside=("charts",)).beside == {"charts": "1"}
    assert len(answered("speedup", "charts=1").complaints) == 1


def test_errors_of_an_answer_are_refusals_and_nothing_of_them_leaks(caplog: pytest.LogCaptureFixture) -> None:
    def contradicts(found: Answered) -> Any:
        raise SpecmodelError(Message("the values contradict each other"))

    def breaks(found: Answered) -> Any:
        raise RuntimeError("secret")

    wrong = respond(requested(), "speedup", contradicts)
    assert wrong.status_code == 422 and body(wrong)["error"] == "the values contradict each other"
    broken = respond(requested(), "speedup", breaks)
    assert broken.status_code == 500 and "secret" not in str(body(broken)) and "secret" in caplog.text


def test_who_waits_too_long_hears_so(monkeypatch: pytest.MonkeyPatch) -> None:
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
    refused = respond(requested(), "speedup", said)
    assert refused.status_code == 503 and refused.headers["retry-after"] == "2" and body(refused)["status"] == 503
    release.set()
    hanging.join()
    assert respond(requested(), "speedup", said).status_code == 200


def test_a_measured_run_of_a_link_is_read() -> None:
    stats = SpecStats("vllm", "log", num_rounds=100, num_draft_tokens=400, num_accepted_draft_tokens=240)
    linked = answered("engine", f"src=link&counts={quote(pack_stats(stats))}").answer
    assert "numbers" in linked and "unread" not in linked


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("src=files", "carries no files"),
        ("src=live", "no live server"),
        ("src=hand&rate=abc&drafted=4", "“abc” is no number"),
        ("src=hand&rate=0.6&drafted=x", "“x” is no draft length"),
        ("src=hand&rate=0.6", "type k"),
        ("src=link&counts=nonsense", ""),
    ],
)
def test_a_link_of_the_engine_page_without_a_run_says_why(query: str, said: str) -> None:
    found = answered("engine", query).answer
    assert said in found["unread"].markdown.replace("\\", "") and "numbers" not in found  # type: ignore[union-attr]


def test_measured_runs_and_groups_come_with_a_link() -> None:
    assert "measured_numbers" in answered("speedup", "run=pair").answer
    assert "no_groups" not in answered("drift", "workload=groups").answer


def test_json_takes_arrays_and_has_no_number_that_is_none() -> None:
    import numpy as np

    data = {"a": np.arange(6).reshape(2, 3).T, "b": np.array(["x"]), "c": np.array([1.5, np.nan]), 1: {2}}
    assert json.loads(json_bytes(data)) == {"a": [[0, 3], [1, 4], [2, 5]], "b": ["x"], "c": [1.5, None], "1": [2]}
    assert json_bytes({"a": float("inf")}, indented=True) == b'{\n  "a": null\n}'
