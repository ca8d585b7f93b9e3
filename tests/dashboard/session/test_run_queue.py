"""Runs take turns: never more than two at once, nested turns do not wait, a failing run gives its place back."""

import threading
import time

import pytest

from specmodel.dashboard.session import run_queue as turns


def test_no_more_than_two_run_at_once() -> None:
    inside, most, lock = 0, 0, threading.Lock()

    def run() -> None:
        nonlocal inside, most
        with turns.turn(), turns.turn():
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.01)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=run) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == turns.AT_ONCE


def test_a_failing_run_gives_its_place_back() -> None:
    for _ in range(2 * turns.AT_ONCE):
        with pytest.raises(RuntimeError), turns.turn():
            raise RuntimeError
    with turns.turn():
        pass


def test_a_run_that_hangs_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE_S", 0.01)
    monkeypatch.setattr(turns, "_free", threading.BoundedSemaphore(1))
    release, entered = threading.Event(), threading.Event()

    def hang() -> None:
        with turns.turn():
            entered.set()
            release.wait(10)

    hanging = threading.Thread(target=hang)
    hanging.start()
    entered.wait(10)
    with turns.turn():
        assert hanging.is_alive()
    release.set()
    hanging.join()
