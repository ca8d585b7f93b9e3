"""Reads one text in a process of its own, bounded in time and memory: bytes in, a result or an error out.

The parent writes the text (or two scrapes, one behind the other) to the standard input and hears the bytes read so far
on standard error, a line each time. One pickled result comes on standard output: the counters and, of a scrape, its
text; or the `Message` of why there are none. Where the parent is gone the next report fails, and this process ends; its
CPU time is limited too, for a parent that is gone while nothing here can report.
"""

import gc
import io
import os
import pickle
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from specmodel.base.messages import Message
from specmodel.logs import MAX_BYTES, LogError, is_scrape, parse_file, parse_scrapes, text_of
from specmodel.measured.spec_stats import SpecStats

try:
    import resource
except ImportError:  # Windows has no such limits: there the parent's limit of time is the only one
    resource = None  # type: ignore[assignment]

REPORT_EVERY_S = 0.2
SPARE_CPU_S = 5  # the parent, who can say why, ends this process first
Result = tuple[SpecStats, str | None] | Message


def read(data: bytes, name: str, sizes: Sequence[int] = (), told: list[int] | None = None) -> Result:
    """What a file holds, or what happened between two scrapes of these sizes. `told` gets the bytes read so far.

    >>> str(read(b"", "empty.log"))
    'the file is empty'
    """
    progress = None if told is None else told.append
    try:
        if len(sizes) == 2:
            return parse_scrapes(data[: sizes[0]], data[sizes[0] :], name), None
        stats = parse_file(io.BytesIO(data), name, limit=MAX_BYTES, progress=progress)
        return stats, text_of(data) if is_scrape(stats) else None
    except LogError as error:
        return error.message


def main(name: str, seconds: int, memory: int, sizes: Sequence[int] = ()) -> None:
    """Read standard input, write the result to standard output.

    >>> REPORT_EVERY_S
    0.2
    """
    told = [0]
    threading.Thread(target=_report, args=(told,), daemon=True).start()
    _limit("RLIMIT_CPU", seconds + SPARE_CPU_S)
    _limit("RLIMIT_AS", memory)
    try:
        result = read(sys.stdin.buffer.read(), name, sizes, told)
    except MemoryError:
        result = Message("reading took more than {limit} MiB of memory and was ended", {"limit": memory // 2**20})
    sys.stdout.buffer.write(pickle.dumps(result))


def _limit(name: str, value: int) -> None:
    if resource is not None and hasattr(resource, name):
        with suppress(ValueError, OSError):  # a limit below this one is in force, or the system has none
            resource.setrlimit(getattr(resource, name), (value, value))


def _report(told: list[int]) -> None:
    """Tell the bytes read so far again and again; without a parent that hears it there is nothing left to do."""
    while True:
        try:
            print(told[-1], file=sys.stderr, flush=True)
        except OSError:
            os._exit(1)
        del told[:-1]
        time.sleep(REPORT_EVERY_S)


if __name__ == "__main__":
    gc.set_threshold(100_000)  # what is made of a line is no cycle, and to look for cycles takes a fifth of the time
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), [int(each) for each in sys.argv[4:]])
