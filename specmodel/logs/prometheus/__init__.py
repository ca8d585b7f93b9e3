"""Speculation counters from a Prometheus, or what speaks its API: Thanos, Mimir, VictoriaMetrics.

Only what the deployer configured is ever asked; a visitor chooses among the targets that the server itself lists.
"""

from specmodel.logs.prometheus.client import LiveError, Server, configured
from specmodel.logs.prometheus.fleet import FleetRow, read_fleet
from specmodel.logs.prometheus.series import LiveSeries, read_series
from specmodel.logs.prometheus.steps import with_steps
from specmodel.logs.prometheus.targets import Target, find, targets
from specmodel.logs.prometheus.window import read_plain, read_window

__all__ = [
    "FleetRow",
    "LiveError",
    "LiveSeries",
    "Server",
    "Target",
    "configured",
    "find",
    "read_fleet",
    "read_plain",
    "read_series",
    "read_window",
    "targets",
    "with_steps",
]
