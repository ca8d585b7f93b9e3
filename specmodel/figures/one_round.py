"""The figure of the One round page: two lanes on one clock, with and without speculation."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from specmodel.base.messages import N_
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.model.simulate import Trace

ROUNDS_SHOWN = 3
MOST_PLAIN_STEPS = 200  # more are drawn as one box with their number

BOXES = {
    "draft": (style.SPECULATION, N_("draft, not yet checked")),
    "accepted": (style.ACCEPTED, N_("draft accepted")),
    "rejected": (style.WASTED, N_("draft rejected")),
    "unused": (style.faded(style.WASTED, style.FAINT), N_("draft after a rejection, thrown away")),
    "verify": (style.BASELINE, N_("target pass")),
    "overhead": (style.OVERHEAD, N_("overhead")),
}
TOKENS = {True: N_("bonus token: all drafts accepted"), False: N_("recovered token: replaces the rejected draft")}


@dataclass(frozen=True)
class Moment:
    """How far the run has been played: round `number` (from 1), of which `stage` drafts are made; k + 1 = verified."""

    number: int
    stage: int

    def now_ms(self, trace: Trace) -> float:
        """Milliseconds since the start of the run."""
        start, k = float(trace.start_ms[self.number - 1]), trace.scenario.num_speculative_tokens
        if self.stage > k:
            return start + float(trace.scenario.round_cost.round_ms)
        return start + self.stage * trace.scenario.draft_ms


@dataclass(frozen=True)
class Box:
    """One box: what it is, its lane, when it starts and how long it takes, what stands in it."""

    kind: str
    lane: float
    start_ms: float
    length_ms: float
    text: str = ""


def round_figure(trace: Trace, moment: Moment, translate: Translate, *, ghost: Trace | None = None) -> Figure:
    """Drafts, verification pass and plain steps up to `step`, on one clock in ms; the last rounds stay in view."""
    first = max(moment.number - ROUNDS_SHOWN, 0)
    left, width = float(trace.start_ms[first]), ROUNDS_SHOWN * float(trace.scenario.round_cost.round_ms)
    now, top = moment.now_ms(trace), 1 if ghost is None else 2
    lanes = [translate("plain decoding"), *([translate("pinned")] if ghost else []), translate("with speculation")]
    boxes = [*_speculative(trace, moment, first, top), *_plain(trace, now, left)]
    if ghost is not None:
        boxes += _pinned(ghost, left, now)
    data = [_boxes(kind, boxes, translate) for kind in BOXES]
    data += [_own_tokens(trace, moment, first, every, top, translate) for every in (True, False)]
    ends = [-0.5, top + 0.6]
    cursor = {"type": "line", "x0": now, "x1": now, "y0": ends[0], "y1": ends[1]}
    return {
        "data": data,
        "layout": style.layout(
            style.with_unit(translate("Time since the start"), "ms"),
            "",
            barmode="overlay",
            uniformtext={"mode": "hide", "minsize": 10},
            xaxis={"range": [left, left + width * 1.02]},
            yaxis={
                "range": [-0.55, top + 0.75],
                "showgrid": False,
                "zeroline": False,
                "tickvals": list(range(len(lanes))),
                "ticktext": lanes,
            },
            shapes=[cursor | {"line": {"color": style.BREAK_EVEN, "width": 1.5}}],
            annotations=_emitted(trace, moment, first, top),
            uirevision=f"{first}",
        ),
    }


def _speculative(trace: Trace, moment: Moment, first: int, lane: float) -> Iterator[Box]:
    scenario, cost = trace.scenario, trace.scenario.round_cost
    k = scenario.num_speculative_tokens
    for index in range(first, moment.number):
        start, kept = float(trace.start_ms[index]), int(trace.accepted[index])
        stage = moment.stage if index == moment.number - 1 else k + 1
        for i in range(min(stage, k)):
            yield Box(_fate(i, kept, stage > k), lane, start + i * scenario.draft_ms, scenario.draft_ms, str(i + 1))
        if stage > k:
            verify = start + k * scenario.draft_ms
            yield Box("verify", lane, verify, float(cost.verify_ms), f"{float(cost.verify_ms):,.1f} ms")
            yield Box("overhead", lane, verify + float(cost.verify_ms), float(cost.overhead_ms))


def _pinned(ghost: Trace, left: float, now: float) -> Iterator[Box]:
    """The rounds of the pinned scenario that lie in view and are finished by now."""
    ends = ghost.start_ms + float(ghost.scenario.round_cost.round_ms)
    inside = np.flatnonzero((ghost.start_ms >= left) & (ends <= now + 1e-9))
    if inside.size:
        last = Moment(int(inside[-1]) + 1, ghost.scenario.num_speculative_tokens + 1)
        yield from _speculative(ghost, last, int(inside[0]), 1)


def _fate(position: int, kept: int, verified: bool) -> str:
    if not verified:
        return "draft"
    if position < kept:
        return "accepted"
    return "rejected" if position == kept else "unused"


def _plain(trace: Trace, now: float, left: float) -> Iterator[Box]:
    length = trace.scenario.target_ms
    if now - left > MOST_PLAIN_STEPS * length:
        yield Box("verify", 0, left, now - left, f"{int(now // length) - int(left // length):,}")
        return
    for index in range(int(left // length), int(now // length) + 1):
        start, stop = max(index * length, left), min((index + 1) * length, now)
        if stop > start:
            yield Box("verify", 0, start, stop - start, f"{index + 1}" if stop == (index + 1) * length else "")


def _boxes(kind: str, boxes: list[Box], translate: Translate) -> Figure:
    colour, name = BOXES[kind]
    mine = [box for box in boxes if box.kind == kind and box.length_ms > 0]
    if not mine:  # the legend stays the same from step to step
        mine = [Box(kind, 0, 0, 0)]
    return {
        "type": "bar",
        "orientation": "h",
        "y": [box.lane for box in mine],
        "x": [box.length_ms for box in mine],
        "base": [box.start_ms for box in mine],
        "text": [box.text for box in mine],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textangle": 0,
        "constraintext": "inside",
        "textfont": {"color": "#ffffff", "size": 12},
        "width": 0.5,
        "marker": {"color": colour, "line": {"width": 1, "color": "#ffffff"}},
        "name": translate(name),
        "hovertemplate": "%{x:.2f} ms",
    }


def _own_tokens(trace: Trace, moment: Moment, first: int, every: bool, lane: float, translate: Translate) -> Figure:
    """The target's own token of each finished round: bonus after a full round, recovered after a rejection."""
    k = trace.scenario.num_speculative_tokens
    done = moment.number if moment.stage > k else moment.number - 1
    rounds = [r for r in range(first, done) if k and (int(trace.accepted[r]) == k) == every]
    ends = [float(trace.start_ms[r] + trace.scenario.round_cost.round_ms) for r in rounds]
    ends = ends or [-1.0]  # before the start, out of sight: the legend stays the same from step to step
    symbol, name = ("star" if every else "diamond"), translate(TOKENS[every])
    return style.points(ends, [lane + 0.36] * len(ends), name, style.BONUS, symbol=symbol, size=14, hoverinfo="name")


def _emitted(trace: Trace, moment: Moment, first: int, lane: float) -> list[Figure]:
    """How many tokens each finished round emitted, above its end."""
    k = trace.scenario.num_speculative_tokens
    done = moment.number if moment.stage > k else moment.number - 1
    ends = trace.start_ms + float(trace.scenario.round_cost.round_ms)
    total = np.cumsum(trace.emitted)
    return [
        style.on_line(float(ends[r]), lane + 0.45, f"+{trace.emitted[r]} → {total[r]}", style.BONUS, xanchor="right")
        for r in range(first, done)
    ]
