"""Prometheus rules to paste: series that record speculation, and alerts on what a decision rests on."""

from typing import Any

import yaml

from specmodel.base.version import VERSION
from specmodel.watch.levels import Levels
from specmodel.watch.recorded import PREFIX, recorded

WAIT = "10m"
INSTANCE = "{{ $labels.model_name }} on {{ $labels.instance }}"
WIDTH = 10_000


def rules_yaml(levels: Levels) -> str:
    """The rules as the text of a file that `promtool check rules` accepts.

    >>> print(rules_yaml(Levels("LMDeploy", 3, break_even=1.3)).splitlines()[3])
    - name: speculation
    """
    head = (
        f"# Speculative decoding explorer {VERSION}: recording rules and alerts for {levels.engine}.\n"
        "# The levels hold for one engine, drafter, model, accelerator and load: measure again after a new one.\n"
    )
    return head + yaml.safe_dump(rules(levels), sort_keys=False, allow_unicode=True, width=WIDTH)


def rules(levels: Levels) -> dict[str, Any]:
    """The same as data: a group of recording rules, and one of alerts that reads them.

    >>> [each["alert"] for each in rules(Levels("vLLM", 3, 1.28, tpot_ms=20, off_beyond=16))["groups"][1]["rules"]]
    ['SpeculationLoses', 'SlowTokensWhileSpeculating', 'DraftingBeyondOffPoint', 'SpeculationStopped']
    """
    records = [{"record": name, "expr": expression} for name, expression in recorded(levels).items()]
    alerts = [each for each in (_loses(levels), _slow(levels), _beyond(levels), _stopped(levels)) if each]
    return {"groups": [{"name": "speculation", "rules": records}, {"name": "speculation_alerts", "rules": alerts}]}


def _loses(levels: Levels) -> dict[str, Any] | None:
    """Fewer tokens per step than break-even: with the largest error that so many steps can have added, and 2 %."""
    least = levels.breaks_even_below
    if least is None:
        return None
    does = (
        INSTANCE + ' emits at most {{ $value | printf "%.2f" }} tokens per decoding step, and a step costs '
        f"{levels.break_even:.3g} plain ones: speculation makes it slower."
    )
    act = (
        "Switch speculation off or draft less, then measure with and without at this load. Usual reasons: other "
        "traffic, another model or drafter, larger batches."
    )
    return _alert("SpeculationLoses", f"{PREFIX}tokens_per_step:at_most5m < {least:.4g}", "warning", does, act, levels)


def _slow(levels: Levels) -> dict[str, Any] | None:
    if levels.tpot_ms is None or not any(name.endswith("tpot_seconds:mean5m") for name in recorded(levels)):
        return None
    expression = f"{PREFIX}tpot_seconds:mean5m > {levels.tpot_ms / 1000:.4g} and {PREFIX}rounds:rate5m > 0"
    does = (
        INSTANCE + " takes {{ $value | humanizeDuration }} for an output token while it speculates; the service level "
        f"is {levels.tpot_ms:g} ms."
    )
    act = (
        "In large batches drafts cost more than they save: compare with the same load without speculation, or add "
        "replicas."
    )
    return _alert("SlowTokensWhileSpeculating", expression, "warning", does, act, levels)


def _beyond(levels: Levels) -> dict[str, Any] | None:
    if levels.off_beyond is None or "running" not in levels.names.gauges:
        return None
    expression = f"{PREFIX}running:sum > {levels.off_beyond} and {PREFIX}rounds:rate5m > 0"
    does = (
        INSTANCE + " decodes {{ $value }} requests at once and drafts; as far as was measured, drafting pays up to "
        f"{levels.off_beyond}."
    )
    act = "Give the engine the schedule by batch that the page shows, or switch speculation off at this load."
    return _alert("DraftingBeyondOffPoint", expression, "info", does, act, levels)


def _stopped(levels: Levels) -> dict[str, Any]:
    """Tokens come out and no round ran, where rounds did within a day: restarted without it, or counters renamed."""
    seen = f"max_over_time({PREFIX}rounds:rate5m[1d]) > 0"
    expression = f"({PREFIX}generated:rate5m > 0 unless {PREFIX}rounds:rate5m > 0) and {seen}"
    does = INSTANCE + " generates {{ $value | humanize }} tokens/s, and for " + WAIT + " no round of speculation ran."
    act = (
        "Look at the engine's start options and version: it was restarted without a drafter, or its counters have "
        "other names now."
    )
    return _alert("SpeculationStopped", expression, "info", does, act, levels)


def _alert(name: str, expression: str, severity: str, does: str, act: str, levels: Levels) -> dict[str, Any]:
    annotations = {"summary": does, "description": act}
    if levels.link:
        annotations["runbook_url"] = levels.link.replace("{{", "%7B%7B")
    return {
        "alert": name,
        "expr": expression,
        "for": WAIT,
        "labels": {"severity": severity, "engine": levels.engine},
        "annotations": annotations,
    }
