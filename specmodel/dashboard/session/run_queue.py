"""Runs of the script and answers of the live route take turns: at most two at once, whoever they are for.

Python runs one thread at a time. When fifty visitors move sliders together, fifty script threads share it, each takes
fifty times as long, and the thread that sends the results waits behind all of them: 25 runs a second of 15 ms each
then took a median of 816 ms (95th percentile 1,175). In turns the same class waits 23 ms (96). See
tests/benchmarks/bench_load.py, which prints these figures anew.

An answer, which a hand at a slider waits for, goes before runs that have waited less than `YIELD_S`.
"""

import heapq
import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

AT_ONCE = 2
PATIENCE_S = 10.0
"""After this a run starts without a turn: a run that hangs must not stop all others."""

YIELD_S = 0.3
"""How long runs let answers go first; a class that drags without end must not keep its pages from opening."""


class Places:
    """A number of places, given to whoever has the earliest time by which they are due.

    >>> places = Places(1)
    >>> places.take(timeout_s=0), places.take(timeout_s=0)
    (True, False)
    >>> places.give_back()
    >>> places.take(timeout_s=0)
    True
    """

    def __init__(self, count: int):
        self._free = count
        self._lock = threading.Lock()
        self._waiting: list[tuple[float, int, threading.Event]] = []
        self._number = itertools.count()  # of those that are due at the same time the first

    def take(self, timeout_s: float, due_in_s: float = 0.0) -> bool:
        """Wait for a place; whether there was one in time."""
        mine = (time.monotonic() + due_in_s, next(self._number), threading.Event())
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            heapq.heappush(self._waiting, mine)
        if mine[2].wait(timeout_s):
            return True
        with self._lock:
            if mine[2].is_set():
                return True
            self._waiting.remove(mine)
            heapq.heapify(self._waiting)
            return False

    def give_back(self) -> None:
        """Give the place to the next who waits for one."""
        with self._lock:
            if self._waiting:
                heapq.heappop(self._waiting)[2].set()
            else:
                self._free += 1


_places = Places(AT_ONCE)
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
    _places.give_back()
    try:
        yield
    finally:
        _mine.placed = _places.take(PATIENCE_S, YIELD_S)


class Busy(Exception):
    """No place became free in the time that somebody was ready to wait."""


@contextmanager
def turn(most_s: float | None = None) -> Iterator[None]:
    """Wait for a free place, and give it back at the end; inside a turn of the same thread, just go on.

    `most_s` is how long to wait at most, for answers: they would rather hear `Busy` than go on without a place, and go
    before runs of the script.

    >>> with turn(), turn(most_s=0.1):
    ...     "in"
    'in'
    """
    if getattr(_mine, "taken", False):
        yield
        return
    placed = _places.take(PATIENCE_S, YIELD_S) if most_s is None else _places.take(most_s)
    if not placed and most_s is not None:
        raise Busy
    _mine.placed = placed
    _mine.taken = True
    try:
        yield
    finally:
        _mine.taken = False
        if _mine.placed:
            _places.give_back()
            _mine.placed = False
