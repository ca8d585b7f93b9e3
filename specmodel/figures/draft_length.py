"""Figures of the Draft length page: gain of one more draft, the map acceptance × draft length, accepted per round."""

import numpy as np

from specmodel.base.params import declarations
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.model.acceptance import Acceptance
from specmodel.model.confidence import StoppedRounds, Stopping, Thresholds
from specmodel.model.draft_lengths import DraftLengths, SpeedupMap, marginal_gain_ms
from specmodel.model.scenario import Scenario


def _k_title(translate: Translate) -> str:
    return style.title_of(declarations(Scenario)["num_speculative_tokens"], translate)


def waste_figure(table: DraftLengths, translate: Translate, *, ghost: DraftLengths | None = None) -> Figure:
    """Draft tokens of one answer by draft length: kept and thrown away."""
    lengths = table.num_speculative_tokens
    accepted = lengths * table.num_rounds - table.num_wasted_draft_tokens
    hover = "k = %{x}: %{y:,.0f}"
    data = [
        style.bars(lengths, accepted, translate("accepted drafts"), style.ACCEPTED, hovertemplate=hover),
        style.bars(
            lengths, table.num_wasted_draft_tokens, translate("wasted drafts"), style.WASTED, hovertemplate=hover
        ),
    ]
    if ghost is not None:
        data.append(style.pinned(lengths, ghost.num_wasted_draft_tokens, translate("wasted drafts, pinned")))
    title = style.with_unit(translate("Draft tokens of one answer"), translate("tokens"))
    return {
        "data": data,
        "layout": style.layout(
            _k_title(translate), title, barmode="stack", xaxis={"dtick": 2 if lengths.size < 30 else 8}
        ),
    }


def marginal_figure(table: DraftLengths, translate: Translate, *, ghost: DraftLengths | None = None) -> Figure:
    """Seconds that the k-th draft token saves (up) or costs (down), for one answer."""
    gain = marginal_gain_ms(table) / 1000
    lengths = table.num_speculative_tokens[1:]
    saves = gain > 0
    hover = "k = %{x}: %{y:+,.2f} s<extra></extra>"
    data = [
        style.bars(lengths[saves], gain[saves], translate("saves time"), style.FASTER, hovertemplate=hover),
        style.bars(lengths[~saves], gain[~saves], translate("costs time"), style.SLOWER, hovertemplate=hover),
    ]
    if ghost is not None:
        data.append(style.pinned(lengths, marginal_gain_ms(ghost) / 1000, translate("pinned")))
    title = style.with_unit(translate("Time saved by one more draft"), "s")
    return {
        "data": data,
        "layout": style.layout(
            _k_title(translate), title, barmode="relative", xaxis={"dtick": 2 if lengths.size < 30 else 8}
        ),
    }


def map_figure(
    table: SpeedupMap, scenario: Scenario, translate: Translate, *, pinned: Scenario | None = None
) -> Figure:
    """Speedup over acceptance × draft length, with the break-even contour and the staircase of the best k."""
    log = np.log2(table.speedup.T)
    limit = 2.0
    speedup = translate("Speedup")
    surface = {
        "type": "heatmap",
        "x": table.alpha,
        "y": table.num_speculative_tokens,
        "z": np.clip(log, -limit, limit),
        "customdata": table.speedup.T,
        "zmin": -limit,
        "zmax": limit,
        "colorscale": style.SLOWER_TO_FASTER,
        "colorbar": {
            "title": {"text": speedup, "side": "right"},
            "tickvals": [-2, -1, 0, 1, 2],
            "ticktext": ["≤ 0.25×", "0.5×", "1×", "2×", "≥ 4×"],
            "thickness": 12,
        },
        "hovertemplate": "α %{x:.2f}, k = %{y}: %{customdata:.2f}×<extra></extra>",
        "name": speedup,
    }
    contour = {
        "type": "contour",
        "x": table.alpha,
        "y": table.num_speculative_tokens[1:],
        "z": log[1:],
        "contours": {"type": "constraint", "operation": "=", "value": 0},
        "line": {"color": style.BREAK_EVEN, "width": 3.5},
        "showscale": False,
        "showlegend": True,
        "hoverinfo": "skip",
        "name": translate("break-even"),
    }
    best = style.line(table.alpha, table.best, translate("best draft length"), style.BEST, width=3)
    best["line"] |= {"shape": "hv"}
    best["hovertemplate"] = "α %{x:.2f}: k = %{y}<extra></extra>"
    data = [surface, contour, best]
    if pinned is not None:
        data.append(_spot(pinned, translate("pinned"), "circle-open", style.BASELINE))
    data.append(_spot(scenario, translate("this scenario"), "circle", style.SPECULATION))
    alpha = declarations(Scenario)["alpha"]
    axes = {"xaxis": {"range": [0, 1]}, "yaxis": {"range": [-0.5, float(table.num_speculative_tokens[-1]) + 0.5]}}
    return {
        "data": data,
        "layout": style.layout(style.title_of(alpha, translate), _k_title(translate), **axes),
    }


def _spot(scenario: Scenario, name: str, symbol: str, colour: str) -> Figure:
    outline = {"width": 2.5, "color": "#ffffff" if symbol == "circle" else colour}
    return style.points(
        [scenario.alpha], [scenario.num_speculative_tokens], name, colour, symbol=symbol, size=14, outline=outline
    )


def p_min_figure(found: Thresholds, here: StoppedRounds, translate: Translate) -> Figure:
    """Speedup against the confidence below which the drafter stops, the best threshold and the chosen one marked."""
    where, speedup = [each.p_min for each in found.rounds], [each.speedup for each in found.rounds]
    curve = style.line(where, speedup, translate("Speedup"), style.SPECULATION)
    curve["customdata"] = [each.drafts for each in found.rounds]
    drafts = translate("drafts in a round")
    curve["hovertemplate"] = f"p-min %{{x:.2f}}: %{{y:.2f}}×, %{{customdata:.2f}} {drafts}<extra></extra>"
    marks = [
        style.ring([found.best.p_min], [found.best.speedup], translate("best p-min"), style.BEST),
        style.spot([here.p_min], [here.speedup], translate("this p-min")),
    ]
    title = style.title_of(declarations(Stopping)["p_min"], translate)
    axes = {"xaxis": {"range": [-0.02, 1]}, "yaxis": {"rangemode": "tozero"}}
    return {
        "data": [style.even([0, 1]), curve, *marks],
        "layout": style.layout(title, style.with_unit(translate("Speedup"), "×"), **axes),
    }


def accepted_figure(acceptance: Acceptance, translate: Translate, *, ghost: Acceptance | None = None) -> Figure:
    """Share of rounds by the number of accepted drafts."""
    kept = np.arange(acceptance.num_speculative_tokens + 1)
    hover = "%{x}: %{y:.1%}<extra></extra>"
    data = [style.bars(kept, acceptance.pmf, translate("this scenario"), style.ACCEPTED, hovertemplate=hover)]
    if ghost is not None:
        steps = np.arange(ghost.num_speculative_tokens + 1)
        data.append(style.ring(steps, ghost.pmf, translate("pinned"), style.BASELINE, hovertemplate=hover))
    title = translate("Accepted drafts in a round")
    return {
        "data": data,
        "layout": style.layout(
            title,
            translate("Share of rounds"),
            xaxis={"dtick": 1 if kept.size < 24 else 8},
            yaxis={"tickformat": ".0%"},
        ),
    }
