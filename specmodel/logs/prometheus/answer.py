"""What the HTTP API of a Prometheus answers: values, curves, texts, and the ways in which it refuses.

The envelope is the one of https://prometheus.io/docs/prometheus/latest/querying/api/. Warnings are kept: Thanos sends
them with an answer in which a part of the stores is missing.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from specmodel.base.messages import Message, Verbatim
from specmodel.logs.prometheus.errors import LiveError

Row = TypeVar("Row")


@dataclass(frozen=True)
class Sample:
    """One value and its labels."""

    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, eq=False)
class Curve:
    """Values over time (Unix seconds) and their labels."""

    labels: Mapping[str, str]
    time_s: NDArray[np.float64]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class Answer(Generic[Row]):
    """The rows of an answer, and what the server warned of while it made them."""

    rows: tuple[Row, ...]
    warnings: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[Message, ...]:
        """The warnings as sentences."""
        return tuple(
            Message("Prometheus warns, so the numbers may be incomplete: {warning}", {"warning": Verbatim(each)})
            for each in self.warnings
        )


@dataclass(frozen=True)
class Reply:
    """The data of a successful answer, not looked at yet."""

    data: Any
    warnings: tuple[str, ...]


def data_of(status: int, body: bytes, server: str, signed_in: bool) -> Reply:
    """The data in the body of an answer, or `LiveError` for one that holds none.

    >>> data_of(200, b'{"status": "success", "data": []}', "host", False).data
    []
    """
    values = {"server": Verbatim(server), "status": status}
    if status in (401, 403):
        refused = "{server} does not accept the configured token or password (HTTP {status})"
        missing = "{server} wants a token or a password, and none is configured (HTTP {status})"
        raise LiveError(Message(refused, values) if signed_in else Message(missing, values), "credentials")
    if 300 <= status < 400:
        text = "{server} sends to another address (HTTP {status}), which is not followed: configure the final one"
        raise LiveError(Message(text, values), "http")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and found.get("status") == "error":
        raise _refusal(found, server)
    if status == 404:
        text = "there is no Prometheus API at {server} (HTTP 404): is a path such as /prometheus missing?"
        raise LiveError(Message(text, values), "http")
    if not 200 <= status < 300:
        raise LiveError(Message("{server} answers with HTTP {status} instead of data", values), "http")
    if not isinstance(found, dict) or found.get("status") != "success" or "data" not in found:
        raise no_prometheus(server)
    warnings = found.get("warnings") or []
    return Reply(found["data"], tuple(_short(each) for each in warnings if isinstance(each, str)))


def _refusal(found: Mapping[str, Any], server: str) -> LiveError:
    kind, text = _short(found.get("errorType")), _short(found.get("error"))
    values = {"server": Verbatim(server), "type": Verbatim(kind), "text": Verbatim(text)}
    message = Message("{server} refuses the query ({type}): {text}", values)
    return LiveError(message, "slow" if kind in ("timeout", "canceled") else "refused")


def _short(text: object) -> str:
    shown = str(text or "?")
    return shown if len(shown) <= 300 else shown[:299] + "…"


def no_prometheus(server: str) -> LiveError:
    """What to say of an answer that no Prometheus would give.

    >>> str(no_prometheus("host"))
    'what host answers is not what a Prometheus would answer: is the address right?'
    """
    text = "what {server} answers is not what a Prometheus would answer: is the address right?"
    return LiveError(Message(text, {"server": Verbatim(server)}), "not_prometheus")


def samples(reply: Reply, server: str) -> Answer[Sample]:
    """The rows of an instant query.

    >>> samples(Reply({"resultType": "vector", "result": [{"metric": {"a": "b"}, "value": [0, "2"]}]}, ()), "host").rows
    (Sample(labels={'a': 'b'}, value=2.0),)
    """
    return _rows(reply, server, "vector", lambda row: Sample(_labels(row), float(row["value"][1])))


def curves(reply: Reply, server: str) -> Answer[Curve]:
    """The rows of a range query.

    >>> found = curves(Reply({"resultType": "matrix", "result": [{"metric": {}, "values": [[0, "2"]]}]}, ()), "host")
    >>> found.rows[0].values.tolist()
    [2.0]
    """
    return _rows(reply, server, "matrix", _curve)


def texts(reply: Reply, server: str) -> Answer[str]:
    """The values of a label.

    >>> texts(Reply(["a", "b"], ()), "host").rows
    ('a', 'b')
    """
    if not isinstance(reply.data, list) or not all(isinstance(each, str) for each in reply.data):
        raise no_prometheus(server)
    return Answer(tuple(reply.data), reply.warnings)


def _rows(reply: Reply, server: str, kind: str, read: Callable[[Any], Row]) -> Answer[Row]:
    try:
        if reply.data["resultType"] != kind:
            raise TypeError
        return Answer(tuple(read(row) for row in reply.data["result"]), reply.warnings)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
        raise no_prometheus(server) from None


def _labels(row: Mapping[str, Any]) -> dict[str, str]:
    return {str(name): str(value) for name, value in row["metric"].items()}


def _curve(row: Mapping[str, Any]) -> Curve:
    points = [(float(time), float(value)) for time, value in row["values"]]
    table = np.array(points, dtype=float).reshape(-1, 2)
    return Curve(_labels(row), table[:, 0], table[:, 1])
