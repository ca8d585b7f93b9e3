"""Runs of the script and answers of the live route take turns: one at a time, and one that takes long beside it.

Python runs one thread at a time. When fifty visitors move sliders together, fifty script threads share it, each takes
fifty times as long, and the thread that sends the results waits behind all of them: 25 runs a second of 15 ms each
then took a median of 816 ms (95th percentile 1,175). In turns the same class waits 23 ms (96). See
tests/benchmarks/bench_load.py, which prints these figures anew.

An answer, which a hand at a slider waits for, goes before runs that have waited less than `YIELD_S`. Who holds the
place longer than `LONG_S` steps aside once somebody waits: it goes on beside the others, who take turns without it.
"""

import heapq
import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

PATIENCE_S = 10.0
"""After this a run starts without a turn: runs that hang must not stop all others."""
YIELD_S = 0.3
"""How long runs let answers go first; a class that drags without end must not keep its pages from opening."""
LONG_S = 0.1
"""How long a turn takes at most: runs of the pages take a fifth of it."""
ASIDE = 1
"""How many that take longer may go on beside the others."""


@dataclass(eq=False)
class Holder:
    """Who has the place, since when, and whether it has stepped aside since."""

    since: float
    aside: bool = False


@dataclass(order=True)
class _Waiting:
    due: float
    number: int  # of those that are due at the same time the first
    called: threading.Event = field(compare=False, default_factory=threading.Event)
    holder: Holder | None = field(compare=False, default=None)


class Turns:
    """One place, given to whoever has the earliest time by which it is due.

    >>> turns = Turns()
    >>> mine = turns.take(timeout_s=0)
    >>> turns.take(timeout_s=0) is None
    True
    >>> turns.give_back(mine)
    >>> turns.take(timeout_s=0) is None
    False
    """

    def __init__(self, aside: int = ASIDE):
        self._lock = threading.Lock()
        self._holder: Holder | None = None
        self._aside = aside
        self._waiting: list[_Waiting] = []
        self._number = itertools.count()

    def take(self, timeout_s: float, due_in_s: float = 0.0) -> Holder | None:
        """Wait for the place; None if it did not become free in time."""
        now = time.monotonic()
        mine, until = _Waiting(now + due_in_s, next(self._number)), now + timeout_s
        with self._lock:
            heapq.heappush(self._waiting, mine)
            self._call_next()
        while not mine.called.wait(min(LONG_S, max(until - time.monotonic(), 0))):
            with self._lock:
                self._call_next()
                if mine.holder is None and time.monotonic() >= until:
                    self._waiting.remove(mine)
                    heapq.heapify(self._waiting)
                    return None
        return mine.holder

    def give_back(self, holder: Holder) -> None:
        """Give the place to the next who waits for it."""
        with self._lock:
            if holder.aside:
                self._aside += 1
            else:
                self._holder = None
            self._call_next()

    def _call_next(self) -> None:
        """Give the place away, where somebody waits and it is free or its holder steps aside."""
        if not self._waiting:
            return
        now, holder = time.monotonic(), self._holder
        if holder is not None:
            if now - holder.since < LONG_S or not self._aside:
                return
            holder.aside = True
            self._aside -= 1
        first = heapq.heappop(self._waiting)
        first.holder = self._holder = Holder(now)
        first.called.set()


_turns = Turns()
_mine = threading.local()


@contextmanager
def waiting() -> Iterator[None]:
    """Give the place to somebody else while this thread only waits, for another process say; then queue again.

    >>> with turn(), waiting():
    ...     "out"
    'out'
    """
    held: Holder | None = getattr(_mine, "held", None)
    if held is None:
        yield
        return
    _turns.give_back(held)
    _mine.held = None
    try:
        yield
    finally:
        _mine.held = _turns.take(PATIENCE_S, YIELD_S)


class Busy(Exception):
    """No place became free in the time that somebody was ready to wait."""


@contextmanager
def turn(most_s: float | None = None) -> Iterator[None]:
    """Wait for the place, and give it back at the end; inside a turn of the same thread, just go on.

    `most_s` is how long to wait at most, for answers: they would rather hear `Busy` than go on without a place, and go
    before runs of the script.

    >>> with turn(), turn(most_s=0.1):
    ...     "in"
    'in'
    """
    if getattr(_mine, "taken", False):
        yield
        return
    _mine.held = _turns.take(PATIENCE_S, YIELD_S) if most_s is None else _turns.take(most_s)
    if _mine.held is None and most_s is not None:
        raise Busy
    _mine.taken = True
    try:
        yield
    finally:
        _mine.taken = False
        if _mine.held is not None:
            _turns.give_back(_mine.held)
            _mine.held = None
