"""A real Prometheus on 127.0.0.1 and engines for it to scrape: counters that move with known ratios.

with moving_exporter() as exporter, running_prometheus(exporter.port) as url:
    ...
"""

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import requests
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from tests.conftest import free_port, running_server

TICK_S = 0.1
EVIL = 'evil"}) or vector(1) or (up{job="\\\\n\n日本'  # a quote, a way out of the selector, a backslash, a line end


@dataclass(frozen=True)
class Truth:
    """What a model's counters say: rounds per tick and acceptance by position, so 1 + sum(shares) tokens a round."""

    model: str
    shares: tuple[float, ...]
    step_s: float
    rounds: int = 100
    engines: tuple[str, ...] = ("0",)

    @property
    def k(self) -> int:
        return len(self.shares)

    @property
    def acceptance_length(self) -> float:
        return 1 + sum(self.shares)


# Engine 1 of the small model does three times the rounds of engine 0 and accepts less: a mean of ratios would be wrong.
SMALL = Truth("demo/target-8b", (0.76, 0.59, 0.45), 0.0125, engines=("0",))
SMALL_BUSIER = Truth("demo/target-8b", (0.40, 0.20, 0.10), 0.025, rounds=300, engines=("1",))
LARGE = Truth("demo/target-70b", (0.9, 0.8, 0.7, 0.6, 0.5), 0.040, rounds=50)
IDLE = Truth("demo/idle", (0.5, 0.25), 0.01, rounds=0)
RESTARTED = Truth("demo/restarted", (0.7, 0.5), 0.02)
RENAMED = Truth("demo/renamed", (0.6, 0.3), 0.015)
STRANGE = Truth(EVIL, (0.5, 0.25), 0.01, rounds=20)
LLAMA = Truth("", (0.8, 0.5), 0.0, rounds=80)
SGLANG = Truth("demo/sglang", (0.8, 0.6, 0.4), 0.0, rounds=100)
REPLICATED = Truth("demo/replicated", (0.7, 0.5, 0.3), 0.0125)  # one instance speculates, one does not
PLAIN_STEP_S = 0.010
FIRST_TOKENS = 2  # requests per tick


class _Vllm:
    """The families of a vLLM server, in one registry for several models and engines."""

    def __init__(self, registry: CollectorRegistry):
        labels = ["engine", "model_name"]

        def counter(name: str, *more: str) -> Counter:
            return Counter(f"vllm:{name}", name, [*labels, *more], registry=registry)

        self.rounds = counter("spec_decode_num_drafts")
        self.drafted = counter("spec_decode_num_draft_tokens")
        self.accepted = counter("spec_decode_num_accepted_tokens")
        self.positions = counter("spec_decode_num_accepted_tokens_per_pos", "position")
        self.generated = counter("generation_tokens")
        self.running = Gauge("vllm:num_requests_running", "running", labels, registry=registry)
        buckets = (0.01, 0.025, 0.05)
        self.itl = Histogram("vllm:inter_token_latency_seconds", "itl", labels, registry=registry, buckets=buckets)
        self.ttft = Histogram("vllm:time_to_first_token_seconds", "ttft", labels, registry=registry, buckets=buckets)

    def start(self, truth: Truth) -> None:
        """All series exist at 0 from the start, as in vLLM."""
        for engine in truth.engines:
            labels = {"engine": engine, "model_name": truth.model}
            for family in (self.rounds, self.drafted, self.accepted, self.generated, self.itl, self.ttft):
                family.labels(**labels)
            for position in range(truth.k):
                self.positions.labels(**labels, position=str(position))
            self.running.labels(**labels).set(4 if truth.rounds else 0)

    def tick_plain(self, truth: Truth) -> None:
        """What an instance counts that does not speculate: it has no families of that."""
        labels = {"engine": "0", "model_name": truth.model}
        self.running.labels(**labels).set(4)
        self.generated.labels(**labels).inc(truth.rounds + FIRST_TOKENS)
        for _ in range(truth.rounds):
            self.itl.labels(**labels).observe(PLAIN_STEP_S)
        for _ in range(FIRST_TOKENS):
            self.ttft.labels(**labels).observe(0.15)

    def restart(self, truth: Truth) -> None:
        for engine in truth.engines:
            for family in (self.rounds, self.drafted, self.accepted, self.generated, self.itl, self.ttft):
                family.remove(engine, truth.model)
            for position in range(truth.k):
                self.positions.remove(engine, truth.model, str(position))
        self.start(truth)

    def tick(self, truth: Truth) -> None:
        for engine in truth.engines:
            labels = {"engine": engine, "model_name": truth.model}
            accepted = [round(truth.rounds * share) for share in truth.shares]
            self.rounds.labels(**labels).inc(truth.rounds)
            self.drafted.labels(**labels).inc(truth.rounds * truth.k)
            self.accepted.labels(**labels).inc(sum(accepted))
            for position, count in enumerate(accepted):
                self.positions.labels(**labels, position=str(position)).inc(count)
            for _ in range(truth.rounds):
                self.itl.labels(**labels).observe(truth.step_s)
            if truth.rounds:
                self.generated.labels(**labels).inc(truth.rounds + sum(accepted) + FIRST_TOKENS)
                for _ in range(FIRST_TOKENS):
                    self.ttft.labels(**labels).observe(0.2)


class _LlamaCpp:
    """A llama-server: no labels but the position."""

    def __init__(self, registry: CollectorRegistry):
        def counter(name: str, *labels: str) -> Counter:
            return Counter(f"llamacpp:{name}", name, labels, registry=registry)

        self.rounds = counter("spec_decode_num_drafts")
        self.drafted = counter("spec_decode_num_draft_tokens")
        self.accepted = counter("spec_decode_num_accepted_tokens")
        self.positions = counter("spec_decode_num_accepted_tokens_per_pos", "position")
        self.generated = counter("tokens_predicted")
        self.seconds = counter("tokens_predicted_seconds")

    def tick(self, truth: Truth) -> None:
        accepted = [round(truth.rounds * share) for share in truth.shares]
        self.rounds.inc(truth.rounds)
        self.drafted.inc(truth.rounds * truth.k)
        self.accepted.inc(sum(accepted))
        for position, count in enumerate(accepted):
            self.positions.labels(position=str(position)).inc(count)
        self.generated.inc(truth.rounds + sum(accepted))
        self.seconds.inc(0.009 * (truth.rounds + sum(accepted)))


class _Sglang:
    """An SGLang server: rounds and output tokens are counted, drafted and accepted tokens are not."""

    def __init__(self, registry: CollectorRegistry, truth: Truth):
        labels = {"engine_type": "unified", "model_name": truth.model}

        def counter(name: str) -> Counter:
            return Counter(f"sglang:{name}", name, list(labels), registry=registry)

        self.rounds = counter("spec_verify_calls").labels(**labels)
        self.requests = counter("num_requests").labels(**labels)
        generated = Counter("sglang:generation_tokens", "g", [*labels, "is_streaming"], registry=registry)
        self.generated = [generated.labels(**labels, is_streaming=each) for each in ("true", "false")]
        for name, value in (("spec_num_steps", truth.k), ("spec_num_draft_tokens", truth.k + 1)):
            gauge = Gauge(f"sglang:{name}", name, [*labels, "tp_rank"], registry=registry)
            gauge.labels(**labels, tp_rank="0").set(value)

    def tick(self, truth: Truth) -> None:
        accepted = round(truth.rounds * sum(truth.shares))
        self.rounds.inc(truth.rounds)
        self.requests.inc(FIRST_TOKENS)
        self.generated[0].inc(accepted + FIRST_TOKENS)
        self.generated[1].inc(truth.rounds)


@dataclass(frozen=True)
class Exporter:
    """Where the metrics are, and a way to start one engine anew (its counters fall to 0)."""

    port: int
    restart: Callable[[], None]


class _Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


def _application(fleet: "_Fleet") -> Callable[..., Any]:
    """`/metrics` as plain text, whatever is asked for, as is `/without`; `/negotiated` in the format asked for. There
    prometheus_client writes `vllm_` for `vllm:` if a server before Prometheus 3 asks.
    """
    text, any_format = make_wsgi_app(fleet.plain), make_wsgi_app(fleet.negotiated)
    without = make_wsgi_app(fleet.without)

    def application(environ: dict[str, Any], start_response: Any) -> Any:
        with fleet.lock:  # no scrape sees half a tick
            if environ["PATH_INFO"] == "/negotiated":
                return any_format(environ, start_response)
            app = without if environ["PATH_INFO"] == "/without" else text
            return app({**environ, "HTTP_ACCEPT": "text/plain"}, start_response)

    return application


class _Fleet:
    """All engines of these tests."""

    def __init__(self) -> None:
        self.plain, self.negotiated, self.without = CollectorRegistry(), CollectorRegistry(), CollectorRegistry()
        self.switched_off = _Vllm(self.without)
        self.vllm, self.renamed = _Vllm(self.plain), _Vllm(self.negotiated)
        self.llama, self.sglang = _LlamaCpp(self.plain), _Sglang(self.plain, SGLANG)
        self.served = (SMALL, SMALL_BUSIER, LARGE, IDLE, RESTARTED, STRANGE, REPLICATED)
        self.lock, self.stopped = threading.Lock(), threading.Event()
        for truth in self.served:
            self.vllm.start(truth)
        self.renamed.start(RENAMED)

    def restart(self) -> None:
        with self.lock:
            self.vllm.restart(RESTARTED)

    def move(self) -> None:
        due = time.monotonic()
        while not self.stopped.wait(max(due - time.monotonic(), 0)):
            due += TICK_S
            with self.lock:
                for truth in self.served:
                    self.vllm.tick(truth)
                self.llama.tick(LLAMA)
                self.sglang.tick(SGLANG)
                self.renamed.tick(RENAMED)
                self.switched_off.tick_plain(REPLICATED)


@contextmanager
def moving_exporter() -> Iterator[Exporter]:
    """Engines whose counters move ten times a second until the block ends."""
    fleet = _Fleet()
    server = make_server("127.0.0.1", 0, _application(fleet), ThreadingWSGIServer, handler_class=_Silent)
    threads = [threading.Thread(target=each, daemon=True) for each in (server.serve_forever, fleet.move)]
    for thread in threads:
        thread.start()
    try:
        yield Exporter(server.server_port, fleet.restart)
    finally:
        fleet.stopped.set()
        server.shutdown()
        server.server_close()
        for thread in threads:
            thread.join(5)


def prometheus_binary() -> str | None:
    """The Prometheus that the tests start: SPECMODEL_PROMETHEUS, else the one on the path."""
    return shutil.which(os.environ.get("SPECMODEL_PROMETHEUS") or "prometheus")


@contextmanager
def running_prometheus(
    exporter_port: int | None, prefix: str = "", rules: str = "", data: Path | None = None
) -> Iterator[str]:
    """The address of a Prometheus that scrapes the exporter (or nothing) every second until the block ends.

    `rules` is the text of a file of rules, which it evaluates every second; `data` is a folder of blocks that it
    begins with.
    """
    binary = prometheus_binary()
    if binary is None:
        raise RuntimeError("no prometheus: install the Debian package or name a binary in SPECMODEL_PROMETHEUS")
    port = free_port()
    url = f"http://127.0.0.1:{port}{prefix}"
    scraped = f"static_configs: [{{targets: ['127.0.0.1:{exporter_port}']}}]"
    jobs = f"  - {{job_name: engines, {scraped}}}\n  - {{job_name: renamed, metrics_path: /negotiated, {scraped}}}\n"
    jobs += f"  - {{job_name: without, metrics_path: /without, {scraped}}}\n"
    config = "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [rules.yml]\nscrape_configs:\n" + (
        jobs if exporter_port else "  []\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "rules.yml").write_text(rules, encoding="utf-8")
        Path(folder, "prometheus.yml").write_text(config, encoding="utf-8")
        command = [
            binary,
            f"--config.file={folder}/prometheus.yml",
            f"--storage.tsdb.path={data or folder + '/data'}",
            f"--web.listen-address=127.0.0.1:{port}",
            *([f"--web.external-url={url}"] if prefix else []),
        ]
        with running_server(command, lambda: _scraped(url, 3 if exporter_port else 0)):
            yield url


def _scraped(url: str, jobs: int) -> bool:
    """It answers and has scraped its jobs once: it begins about 5 s after its start."""
    with suppress(requests.RequestException, KeyError, ValueError), requests.Session() as session:
        session.trust_env = False
        answer = session.get(f"{url}/api/v1/query", params={"query": "up == 1"}, timeout=2)
        return len(answer.json()["data"]["result"]) == jobs
    return False
