"""What there is to look at: every engine and model that has speculation counters on a server now.

A visitor's choice is looked up in this list. No text of a visitor ever becomes part of a query.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from specmodel.base.messages import Message, Verbatim
from specmodel.logs.prometheus.client import Server
from specmodel.logs.prometheus.engines import ENGINES, NAMINGS, Engine, Metric
from specmodel.logs.prometheus.errors import LiveError
from specmodel.logs.prometheus.promql import selector

MODEL = "model_name"
MARKERS = {engine.marker: engine for engine in NAMINGS.values()}


@dataclass(frozen=True)
class Target:
    """One model of one engine, all its instances together; `labels` select its series, whose names start with `prefix`.

    >>> Target("vLLM", "demo/target-8b", (("model_name", "demo/target-8b"),)).key
    'vllm:{model_name="demo/target-8b"}'
    """

    engine: str
    model: str
    labels: tuple[tuple[str, str], ...]
    prefix: str = ""

    @property
    def names(self) -> Engine:
        """The names of its metrics on this server."""
        return NAMINGS[self.prefix] if self.prefix else ENGINES[self.engine]

    @property
    def key(self) -> str:
        """What identifies it in a link."""
        return selector(Metric(self.names.prefix), self.labels)


def targets(server: Server, now: float) -> tuple[Target, ...]:
    """The engines and models with speculation counters, by engine and name; `LiveError` if there are none.

    An engine that does not tell its model (llama.cpp) is a target for each job and instance.

    >>> targets(Server("http://127.0.0.1:9"), now=0)
    Traceback (most recent call last):
    specmodel.logs.prometheus.errors.LiveError: 127.0.0.1:9 cannot be reached: is it running?
    """
    names = f'__name__=~"{"|".join(MARKERS)}"'
    named = f'count by (__name__, {MODEL}) ({{{names},{MODEL}!=""}})'
    nameless = f'count by (__name__, job, instance) ({{{names},{MODEL}=""}})'
    rows = server.query(f"{named} or {nameless}", now).rows
    found = {_target(row.labels) for row in rows if row.labels.get("__name__") in MARKERS}
    if not found:
        raise _nothing(server, now)
    order = list(ENGINES)
    return tuple(sorted(found, key=lambda each: (order.index(each.engine), each.model, each.labels, each.prefix)))


def _target(labels: Mapping[str, str]) -> Target:
    engine = MARKERS[labels["__name__"]]
    if model := labels.get(MODEL):
        return Target(engine.name, model, ((MODEL, model),), engine.prefix)
    job, instance = labels.get("job", ""), labels.get("instance", "")
    shown = " · ".join(filter(None, (job, instance))) or "?"
    return Target(engine.name, shown, ((MODEL, ""), ("job", job), ("instance", instance)), engine.prefix)


def _nothing(server: Server, now: float) -> LiveError:
    """Why there is no target: no engine at all, or engines that do not speculate."""
    match = f'{{__name__=~"(?:{"|".join(NAMINGS)}).*"}}'
    names = server.label_values("__name__", match, now - 300, now).rows
    engines = {
        engine.name: None for prefix, engine in NAMINGS.items() if any(each.startswith(prefix) for each in names)
    }
    values = {"server": Verbatim(server.name)}
    if engines:
        text = (
            "{server} has metrics of {engines}, but no speculation counters: speculation is off, or they are disabled"
        )
        return LiveError(Message(text, {**values, "engines": Verbatim(", ".join(engines))}), "no_metrics")
    text = "{server} answers, but has no metrics of {engines}: does it scrape the engines?"
    return LiveError(Message(text, {**values, "engines": Verbatim(", ".join(ENGINES))}), "no_metrics")


def find(targets: Iterable[Target], key: str) -> Target:
    """The target of the server's own list that a visitor's key names; `LiveError` if it names none.

    >>> find([Target("vLLM", "m", (("model_name", "m"),))], 'vllm:{model_name="m"}').model
    'm'
    """
    for target in targets:
        if target.key == key:
            return target
    text = "{key} is not among the models that Prometheus lists now"
    raise LiveError(Message(text, {"key": Verbatim(key[:200])}), "unknown_target")
