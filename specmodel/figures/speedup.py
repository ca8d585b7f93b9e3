"""Figures of the Speedup page: speedup against acceptance, time against draft length, where the time of a token goes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from specmodel.choices import DraftLengths
from specmodel.curves import SpeedupCurve
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.outcome import Outcome
from specmodel.params import declarations
from specmodel.scenario import Scenario


@dataclass(frozen=True)
class MeasuredPoint:
    """One measured group: its acceptance and speedup with intervals; `name` comes from the file."""

    name: str
    alpha: tuple[float, float, float]
    speedup: tuple[float, float, float]


def speedup_figure(
    curve: SpeedupCurve,
    scenario: Scenario,
    outcome: Outcome,
    translate: Translate,
    *,
    thin: dict[int, Any],
    ghost: tuple[SpeedupCurve, Scenario, Outcome] | None = None,
    measured: tuple[MeasuredPoint, ...] = (),
    as_time_ratio: bool = False,
) -> Figure:
    """Speedup (or time ratio) against acceptance with band, break-even, neighbouring k, pinned and measured points."""
    quantity = declarations(Outcome)["time_ratio" if as_time_ratio else "speedup"]

    def shown(values: Any) -> Any:
        return 1 / np.asarray(values) if as_time_ratio else np.asarray(values)

    k = translate("k = {k}")
    band_name = translate("5–95 %")
    data = [style.band(curve.band_alpha, shown(curve.low), shown(curve.high), band_name, style.SPECULATION)]
    data += _thin_lines(curve, thin, shown, k)
    data.append(_even_line())
    if ghost:
        data += _ghost(ghost, shown, translate)
    name = k.format(k=scenario.num_speculative_tokens)
    data.append(
        style.line(curve.alpha, shown(curve.speedup), name, style.SPECULATION, width=3.5, hovertemplate="α %{x:.2f}: %{y:.2f}")
    )
    data += _break_even(outcome, translate)
    data.append(_here(scenario, float(shown(outcome.speedup)), translate))
    data += [_measured(point, shown) for point in measured]
    top = float(np.max(shown(curve.speedup)))
    y_range = [0, max(1.35, min(top * 1.06, 4 if as_time_ratio else 100))]
    alpha = declarations(Scenario)["alpha"]
    return {
        "data": data,
        "layout": style.layout(
            f"{translate(alpha.label)} {alpha.symbol}",
            translate(quantity.label),
            xaxis={"range": [0, 1], "tickformat": ".1f"},
            yaxis={"range": y_range, "ticksuffix": quantity.unit},
            annotations=[style.on_line(1, 1, translate("as fast as plain decoding"), style.BASELINE)],
        ),
    }


def _thin_lines(curve: SpeedupCurve, thin: dict[int, Any], shown: Any, k: str) -> list[Figure]:
    colour = style.faded(style.SPECULATION, style.FAINT)
    longest = max(thin, default=0)
    dashes = {other: "dot" if other == longest else "solid" for other in thin}
    return [
        style.line(curve.alpha, shown(values), k.format(k=other), colour, width=1.2, dash=dashes[other])
        for other, values in thin.items()
    ]


def _even_line() -> Figure:
    return style.line([0, 1], [1, 1], "", style.BASELINE, width=1.5, dash="dash", hoverinfo="skip", showlegend=False)


def _break_even(outcome: Outcome, translate: Translate) -> list[Figure]:
    if outcome.alpha_needed is None:
        return []
    name = translate("break-even")
    label = f"{name} α = {outcome.alpha_needed:.3f}"
    side = "bottom right" if outcome.alpha_needed < 0.65 else "top left"
    return [
        style.points(
            [outcome.alpha_needed],
            [1],
            name,
            style.BREAK_EVEN,
            symbol="diamond",
            size=13,
            text=[label],
            textposition=side,
            textfont={"color": style.BREAK_EVEN},
            cliponaxis=False,
            showlegend=False,
            hovertemplate="%{text}<extra></extra>",
        )
    ]


def _here(scenario: Scenario, value: float, translate: Translate) -> Figure:
    return style.points(
        [scenario.alpha],
        [value],
        translate("this scenario"),
        style.SPECULATION,
        size=15,
        outline={"width": 2.5, "color": "#ffffff"},
        text=[f"{value:.2f}"],
        textposition="top left" if scenario.alpha > 0.12 else "top right",
        textfont={"color": style.SPECULATION, "size": 15},
        cliponaxis=False,
        showlegend=False,
        hovertemplate="α %{x:.2f}: %{y:.2f}",
    )


def _ghost(ghost: tuple[SpeedupCurve, Scenario, Outcome], shown: Any, translate: Translate) -> list[Figure]:
    curve, scenario, outcome = ghost
    name, colour = translate("pinned"), style.faded(style.BASELINE, 0.8)
    return [
        style.line(curve.alpha, shown(curve.speedup), name, colour, width=2, dash="dashdot", legendgroup="pinned"),
        style.points(
            [scenario.alpha],
            [float(shown(outcome.speedup))],
            name,
            colour,
            symbol="circle-open",
            size=13,
            legendgroup="pinned",
            showlegend=False,
        ),
    ]


def _measured(point: MeasuredPoint, shown: Any) -> Figure:
    alpha, alpha_low, alpha_high = point.alpha
    value, low, high = (float(shown(each)) for each in point.speedup)
    low, high = min(low, high), max(low, high)
    return style.points(
        [alpha],
        [value],
        point.name,
        style.MEASURED,
        symbol="square",
        error_x=_error(alpha, alpha_low, alpha_high),
        error_y=_error(value, low, high),
        hovertemplate="α %{x:.3f}: %{y:.2f}",
    )


def _error(value: float, low: float, high: float) -> Figure:
    return {
        "type": "data",
        "array": [high - value],
        "arrayminus": [value - low],
        "thickness": 1.5,
        "width": 4,
        "color": style.MEASURED,
    }


def time_figure(
    table: DraftLengths, scenario: Scenario, translate: Translate, *, ghost: DraftLengths | None = None
) -> Figure:
    """Time of one answer against draft length: the best k, those that tie with it, the current one, plain decoding."""
    seconds, k, plain = table.total_ms / 1000, scenario.num_speculative_tokens, scenario.baseline_ms / 1000
    lengths = table.num_speculative_tokens
    data = [_plain(scenario, lengths)]
    if ghost is not None:
        name, colour = translate("pinned"), style.faded(style.BASELINE, 0.8)
        data.append(style.line(lengths, ghost.total_ms / 1000, name, colour, width=2, dash="dashdot"))
    hover = "k = %{x}: %{y:,.2f} s<extra></extra>"
    name = translate("with speculation")
    data.append(
        style.line(
            lengths,
            seconds,
            name,
            style.SPECULATION,
            mode="lines+markers",
            marker={"size": 5},
            showlegend=False,
            hovertemplate=hover,
        )
    )
    ties = [length for length in table.ties if length < lengths.size]
    if ties:
        name, ring = translate("ties with the best"), {"width": 2, "color": style.BEST}
        data.append(style.points(ties, seconds[ties], name, "rgba(0,0,0,0)", size=13, outline=ring, hovertemplate=hover))
    data.append(
        style.points(
            [table.best], [seconds[table.best]], translate("best"), style.BEST, symbol="star", size=17, hovertemplate=hover
        )
    )
    if k < lengths.size:
        ring = {"width": 2.5, "color": "#ffffff"}
        name = translate("this scenario")
        data.append(
            style.points(
                [k], [seconds[k]], name, style.SPECULATION, size=13, outline=ring, hovertemplate=hover, showlegend=False
            )
        )
    name, declared = translate("plain decoding"), declarations(Scenario)["num_speculative_tokens"]
    top = max(float(seconds[0]) * 1.9, float(seconds.min()) * 1.2)
    return {
        "data": data,
        "layout": style.layout(
            f"{translate(declared.label)} {declared.symbol}",
            style.with_unit(translate("Time of one answer"), "s"),
            xaxis={"range": [-0.5, lengths[-1] + 0.5], "dtick": 2 if lengths.size < 30 else 8},
            yaxis={"range": [0, min(float(seconds.max()) * 1.08, top)]},
            annotations=[style.on_line(_clearest(seconds, plain), plain, name, style.BASELINE, xanchor="center")],
        ),
    }


def _clearest(seconds: Any, plain: float) -> float:
    """The draft length at which a text on the line of plain decoding is farthest from the curve."""
    inner = slice(2, -2)
    return float(2 + np.argmax(np.abs(seconds[inner] - plain))) if len(seconds) > 6 else 0.0


def _plain(scenario: Scenario, lengths: Any) -> Figure:
    plain = scenario.baseline_ms / 1000
    ends = [-0.5, float(lengths[-1]) + 0.5]
    return style.line(ends, [plain, plain], "", style.BASELINE, width=1.5, dash="dash", hoverinfo="skip", showlegend=False)


def time_per_token_figure(scenario: Scenario, outcome: Outcome, translate: Translate) -> Figure:
    """Where the milliseconds of one emitted token go, with and without speculation: two stacked bars."""
    cost, tau = scenario.round_cost, outcome.mean_acceptance_length
    lanes = [translate("with speculation"), translate("plain decoding")]
    parts = [
        (translate("target pass"), style.BASELINE, float(cost.verify_ms) / tau, scenario.target_ms),
        (translate("accepted drafts"), style.ACCEPTED, (tau - 1) / tau * scenario.draft_ms, 0),
        (translate("wasted drafts"), style.WASTED, outcome.wasted_ms_per_token, 0),
        (translate("overhead"), style.BONUS, float(cost.overhead_ms) / tau, 0),
    ]
    data = [
        style.bars(
            [value, plain],
            lanes,
            name,
            colour,
            orientation="h",
            text=[_label(value, scenario.target_ms), _label(plain, scenario.target_ms)],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            textfont={"color": "#ffffff"},
            hovertemplate="%{y}: %{x:.2f} ms",
        )
        for name, colour, value, plain in parts
        if value or plain
    ]
    title = style.with_unit(translate("Time for one output token"), "ms")
    figure = style.layout(title, "", barmode="stack", yaxis={"autorange": "reversed"}, xaxis={"rangemode": "tozero"})
    figure["legend"] |= {"traceorder": "normal"}
    return {"data": data, "layout": figure}


def _label(value: float, whole: float) -> str:
    """A text for a part of a bar that is wide enough to hold it."""
    return f"{value:.1f} ms" if value > 0.13 * whole else ""
