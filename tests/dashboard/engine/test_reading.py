"""Reading is bounded: in time, in memory, by the visitor, and by the run of the script that waits for it."""

import contextlib
import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from specmodel.base.messages import Message
from specmodel.dashboard.engine import files, reading
from specmodel.dashboard.engine.files import CANCELLED, EngineFile
from specmodel.dashboard.engine.reading import INLINE_BYTES, in_another_process, is_small
from specmodel.dashboard.session import run_queue
from specmodel.logs import LogError, parse
from tests.logs.hostile import VARIED

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "tests" / "logs" / "samples"
LINE = (SAMPLES / "vllm-log-0.9-to-0.10.1.log").read_bytes().splitlines(keepends=True)[1]
PAGE = (SAMPLES / "vllm-metrics-t0.prom").read_bytes()
LONG = LINE * (2**25 // len(LINE))
"""It takes seconds to read, on a fast machine too."""


def nothing(share: float) -> None:
    assert 0 <= share <= 1


def workers(parent: int | None = None) -> set[int]:
    """Processes that read, started by this one or by another (Linux): those of tests that run beside are not seen."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            above = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if above == (parent or os.getpid()) and b"specmodel.logs._worker" in (path / "cmdline").read_bytes():
                found.add(int(path.name))
    return found


def runs(process: int) -> bool:
    """Whether a process is there and no zombie that waits for its parent (Linux)."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def in_time(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


def test_a_file_is_read_in_another_process_with_progress() -> None:
    told: list[float] = []
    found = in_another_process("big.log", [(b"INFO nothing here\n" * 400 + LINE) * 600], told.append)
    assert not isinstance(found, Message) and found[0].num_rounds == 3200 * 600 and found[1] is None
    assert told and told == sorted(told) and told[-1] <= 1
    refused = in_another_process("bad.log", [b"nothing\n" * 10], nothing)
    assert isinstance(refused, Message) and "no numbers of speculative decoding" in str(refused)


def test_a_scrape_comes_with_its_text_and_two_as_what_happened_between() -> None:
    found = in_another_process("page.prom.gz", [gzip.compress(PAGE)], nothing)
    assert not isinstance(found, Message) and found[1] == PAGE.decode()
    later = (SAMPLES / "vllm-metrics-t1.prom").read_bytes()
    between = in_another_process("t1", [PAGE, later], nothing)
    assert not isinstance(between, Message) and between[0].num_rounds == 8000


def test_time_is_limited() -> None:
    seen: set[int] = set()
    found = in_another_process("long.log", [LONG], lambda share: seen.update(workers()), seconds=1)
    assert str(found) == "reading took more than 1 s and was ended"
    assert (seen or sys.platform != "linux") and not workers()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to its memory")
def test_memory_is_limited() -> None:
    objects = b"[" + b'{"predicted_n": [1]},' * 2**20 + b"{}]"
    found = in_another_process("many.json", [objects], nothing, memory=300 * 2**20)
    assert str(found) == "reading took more than 300 MiB of memory and was ended"


class Interrupted(BaseException):
    """What Streamlit raises in a script that is to stop, in the next thing that it draws."""


def test_a_run_of_the_script_that_stops_takes_its_process_along() -> None:

    def stopped(share: float) -> None:
        if workers():
            raise Interrupted

    with pytest.raises(Interrupted):
        in_another_process("long.log", [LONG], stopped)
    assert not workers()


def test_a_server_that_dies_takes_its_processes_along() -> None:
    script = (
        "import sys; from specmodel.dashboard.engine.reading import in_another_process as read\n"
        f"read('long.log', [{LINE!r} * 500_000], lambda share: None)"
    )
    server = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    try:
        assert in_time(lambda: bool(workers(server.pid)))
        started = workers(server.pid)
    finally:
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
    assert in_time(lambda: not any(map(runs, started)))


def test_a_process_that_ends_without_an_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "sys", type("", (), {"executable": "false"}))
    found = in_another_process("a.log", [LINE], nothing)
    assert str(found) == "the file took too long or too much memory to read, and was left out"


def test_visitors_wait_for_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    free = threading.BoundedSemaphore(1)
    monkeypatch.setattr(reading, "_places", free)
    free.acquire()

    def told(share: float) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        in_another_process("a.log", [LINE], told)
    free.release()
    assert not isinstance(in_another_process("a.log", [LINE], nothing), Message)


def test_what_is_small_unpacked_is_read_here() -> None:
    assert is_small(PAGE) and is_small(gzip.compress(PAGE)) and is_small(b"")
    assert not is_small(gzip.compress(bytes(10**6))) and not is_small(gzip.compress(PAGE)[:-9] + b"x")
    assert not is_small(gzip.compress(PAGE) * 2) and not is_small(bytes(INLINE_BYTES + 1))


@pytest.mark.parametrize("name", VARIED)
def test_what_is_read_here_does_not_hold_the_server(name: str) -> None:
    """CPU time, with room for a slow machine: the slowest of them takes half of it there."""
    text = VARIED[name](INLINE_BYTES)
    start = time.process_time()
    with contextlib.suppress(LogError):
        parse(text)
    assert time.process_time() - start < 1


# ── on the page ──

PASTE = """
from specmodel.dashboard.engine.files import between, pasted, EngineFile
from specmodel.dashboard.session.run_queue import turn
from specmodel.dashboard.session.translation import translator
import streamlit as st
with turn():
    found = pasted(st.session_state.label, st.session_state.text, translator("en"))
st.text(str(found.error) if found.error else f"{found.stats.num_rounds:g} rounds")
"""


def page(text: str, label: str = "pasted"):
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_string(PASTE, default_timeout=60)
    app.session_state["text"], app.session_state["label"] = text, label
    return app


def test_a_long_text_is_read_elsewhere_once_and_gives_its_turn_away(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    free: list[bool] = []

    def spied(name: str, texts: list[bytes], progress: Callable[[float], None]) -> reading.Result:
        asked.append(name)
        free.append(run_queue._turns._holder is None)
        return in_another_process(name, texts, progress)

    monkeypatch.setattr(files, "in_another_process", spied)
    app = page((LINE * 400).decode())
    app.run()
    assert app.text[0].value == f"{3200 * 400:g} rounds" and not app.exception
    assert free == [True]
    app.run()
    assert asked == ["pasted"] and not app.button
    app.session_state["text"] = LINE.decode()
    app.run()
    assert app.text[0].value == "3200 rounds" and asked == ["pasted"]


def test_a_visitor_can_cancel_and_read_it_after_all(monkeypatch: pytest.MonkeyPatch) -> None:
    label = "a *bold* [name](x)"

    def interrupted(*_: object) -> reading.Result:
        raise RuntimeError("the script is stopped here")

    monkeypatch.setattr(files, "in_another_process", interrupted)
    app = page((LINE * 400).decode(), label)
    app.run()
    assert app.exception and [button.label for button in app.button] == ["Cancel"]
    app.button[0].click().run()
    assert app.text[0].value == str(CANCELLED) and not app.exception
    assert app.button[0].label == r"Read a \*bold\* \[name\]\(x\) after all"
    monkeypatch.undo()
    app.button[0].click().run()
    assert app.text[0].value == f"{3200 * 400:g} rounds"


def test_two_small_scrapes_are_compared_here() -> None:
    found = files.read_small("t1", PAGE, (SAMPLES / "vllm-metrics-t1.prom").read_bytes())
    assert isinstance(found, EngineFile) and found.stats is not None and found.stats.num_rounds == 8000
    assert "no scrapes of one known engine" in str(files.read_small("t1", PAGE, b"").error)
