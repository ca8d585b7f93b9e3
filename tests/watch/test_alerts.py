"""The rules in a real Prometheus that scrapes engines: the alert comes for the models that lose, and for no other."""

import time
from typing import Any

import pytest
import requests

from specmodel.watch import Levels, rules_yaml
from tests.logs.prometheus.exporter import (
    LARGE,
    SMALL,
    STRANGE,
    moving_exporter,
    prometheus_binary,
    running_prometheus,
)

MOST_S = 60.0


def in_seconds(text: str) -> str:
    """The same rules a minute a second: nobody waits a quarter of an hour for a test."""
    for minutes, seconds in (("[5m]", "[5s]"), ("* 300", "* 5"), ("for: 10m", "for: 3s"), ("[1d]", "[1h]")):
        assert minutes in text
        text = text.replace(minutes, seconds)
    return text


def get(url: str, what: str, **parameters: str) -> Any:
    with requests.Session() as session:
        session.trust_env = False
        data = session.get(f"{url}/api/v1/{what}", params=parameters, timeout=5).json()["data"]
    return data["alerts"] if what == "alerts" else data["result"]


def test_alerts_fire_for_the_models_that_lose() -> None:
    if prometheus_binary() is None:
        pytest.skip("NO PROMETHEUS: the alerts were not tried. Install the Debian package prometheus.")
    rules = in_seconds(rules_yaml(Levels("vLLM", 5, break_even=3.5, tpot_ms=1000, link="http://127.0.0.1/engine")))
    with moving_exporter() as exporter, running_prometheus(exporter.port, rules=rules) as url:
        firing: dict[str, dict] = {}
        until = time.monotonic() + MOST_S
        while not {SMALL.model, STRANGE.model} <= firing.keys() and time.monotonic() < until:
            time.sleep(0.5)
            alerts = [each for each in get(url, "alerts") if each["state"] == "firing"]
            firing = {a["labels"]["model_name"]: a for a in alerts if a["labels"]["alertname"] == "SpeculationLoses"}
        assert {SMALL.model, STRANGE.model} <= firing.keys()
        assert LARGE.model not in firing
        (value,) = {
            round(float(each["value"][1]), 2)
            for each in get(url, "query", query="speculation:tokens_per_step:ratio5m")
            if each["metric"]["model_name"] == LARGE.model
        }
        assert value == pytest.approx(LARGE.acceptance_length, rel=0.02)
        summary = firing[STRANGE.model]["annotations"]["summary"]
        assert summary.startswith(f"{STRANGE.model} on 127.0.0.1:") and "slower" in summary
