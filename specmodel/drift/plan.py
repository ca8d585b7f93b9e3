"""The best plan for a workload that knows the acceptance of every answer and its length, but not the draws.

With r tokens of an answer still to come, a round of k drafts accepts j of them with P(j) = S_j − S_{j+1}, P(k) = S_k,
and leaves r − j − 1 tokens. V is the least expected time from there on:

    V(at) = min over k of Q(at, k),   Q(at, k) = round_ms[k] + Σ_j P(j)·V(at + j + 1)

which by summation by parts is round_ms[k] + V(at + 1) + Σ_{j=1..k} S_j·(V(at + j + 1) − V(at + j)), one running sum
over k. A round past the end of an answer leaves 0 tokens of it. Where changing k costs something, V also depends on
the k of the round before, and is carried from each answer to the one before it. Derived here (dynamic programming over
the tokens); `best_num_speculative_tokens` is the same question with one k for the whole answer.

No rule that decides each round from what it has seen, or even from the acceptance of all answers, has a smaller
expected time: given the acceptance, the rounds are independent of what was seen. On one set of draws a rule may be
luckier than the plan.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from specmodel.base.arrays import Floats, Ints
from specmodel.base.numbers import first_lowest
from specmodel.drift.round_costs import RoundCosts
from specmodel.drift.rounds import Rounds


@dataclass(frozen=True, eq=False)
class Plan:
    """What to do at each token: `lengths[at][previous k]`, and the expected time of doing so, in ms.

    Where changing k is free, there is one column: what was done before does not matter.
    """

    lengths: Ints
    expected_ms: float


@lru_cache(maxsize=8)
def best_plan(rounds: Rounds, costs: RoundCosts) -> Plan:
    """The plan with the least expected time for the acceptance and the lengths of these rounds; see the module.

    >>> from specmodel.drift.phases import Phase, Workload
    >>> from specmodel.drift.rounds import draw_rounds
    >>> sure = draw_rounds(Workload("sure", "Sure", (Phase("Sure", alpha=1, requests=1, output_tokens=6),)), 4)
    >>> best = best_plan(sure, RoundCosts((10.0, 11.0, 12.0, 13.0, 14.0)))
    >>> best.expected_ms, best.lengths[:, 0].tolist()
    (24.0, [0, 4, 3, 2, 1, 0])
    """
    if costs.switching_ms or costs.resume_ms:
        return _carried(rounds, costs)
    return _separate(rounds, costs)


def _separate(rounds: Rounds, costs: RoundCosts) -> Plan:
    """Changing k is free: answers do not concern each other, and those of one length are planned at once."""
    cost, most = np.array(costs.round_ms), costs.max_k
    lengths = np.zeros((rounds.num_tokens, 1), dtype=np.int64)
    by_length: dict[int, list[int]] = defaultdict(list)
    for start, count in zip(rounds.starts.tolist(), rounds.tokens.tolist(), strict=False):
        by_length[count].append(start)
    total = 0.0
    for count, starts in by_length.items():
        at = np.array(starts)
        value = np.zeros((len(starts), count + most + 1))
        for token in range(count - 1, -1, -1):
            gained = np.diff(value[:, token + 1 : token + most + 2]) * rounds.survival[at + token, :most]
            time = cost + value[:, token + 1 : token + 2]
            time[:, 1:] += np.cumsum(gained, axis=1)
            chosen = first_lowest(time)
            lengths[at + token, 0] = chosen
            value[:, token] = np.take_along_axis(time, chosen[:, None], axis=1)[:, 0]
        total += float(value[:, 0].sum())
    return Plan(lengths, total)


def _carried(rounds: Rounds, costs: RoundCosts) -> Plan:
    """Changing k costs: V has one column for each k of the round before, and answers are planned from the last on."""
    most = costs.max_k
    lengths = np.zeros((rounds.num_tokens, most + 1), dtype=np.int64)
    after = np.zeros(most + 1)
    times = np.zeros((1, most + 1))
    for start, stop in reversed(list(pairwise(rounds.starts.tolist()))):
        times, after = _answer(rounds, costs, (start, stop), after)
        lengths[start:stop] = _changes(times, costs)
    first = int(first_lowest(times[0]))
    lengths[0] = first
    return Plan(lengths, float(times[0, first]))


def _answer(rounds: Rounds, costs: RoundCosts, span: tuple[int, int], after: Floats) -> tuple[Floats, Floats]:
    """Q at each token of one answer, shape (tokens, max + 1), and V at its start; `after` is V at its end."""
    most, count, cost = costs.max_k, span[1] - span[0], np.array(costs.round_ms)
    alpha, survival = rounds.alpha[slice(*span)].tolist(), rounds.survival[slice(*span), :most]
    reached = np.tri(most + 1, most, -1).T  # [j − 1, k] = 1 where a round of k drafts has a draft j
    times, steps, ones = np.empty((count, most + 1)), np.zeros((count + most, most + 1)), np.ones(most)
    value, before, weight = after.copy(), np.empty(most + 1), np.empty(0)
    for token in range(count - 1, -1, -1):
        if not weight.size or alpha[token] != alpha[token + 1]:
            weight = reached * survival[token, :, None]
        time = times[token]
        np.dot(ones, weight * steps[token + 1 : token + 1 + most], out=time)  # steps[i] = V(i + 1) − V(i)
        time += value
        time += cost
        np.minimum(time, time.min() + costs.switching_ms, out=before)
        if costs.resume_ms:
            before[0] = min(time[0], time[1:].min() + costs.switching_ms + costs.resume_ms)
        np.subtract(value, before, out=steps[token])
        value, before = before, value
    return times, value


def _changes(times: Floats, costs: RoundCosts) -> Ints:
    """What to do by token and k of the round before, shape (tokens, max + 1): keep it unless a change is worth it."""
    best = first_lowest(times)[:, None]
    keep = times <= np.take_along_axis(times, best, axis=1) + costs.switching_ms
    keep[:, 0] = times[:, 0] <= times[:, 1:].min(axis=1) + costs.switching_ms + costs.resume_ms
    chosen: Ints = np.where(keep, np.arange(costs.max_k + 1), best)
    return chosen
