"""The rules in Prometheus's own test tool: it accepts them, and they fire when they should and are quiet when not."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from specmodel import engine
from specmodel.base.messages import SpecmodelError
from specmodel.logs.prometheus.engines import ENGINES, NAMINGS
from specmodel.measured.spec_stats import SpecStats
from specmodel.watch import Levels, levels_of, rules_yaml
from specmodel.watch.recorded import recorded
from specmodel.watch.rules import rules
from tests.logs.prometheus.exporter import prometheus_binary

MINUTES = 60
K = 3
LEVELS: dict[str, Any] = {"break_even": 1.28, "tpot_ms": 20.0, "off_beyond": 16}
LABELS = {"job": "engines", "instance": "a:1", "model_name": "m"}


def promtool(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    binary = prometheus_binary()
    tool = None if binary is None else Path(binary).with_name("promtool")
    if tool is None or not tool.exists():
        pytest.skip("NO PROMTOOL: the rules were not tried. Install the Debian package prometheus.")
    return subprocess.run([tool, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def counter(per_minute: float, stops: int = MINUTES) -> str:
    return f"0+{per_minute}x{stops} {per_minute * stops}+0x{MINUTES - stops}"


def series(
    name: str,
    *,
    rounds: float = 1000,
    accepted: float = 1.5,
    tpot_s: float = 0.01,
    running: int = 4,
    stops: int = MINUTES,
) -> list[dict[str, str]]:
    """What an engine would export: so many rounds a minute, accepted drafts a round, seconds an output token."""
    names = ENGINES[name]
    tokens = rounds * (1 + accepted)
    counts = {
        "rounds": rounds, "drafted": rounds * K, "accepted": rounds * accepted, "positions": rounds * accepted / K,
        "drafted_positions": rounds,
        "generated": tokens, "first_tokens": 0.0, "first_token_seconds": 0.0, "steps": rounds,
        "step_seconds": tokens * tpot_s, "tokens": tokens, "token_seconds": tokens * tpot_s,
    }  # fmt: skip
    found = {}
    for role, metrics in names.counters.items():
        metric = metrics[0]
        labels = {**LABELS, **dict(metric.labels)} | ({metric.by: "0"} if metric.by else {})
        lasts = MINUTES if role in ("generated", "tokens", "token_seconds", "first_tokens") else stops
        found[selected(metric.name, labels)] = counter(counts[role], lasts)
    if "running" in names.gauges:
        found[selected(names.gauges["running"].name, LABELS)] = f"{running}x{MINUTES}"
    return [{"series": each, "values": values} for each, values in found.items()]


def selected(name: str, labels: dict[str, str]) -> str:
    return f"{name}{{{','.join(f'{key}={json.dumps(value)}' for key, value in labels.items())}}}"


def fired(levels: Levels, given: list[dict[str, str]], minute: int, folder: Path) -> set[str]:
    """The names of the alerts that fire at a minute: those whose absence promtool complains about."""
    (folder / "rules.yml").write_text(rules_yaml(levels), "utf-8")
    names = [each["alert"] for each in rules(levels)["groups"][1]["rules"]]
    firing = set()
    for name in names:
        expected = {"eval_time": f"{minute}m", "alertname": name, "exp_alerts": []}
        test = {"interval": "1m", "input_series": given, "alert_rule_test": [expected]}
        (folder / "test.yml").write_text(yaml.safe_dump({"rule_files": ["rules.yml"], "tests": [test]}), "utf-8")
        found = promtool("test", "rules", "test.yml", folder=folder)
        if found.returncode:
            assert f"alertname: {name}, time: {minute}m" in found.stdout + found.stderr, found.stderr
            firing.add(name)
    return firing


@pytest.mark.parametrize("prefix", NAMINGS)
def test_promtool_accepts_the_rules_of_every_engine(prefix: str, tmp_path: Path) -> None:
    name = next(each.name for each in ENGINES.values() if each.name == NAMINGS[prefix].name)
    levels = Levels(name, K, model='demo/"x"\\y', prefix=prefix, link="http://127.0.0.1/engine?a={{b}}", **LEVELS)
    (tmp_path / "rules.yml").write_text(rules_yaml(levels), "utf-8")
    found = promtool("check", "rules", "--lint=all", "--lint-fatal", "rules.yml", folder=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("name", ENGINES)
def test_quiet_while_it_pays(name: str, tmp_path: Path) -> None:
    assert fired(Levels(name, K, **LEVELS), series(name), 40, tmp_path) == set()


@pytest.mark.parametrize("name", ENGINES)
def test_fires_after_ten_minutes_below_break_even(name: str, tmp_path: Path) -> None:
    levels, given = Levels(name, K, **LEVELS), series(name, accepted=0.2)
    assert fired(levels, given, 8, tmp_path) == set()
    assert fired(levels, given, 25, tmp_path) == {"SpeculationLoses"}


def test_few_rounds_prove_nothing(tmp_path: Path) -> None:
    """1.2 tokens a step of break-even 1.28, but of 100 steps in five minutes only."""
    assert fired(Levels("vLLM", K, **LEVELS), series("vLLM", rounds=20, accepted=0.2), 25, tmp_path) == set()


def test_two_percent_below_break_even_is_too_close(tmp_path: Path) -> None:
    levels = Levels("vLLM", K, break_even=1.28)
    assert fired(levels, series("vLLM", rounds=1e6, accepted=0.265), 25, tmp_path) == set()
    assert fired(levels, series("vLLM", rounds=1e6, accepted=0.245), 25, tmp_path) == {"SpeculationLoses"}


@pytest.mark.parametrize("name", ["vLLM", "SGLang", "llama.cpp"])
def test_slow_tokens_and_large_batches(name: str, tmp_path: Path) -> None:
    levels = Levels(name, K, **LEVELS)
    assert fired(levels, series(name, tpot_s=0.03), 25, tmp_path) == {"SlowTokensWhileSpeculating"}
    assert fired(levels, series(name, running=20), 25, tmp_path) == {"DraftingBeyondOffPoint"}


@pytest.mark.parametrize("name", ENGINES)
def test_counters_that_stopped(name: str, tmp_path: Path) -> None:
    given = series(name, stops=20)
    assert "SpeculationStopped" not in fired(Levels(name, K), given, 20, tmp_path)
    assert "SpeculationStopped" in fired(Levels(name, K), given, 45, tmp_path)


def test_an_engine_that_never_speculated_is_no_alarm(tmp_path: Path) -> None:
    assert fired(Levels("vLLM", K), series("vLLM", stops=0), 45, tmp_path) == set()


@pytest.mark.parametrize("name", ENGINES)
def test_the_recorded_ratios_are_those_of_the_counters(name: str, tmp_path: Path) -> None:
    (tmp_path / "rules.yml").write_text(rules_yaml(Levels(name, K)), "utf-8")
    wanted = {"tokens_per_round:ratio5m": 2.5, "tokens_per_step:ratio5m": 2.5, "tpot_seconds:mean5m": 0.01}
    there = recorded(Levels(name, K))
    labels = selected("", LABELS)
    tested = [
        {
            "expr": f"round(speculation:{each}, 0.000001)",
            "eval_time": "20m",
            "exp_samples": [{"labels": labels, "value": value}],
        }
        for each, value in wanted.items()
        if f"speculation:{each}" in there
    ]
    test = {"interval": "1m", "input_series": series(name), "promql_expr_test": tested}
    (tmp_path / "test.yml").write_text(yaml.safe_dump({"rule_files": ["rules.yml"], "tests": [test]}), "utf-8")
    found = promtool("test", "rules", "test.yml", folder=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


def test_levels_come_from_the_measurement() -> None:
    stats = SpecStats("vLLM", "log", num_speculative_tokens=3, num_rounds=1000, num_draft_tokens=3000,
                      num_accepted_draft_tokens=1500, step_ms=12.8)  # fmt: skip
    found = levels_of(engine.answer(stats, plain_ms=10.0), model="m")
    assert (found.break_even, found.expected, found.num_speculative_tokens) == (1.28, 2.5, 3)
    assert found.off_beyond is None and found.model == "m"


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"break_even": float("nan")}, "break-even"),
        ({"tpot_ms": 0}, "0 ms"),
        ({"model": "a\nb"}, "printable"),
        ({"prefix": "x"}, "x"),
    ],
)
def test_levels_that_make_no_sense_are_refused(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(SpecmodelError, match=named):
        Levels("vLLM", 3, **wrong)
