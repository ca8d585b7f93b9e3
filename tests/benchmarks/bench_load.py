"""A class at its sliders, and a long day: response times of many sessions, CPU of a change, whether memory is flat.

Speaks Streamlit's own websocket protocol, and the live route, to a server on 127.0.0.1; each session asks for a bounded
number of runs. The same load on an empty Streamlit page stands beside, in the same run.
Prints figures; the only assertion is that memory does not keep growing, which is what allows
`runner.postScriptGC = false`.
"""

import asyncio
import json
import os
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np
import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.conftest import ROOT, running_app

CLASS, MOVES, PAUSE_S = 60, 6, 2.0
DRAGS, CHANGES = 8, 200
PARTS = "way,verdict,numbers,note,speedup,time,token"  # what the page asks for in a window of 1440 × 900
FLOOR = Path(__file__).parent / "floor_app.py"
Result = TypeVar("Result")
SESSIONS, RUNS = 120, 2_000


async def run(
    socket: ClientConnection, query: str, moved: WidgetState | None = None, page: str = ""
) -> tuple[float, list[str], str]:
    """One run of the script: seconds until it finished, the ids of the page's slider panels, the hash of the page."""
    request = BackMsg()
    request.rerun_script.query_string = query
    request.rerun_script.page_script_hash = page
    if moved is not None:
        request.rerun_script.widget_states.widgets.append(moved)
    started, ids = time.perf_counter(), []
    await socket.send(request.SerializeToString())
    while True:
        message = ForwardMsg.FromString(await socket.recv())
        if message.HasField("navigation"):
            page = message.navigation.page_script_hash
        element = message.delta.new_element
        if element.HasField("bidi_component") and element.bidi_component.component_name.endswith("slider_panel"):
            ids.append(element.bidi_component.id)
        if message.HasField("script_finished"):
            return time.perf_counter() - started, ids, page


def opened(url: str) -> connect:
    address = f"ws://{urlsplit(url).netloc}/_stcore/stream"
    return connect(address, subprotocols=[Subprotocol("streamlit")], max_size=None, open_timeout=60)


def move(panel: str, alpha: float, count: int) -> WidgetState:
    """What the browser sends when a slider moves."""
    value = {"id": count, "key": "alpha", "value": round(alpha, 4), "final": True}
    event = json.dumps([{"event": "moved", "value": value}])
    return WidgetState(id=f"$$STREAMLIT_INTERNAL_KEY_{panel}__events", json_trigger_value=event)


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, alpha: float) -> float:
    """Seconds until the live route has answered."""
    started = time.perf_counter()
    writer.write(f"GET /live/speedup?alpha={alpha:.4f}&parts={PARTS} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
    assert head.startswith("http/1.1 200"), head.splitlines()[0]
    return time.perf_counter() - started


async def pupil(url: str, number: int, live: bool, drag: bool, times: list[float], opening: list[float]) -> None:
    """One visitor: opens the page, then moves its slider now and then, or drags without a pause."""
    await asyncio.sleep(PAUSE_S * number / CLASS)
    async with opened(url) as socket:
        seconds, sliders, page = await run(socket, f"alpha={0.3 + number / 200}" if live else "")
        opening.append(seconds * 1000)
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
        for count in range(DRAGS * 4 if drag else MOVES):
            if not drag:
                await asyncio.sleep(PAUSE_S)
            alpha = 0.2 + (number * DRAGS * 4 + count) / 3_000
            if live:  # what moves the page; then the value goes to Streamlit
                times.append(await ask(reader, writer, alpha) * 1000)
                if not drag:
                    await run(socket, "", move(sliders[0], alpha, count), page)
            else:
                times.append((await run(socket, "", None, page))[0] * 1000)
        writer.close()


async def class_at_work(url: str, live: bool, drag: bool) -> list[list[float]]:
    times: list[float] = []
    opening: list[float] = []
    await asyncio.gather(*(pupil(url, number, live, drag, times, opening) for number in range(CLASS)))
    return [times, opening]


def played(work: Coroutine[Any, Any, Result]) -> Result:
    """Run it in a thread of its own: browser benchmarks of the same process keep an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@pytest.mark.parametrize(("drag", "what"), [(False, f"a move each {PAUSE_S:.0f} s"), (True, "all dragging")])
def test_a_class(drag: bool, what: str) -> None:
    late = []
    for name, script, live in (("empty page", FLOOR, False), ("Speedup", ROOT / "app.py", True)):
        with running_app(script) as url:
            found = played(class_at_work(url, live, drag))
        late.append([np.percentile(each, 95) for each in found])
        texts = [f"{np.median(each):.0f} / {np.percentile(each, 95):.0f}" for each in found]
        print(f"\n{CLASS} visitors, {what}, {name:10s} {texts[0]} ms (median / 95 %), opening {texts[1]} ms", end="")
    print(f"\nratio of the 95th percentiles: {late[1][0] / late[0][0]:.2f}, opening {late[1][1] / late[0][1]:.2f}")


def processor_s(url: str) -> float:
    """Processor seconds that the server has taken (Linux)."""
    stat = (server_folder(url) / "stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


async def changes(url: str, live: bool, ours: bool) -> float:
    """Milliseconds of the server's processor for one change: a run of the script, or an answer of the live route."""
    async with opened(url) as socket:
        _, sliders, page = await run(socket, "")
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
        before = processor_s(url)
        for count in range(CHANGES):
            alpha = 0.2 + count / 1_000
            if live:
                await ask(reader, writer, alpha)
            else:
                await run(socket, "", move(sliders[0], alpha, count) if ours else None, page)
        spent = processor_s(url) - before
        writer.close()
    return spent / CHANGES * 1000


def test_processor_time_of_a_change() -> None:
    with running_app(FLOOR) as url:
        empty = played(changes(url, False, False))
    with running_app(ROOT / "app.py") as url:
        script, live = played(changes(url, False, True)), played(changes(url, True, True))
    print(f"\nserver CPU of a change: empty page {empty:.1f} ms, Speedup by a run {script:.1f} ms,", end=" ")
    print(f"by the live route {live:.1f} ms ({live / script:.2f} of a run)")


def server_folder(url: str) -> Path:
    """Where Linux tells of the server that listens there: of the processes with its port the one with most memory."""
    port, found = f"--server.port={urlsplit(url).port}", []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if port in (folder / "cmdline").read_text().split("\0"):
                found.append((int((folder / "statm").read_text().split()[1]), folder))
    return max(found)[1]


def memory_mb(url: str) -> float:
    """Resident memory of the server that listens there, in MiB."""
    return int((server_folder(url) / "statm").read_text().split()[1]) * 4096 / 2**20


async def long_day(url: str) -> list[float]:
    memory = [memory_mb(url)]
    for session in range(SESSIONS):
        async with opened(url) as socket:
            _, sliders, page = await run(socket, f"alpha={0.2 + session / 400}")
            for count in range(RUNS // SESSIONS):
                await run(socket, "", move(sliders[0], (session * 17 + count) % 1000 / 1000, count), page)
        if session % (SESSIONS // 6) == SESSIONS // 6 - 1:
            memory.append(memory_mb(url))
    return memory


def test_memory_stays_flat_without_collecting_after_each_run() -> None:
    with running_app(ROOT / "app.py") as url:
        memory = played(long_day(url))
    print(f"\nresident MB over {RUNS:,} runs in {SESSIONS} sessions: {', '.join(f'{each:.0f}' for each in memory)}")
    assert memory[-1] - memory[3] < 40, "memory keeps growing"
