"""A running server over time, for the engine page: curves of the chosen window."""

from collections.abc import Mapping

import numpy as np

from specmodel.dashboard.parts.answer import Chart, Heading, Note, Part
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.live import live_length_figure, live_position_figure, live_step_figure, live_waste_figure
from specmodel.logs.prometheus import LiveSeries

HEIGHT = 240


def over_time_parts(series: LiveSeries, translate: Translator) -> Mapping[str, Part | None]:
    """Tokens per round, waste, acceptance by position and step time, as far as the server tells them."""
    _ = translate
    steps = bool(np.isfinite(series.step_ms).any())
    titles = {
        "live_length": _("Tokens per round over time"),
        "live_waste": _("Draft tokens accepted and wasted per second"),
        "live_position": _("Acceptance by position over time"),
        "live_step": _("Time of a decoding step over time"),
    }
    figures = {
        "live_length": live_length_figure(series, _),
        "live_waste": live_waste_figure(series, _),
        "live_position": live_position_figure(series, _) if series.per_position.shape[1] else None,
        "live_step": live_step_figure(series, _) if steps else None,
    }
    charts = {
        name: None if figure is None else Chart(figure, titles[name], titles[name], HEIGHT)
        for name, figure in figures.items()
    }
    text = _("Each point looks back {seconds:.0f} s; gaps are times without a round.")
    return {
        "live_heading": Heading(_("Over time")),
        **charts,
        "live_note": Note(text.format(seconds=series.rate_window_s)),
    }
