"""A running server over time, for the engine page: curves of the chosen window."""

from collections.abc import Mapping

import numpy as np

from specmodel.dashboard.parts.answer import Chart, Heading, Note, Part
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.answer import EngineAnswer
from specmodel.figures.live import (
    live_length_figure,
    live_position_figure,
    live_speedup_figure,
    live_step_figure,
    live_waste_figure,
)
from specmodel.logs.prometheus import LiveSeries

HEIGHT = 240


def over_time_parts(series: LiveSeries, measured: EngineAnswer, translate: Translator) -> Mapping[str, Part | None]:
    """Speedup, tokens per round, waste, acceptance by position and step time, as far as the server tells them.

    The break-even is that of the measured costs; where no time of a plain step is known there is none, and no speedup.
    """
    _, case = translate, measured.case
    steps, timed = (bool(np.isfinite(each).any()) for each in (series.step_ms, series.tpot_ms))
    titles = {
        "live_speedup": _("Decode speedup over time"),
        "live_length": _("Tokens per round over time"),
        "live_waste": _("Draft tokens accepted and wasted per second"),
        "live_position": _("Acceptance by position over time"),
        "live_step": _("Time of a decoding step over time"),
    }
    figures = {
        "live_speedup": live_speedup_figure(series, case.plain_ms, _) if timed and case.plain_ms else None,
        "live_length": live_length_figure(series, _, case.rho),
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
        "live_note": Note(_.sentences(text.format(seconds=series.rate_window_s), _plain(measured, _))),
    }


def _plain(measured: EngineAnswer, translate: Translator) -> str:
    """What the break-even rests on."""
    _, case = translate, measured.case
    if case.plain_ms is None:
        return _("No break-even is drawn: the time of a plain step is not known.")
    text = _("Break-even: a plain step of {plain:.2f} ms; a decoding step with speculation costs {rho:.2f} of them.")
    return text.format(plain=case.plain_ms, rho=case.rho) if case.rho is not None else ""
