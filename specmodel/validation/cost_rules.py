"""Rules for the cost of a round: at another draft length, from its parts, and carried over to another kind of text."""

from collections.abc import Iterator, Sequence

from scipy.special import ndtri

from specmodel.model.step_cost import fit_step_cost, one_round
from specmodel.validation.acceptance_rules import point
from specmodel.validation.point import Point
from specmodel.validation.points import Row

LEVEL = 0.95


def cost_points(given: Row, asked: Row) -> Iterator[Point]:
    """What the cost of a round at one k says of that at another: a straight line, and fixed + per draft with its band.

    >>> one, other = (Row("a", group="g", k=k, tau=2.0, speedup=s) for k, s in ((2, 2 / 1.2), (4, 2 / 1.3)))
    >>> [(each.rule, round(each.predicted, 3)) for each in cost_points(one, other)]
    [('straight_line', 1.4), ('fixed_per_draft', 1.3)]
    """
    if given.rho is None or asked.rho is None or given.k is None or asked.k is None:
        return
    line, middle, fixed = (float(one_round(given.k, given.rho, share).at(asked.k)) for share in (0.0, 0.5, 1.0))
    if line > 0:
        yield point(asked, "straight_line", "cost", line, asked.rho, k_from=given.k)
    low, high = sorted((max(line, 0.0), fixed))
    if middle > 0:
        yield point(asked, "fixed_per_draft", "cost", middle, asked.rho, low=low, high=high, k_from=given.k)


def fitted_points(asked: Row, others: Sequence[Row]) -> Iterator[Point]:
    """The cost of a round at the k that is left out of a fit over all others of its group.

    >>> rows = [Row("a", group="g", k=k, tau=2.0, speedup=2 / (1.1 + 0.1 * k)) for k in (1, 2, 4)]
    >>> [round(each.predicted, 3) for each in fitted_points(rows[2], rows[:2])]
    [1.5]
    """
    known = [(row.k, row.rho) for row in others if row.k is not None and row.rho is not None]
    if asked.rho is None or asked.k is None or len({k for k, _ in known}) < 2:
        return
    cost = fit_step_cost([float(k) for k, _ in known], [rho for _, rho in known])
    value, spread = float(cost.at(asked.k)), float(ndtri((1 + LEVEL) / 2)) * float(cost.sd_at(asked.k))
    nearest = min((k for k, _ in known), key=lambda k: (abs(k - (asked.k or 0)), k))
    band = {"low": value - spread, "high": value + spread}
    yield point(asked, "fixed_per_draft_fit", "cost", value, asked.rho, k_from=nearest, **band)


def parts_points(row: Row) -> Iterator[Point]:
    """Speedup from tokens per round and the times of a round: tau·plain ÷ (drafting + verification), or ÷ the round.

    MagicDec (arXiv 2408.11049), equation 2; Medusa (arXiv 2401.10774), appendix B.1.

    >>> row = Row("a", tau=3.0, plain_ms=10, draft_ms=5, verify_ms=10, speedup=1.9)
    >>> next(parts_points(row)).predicted
    2.0
    """
    if row.speedup is None or row.tokens_per_step is None or row.plain_ms is None or row.counted is not None:
        return
    whole = row.round_ms
    if whole is None and row.draft_ms is not None and row.verify_ms is not None:
        whole = row.draft_ms + row.verify_ms
    if whole:
        yield point(row, "parts", "speedup", row.tokens_per_step * row.plain_ms / whole, row.speedup)


def other_text_points(given: Row, asked: Row) -> Iterator[Point]:
    """Speedup on another kind of text with the cost of a round of this one, at the same k and on the same machine.

    >>> chat = Row("a", group="g", text="chat", k=3, tau=2.0, speedup=1.6)
    >>> code = Row("a", group="g", text="code", k=3, tau=3.0, speedup=2.5)
    >>> round(next(other_text_points(chat, code)).predicted, 3)
    2.4
    """
    if given.rho and asked.tokens_per_step is not None and asked.measured_speedup is not None:
        yield point(asked, "other_text", "speedup", asked.tokens_per_step / given.rho, asked.measured_speedup)
