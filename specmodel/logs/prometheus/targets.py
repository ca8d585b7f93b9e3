"""What there is to look at: every engine and model that has speculation counters on a server now.

A visitor's choice is looked up in this list. No text of a visitor ever becomes part of a query.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from specmodel.base.messages import Message, Verbatim
from specmodel.logs.prometheus.answer import Sample
from specmodel.logs.prometheus.client import Server
from specmodel.logs.prometheus.engines import ENGINES, NAMINGS, Engine, Metric
from specmodel.logs.prometheus.errors import LiveError
from specmodel.logs.prometheus.promql import LabelValue, selector
from specmodel.logs.prometheus.replicas import split

MODEL = "model_name"
MARKERS = {engine.marker: engine for engine in NAMINGS.values()}
SERVED = {metric.name: engine for engine in NAMINGS.values() for metric in engine.counters["generated"]}
"""What every engine counts, whether it speculates or not."""


@dataclass(frozen=True)
class Target:
    """One model of one engine, all its instances that speculate together; `labels` select its series, whose names start
    with `prefix`. Where instances of the model do not speculate, `where` tells which ones these are, and `plain` is
    what the others are asked by: the baseline.

    >>> Target("vLLM", "demo/target-8b", (("model_name", "demo/target-8b"),)).key
    'vllm:{model_name="demo/target-8b"}'
    """

    engine: str
    model: str
    labels: tuple[tuple[str, LabelValue], ...]
    prefix: str = ""
    where: str = ""
    plain: "Target | None" = None

    @property
    def names(self) -> Engine:
        """The names of its metrics on this server."""
        return NAMINGS[self.prefix] if self.prefix else ENGINES[self.engine]

    @property
    def key(self) -> str:
        """What identifies it in a link."""
        return selector(Metric(self.names.prefix), self.labels)

    @property
    def key_of_model(self) -> str:
        """The key of all instances of the model, which a link may hold from before some of them did not speculate."""
        return selector(Metric(self.names.prefix), self.labels[:1])


def targets(server: Server, now: float) -> tuple[Target, ...]:
    """The engines and models with speculation counters, by engine and name; `LiveError` if there are none.

    Instances of a model that speculate and others that do not are never added up (`replicas`). An engine that does not
    tell its model (llama.cpp) is a target for each job and instance.

    >>> targets(Server("http://127.0.0.1:9"), now=0)
    Traceback (most recent call last):
    specmodel.logs.prometheus.errors.LiveError: 127.0.0.1:9 cannot be reached: is it running?
    """
    names = f'__name__=~"{"|".join(MARKERS)}"'
    either = f'__name__=~"{"|".join((*MARKERS, *SERVED))}"'  # not `or`, which looks at all labels but the name
    nameless = f'count by (__name__, job, instance) ({{{names},{MODEL}=""}})'
    rows = server.query(f'{{{either},{MODEL}!=""}} or {nameless}', now).rows
    found = {_nameless(row.labels) for row in rows if row.labels.get("__name__") in MARKERS and MODEL not in row.labels}
    found |= set(_named([row for row in rows if row.labels.get(MODEL)]))
    if not found:
        raise _nothing(server, now)
    order = list(ENGINES)
    return tuple(sorted(found, key=lambda each: (order.index(each.engine), each.model, each.key)))


def _named(rows: Sequence[Sample]) -> Iterator[Target]:
    """The models by name, those with instances of both kinds apart."""
    by_model: dict[tuple[str, str], tuple[list[Sample], list[Sample]]] = {}
    for row in rows:
        name = row.labels.get("__name__", "")
        engine = MARKERS.get(name) or SERVED.get(name)
        if engine is not None:
            drafting, serving = by_model.setdefault((engine.prefix, row.labels[MODEL]), ([], []))
            (drafting if name in MARKERS else serving).append(row)
    for (prefix, model), (drafting, serving) in by_model.items():
        if not drafting:
            continue
        engine, labels = NAMINGS[prefix], ((MODEL, model),)
        found = split(drafting, serving, MODEL)
        plain = None
        if found.plain is not None:
            plain = Target(engine.name, model, (*labels, *found.plain.labels), prefix, found.plain.name)
        for kind in found.speculating:
            yield Target(engine.name, model, (*labels, *kind.labels), prefix, kind.name, plain)


def _nameless(labels: Mapping[str, str]) -> Target:
    engine = MARKERS[labels["__name__"]]
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
    offered = tuple(targets)
    exact = [each for each in offered if each.key == key]
    of_model = [each for each in offered if each.key_of_model == key]
    if exact or of_model:
        return (exact or of_model)[0]
    text = "{key} is not among the models that Prometheus lists now"
    raise LiveError(Message(text, {"key": Verbatim(key[:200])}), "unknown_target")
