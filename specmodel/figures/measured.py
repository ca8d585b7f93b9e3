"""The figure of a measured run: acceptance by position with intervals, and the one alpha that the model uses."""

from collections.abc import Sequence

from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.measured.intervals import Estimate


def conditional_figure(conditional: Sequence[Estimate], alpha: Estimate, translate: Translate) -> Figure:
    """Measured acceptance by position, each given that all drafts before it were accepted, with intervals."""
    known = [(i, each) for i, each in enumerate(conditional, start=1) if each.value is not None]
    positions, values = [i for i, _ in known], [each.value for _, each in known]
    lows, highs = [each.low for _, each in known], [each.high for _, each in known]
    error = style.errors(values, lows, highs, style.MEASURED)
    hover = "%{x}: %{y:.3f}, %{customdata:,.0f}<extra></extra>"
    trials = [each.trials for _, each in known]
    measured = style.points(
        positions, values, translate("measured by position"), style.MEASURED, symbol="square", error_y=error,
        customdata=trials, hovertemplate=hover,
    )  # fmt: skip
    data = [measured]
    if alpha.value is not None and positions:
        ends, name = [0.5, positions[-1] + 0.5], translate("one α for all positions")
        data.insert(0, style.line(ends, [alpha.value] * 2, name, style.SPECULATION, hovertemplate="%{y:.3f}"))
    axes = {"xaxis": {"dtick": 1}, "yaxis": {"range": [0, 1.04]}}
    return {
        "data": data,
        "layout": style.layout(translate("Draft position"), translate("Accepted, given all before"), **axes),
    }
