"""Files that a reader gives to the engine page: read once, kept in this session only, large ones in another process."""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from specmodel import logs
from specmodel.base.messages import Message
from specmodel.dashboard.engine.scrapes import is_scrape
from specmodel.dashboard.session.run_queue import waiting
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.measured.spec_stats import SpecStats

INLINE_BYTES = 2**20
PATIENCE_S = 60
ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class EngineFile:
    """One file: its counters, or why it was refused; `scrape` is the text of a /metrics page, for comparing two."""

    name: str
    stats: SpecStats | None = None
    error: Message | None = None
    scrape: str | None = None


def uploaded(translate: Translator) -> tuple[EngineFile, ...]:
    """The files that stand in the uploader, each read once.

    Leaving the page empties the uploader, but only a reader who takes files out of it forgets them.
    """
    given = st.file_uploader(
        translate("Logs, /metrics pages, benchmark files, JSON answers"),
        accept_multiple_files=True,
        key="engine_upload",
        on_change=lambda: st.session_state.update(engine_files_changed=True),
    )
    kept: dict[str, EngineFile] = st.session_state.setdefault("engine_files", {})
    now = {file.file_id: file for file in given or ()}
    changed = st.session_state.pop("engine_files_changed", False)
    if now or changed:
        for gone in kept.keys() - now.keys():
            del kept[gone]
    for file_id, file in now.items():
        if file_id not in kept:
            kept[file_id] = _read(file.name, file.getvalue(), translate)
    if kept and not now:
        _still_here(kept, translate)
    return tuple(kept.values())


def _still_here(kept: dict[str, EngineFile], translate: Translator) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        names = translate.listed(file.name for file in kept.values())
        st.caption(translate("Still here: {names}").format(names=escaped(names)), width="content")
        st.button(translate("Forget these files"), key="forget_engine_files", on_click=kept.clear, type="tertiary")


def read_text(name: str, text: str) -> EngineFile:
    """Text that was pasted."""
    return read_small(name, text.encode("utf-8", "replace"))


def read_small(name: str, data: bytes) -> EngineFile:
    """A file that is read in this process."""
    try:
        stats = logs.parse(data, name=name)
    except logs.LogError as error:
        return EngineFile(name, error=error.message)
    return _kept(name, stats, data)


def _kept(name: str, stats: SpecStats, data: bytes) -> EngineFile:
    return EngineFile(name, stats, scrape=logs.text_of(data) if is_scrape(stats) else None)


def _read(name: str, data: bytes, translate: Translator) -> EngineFile:
    if len(data) <= INLINE_BYTES and data[:2] != b"\x1f\x8b":
        return read_small(name, data)
    text = translate("Reading {name}").format(name=name)
    bar = st.progress(0.0, text=text)
    try:
        with waiting():
            result = in_another_process(name, data, lambda share: bar.progress(share, text=text))
    finally:
        bar.empty()
    return EngineFile(name, error=result) if isinstance(result, Message) else _kept(name, result, data)


def in_another_process(name: str, data: bytes, progress: Callable[[float], Any]) -> SpecStats | Message:
    """The counters of a large file, or why it was refused; progress is told the share that was read.

    The other process leaves this one free to serve, and is ended if it takes more than `PATIENCE_S` seconds.
    """
    command = [sys.executable, "-m", "specmodel.logs._worker", name]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    found: list[bytes] = []
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, **pipes) as child:  # type: ignore[call-overload]
        end = threading.Timer(PATIENCE_S, child.kill)
        feeding = threading.Thread(target=_feed, args=(child, data), daemon=True)
        reading = threading.Thread(target=lambda: found.append(child.stdout.read()), daemon=True)
        for thread in (end, feeding, reading):
            thread.start()
        for line in child.stderr:
            if line.strip().isdigit():
                progress(min(int(line) / max(len(data), 1), 1.0))
        reading.join()
        feeding.join()
        end.cancel()
    if child.returncode != 0 or not found or not found[0]:
        return Message("the file took too long or too much memory to read, and was left out")
    result: SpecStats | Message = pickle.loads(found[0])
    return result


def _feed(child: Any, data: bytes) -> None:
    try:
        child.stdin.write(data)
        child.stdin.close()
    except OSError:
        return  # it ended before it had read everything, as it does with a file that it refuses


def scrape_pair(files: Sequence[EngineFile]) -> tuple[EngineFile, EngineFile] | None:
    """The first and the last of several scrapes of one server, by what they have counted; None where there are none.

    An engine that was started anew in between has counted less afterwards: a reader has to say so.
    """
    scrapes = [each for each in files if each.scrape and each.stats and each.stats.speculation]
    kinds = {(each.stats.engine, each.stats.num_speculative_tokens) for each in scrapes if each.stats}
    if len(scrapes) < 2 or len(kinds) != 1:
        return None
    ordered = sorted(scrapes, key=_counted)
    return None if _counted(ordered[0]) == _counted(ordered[-1]) else (ordered[0], ordered[-1])


def _counted(file: EngineFile) -> float:
    return (file.stats.num_rounds or file.stats.generated_tokens or 0) if file.stats else 0
