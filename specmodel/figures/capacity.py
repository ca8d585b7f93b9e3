"""Figures of the Capacity page: accelerators over the day, and a service level against the rate of a replica."""

from collections.abc import Mapping

import numpy as np

from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.arrivals import EngineTable
from specmodel.serving.plan import FIXED, OFF, Plan, Traffic
from specmodel.serving.service_level import reached

COLOURS = (style.BASELINE, style.SPECULATION, style.BEST)
POINTS = 48


def day_figure(found: Plan, names: Mapping[str, str], translate: Translate) -> Figure:
    """Accelerators that each hour needs, by the way of running them."""
    data = []
    for way, colour in zip(found.ways, COLOURS, strict=True):
        if way.replicas:
            counts = [each * found.accelerators for each in (*way.replicas, way.replicas[-1])]
            hover = "%{x}:00: %{y:,d}"
            curve = style.line(list(range(25)), counts, names[way.key], colour, hovertemplate=hover)
            curve["line"] |= {"shape": "hv"} | ({"dash": "dash"} if way.key == OFF else {})
            data.append(curve)
    axes = {"xaxis": {"range": [0, 24], "dtick": 4}, "yaxis": {"rangemode": "tozero"}}
    return {"data": data, "layout": style.layout(translate("Hour of the day"), translate("Accelerators"), **axes)}


def level_figure(at_load: LoadAnswer, found: Plan, traffic: Traffic, translate: Translate) -> Figure:
    """Time per output token at the percentile against the rate of one replica, off and with the best fixed k."""
    k = found.way(FIXED).num_speculative_tokens or 1
    tau = float(at_load.serving.tau(k))
    engines = (
        (at_load.plain_engine, 1.0, translate("without speculation"), COLOURS[0]),
        (at_load.engine_with(k), tau, f"k = {k}", COLOURS[1]),
    )
    data = [_curve(engine, of, traffic, name, colour) for engine, of, name, colour in engines]
    if traffic.tpot_ms:
        ends = [0, max(max(each["x"], default=1.0) for each in data)]
        level = translate("service level")
        data.append(style.line(ends, [traffic.tpot_ms] * 2, level, style.BREAK_EVEN, width=2, hoverinfo="skip"))
    x, y = style.with_unit(translate("Request rate of a replica"), "/s"), translate("Time per output token")
    yaxis: Figure = {"range": [0, 2.5 * traffic.tpot_ms]} if traffic.tpot_ms else {"rangemode": "tozero"}
    axes = {"xaxis": {"rangemode": "tozero"}, "yaxis": yaxis}
    return {"data": data, "layout": style.layout(x, style.with_unit(y, "ms"), **axes)}


def _curve(engine: EngineTable, tau: float, traffic: Traffic, name: str, colour: str) -> Figure:
    rates = engine.saturation.rate * np.linspace(1e-3, 0.995, POINTS)
    found = [reached(engine, float(rate), traffic.percentile, tau) for rate in rates]
    x = [each.rate for each in found if each is not None]
    y = [each.tpot_ms for each in found if each is not None]
    return style.line(x, y, name, colour, hovertemplate="%{x:.2f} /s: %{y:.1f} ms")
