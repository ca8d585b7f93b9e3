"""Reads what a visitor gives in another process: bounded, and ended with the run of the script that waits for it.

Python runs one thread at a time, so a text that takes long must not be read in the server's own process.
"""

import os
import pickle
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from specmodel.base.messages import Message
from specmodel.measured.spec_stats import SpecStats

ROOT = Path(__file__).parents[3]
INLINE_BYTES = 2**16
"""So much is read here: the slowest text for the slowest reader takes 8 s a MB (tests/logs/hostile.py), so half a
second; another process takes half a second to start."""
PATIENCE_S = 60
MOST_MEMORY = 2 * 2**30
AT_ONCE = 2
"""Processes of all visitors together."""
EACH_S = 0.1
GZIP = b"\x1f\x8b"
Result = tuple[SpecStats, str | None] | Message
_places = threading.BoundedSemaphore(AT_ONCE)


def is_small(data: bytes) -> bool:
    """Whether it takes less time to read it here, unpacked, than to start a process.

    >>> is_small(b"a"), is_small(b"a" * 10**6)
    (True, False)
    """
    if data[:2] != GZIP:
        return len(data) <= INLINE_BYTES
    packed = zlib.decompressobj(wbits=31)
    try:
        size = len(packed.decompress(data, INLINE_BYTES + 1))
    except zlib.error:
        return False
    return packed.eof and not packed.unused_data and size <= INLINE_BYTES


def in_another_process(
    name: str,
    texts: Sequence[bytes],
    progress: Callable[[float], Any],
    seconds: int = PATIENCE_S,
    memory: int = MOST_MEMORY,
) -> Result:
    """The counters of a file and, of a scrape, its text; what happened between two scrapes; or why there are none.

    `progress` is told the share that was read, several times a second: what it raises ends the other process.
    """
    data = b"".join(texts)
    sizes = [str(len(each)) for each in texts]
    command = [sys.executable, "-m", "specmodel.logs._worker", name, str(seconds), str(memory), *sizes]
    # numpy's threads would take memory that is not needed
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with _place(progress):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        child = subprocess.Popen(command, cwd=ROOT, env=settings, **pipes)  # type: ignore[call-overload]
        told, answer = [0], list[bytes]()
        threads = [
            threading.Thread(target=_feed, args=(child.stdin, data), daemon=True),
            threading.Thread(target=_follow, args=(child.stderr, told), daemon=True),
            threading.Thread(target=lambda: answer.append(child.stdout.read()), daemon=True),
        ]
        try:
            for thread in threads:
                thread.start()
            end = time.monotonic() + seconds
            while threads[-1].is_alive():
                threads[-1].join(EACH_S)
                progress(min(told[0] / max(len(data), 1), 1.0))
                if time.monotonic() > end:
                    return Message("reading took more than {seconds} s and was ended", {"seconds": seconds})
        finally:
            _ended(child, threads)
    if child.returncode != 0 or not answer or not answer[0]:
        return Message("the file took too long or too much memory to read, and was left out")
    return cast(Result, pickle.loads(answer[0]))


def _ended(child: "subprocess.Popen[bytes]", threads: Sequence[threading.Thread]) -> None:
    """Nothing of a process stays behind, whyever it is no longer needed."""
    if threads[-1].is_alive():
        child.kill()
    with suppress(subprocess.TimeoutExpired):
        child.wait(EACH_S * 50)
    child.kill()
    child.wait()
    for thread in threads:
        if thread.ident is not None:
            thread.join()
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


@contextmanager
def _place(progress: Callable[[float], Any]) -> Iterator[None]:
    """Wait while other visitors' texts are read."""
    while not _places.acquire(timeout=EACH_S):
        progress(0.0)
    try:
        yield
    finally:
        _places.release()


def _feed(pipe: Any, data: bytes) -> None:
    with suppress(OSError):  # it ended before it had read everything
        pipe.write(data)
        pipe.close()


def _follow(pipe: Any, told: list[int]) -> None:
    for line in pipe:
        if line.strip().isdigit():
            told[0] = int(line)
