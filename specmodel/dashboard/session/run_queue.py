"""Runs of the script take turns: at most two at once, whoever they are for.

Python runs one thread at a time. When fifty visitors move sliders together, fifty script threads share it, each takes
fifty times as long, and the thread that sends the results waits behind all of them: 25 runs a second of 15 ms each
then took a median of 816 ms (95th percentile 1,175). In turns the same class waits 23 ms (96). See
tests/benchmarks/bench_load.py, which prints these figures anew.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

AT_ONCE = 2
PATIENCE_S = 10.0
"""After this a run starts without a turn: a run that hangs must not stop all others."""

_free = threading.BoundedSemaphore(AT_ONCE)
_mine = threading.local()


@contextmanager
def waiting() -> Iterator[None]:
    """Give the place to somebody else while this thread only waits, for another process say; then queue again.

    >>> with turn(), waiting():
    ...     "out"
    'out'
    """
    if not getattr(_mine, "placed", False):
        yield
        return
    _free.release()
    try:
        yield
    finally:
        _mine.placed = _free.acquire(timeout=PATIENCE_S)


@contextmanager
def turn() -> Iterator[None]:
    """Wait for a free place, and give it back at the end; inside a turn of the same thread, just go on.

    >>> with turn(), turn():
    ...     "in"
    'in'
    """
    if getattr(_mine, "taken", False):
        yield
        return
    _mine.placed = _free.acquire(timeout=PATIENCE_S)
    _mine.taken = True
    try:
        yield
    finally:
        _mine.taken = False
        if _mine.placed:
            _free.release()
            _mine.placed = False
