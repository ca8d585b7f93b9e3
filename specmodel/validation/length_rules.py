"""Rules for tokens per round at another draft length: those of `specmodel.model.other_lengths`, each on its own."""

from collections.abc import Iterator

from specmodel.model.other_lengths import carried_length, length_bands, one_alpha_length, prefix_length
from specmodel.validation.acceptance_rules import point
from specmodel.validation.point import Point
from specmodel.validation.points import Row


def length_points(given: Row, asked: Row) -> Iterator[Point]:
    """What the acceptance at one k says of the tokens per round at another, by every rule that can tell.

    >>> short, long = Row("a", group="g", k=1, tau=1.6), Row("a", group="g", k=3, tau=2.0)
    >>> [each.rule for each in length_points(long, short)], [each.rule for each in length_points(short, long)]
    (['one_alpha_elsewhere', 'one_rate'], ['one_alpha_elsewhere', 'longer'])
    """
    k, other, measured, survival = given.k, asked.k, asked.length, given.survival
    if k is None or other is None or measured is None or given.length is None or not survival:
        return
    found = {"one_alpha_elsewhere": float(one_alpha_length(given.length, k, other))}
    if given.by_position:
        found |= {"prefix": float(prefix_length(survival, other))} if other < k else {}
        found |= {"carried": float(carried_length(survival, other))} if other > k else {}
    for rule, predicted in found.items():
        yield point(asked, rule, "tokens", predicted, measured, k_from=k, tokens=measured)
    banded = "longer" if other > k else "replay" if given.by_position else "one_rate"
    bands = length_bands(survival, [other], by_position=given.by_position)
    value, low, high = (float(each[0]) for each in (bands.value, bands.low, bands.high))
    yield point(asked, banded, "tokens", value, measured, low=low, high=high, k_from=k, tokens=measured)
