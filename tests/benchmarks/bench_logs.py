"""How fast engine files are read, and in how much memory: the real command on a generated file of every kind.

Figures, not tests: nothing here fails because a machine was busy. Run with `bash tests/run.sh bench -k logs`; the size
of a file in MB stands in SPECMODEL_BENCH_MB (32 if it is not set; 1024 is possible).
"""

import gzip
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

MEGABYTES = float(os.environ.get("SPECMODEL_BENCH_MB", "32"))
SAMPLES = ROOT / "tests" / "logs" / "samples"
VARIED = 4 * 2**20
"""Bytes without a repetition; the file repeats them."""
# the command, and at its end the most memory that it held (Linux; what `resource` tells includes the parent's)
READ = (
    "import atexit, pathlib, runpy, sys\n"
    "atexit.register(lambda: sys.stderr.write(pathlib.Path('/proc/self/status').read_text()))\n"
    "runpy.run_module('specmodel.logs', run_name='__main__')\n"
)


def accepted_of(draw: random.Random, k: int, rounds: int) -> list[int]:
    """How many rounds accepted 0, 1, … k drafts."""
    lengths = [0] * (k + 1)
    for _ in range(rounds):
        accepted = 0
        while accepted < k and draw.random() < 0.7:
            accepted += 1
        lengths[accepted] += 1
    return lengths


def clock(seconds: int) -> str:
    return f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def vllm_log(draw: random.Random, between: int = 0) -> Iterator[str]:
    """A line of counters every ten seconds, and lines of requests between them."""
    for window in range(10**9):
        lengths = accepted_of(draw, 3, draw.randrange(40, 90))
        scale = draw.randrange(20, 60)
        rounds, positions = sum(lengths) * scale, [sum(lengths[at:]) * scale for at in (1, 2, 3)]
        accepted, drafted = sum(positions), 3 * rounds
        head = f"(APIServer pid=4242) INFO 11-03 {clock(10 * window)}"
        for request in range(between):
            yield (
                f"{head} [api.py:1] 127.0.0.1:{request % 50_000 + 10_000} - "
                f'"POST /v1/chat/completions HTTP/1.1" 200 OK request {window} {request}\n'
            )
        yield (
            f"{head} [metrics.py:120] SpecDecoding metrics: Mean acceptance length: {1 + accepted / rounds:.2f}, "
            f"Accepted throughput: {accepted / 10:.2f} tokens/s, Drafted throughput: {drafted / 10:.2f} tokens/s, "
            f"Accepted: {accepted} tokens, Drafted: {drafted} tokens, Per-position acceptance rate: "
            f"{', '.join(f'{each / rounds:.3f}' for each in positions)}, "
            f"Avg Draft acceptance rate: {100 * accepted / drafted:.1f}%\n"
        )


def vllm_iterations(draw: random.Random) -> Iterator[str]:
    for iteration in range(10**9):
        requests = draw.randrange(1, 9)
        yield (
            f"(APIServer pid=4242) INFO 11-03 {clock(iteration // 80)} [loggers.py:199] Engine 000: "
            f"Iteration({iteration}): 0 context requests, 0 context tokens, {requests} generation requests, "
            f"{4 * requests} generation tokens, iteration elapsed time: {draw.uniform(11, 14):.2f} ms, "
            f"GPU KV cache usage: {draw.uniform(3, 4):.1f}%\n"
        )


def sglang_log(draw: random.Random) -> Iterator[str]:
    for line in range(10**9):
        running, rounds = draw.randrange(1, 17), 40
        tau = 1 + sum(j * n for j, n in enumerate(accepted_of(draw, 3, rounds))) / rounds
        speed = running * tau / draw.uniform(0.011, 0.014)
        yield (
            f"[2026-11-03 {clock(line)} TP0] Decode batch, #running-req: {running}, #token: {3000 + line % 900}, "
            f"token usage: 0.01, accept len: {tau:.2f}, accept rate: {(tau - 1) / 3:.2f}, cuda graph: True, "
            f"gen throughput (token/s): {speed:.2f}, #queue-req: 0\n"
        )


def sglang_answers(draw: random.Random) -> Iterator[str]:
    for request in range(10**9):
        lengths = accepted_of(draw, 3, draw.randrange(40, 140))
        rounds, accepted = sum(lengths), sum(j * n for j, n in enumerate(lengths))
        meta = {
            "id": f"req-{request}",
            "finish_reason": {"type": "length", "length": rounds + accepted},
            "prompt_tokens": draw.randrange(20, 900),
            "completion_tokens": rounds + accepted,
            "cached_tokens": 0,
            "spec_accept_rate": accepted / (3 * rounds),
            "spec_accept_length": 1 + accepted / rounds,
            "spec_num_correct_drafts": accepted,
            "spec_num_proposed_drafts": 3 * rounds,
            "spec_verify_ct": rounds,
            "spec_correct_drafts_histogram": lengths,
            "e2e_latency": round(draw.uniform(0.9, 1.6), 6),
        }
        yield json.dumps({"text": "...", "meta_info": meta}) + "\n"


def llama_answers(draw: random.Random) -> Iterator[str]:
    """Answers of llama-server with 2 kB of text each."""
    words = [f"word{number}" for number in range(300)]
    while True:
        tokens = draw.randrange(200, 400)
        drafted = draw.randrange(tokens, 2 * tokens)
        timings = {
            "prompt_n": draw.randrange(20, 900),
            "prompt_ms": round(draw.uniform(20, 300), 3),
            "predicted_n": tokens,
            "predicted_ms": round(tokens * draw.uniform(8, 12), 3),
            "draft_n": drafted,
            "draft_n_accepted": draw.randrange(tokens // 3, tokens // 2),
        }
        yield json.dumps({"content": " ".join(draw.choices(words, k=285)), "timings": timings}) + "\n"


def mlx_tokens(draw: random.Random) -> Iterator[str]:
    while True:
        yield json.dumps({"token": draw.randrange(150_000), "from_draft": draw.random() < 0.6}) + "\n"


def rounds_csv(draw: random.Random, columns: str = "") -> Iterator[str]:
    """A row a round; with `category` and `run_id` a request of 60 rounds after another."""
    yield f"proposed,accepted,draft_ms,verify_ms{columns}\n"
    for row in range(10**9):
        proposed = 4 if draw.random() < 0.98 else draw.randrange(4)
        texts = f",{('code', 'prose', 'chat')[row // 6000 % 3]},{row // 60}" if columns else ""
        times = f"{draw.uniform(3, 4):.2f},{draw.uniform(20, 24):.1f}"
        yield f"{proposed},{draw.randrange(proposed + 1)},{times}{texts}\n"


KINDS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "vllm-log": lambda draw: vllm_log(draw, between=400),
    "vllm-metrics-lines": vllm_log,
    "vllm-iterations": vllm_iterations,
    "sglang-log": sglang_log,
    "sglang-answers": sglang_answers,
    "llama-answers": llama_answers,
    "mlx-tokens": mlx_tokens,
    "rounds-csv": rounds_csv,
    "rounds-csv-runs": lambda draw: rounds_csv(draw, ",category,run_id"),
}
TRACE = SAMPLES / "llama_server_real" / "smol_draft15m_k4.server.log.gz"


def blocks(kind: str) -> tuple[bytes, bytes]:
    """What stands at the head of the file once, and what is repeated."""
    if kind == "llama-server-log":
        return b"", gzip.decompress(TRACE.read_bytes())
    lines, size = [], 0
    for line in KINDS[kind](random.Random(0)):
        lines.append(line)
        size += len(line)
        if size >= VARIED:
            break
    head = 1 if kind.startswith("rounds-csv") else 0
    return "".join(lines[:head]).encode(), "".join(lines[head:]).encode()


def write(path: Path, kind: str, size: float) -> None:
    """A file of at least `size` MB."""
    head, block = blocks(kind)
    with path.open("wb") as file:
        file.write(head)
        while file.tell() < size * 2**20:
            file.write(block)


@pytest.mark.parametrize("kind", ["llama-server-log", *KINDS])
def test_reading(kind: str, tmp_path: Path) -> None:
    """The whole command, its start included."""
    path = tmp_path / kind
    write(path, kind, MEGABYTES)
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - started
    assert done.returncode == 0, done.stderr
    size, memory = path.stat().st_size / 2**20, int(done.stderr.partition("VmHWM:")[2].split()[0]) / 1024
    print(f"\n{kind:20} {size:6.0f} MB {seconds:6.1f} s {size / seconds:6.1f} MB/s, at most {memory:4.0f} MB of memory")
    path.unlink()
