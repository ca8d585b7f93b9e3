"""The dashboard as Grafana's own types read it, and that it asks for nothing that the rules do not record."""

import json

import pytest
from grafana_foundation_sdk.models.dashboard import Dashboard

from specmodel.logs.prometheus.engines import ENGINES
from specmodel.watch import Levels, dashboard_json
from specmodel.watch.recorded import recorded


@pytest.mark.parametrize("name", ENGINES)
def test_it_reads_the_series_that_the_rules_record(name: str) -> None:
    levels = Levels(name, 4, break_even=1.3, tpot_ms=25, off_beyond=8, model="m", link="http://127.0.0.1/engine?a=1")
    panels = json.loads(dashboard_json(levels))["panels"]
    asked = {target["expr"] for panel in panels for target in panel["targets"]}
    assert asked <= recorded(levels).keys()
    assert "speculation:tokens_per_step:ratio5m" in asked
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len(set(places)) == len(places)


def test_levels_are_lines_where_they_are_known() -> None:
    panels = json.loads(dashboard_json(Levels("vLLM", 4, break_even=1.3, tpot_ms=25, off_beyond=8)))["panels"]
    lines = {
        panel["title"]: steps[1]["value"]
        for panel in panels
        if (steps := panel["fieldConfig"]["defaults"].get("thresholds", {}).get("steps"))
    }
    assert lines == {
        "Tokens per decoding step": 1.3,
        "Time of an output token": 0.025,
        "Requests decoded at once": 8,
    }
    without = json.loads(dashboard_json(Levels("vLLM", 4)))["panels"]
    assert not any("thresholds" in panel["fieldConfig"]["defaults"] for panel in without)


def test_the_sdk_reads_it_back_and_writes_the_same() -> None:
    text = dashboard_json(Levels("SGLang", 4, break_even=1.3, link="http://127.0.0.1/engine"))
    again = Dashboard.from_json(json.loads(text))
    assert again.title == "Speculative decoding: SGLang" and again.panels is not None
    assert [panel.title for panel in again.panels] == [each["title"] for each in json.loads(text)["panels"]]


def test_the_name_of_a_model_is_text_and_no_query() -> None:
    levels = Levels("vLLM", 4, model='x"} or vector(1) {{y}}')
    found = json.loads(dashboard_json(levels))
    assert found["title"].endswith(levels.model) and len(found["uid"]) <= 40
    assert all(levels.model not in target["expr"] for panel in found["panels"] for target in panel["targets"])
