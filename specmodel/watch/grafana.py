"""A Grafana dashboard to import: what the recording rules hold, with the break-even and the service level as lines."""

import re
from collections.abc import Mapping

from grafana_foundation_sdk.builders import common, dashboard, prometheus, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common as kinds
from grafana_foundation_sdk.models import dashboard as models

from specmodel.watch.levels import Levels
from specmodel.watch.recorded import PREFIX, recorded

SOURCE = "${datasource}"
EACH = "{{model_name}} {{instance}}"
HEIGHT, HALF = 8, 12
RED = "#d03b3b"


def dashboard_json(levels: Levels) -> str:
    """The dashboard as the text of a file that Grafana imports; it reads the series of `rules_yaml`.

    >>> import json
    >>> found = json.loads(dashboard_json(Levels("vLLM", 3, break_even=1.28, tpot_ms=20)))
    >>> [each["title"] for each in found["panels"]][:2]
    ['Tokens per decoding step', 'Acceptance by position']
    """
    return JSONEncoder(sort_keys=True, indent=2).encode(_dashboard(levels).build())


def _dashboard(levels: Levels) -> dashboard.Dashboard:
    found = (
        dashboard.Dashboard(f"Speculative decoding: {levels.model or levels.engine}")
        .uid(_uid(levels))
        .tags(["speculative-decoding", levels.engine])
        .refresh("30s")
        .time("now-6h", "now")
        .timezone("browser")
        .tooltip(models.DashboardCursorSync.CROSSHAIR)
        .with_variable(dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
    )
    if levels.link:
        found = found.link(dashboard.DashboardLink("Where these levels come from").url(levels.link).type(
            models.DashboardLinkType.LINK).target_blank(True))  # fmt: skip
    for panel in _panels(levels):
        found = found.with_panel(panel)
    return found


def _panels(levels: Levels) -> list[timeseries.Panel]:
    """One panel for each question that the engine's metrics can answer."""
    there = recorded(levels)
    drafts = {f"{name}:rate5m": f"{EACH} {name}" for name in ("accepted", "wasted")}
    seconds = None if levels.tpot_ms is None else levels.tpot_ms / 1000
    below = "Below the line decoding is slower with speculation: a step costs as much as that many plain ones."
    asked = (
        ("Tokens per decoding step", "short", {"tokens_per_step:ratio5m": EACH}, levels.break_even, below),
        ("Acceptance by position", "percentunit", {"acceptance:ratio5m": f"{EACH} {{{{position}}}}"}, None, ""),
        ("Draft tokens per second", "short", drafts, None, ""),
        ("Time of an output token", "s", {"tpot_seconds:mean5m": EACH}, seconds, "The line is the service level."),
        (
            "Requests decoded at once",
            "short",
            {"running:sum": EACH},
            levels.off_beyond,
            "Drafting pays up to the line.",
        ),
        ("Output tokens per second", "short", {"generated:rate5m": EACH}, None, ""),
    )
    return [
        _line(_panel(title, unit, curves), level, text)
        for title, unit, curves, level, text in asked
        if all(PREFIX + name in there for name in curves)
    ]


def _panel(title: str, unit: str, curves: Mapping[str, str]) -> timeseries.Panel:
    panel = timeseries.Panel().title(title).unit(unit).min(0).height(HEIGHT).span(HALF)
    panel = panel.datasource(models.DataSourceRef("prometheus", SOURCE)).fill_opacity(0).line_width(2)
    for place, (name, legend) in enumerate(curves.items()):
        query = prometheus.Dataquery().expr(PREFIX + name).legend_format(legend).ref_id("AB"[place])
        panel = panel.with_target(query)
    return panel


def _line(panel: timeseries.Panel, level: float | None, text: str) -> timeseries.Panel:
    """The panel with a level as a dashed line and what it means; as it is where none is known."""
    if level is None:
        return panel
    panel = panel.description(text)
    steps = [models.Threshold(color="transparent"), models.Threshold(value=level, color=RED)]
    style = common.GraphThresholdsStyleConfig().mode(kinds.GraphThresholdsStyleMode.DASHED)
    mode = models.ThresholdsMode.ABSOLUTE
    return panel.thresholds(dashboard.ThresholdsConfig().mode(mode).steps(steps)).thresholds_style(style)


def _uid(levels: Levels) -> str:
    """At most 40 letters and digits, the same for the same engine and model: importing anew replaces the dashboard."""
    return re.sub(r"[^a-z0-9]+", "-", f"specmodel-{levels.engine}-{levels.model}".lower())[:40].strip("-")
