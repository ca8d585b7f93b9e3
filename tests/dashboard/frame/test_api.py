"""The api: every page's answer in the documented shape, equal to the model's numbers; nonsense is named or refused."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

import specmodel as sm
from specmodel.base.params import declarations
from specmodel.dashboard.frame.answering import LONGEST_QUERY
from specmodel.dashboard.frame.api import api_routes
from specmodel.dashboard.frame.openapi import all_keys, document, listing
from specmodel.dashboard.session.chosen import read_link
from specmodel.dashboard.session.pages import options, pages
from specmodel.model.outcome import Outcome


def asked(page: str, query: str = "", method: str = "GET", language: str = "") -> Response:
    headers = [(b"accept-language", language.encode())] if language else []
    scope: dict[str, Any] = {"type": "http", "method": method, "path": f"/api/{page}", "headers": headers}
    scope |= {"query_string": query.encode("utf-8", "surrogateescape"), "path_params": {"page": page}}
    found: Response = api_routes()[1].endpoint(Request(scope))
    return found


def body(response: Response) -> Any:
    def refused(name: str) -> float:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(bytes(response.body), parse_constant=refused)


def checked(answer: Any) -> Any:
    """The answer, held to the schema of the document."""
    written = json.loads(json.dumps(document()))
    schema = {"$ref": "#/components/schemas/Answer", "components": written["components"]}
    jsonschema.Draft202012Validator(schema).validate(answer)
    return answer


def numbers(answer: Any) -> Iterator[float]:
    for number in answer["numbers"]:
        yield from (each for each in (number["value"], *(number["interval"] or {}).values()) if each is not None)


@pytest.mark.parametrize("page", pages())
@pytest.mark.parametrize("query", ["", "charts=1&lang=ja"])
def test_every_page_answers_in_the_documented_shape(page: str, query: str) -> None:
    response = asked(page, query)
    answer = checked(body(response))
    assert response.status_code == 200 and response.headers["cache-control"] == "no-store"
    assert (answer["page"], answer["shape"], answer["version"]) == (page, 1, sm.__version__)
    assert answer["limits"] and answer["question"] and answer["complaints"] == []
    assert ("charts" in answer) == ("charts" in query) and answer["language"] == ("ja" if query else "en")
    assert page not in ("speedup", "serving") or not query or all(each["figure"]["data"] for each in answer["charts"])


def test_the_schema_would_notice() -> None:
    answer = body(asked("speedup"))
    for spoil in (lambda: answer.pop("limits"), lambda: answer["numbers"][0].update(kind="sure")):
        spoil()
        with pytest.raises(jsonschema.ValidationError):
            checked(answer)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_numbers_are_those_of_the_model_and_the_same_in_both_languages(language: str) -> None:
    answer = body(asked("speedup", f"alpha=0.83&k=4&draft=2.5&lang={language}"))
    outcome = sm.evaluate(sm.Scenario(alpha=0.83, num_speculative_tokens=4, draft_ms=2.5))
    found = {each["name"]: each for each in answer["numbers"]}
    of_model = found.keys() & declarations(Outcome).keys()
    assert len(of_model) == 5
    for name in of_model:
        declared = declarations(Outcome)[name]
        assert (found[name]["value"], found[name]["unit"]) == (getattr(outcome, name), declared.unit)
        assert found[name]["kind"] == "exact" and found[name]["interval"] is None
    assert found["best"]["value"] == sm.best_num_speculative_tokens(
        sm.Scenario(alpha=0.83, num_speculative_tokens=4, draft_ms=2.5)
    )
    assert answer["verdict"]["kind"] == outcome.verdict.kind


def test_tables_are_columns_of_plain_numbers() -> None:
    table = next(
        each for each in body(asked("draft_length", "alpha=0.7"))["tables"] if each["name"] == "by_draft_length"
    )
    columns, lengths = table["columns"], sm.draft_lengths(sm.Scenario(alpha=0.7))
    assert columns["num_speculative_tokens"][:3] == [0, 1, 2] and columns["saved_by_this_draft_ms"][0] is None
    count = len(columns["total_ms"])
    assert columns["total_ms"] == pytest.approx(list(lengths.total_ms[:count])) and count > 5


@pytest.mark.parametrize("page", pages())
def test_a_table_names_its_columns_alike_in_both_languages(page: str) -> None:
    """And what stands in them as a number is one: no text of a screen with its unit."""
    english, japanese = (body(asked(page, f"lang={language}"))["tables"] for language in ("en", "ja"))
    for table, other in zip(english, japanese, strict=True):
        if table["part"] == "what_rules_do":
            continue  # words alone
        assert list(table["columns"]) == list(other["columns"]), table["part"]
        for name, values in table["columns"].items():
            texts = [value for value in values if isinstance(value, str)]
            assert not any(re.fullmatch(r"[\d,.]+ ?(%|×|ms|s|GB|MB)", text) for text in texts), (table["part"], name)
            assert not any("\\" in text for text in texts) or name in ("formula", "text"), (table["part"], name)


def test_a_measured_number_has_its_interval() -> None:
    found = {each["name"]: each for each in body(asked("engine", "example=draft15m"))["numbers"]}
    for name in ("rate", "length", "speedup"):
        interval = found[name]["interval"]
        assert found[name]["kind"] == "measured" and interval["low"] < found[name]["value"] < interval["high"]


def test_values_that_cannot_be_used_are_named_in_the_language_of_the_link() -> None:
    answer = body(asked("serving", "batch=many&llm=hal9000&color=blue"))
    assert len(answer["complaints"]) == 3 and answer["query"] == {}
    assert any("hal9000" in each for each in answer["complaints"])
    japanese = body(asked("serving", "batch=many&lang=ja"))["complaints"]
    assert len(japanese) == 1 and "many" in japanese[0] and "リンク" in japanese[0]


@pytest.mark.parametrize(
    ("page", "query", "status"),
    [
        ("nowhere", "", 404),
        ("speedup/", "", 404),
        ("openapi.yaml", "", 404),
        ("%00", "", 404),
        ("speedup", "alpha=" + "9" * LONGEST_QUERY, 414),
        ("speedup", "a=1&" * 400, 400),
    ],
)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_refusals_are_json_with_a_sentence(page: str, query: str, status: int, language: str) -> None:
    response = asked(page, query, language=language)
    said = body(response)
    assert response.status_code == said["status"] == status and response.headers["cache-control"] == "no-store"
    assert said["error"].endswith("。" if language == "ja" else ".") and len(said["error"]) < 400


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_it_only_answers(method: str) -> None:
    response = asked("speedup", method=method)
    assert (
        response.status_code == 405 and response.headers["allow"] == "GET, HEAD" and method in body(response)["error"]
    )


NONSENSE = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60)


@settings(deadline=None, max_examples=60)
@given(
    page=st.sampled_from(["speedup", "vocabulary", "one_round", "engine"]),
    query=NONSENSE,
    key=st.sampled_from(sorted(all_keys())),
)
def test_nonsense_is_answered_with_the_defaults_or_refused(page: str, query: str, key: str) -> None:
    response = asked(page, f"{key}={query}")
    assert response.status_code in (200, 400, 422)
    if response.status_code == 200:
        answer = checked(body(response))
        assert all(math.isfinite(each) for each in numbers(answer))


def test_the_list_names_every_page_and_every_key_of_a_link() -> None:
    found = body(asked(""))
    assert [each["page"] for each in found["pages"]] == list(pages())
    keys = found["keys"]
    assert keys.keys() >= options().keys() | {"alpha", "k", "batch", "llm", "pin", "lang"}
    owned = {key for page in found["pages"] for key in page["keys"]}
    assert owned | set(found["shared"]) == keys.keys() and not owned & set(found["shared"])
    assert keys["alpha"] | {"description": ""} == {
        "type": "number", "minimum": 0, "maximum": 1, "default": 0.6, "description": "",
    }  # fmt: skip
    assert body(asked("", language="ja"))["pages"][0]["question"] == "投機が有利になるのはどんなとき？"


def test_the_defaults_of_the_document_are_those_of_the_app() -> None:
    """And each is a value that a link may hold."""
    for key, (schema, said) in all_keys().items():
        jsonschema.Draft202012Validator(schema).validate(schema.get("default", ""))
        assert (said.strip(". ") and "…" not in said[:1]) or key.startswith("cal")
        if schema.get("default", "") != "" and key not in ("rps", "load_by"):
            assert read_link({key: str(schema["default"])})[1] == (), key


def test_the_document_describes_the_routes_that_there_are() -> None:
    written = body(asked("openapi.json"))
    assert written["openapi"].startswith("3.1.") and written["info"]["version"] == sm.__version__
    answer = written["paths"]["/api/{page}"]["get"]
    named = [each["name"] for each in answer["parameters"]]
    assert len(named) == len(set(named)) == len(all_keys()) + 2
    assert answer["parameters"][0]["schema"]["enum"] == list(pages())
    assert {"200", "400", "404", "414", "422", "503"} == answer["responses"].keys()
    for refers in _references(written):
        assert refers.removeprefix("#/components/schemas/") in written["components"]["schemas"]
    for schema in written["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from ([value["$ref"]] if "$ref" in value else [])
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)


@pytest.mark.parametrize(("base", "path"), [("", "/api/{page:path}"), ("tools/spec", "/tools/spec/api/{page:path}")])
def test_it_lies_behind_the_base_path(monkeypatch: pytest.MonkeyPatch, base: str, path: str) -> None:
    monkeypatch.setattr("streamlit.get_option", lambda name: base if name == "server.baseUrlPath" else None)
    assert api_routes()[1].path == path
    assert body(asked("openapi.json"))["servers"] == [{"url": f"/{base}".rstrip("/") or "/"}]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": []}
    assert api_routes()[0].endpoint(Request(scope)).headers["location"] == "./api/"


def test_the_list_is_that_of_the_declarations() -> None:
    assert listing()["keys"]["k"]["maximum"] == 64 and listing()["keys"]["gpus"]["type"] == "integer"
