"""The document of the api (OpenAPI 3.1), made from the declarations: pages, every key of a link, and the shape.

Starlette's own generator reads docstrings of routes, which would say a second time what is declared: this is a plain
dict. No Streamlit.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from specmodel.base.params import Factors, Param, declarations
from specmodel.base.version import VERSION
from specmodel.dashboard.frame.shape import CHARTS, SHAPE
from specmodel.dashboard.session.declaration import Option, PageDeclaration
from specmodel.dashboard.session.pages import all_declared, groups, options, pages
from specmodel.dashboard.session.translation import LANGUAGES
from specmodel.methods import methods
from specmodel.model.scenario import Scenario

KINDS = ("exact", "simulated", "measured", "assumed", "extrapolated")
Schema = Mapping[str, Any]


def listing(translate: Callable[[str], str] = str) -> dict[str, Any]:
    """The pages with the keys that stand on each of them, and all keys; for `GET api/` and the command line.

    `shared` are the keys that several pages read: among them those of model and accelerator under load.

    >>> found = listing()
    >>> found["pages"][0]["page"], "alpha" in found["pages"][0]["keys"], found["keys"]["alpha"]["maximum"]
    ('speedup', True, 1)
    """
    listed = [
        {
            "page": key,
            "title": translate(page.title),
            "section": translate(page.section),
            "question": translate(page.question),
            "keys": list(page_keys(page)),
        }
        for key, page in pages().items()
    ]
    owned = {key for page in listed for key in page["keys"]}
    return {
        "shape": SHAPE,
        "version": VERSION,
        "pages": listed,
        "shared": [key for key in all_keys() if key not in owned],
        "keys": {key: {**schema, "description": said} for key, (schema, said) in all_keys().items()},
    }


def page_keys(page: PageDeclaration) -> Iterator[str]:
    """The keys of a link that stand on a page: its sliders, and its own values and options."""
    chosen = {key: option.default for key, option in options().items()}
    panel = page.panel(chosen)
    found = [declarations(kind)[name].key for kind, name in (*panel.main, *panel.more)] if panel else []
    found += [param.key for group in page.groups(chosen) for param in _params(type(group))]
    return iter(dict.fromkeys([*found, *(option.key for option in page.options)]))


@cache
def all_keys() -> Mapping[str, tuple[Schema, str]]:
    """Every key of a link: its schema and what it is, in English."""
    chosen = {key: option.default for key, option in options().items()}
    bases = [Scenario(), *groups(chosen), *(method.params() for method in methods())]
    found: dict[str, tuple[Schema, str]] = {}
    for base in bases:
        for param in _params(type(base)):
            found[param.key] = _schema(param, getattr(base, param.name)), f"{param.label}. {param.help}"
    pages_of = {option.key: page.key for page in pages().values() for option in page.options}
    for each in all_declared():
        for option in each.options:
            where = f" of the page {pages_of[option.key]}" if option.key in pages_of else ""
            found[option.key] = _option_schema(option), f"A choice{where}."
    pin = "A scenario to compare with, as a link writes it: alpha:0.8,k:3"
    return found | {"pin": ({"type": "string"}, pin)}


def _params(kind: type[Any]) -> Iterator[Param]:
    return (each for each in declarations(kind).values() if isinstance(each, Param) and each.key)


def _schema(param: Param, default: Any) -> Schema:
    """What a number of a link may be."""
    if isinstance(param, Factors):
        return {"type": "string", "default": param.text(default)}
    ends = {"minimum": param.low, "maximum": param.high}
    finite = {name: value for name, value in ends.items() if abs(value) != float("inf")}
    unit = {"x-unit": param.unit} if param.unit else {}
    return {"type": "integer" if param.integer else "number", "default": default, **finite, **unit}


def _option_schema(option: Option) -> Schema:
    """What a choice of a link may be."""
    if isinstance(option.values, range):
        return {"type": "integer", "default": option.default, "minimum": option.values[0], "maximum": option.values[-1]}
    enum = {"enum": list(option.values)} if option.values is not None else {}
    return {"type": "string", "default": option.default, **enum}


def document(root: str = "") -> dict[str, Any]:
    """The whole document; `root` is the path under which the app is served.

    >>> sorted(document()["paths"])
    ['/api/', '/api/openapi.json', '/api/{page}']
    """
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Speculative decoding explorer",
            "version": VERSION,
            "description": "What each page of the app says to the query of a link, as data. Read-only, without a "
            f"session. Every answer names its shape; this document describes shape {SHAPE}.",
        },
        "servers": [{"url": root or "/"}],
        "paths": {
            "/api/": {"get": _operation("listPages", "The pages, and every key of a link", {"type": "object"})},
            "/api/openapi.json": {"get": _operation("describe", "This document", {"type": "object"})},
            "/api/{page}": {"get": _answer_operation()},
        },
        "components": {"schemas": _schemas()},
    }


def _operation(name: str, summary: str, schema: Schema) -> dict[str, Any]:
    return {"operationId": name, "summary": summary, "responses": {"200": _json("What was asked for", schema)}}


def _json(description: str, schema: Schema) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _answer_operation() -> dict[str, Any]:
    titles = ", ".join(f"{key} ({page.question})" for key, page in pages().items())
    page = _parameter("page", {"type": "string", "enum": list(pages())}, titles, "path")
    charts = _parameter(CHARTS, {"type": "string", "enum": ["0", "1"], "default": "0"}, "1: the charts as data too.")
    keys = [_parameter(key, schema, said) for key, (schema, said) in all_keys().items()]
    refused = {"$ref": "#/components/schemas/Refusal"}
    busy = _json("Too many answers are asked for at once", refused)
    busy["headers"] = {"Retry-After": {"description": "Seconds to wait", "schema": {"type": "integer"}}}
    return {
        "operationId": "answer",
        "summary": "The answer of a page to the query of a link",
        "description": "A value that cannot be used is named in `complaints`, and its default stands instead. "
        f"Languages: {', '.join(LANGUAGES)}.",
        "parameters": [page, charts, *keys],
        "responses": {
            "200": _json("The answer", {"$ref": "#/components/schemas/Answer"}),
            "400": _json("Too many values", refused),
            "404": _json("No such page", refused),
            "414": _json("A query that is too long", refused),
            "422": _json("Values that contradict each other", refused),
            "503": busy,
        },
    }


def _parameter(name: str, schema: Schema, description: str, place: str = "query") -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": schema, "description": description}


def _schemas() -> dict[str, Any]:
    text, texts = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    number, any_object = {"type": ["number", "null"]}, {"type": "object"}
    interval = _object({"low": {"type": "number"}, "high": {"type": "number"}})
    shared = {"part": text, "title": text}
    return {
        "Refusal": _object({"error": text, "status": {"type": "integer"}}),
        "Verdict": _object({"kind": text, "headline": text, "reason": text}),
        "Number": _object(
            {
                **{name: text for name in ("part", "name", "label", "unit", "text", "below", "help")},
                "value": {**number, "description": "In its unit; shares are fractions of 1; null: none, see text."},
                "kind": {"type": "string", "enum": list(KINDS), "description": _KINDS_TEXT},
                "interval": {"anyOf": [interval, {"type": "null"}], "description": "What is known of the value."},
                "ranges": {
                    "type": ["array", "null"],
                    "items": {"type": "array", "items": number},
                    "description": "Instead of a value: ranges from, to; null: without end.",
                },
            }
        ),
        "Table": _object({**shared, "name": text, "columns": {"type": "object", "additionalProperties": _ARRAY}}),
        "Note": _object({"part": text, "kind": text, "text": text}),
        "Code": _object({"part": text, "language": text, "text": text}),
        "RestsOn": _object({"name": text, "label": text, "text": text}, closed=False),
        "Chart": _object({**shared, "alt": text, "figure": {**any_object, "description": "Plotly's data and layout."}}),
        "Answer": _object(
            {
                "shape": {"const": SHAPE},
                **{name: text for name in ("version", "page", "language", "question")},
                "query": {"type": "object", "additionalProperties": text},
                "complaints": texts,
                "verdict": {"anyOf": [{"$ref": "#/components/schemas/Verdict"}, {"type": "null"}]},
                **{name: _several(of) for name, of in _LISTS.items()},
                "limits": texts,
            },
            {"charts": _several("Chart")},
        ),
    }


_ARRAY = {"type": "array"}
_LISTS = {"numbers": "Number", "tables": "Table", "notes": "Note", "code": "Code", "rests_on": "RestsOn"}
_KINDS_TEXT = (
    "exact: computed by the model without sampling, for the values that were chosen; simulated: drawn; measured: "
    "counted or timed; assumed: resting on more than was chosen or measured (a number typed beside a measurement, "
    "costs known only within a band, figures published for another setup); extrapolated: beyond what was measured."
)


def _several(name: str) -> dict[str, Any]:
    return {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}}


def _object(required: Schema, optional: Schema | None = None, *, closed: bool = True) -> dict[str, Any]:
    """An object with these keys; closed: and no others."""
    made = {"type": "object", "required": list(required), "properties": {**required, **(optional or {})}}
    return {**made, "additionalProperties": False} if closed else made
