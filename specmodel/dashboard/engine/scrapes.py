"""Pages of /metrics among what was read: their counters run since the engine started. No Streamlit."""

from specmodel import logs
from specmodel.measured.spec_stats import SpecStats


def is_scrape(stats: SpecStats) -> bool:
    """Whether it was read from one /metrics page, whose counters run since the engine started."""
    return any(
        isinstance(each, logs.Metrics) and (each.engine, each.source) == (stats.engine, stats.source)
        for each in logs.formats()
    )
