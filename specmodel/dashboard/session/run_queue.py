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


class Busy(Exception):
    """No place became free in the time that somebody was ready to wait."""


@contextmanager
def turn(most_s: float | None = None) -> Iterator[None]:
    """Wait for a free place, and give it back at the end; inside a turn of the same thread, just go on.

    `most_s` is how long to wait at most, for those who would rather hear `Busy` than go on without a place.

    >>> with turn(), turn(most_s=0.1):
    ...     "in"
    'in'
    """
    if getattr(_mine, "taken", False):
        yield
        return
    placed = _free.acquire(timeout=PATIENCE_S if most_s is None else most_s)
    if not placed and most_s is not None:
        raise Busy
    _mine.placed = placed
    _mine.taken = True
    try:
        yield
    finally:
        _mine.taken = False
        if _mine.placed:
            _free.release()
            _mine.placed = False
