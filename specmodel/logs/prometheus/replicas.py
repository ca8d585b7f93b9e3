"""Replicas of one model: those that speculate, those that do not, and the label that tells them apart.

Added up, the tokens of plain replicas would be steps without a draft: half of the fleet would look like a lookup that
seldom finds anything. So each kind is a target of its own, and the plain ones are the baseline of the others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from specmodel.logs.prometheus.answer import Sample
from specmodel.logs.prometheus.promql import LabelValue

LAST = ("pod", "instance")
"""Labels that are another one for each replica: used where no other one tells the two kinds apart."""
Replica = Mapping[str, str]


@dataclass(frozen=True)
class Kind:
    """Replicas of one kind: the labels that select them beside the model, and how a visitor knows them."""

    labels: tuple[tuple[str, LabelValue], ...] = ()

    @property
    def name(self) -> str:
        """The labels in words.

        >>> Kind((("job", ("a", "b")),)).name
        'job a, b'
        """
        shown = ((name, value if isinstance(value, str) else ", ".join(value)) for name, value in self.labels)
        return " · ".join(f"{name} {value}" for name, value in shown)


@dataclass(frozen=True)
class Split:
    """Kinds of replicas that speculate, and one that does not; without that one, all are one kind."""

    speculating: tuple[Kind, ...]
    plain: Kind | None


def split(drafting: Sequence[Sample], serving: Iterable[Sample], model: str) -> Split:
    """The replicas of a model by whether they speculate.

    `drafting` are the series of its rounds, `serving` those of its output tokens, both with all their labels; `model`
    is the label that names it.

    A replica that serves and has no series of rounds does not speculate, nor does one whose count is still 0 while
    others draft.

    >>> on = Sample({"model": "m", "job": "fast"}, 9.0)
    >>> split([on], [Sample({"model": "m", "job": name}, 99.0) for name in ("fast", "plain")], "model").plain.name
    'job plain'
    """
    names = {name for each in drafting for name in each.labels} - {"__name__", model}
    tokens: dict[frozenset[tuple[str, str]], float] = {}
    for each in serving:
        replica = _identity(each.labels, names)
        tokens[replica] = tokens.get(replica, 0.0) + each.value
    rounds = {_identity(each.labels, names): each.value for each in drafting}
    at_work = {replica for replica, count in rounds.items() if count > 0}
    idle = {replica for replica, count in rounds.items() if not count and not tokens.get(replica)}
    speculating = at_work | idle if at_work else set(rounds)
    plain = {replica for replica, count in tokens.items() if count > 0} - speculating
    if not plain or not speculating:
        return Split((Kind(),), None)
    return _told_apart([dict(each) for each in speculating], [dict(each) for each in plain], names)


def _identity(labels: Mapping[str, str], names: Iterable[str]) -> frozenset[tuple[str, str]]:
    return frozenset((name, labels.get(name, "")) for name in names)


def _told_apart(speculating: Sequence[Replica], plain: Sequence[Replica], names: set[str]) -> Split:
    """By one label whose values differ, the job first; else each replica by all its labels."""
    for name in sorted(names, key=lambda each: (each in LAST, each != "job", each)):
        on, off = ({replica[name] for replica in replicas} for replicas in (speculating, plain))
        if not on & off:
            return Split((Kind(((name, _values(on)),)),), Kind(((name, _values(off)),)))
    each_by_all = [Kind(tuple(sorted(replica.items()))) for replica in speculating]
    return Split(tuple(sorted(each_by_all, key=lambda each: each.name)), Kind(tuple(sorted(plain[0].items()))))


def _values(found: set[str]) -> LabelValue:
    return next(iter(found)) if len(found) == 1 else tuple(sorted(found))
