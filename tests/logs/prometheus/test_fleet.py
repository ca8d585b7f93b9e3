"""All models of a server in one table of counters: the same as asked one by one, with one question a naming."""

import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from specmodel.logs.prometheus import LiveError, Server, Target, read_fleet, read_plain, read_window, targets
from specmodel.logs.prometheus.answer import Answer, Sample
from tests.logs.prometheus.exporter import IDLE, LARGE, prometheus_binary, running_prometheus

WINDOW_S = 8.0


@dataclass(frozen=True)
class Counting(Server):
    """A server that remembers how often it was asked."""

    asked: list[str] = field(default_factory=list)

    def query(self, promql: str, at: float) -> Answer[Sample]:
        self.asked.append(promql)
        return super().query(promql, at)


def test_every_row_is_what_its_own_question_gives(scraped: Any) -> None:
    offered = targets(scraped.server, scraped.now)
    rows = read_fleet(scraped.server, offered, WINDOW_S, scraped.now)
    assert [each.target for each in rows] == list(offered)
    drafted = [each for each in rows if each.stats is not None]
    assert len(drafted) > 5
    for row in drafted:
        alone = read_window(scraped.server, row.target, WINDOW_S, scraped.now)
        assert row.stats is not None
        for name in ("num_rounds", "num_draft_tokens", "num_accepted_draft_tokens", "generated_tokens", "step_ms"):
            wanted = getattr(alone, name)
            assert getattr(row.stats, name) == (None if wanted is None else pytest.approx(wanted, rel=1e-6)), name
        assert row.stats.num_speculative_tokens == alone.num_speculative_tokens
        assert row.stats.per_position_acceptance == pytest.approx(alone.per_position_acceptance or (), rel=1e-6) or (
            alone.per_position_acceptance is None
        )
        if row.target.plain is not None:
            beside = read_plain(scraped.server, row.target.plain, WINDOW_S, scraped.now)
            assert row.plain is not None and row.plain.step_ms == pytest.approx(beside.step_ms)


def test_a_model_that_drafted_nothing_says_so(scraped: Any) -> None:
    rows = {
        each.target.model: each
        for each in read_fleet(scraped.server, targets(scraped.server, scraped.now), WINDOW_S, scraped.now)
    }
    assert rows[IDLE.model].stats is None and "drafted nothing" in str(rows[IDLE.model].missing)
    large = rows[LARGE.model].stats
    assert large is not None and large.mean_acceptance_length == pytest.approx(LARGE.acceptance_length, rel=0.01)


def test_it_asks_once_a_naming_however_many_models_there_are(scraped: Any) -> None:
    server = Counting(scraped.server.url)
    offered = targets(server, scraped.now)
    before = len(server.asked)
    read_fleet(server, offered, WINDOW_S, scraped.now)
    assert len(server.asked) - before == len({each.names.prefix for each in offered}) < len(offered)


def test_a_server_that_is_down_is_an_error_of_its_own() -> None:
    with pytest.raises(LiveError) as error:
        read_fleet(Server("http://127.0.0.1:9"), (Target("vLLM", "m", (("model_name", "m"),)),), 300, now=0)
    assert error.value.kind == "down"


ENGINES, EVERY_S, SAMPLES = 200, 15, 21
COUNTED = {
    "spec_decode_num_drafts": 100, "spec_decode_num_draft_tokens": 300, "spec_decode_num_accepted_tokens": 150,
    "generation_tokens": 250, "inter_token_latency_seconds_count": 100, "inter_token_latency_seconds_sum": 1.25,
}  # fmt: skip


def exposition(now: float) -> str:
    """Five minutes of 200 models in OpenMetrics: each accepts a little less than the one before."""
    lines = []
    for name, each in COUNTED.items():
        family = f"vllm:{name}"
        for number in range(ENGINES):
            share = 1 - number / 400 if name == "spec_decode_num_accepted_tokens" else 1
            labels = f'model_name="model-{number:03d}",job="engines",instance="host-{number}:8000"'
            for step in range(SAMPLES):
                at = now - EVERY_S * (SAMPLES - 1 - step)
                lines.append(f"{family}_total{{{labels}}} {each * share * step:.3f} {at:.3f}")
        lines.insert(len(lines) - ENGINES * SAMPLES, f"# TYPE {family} counter")
    return "\n".join([*lines, "# EOF", ""])


@pytest.mark.deep
def test_two_hundred_models_come_in_one_answer(tmp_path: Path) -> None:
    binary = prometheus_binary()
    tool = None if binary is None else Path(binary).with_name("promtool")
    if tool is None or not tool.exists():
        pytest.skip("NO PROMTOOL: the fleet of 200 was not tried. Install the Debian package prometheus.")
    now = float(int(time.time()))
    (tmp_path / "fleet.om").write_text(exposition(now), "utf-8")
    blocks = [str(tool), "tsdb", "create-blocks-from", "openmetrics", "fleet.om", "data"]
    subprocess.run(blocks, cwd=tmp_path, check=True, capture_output=True)
    with running_prometheus(None, data=tmp_path / "data") as url:
        server = Counting(url)
        started = time.perf_counter()
        offered = targets(server, now)
        rows = read_fleet(server, offered, 240, now)
        took = time.perf_counter() - started
    print(f"\n{len(rows)} models in {took:.2f} s, {len(server.asked)} questions")
    assert len(rows) == ENGINES and len(server.asked) == 2
    lengths = [each.stats.mean_acceptance_length for each in rows if each.stats is not None]
    assert lengths == pytest.approx([2.5 - 1.5 * number / 400 for number in range(ENGINES)], rel=1e-3)
