"""Figures by request rate: latency and the running batch, with and without speculation, up to saturation."""

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.params import declarations
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.arrivals import EngineTable, latency_curve
from specmodel.serving.load import Load
from specmodel.serving.stationary import stationary_batch


def _engines(answer: LoadAnswer, translate: Translate) -> list[tuple[EngineTable, str, str, dict[str, object]]]:
    k = answer.num_speculative_tokens
    return [
        (answer.plain_engine, translate("without"), style.BASELINE, {"dash": "dash", "width": 2}),
        (answer.scheduled_engine, translate("schedule"), style.BEST, {"width": 3}),
        (answer.fixed_engine, f"k = {k}", style.SPECULATION, {}),
    ]


def _rates(answer: LoadAnswer) -> Floats:
    """The rates of the axis: up to a little beyond the highest saturation."""
    highest = max(
        engine.saturation.rate for engine in (answer.plain_engine, answer.fixed_engine, answer.scheduled_engine)
    )
    return np.unique(
        np.concatenate((np.linspace(highest / 400, highest, 160), highest * (1 - np.geomspace(1e-4, 0.1, 20))))
    )


def _rate_title(translate: Translate) -> str:
    declared = declarations(Load)["request_rate"]
    return f"{translate(declared.label)} {declared.symbol} ({translate('requests/s')})"


def latency_figure(answer: LoadAnswer, translate: Translate) -> Figure:
    """Decoding time of one answer against request rate; a line ends where its engine is saturated."""
    rates = _rates(answer)
    hover = translate("%{x:.2f} requests/s: %{y:,.2f} s") + "<extra></extra>"
    data, highest = [], 0.0
    for engine, name, colour, more in _engines(answer, translate):
        curve = latency_curve(engine, rates)
        data.append(style.line(rates, curve.latency_s, name, colour, hovertemplate=hover, **more))
        data.append(_end(engine, colour, translate))
        highest = max(highest, float(engine.latency_s(engine.saturation.batch)))
    same = [each for each in answer.crossings if each.stable]
    if same:
        rate, latency = [each.rate for each in same], [each.latency_s for each in same]
        data.append(style.points(rate, latency, translate("same latency"), style.BREAK_EVEN, hovertemplate=hover))
    data += _here(answer, float(rates[-1]), highest, translate)
    return {"data": data, "layout": style.layout(_rate_title(translate), translate("Latency (s)"), **_axes())}


def served_figure(answer: LoadAnswer, translate: Translate) -> Figure:
    """Output tokens per second against request rate: all that is asked for, up to what the engine can serve at most."""
    rates = _rates(answer)
    hover = translate("%{x:.2f} requests/s: %{y:,.0f} tokens/s") + "<extra></extra>"
    data = []
    for engine, name, colour, more in _engines(answer, translate):
        served = np.minimum(rates, engine.saturation.rate) * engine.output_tokens
        data.append(style.line(rates, served, name, colour, hovertemplate=hover, **more))
    highest = max(float(np.max(trace["y"])) for trace in data)
    data += _here(answer, float(rates[-1]), highest, translate)
    title = translate("Throughput (tokens/s)")
    return {"data": data, "layout": style.layout(_rate_title(translate), title, **_axes())}


def running_figure(answer: LoadAnswer, translate: Translate) -> Figure:
    """Requests in the engine against request rate, with the swing of the batch around its mean at k drafts."""
    rates = _rates(answer)
    hover = translate("%{x:.2f} requests/s: %{y:,.1f} requests in the engine") + "<extra></extra>"
    data = []
    for engine, name, colour, more in _engines(answer, translate):
        curve = latency_curve(engine, rates)
        data.append(style.line(rates, curve.batch, name, colour, hovertemplate=hover, **more))
    swing = _swing(answer.fixed_engine)
    if swing is not None:
        name = translate("nine moments in ten, k = {k}").format(k=answer.num_speculative_tokens)
        data.insert(0, style.band(*swing, name, style.SPECULATION))
    highest = float(max(answer.most, answer.plain_most))
    data += _here(answer, float(rates[-1]), highest, translate)
    title = translate("Requests in the engine")
    return {"data": data, "layout": style.layout(_rate_title(translate), title, **_axes())}


def _swing(engine: EngineTable) -> tuple[Floats, Floats, Floats] | None:
    """Rates, and between which batches the engine is in nine moments out of ten, from the queue's distribution."""
    rates = engine.saturation.rate * np.array([0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 0.97])
    found = [stationary_batch(engine, float(rate)) for rate in rates]
    if any(each is None for each in found):
        return None
    low, high = np.array([each.quantile((0.05, 0.95)) for each in found if each is not None], dtype=float).T
    return rates, low, high


def _end(engine: EngineTable, colour: str, translate: Translate) -> Figure:
    """A cross where the engine is saturated."""
    saturation = engine.saturation
    hover = translate("saturated at %{x:.2f} requests/s, batch %{customdata}")
    return style.points(
        [saturation.rate], [float(engine.latency_s(saturation.batch))], "", colour, symbol="x", size=9,
        showlegend=False, customdata=[saturation.batch],
        hovertemplate=hover + "<extra></extra>",
    )  # fmt: skip


def _here(answer: LoadAnswer, most: float, top: float, translate: Translate) -> list[Figure]:
    """The rate that is asked for as a line, unless a batch is, or every engine is saturated long before."""
    rate = answer.load.request_rate
    if not answer.by_rate or rate > 1.25 * most:
        return []
    name = translate("this rate")
    return [style.line([rate, rate], [0, top], name, style.OVERHEAD, dash="dot", width=1.5, hoverinfo="skip")]


def _axes() -> Figure:
    return {"xaxis": {"rangemode": "tozero"}, "yaxis": {"rangemode": "tozero"}}
