"""The figure of the Speedup page: speedup against acceptance."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from specmodel.base.params import declarations
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.model.outcome import Outcome
from specmodel.model.scenario import Scenario
from specmodel.model.speedup_curve import SpeedupCurve


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
    data += [style.even([0, 1]), style.label(1, 1, translate("as fast as plain decoding"), style.BASELINE)]
    if ghost:
        data += _ghost(ghost, shown, translate)
    name = k.format(k=scenario.num_speculative_tokens)
    data.append(
        style.line(
            curve.alpha, shown(curve.speedup), name, style.SPECULATION, width=3.5, hovertemplate="α %{x:.2f}: %{y:.2f}"
        )
    )
    data += _break_even(outcome, translate)
    data.append(_here(scenario, float(shown(outcome.speedup)), translate))
    data += [_measured(point, shown) for point in measured]
    top = float(np.max(shown(curve.speedup)))
    highest = max(1.35, min(top * 1.06, 4 if as_time_ratio else 100))
    alpha = declarations(Scenario)["alpha"]
    return {
        "data": data,
        "layout": style.layout(
            style.title_of(alpha, translate),
            translate(quantity.label),
            xaxis={"range": [0, 1], "tickformat": ".1f"},
            yaxis={**style.up_to(highest), "ticksuffix": quantity.unit},
        ),
    }


def _thin_lines(curve: SpeedupCurve, thin: dict[int, Any], shown: Any, k: str) -> list[Figure]:
    colour = style.faded(style.SPECULATION, style.FAINT)
    dashes = dict(zip(thin, ("dot", "dash", "longdash", "dashdot"), strict=False))
    return [
        style.line(curve.alpha, shown(values), k.format(k=other), colour, width=1.2, dash=dashes[other])
        for other, values in thin.items()
    ]


def _break_even(outcome: Outcome, translate: Translate) -> list[Figure]:
    if outcome.alpha_needed is None:
        return []
    name = translate("break-even")
    label = f"{name} α = {outcome.alpha_needed:.3f}"
    side = "bottom right" if outcome.alpha_needed < 0.75 else "top left"
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
    return style.spot(
        [scenario.alpha], [value], translate("this scenario"), size=15, text=[f"{value:.2f}"],
        textposition="top left" if scenario.alpha > 0.12 else "top right",
        textfont={"color": style.SPECULATION, "size": 15}, cliponaxis=False, showlegend=False,
        hovertemplate="α %{x:.2f}: %{y:.2f}",
    )  # fmt: skip


def _ghost(ghost: tuple[SpeedupCurve, Scenario, Outcome], shown: Any, translate: Translate) -> list[Figure]:
    curve, scenario, outcome = ghost
    name, colour = translate("pinned"), style.faded(style.BASELINE, 0.8)
    return [
        style.pinned(curve.alpha, shown(curve.speedup), name, legendgroup="pinned"),
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
        style.plain_text(point.name),
        style.MEASURED,
        symbol="square",
        error_x=style.errors([alpha], [alpha_low], [alpha_high], style.MEASURED),
        error_y=style.errors([value], [low], [high], style.MEASURED),
        hovertemplate="α %{x:.3f}: %{y:.2f}",
    )
