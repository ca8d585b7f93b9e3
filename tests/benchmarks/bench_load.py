"""A class at its sliders, and a long day: response times of many sessions, and whether memory stays flat.

Speaks Streamlit's own websocket protocol to a server on 127.0.0.1; each session asks for a bounded number of runs.
Prints figures; the only assertion is that memory does not keep growing, which is what allows
`runner.postScriptGC = false`.
"""

import asyncio
import json
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.conftest import ROOT, running_app

CLASS, MOVES, PAUSE_S = 50, 8, 2.0
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


async def pupil(url: str, number: int, times: list[float]) -> None:
    await asyncio.sleep(PAUSE_S * number / CLASS)
    async with opened(url) as socket:
        _, sliders, page = await run(socket, f"alpha={0.3 + number / 200}")
        for count in range(MOVES):
            await asyncio.sleep(PAUSE_S)
            moved = move(sliders[0], 0.2 + (number * MOVES + count) / 1_000, count)
            seconds, *_ = await run(socket, "", moved, page)
            times.append(seconds * 1000)


async def class_at_work(url: str) -> list[float]:
    times: list[float] = []
    await asyncio.gather(*(pupil(url, number, times) for number in range(CLASS)))
    return times


def played(work: Coroutine[Any, Any, list[float]]) -> list[float]:
    """Run it in a thread of its own: browser benchmarks of the same process keep an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def test_a_class_of_fifty() -> None:
    with running_app(ROOT / "app.py") as url:
        times = played(class_at_work(url))
    median, late = np.percentile(times, [50, 95])
    print(f"\n{CLASS} visitors, a slider move each {PAUSE_S:.0f} s: ", end="")
    print(f"median {median:.0f} ms, 95th percentile {late:.0f} ms, longest {max(times):.0f} ms")


def memory_mb(url: str) -> float:
    """Resident memory of the server that listens there, found by its command line (Linux); its guard's is smaller."""
    port, found = f"--server.port={urlsplit(url).port}", []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if port in (folder / "cmdline").read_text().split("\0"):
                found.append(int((folder / "statm").read_text().split()[1]) * 4096 / 2**20)
    return max(found)


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
