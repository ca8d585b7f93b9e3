"""Figures of the Exactness page: what is kept of two distributions, what comes out, acceptance by temperature."""

from collections.abc import Mapping, Sequence

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.sampling.verify import Verification


def overlap_figure(step: Verification, names: Sequence[str], translate: Translate, whole: bool = False) -> Figure:
    """Target and drafter side by side, and of each drafted token how much is kept and how much is thrown away.

    With `whole` the axis goes from 0 to 1, whatever the bars: for bars that are pulled.
    """
    names = [style.plain_text(name) for name in names]
    hover = "%{x}: %{y:.1%}<extra></extra>"
    wasted = np.maximum(step.draft_probs - step.accepted, 0)
    data = [
        style.bars(
            names, step.target_probs, translate("target"), style.BASELINE, offsetgroup="target", hovertemplate=hover
        ),
        style.bars(
            names, step.accepted, translate("drafted and kept"), style.ACCEPTED, offsetgroup="draft",
            hovertemplate=hover,
        ),
        style.bars(
            names, wasted, translate("drafted and rejected"), style.WASTED, offsetgroup="draft", base=step.accepted,
            customdata=wasted, hovertemplate="%{x}: %{customdata:.1%}<extra></extra>",
        ),
    ]  # fmt: skip
    axes = {"yaxis": {"tickformat": ".0%", **({"range": [0, 1]} if whole else {})}, "barmode": "group"}
    return {"data": data, "layout": style.layout(translate("Token"), translate("Probability"), **axes)}


def pair_figure(step: Verification, names: Sequence[str], translate: Translate) -> Figure:
    """Target and drafter side by side, before any draft is judged."""
    names = [style.plain_text(name) for name in names]
    hover = "%{x}: %{y:.1%}<extra></extra>"
    data = [
        style.bars(names, step.target_probs, translate("target"), style.BASELINE, hovertemplate=hover),
        style.bars(names, step.draft_probs, translate("drafter"), style.SPECULATION, hovertemplate=hover),
    ]
    axes = {"yaxis": {"tickformat": ".0%"}, "barmode": "group"}
    return {"data": data, "layout": style.layout(translate("Token"), translate("Probability"), **axes)}


def output_figure(step: Verification, names: Sequence[str], drawn: Floats, translate: Translate) -> Figure:
    """What comes out, put together from kept drafts and recovered tokens; the target, and the share of the draws."""
    names = [style.plain_text(name) for name in names]
    hover = "%{x}: %{y:.2%}<extra></extra>"
    recovered = (1 - step.acceptance) * step.recovered
    data = [
        style.bars(names, step.accepted, translate("kept drafts"), style.ACCEPTED, hovertemplate=hover),
        style.bars(names, recovered, translate("recovered tokens"), style.BONUS, hovertemplate=hover),
        style.ring(names, step.target_probs, translate("target"), style.BASELINE, size=15, hovertemplate=hover),
        style.points(names, drawn, translate("drawn"), style.MEASURED, symbol="x", size=9, hovertemplate=hover),
    ]
    axes = {"yaxis": {"tickformat": ".0%"}, "barmode": "stack"}
    return {"data": data, "layout": style.layout(translate("Token"), translate("Probability"), **axes)}


def temperature_figure(temperatures: Floats, curves: Mapping[str, Floats], at: float, translate: Translate) -> Figure:
    """Acceptance against the temperature of both models, one line a way of drafting and checking."""
    looks = [(style.SPECULATION, "solid"), (style.SPECULATION, "dash"), (style.BASELINE, "solid")]
    hover = "T = %{x:.2f}: %{y:.1%}<extra></extra>"
    data = [
        style.line(temperatures, curve, name, colour, dash=dash, hovertemplate=hover)
        for (name, curve), (colour, dash) in zip(curves.items(), looks, strict=False)
    ]
    name = translate("temperature of the target")
    data.append(style.line([at, at], [0, 1], name, style.OVERHEAD, dash="dot", width=1.5, hoverinfo="skip"))
    axes = {"yaxis": {"tickformat": ".0%", "range": [0, 1.03]}}
    return {"data": data, "layout": style.layout(translate("Temperature"), translate("Acceptance"), **axes)}


def breaks_figure(names: Sequence[str], accepted: Floats, errors: Floats, translate: Translate) -> Figure:
    """For each way of verifying what it accepts and how far its output is from the target's."""
    names = [style.plain_text(name) for name in names]
    hover = "%{y}: %{x:.1%}<extra></extra>"
    data = [
        style.bars(accepted, names, translate("acceptance"), style.ACCEPTED, hovertemplate=hover, orientation="h"),
        style.bars(
            errors, names, translate("distance of the output from the target"), style.DISTANCE, hovertemplate=hover,
            orientation="h",
        ),
    ]  # fmt: skip
    axes = {"xaxis": {"tickformat": ".0%", "range": [0, 1.02]}, "yaxis": {"autorange": "reversed"}, "barmode": "group"}
    return {"data": data, "layout": style.layout(translate("Share"), "", **axes)}


def blocks_figure(by_token: Sequence[float], by_block: Sequence[float], translate: Translate) -> Figure:
    """How often at least i drafts of a block are kept, verified token by token and as a whole."""
    drafts = list(range(1, len(by_token) + 1))
    hover = translate("at least {number} kept").format(number="%{x}") + ": %{y:.1%}<extra></extra>"
    data = [
        style.bars(drafts, by_token, translate("token by token"), style.BASELINE, hovertemplate=hover),
        style.bars(drafts, by_block, translate("as a block"), style.ACCEPTED, hovertemplate=hover),
    ]
    axes = {"yaxis": {"tickformat": ".0%", "range": [0, 1.03]}, "xaxis": {"dtick": 1}, "barmode": "group"}
    return {"data": data, "layout": style.layout(translate("Drafts kept, at least"), translate("Share"), **axes)}


def several_figure(independent: Floats, bound: Floats, translate: Translate) -> Figure:
    """Chance that one of K independent drafts at one position is kept, and 1 − (1 − α)^K, which it never reaches."""
    drafts = np.arange(1, independent.size + 1)
    hover = "K = %{x}: %{y:.1%}<extra></extra>"
    data = [
        style.bars(drafts, independent, translate("one of K drafts is kept"), style.ACCEPTED, hovertemplate=hover),
        style.line(
            drafts, bound, "1 − (1 − α)^K", style.BASELINE, dash="dash", mode="lines+markers", hovertemplate=hover
        ),
    ]
    axes = {"yaxis": {"tickformat": ".0%", "range": [0, 1.03]}, "xaxis": {"dtick": 1}}
    return {"data": data, "layout": style.layout(translate("Drafts for one position K"), translate("Share"), **axes)}
