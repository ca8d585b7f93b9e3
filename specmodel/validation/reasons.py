"""Why a prediction was wrong, said from what its row tells: one sentence, nothing invented."""

from collections.abc import Callable

from specmodel.base.messages import Message
from specmodel.validation.point import Point

FEW_ROUNDS = 400


def reason(point: Point) -> Message:
    """What explains the error of a point.

    >>> str(reason(Point("free", "speedup", "a", "", 3.0, 1.5, tokens=3.0)))
    'Drafting and checking took time: a round cost 2.00 plain steps.'
    """
    if point.unreachable:
        text = "Measured faster than its tokens per round ({tokens:.2f}): a round would cost less than a plain step."
        return Message(text, {"tokens": point.tokens or 0.0})
    return _BY_RULE.get(point.rule, _of_length)(point)


def _cost(point: Point) -> float:
    return (point.tokens or point.predicted) / point.measured


def _free(point: Point) -> Message:
    values: dict[str, object] = {"rho": _cost(point), "batch": point.batch or 1}
    if point.experts:
        text = "A mixture of experts reads more experts the more tokens it checks: a round cost {rho:.2f} plain steps."
    elif (point.batch or 1) >= 8:
        text = "With {batch:g} requests the pass was busy already: a round cost {rho:.2f} plain steps."
    else:
        text = "Drafting and checking took time: a round cost {rho:.2f} plain steps."
    return Message(text, values)


def _one_alpha(point: Point) -> Message:
    if point.quantity == "tokens":
        return _of_length(point)
    if point.error > 0:
        text = "A round cost {rho:.2f} plain steps, more than the cost ratio of the drafter says."
    else:
        text = "A round would have cost {rho:.2f} plain steps: more was accepted than alpha says, or it was rounded."
    return Message(text, {"rho": _cost(point)})


def _of_cost(point: Point) -> Message:
    shorter, too_much = point.reach == "shorter", point.error > 0
    if point.rule == "fixed_per_draft_fit":
        return Message("The cost of a round is no straight line of k here.")
    if point.rule == "straight_line":
        if shorter != too_much:
            return Message("Part of what a round costs beyond a plain step does not depend on k.")
        return Message("Each draft costs more in longer rounds: the line bends.")
    if shorter == too_much:
        return Message("More than half of what a round costs beyond a plain step was per draft.")
    return Message("More than half of what a round costs beyond a plain step was fixed.")


def _of_length(point: Point) -> Message:
    if point.rounds is not None and point.rounds < FEW_ROUNDS:
        text = "Only {rounds:,.0f} rounds were counted: another sample of the text gives another length."
        return Message(text, {"rounds": point.rounds})
    if point.drafter == "lookup" and point.reach == "longer" and point.error < 0:
        return Message("A lookup that was right goes on being right: its acceptance rises with the position.")
    if point.drafter == "lookup" and point.reach == "shorter" and point.error > 0:
        return Message("A lookup has to find the passage anew after every short round.")
    if point.reach == "shorter" and point.error < 0:
        return Message("What a long round throws away is not lost to a shorter one, which drafts it next.")
    if point.reach == "longer" and point.error > 0:
        return Message("Acceptance falls from position to position by more than the rule carries on.")
    return Message("The text of this run was easier or harder to draft than that of the run that was given.")


def _engine(point: Point) -> Message:
    if point.quantity == "tokens" or point.tokens_error is None:
        return _of_length(point)
    time = (1 + point.tokens_error) / (1 + point.error) - 1
    values: dict[str, object] = {"tokens": point.tokens_error, "time": time}
    return Message("Tokens per step were {tokens:+.0%} off, the time of a step {time:+.0%}.", values)


def _other_text(point: Point) -> Message:
    return Message("On this text a round cost {rho:.2f} plain steps.", {"rho": _cost(point)})


def _parts(point: Point) -> Message:
    return Message("The printed times leave out a part of the round: {share:+.0%}.", {"share": point.error})


def _load(point: Point) -> Message:
    values: dict[str, object] = {"batch": point.batch or 1}
    if point.quantity == "speedup":
        text = "At batch {batch:g} the engine's and the drafter's own cost of a round decides, which no pass holds."
        return Message(text, values)
    if point.quantity == "cost":
        return Message(
            "Checking several tokens took longer than reading weights and cache once (batch {batch:g}).", values
        )
    if point.error < 0:
        return Message("Launches, small kernels and what accelerators say to each other are left out.")
    return Message("The overhead that was met on one step does not stay the same at other batches and contexts.")


_BY_RULE: dict[str, Callable[[Point], Message]] = {
    "free": _free,
    "one_alpha": _one_alpha,
    "fixed_per_draft": _of_cost,
    "fixed_per_draft_fit": _of_cost,
    "straight_line": _of_cost,
    "engine": _engine,
    "other_text": _other_text,
    "parts": _parts,
    "roofline": _load,
    "calibrated": _load,
}
