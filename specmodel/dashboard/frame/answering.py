"""A page's answer for whoever has a link and no session: the browser's live channel, scripts, the command line.

Stateless: the same query gives the same answer to everyone. What cannot be answered is refused with a sentence and an
HTTP status; what of a link cannot be used is named, and its default stands instead, as on the page. No Streamlit.
"""

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import orjson
from starlette.requests import Request
from starlette.responses import Response

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim
from specmodel.base.numbers import shortened
from specmodel.dashboard.parts.answer import Answer
from specmodel.dashboard.parts.linked import linked_answer
from specmodel.dashboard.session.chosen import Chosen, read_link
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.run_queue import Busy, turn
from specmodel.dashboard.session.translation import Translator, choose, translator

LONGEST_QUERY = 8_000
"""Characters. What servers and proxies let through of an address ends about there too."""
MOST_VALUES = 300
PATIENCE_S = 3.0
"""How long an answer waits for its turn before it is refused with 503."""
RETRY_S = 2

NO_PAGE = N_("There is no page {name}; there are {names}.")
TOO_LONG = N_("The query has {length:,} characters, and at most {most:,} are read.")
TOO_MANY = N_("The query holds more than {most} values.")
BUSY = N_("Too many answers are asked for at once; ask again in {seconds} s.")
FAILED = N_("This answer could not be computed; the server's log says why.")


class Refused(Exception):
    """Why there is no answer, with the HTTP status that says so."""

    def __init__(self, status: int, message: Message):
        super().__init__(str(message))
        self.status, self.message = status, message


@dataclass(frozen=True)
class Answered:
    """The answer of a page to a link, what of the link could not be used, and what was asked beside the link.

    The parts of the answer are made when they are asked for: do that in the turn in which it was made.
    """

    key: str
    chosen: Chosen
    complaints: tuple[Message, ...]
    translate: Translator
    answer: Answer
    beside: Mapping[str, str]


def answered(key: str, query: str, locale: str | None = None, beside: Collection[str] = ()) -> Answered:
    """The answer of the page `key` to the query of a link, in the link's language, else that of `locale`, else English.

    `beside` are keys that are no part of a link: how somebody wants the answer. `Refused` for a page that is not there
    and for a query that is longer than anybody's.

    >>> found = answered("speedup", "alpha=0.8&k=elephants&charts=1", beside=("charts",))
    >>> found.chosen.scenario.alpha, len(found.complaints), found.beside, found.answer["verdict"].kind
    (0.8, 1, {'charts': '1'}, 'pays')
    """
    if key not in pages():
        raise Refused(404, Message(NO_PAGE, {"name": shortened(key, 40), "names": Verbatim(", ".join(pages()))}))
    values = query_values(query)
    given = {name: values.pop(name) for name in beside if name in values}
    chosen, complaints = read_link(values)
    translate = translator(choose(values.get("lang"), locale))
    return Answered(key, chosen, complaints, translate, linked_answer(key, chosen, translate), given)


def query_values(query: str) -> dict[str, str]:
    """The values of a query; of a key that stands there twice the last one, as Streamlit reads it.

    >>> query_values("alpha=0.8&k=3&k=4")
    {'alpha': '0.8', 'k': '4'}
    """
    if len(query) > LONGEST_QUERY:
        raise Refused(414, Message(TOO_LONG, {"length": len(query), "most": LONGEST_QUERY}))
    try:
        return dict(parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_VALUES))
    except ValueError as error:
        raise Refused(400, Message(TOO_MANY, {"most": MOST_VALUES})) from error


def respond(request: Request, key: str, make: Callable[[Answered], Any], beside: Collection[str] = ()) -> Response:
    """What `make` makes of the answer, as JSON; it takes its turn among the runs of the script, or is refused with 503.

    Call it from a plain function, which Starlette runs in a thread: it waits, and it computes.
    """
    try:
        with turn(PATIENCE_S):
            return as_json(make(answered(key, request.url.query, _locale(request), beside)))
    except Busy:
        message = Message(BUSY, {"seconds": RETRY_S})
        return refusal(request, 503, message, {"Retry-After": str(RETRY_S)})
    except Refused as refused:
        return refusal(request, refused.status, refused.message)
    except SpecmodelError as error:
        return refusal(request, 422, error.message)
    except Exception:
        logging.getLogger(__name__).exception("no answer of %s", key)
        return refusal(request, 500, Message(FAILED))


def refusal(request: Request, status: int, message: Message, headers: Mapping[str, str] | None = None) -> Response:
    """A refusal as JSON, in the language that was asked for: its status and a sentence."""
    return as_json({"error": asked_language(request).message(message), "status": status}, status, headers)


def asked_language(request: Request) -> Translator:
    """The language of a query, else the first that the reader's program asks for."""
    asked = request.query_params.get("lang") if len(request.url.query) <= LONGEST_QUERY else None
    return translator(choose(asked, _locale(request)))


def _locale(request: Request) -> str | None:
    """The first language that the reader's program asks for."""
    return request.headers.get("accept-language", "").split(",")[0].split(";")[0].strip() or None


def as_json(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A response that nobody keeps."""
    kept = {"Cache-Control": "no-store", **(headers or {})}
    return Response(json_bytes(data), status, headers=kept, media_type="application/json")


def json_bytes(data: Any, *, indented: bool = False) -> bytes:
    """Data with arrays in it as JSON; a number that is none (NaN, infinite) is null.

    >>> import numpy as np
    >>> json_bytes({"k": np.arange(4)[::2], "mean": float("nan")})
    b'{"k":[0,2],"mean":null}'
    """
    option = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
    return orjson.dumps(data, default=_listed, option=option | orjson.OPT_INDENT_2 if indented else option)


def _listed(value: Any) -> Any:
    """What orjson does not know: arrays with gaps or of texts, other collections."""
    return value.tolist() if hasattr(value, "tolist") else list(value)
