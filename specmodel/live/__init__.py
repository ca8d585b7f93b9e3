"""Speculation counters from a Prometheus, or what speaks its API: Thanos, Mimir, VictoriaMetrics.

Only what the deployer configured is ever asked; a visitor chooses among the targets that the server itself lists.
"""

from specmodel.live.client import LiveError, Server, configured
from specmodel.live.series import LiveSeries, read_series
from specmodel.live.targets import Target, find, targets
from specmodel.live.window import read_window

__all__ = [
    "LiveError",
    "LiveSeries",
    "Server",
    "Target",
    "configured",
    "find",
    "read_series",
    "read_window",
    "targets",
]
