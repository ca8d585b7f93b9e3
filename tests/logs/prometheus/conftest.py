"""Engines that are being scraped by a real Prometheus, for the tests that ask it."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from specmodel.logs.prometheus import Server
from tests.logs.prometheus.exporter import moving_exporter, prometheus_binary, running_prometheus

__all__ = ["moving_exporter", "running_prometheus"]

BEFORE_RESTART_S = 6.0
AFTER_RESTART_S = 9.0
MISSING = (
    "NO PROMETHEUS: the live tests did not run. Install the Debian package prometheus, or name a binary in "
    "SPECMODEL_PROMETHEUS"
)


@dataclass(frozen=True)
class Scraped:
    """A server with about 15 s of history, in which one engine was started anew."""

    server: Server
    now: float


@pytest.fixture(scope="session")
def scraped() -> Iterator[Scraped]:
    """Several engines with known ratios, scraped every second, one of them restarted on the way."""
    if prometheus_binary() is None:
        pytest.skip(MISSING)
    with moving_exporter() as exporter, running_prometheus(exporter.port, prefix="/metrics/prometheus") as url:
        time.sleep(BEFORE_RESTART_S)
        exporter.restart()
        time.sleep(AFTER_RESTART_S)
        yield Scraped(Server(url), time.time())


@pytest.fixture(scope="session")
def empty_server() -> Iterator[Server]:
    """A Prometheus that scrapes nothing."""
    if prometheus_binary() is None:
        pytest.skip(MISSING)
    with running_prometheus(None) as url:
        yield Server(url)
