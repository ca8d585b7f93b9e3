"""Runs take turns: one at a time, and one that takes long beside it; nested turns do not wait."""

import threading
import time

import pytest

from specmodel.dashboard.session import run_queue as turns


def test_one_runs_at_a_time() -> None:
    inside, most, lock = 0, 0, threading.Lock()

    def run() -> None:
        nonlocal inside, most
        with turns.turn(), turns.turn():
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.003)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=run) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_who_takes_long_steps_aside_but_not_everybody_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "LONG_S", 0.01)
    places = turns.Turns(aside=1)
    slow = places.take(0)
    second = places.take(5)  # once the first one has taken long
    assert slow is not None and slow.aside and second is not None
    assert places.take(0.1) is None  # one stands aside already: now there are two at once, as many as may be
    places.give_back(slow)
    third = places.take(5)
    assert third is not None and second.aside
    places.give_back(second)
    places.give_back(third)
    assert places.take(0) is not None


def test_a_failing_run_gives_its_place_back() -> None:
    for _ in range(4):
        with pytest.raises(RuntimeError), turns.turn():
            raise RuntimeError
    with turns.turn():
        pass


def test_a_run_that_hangs_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE_S", 0.01)
    monkeypatch.setattr(turns, "_turns", turns.Turns(aside=0))
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


def test_answers_go_before_runs_that_came_a_little_earlier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_turns", turns.Turns(aside=0))
    order: list[str] = []

    def one(name: str, most_s: float | None) -> threading.Thread:
        def work() -> None:
            with turns.turn(most_s):
                order.append(name)

        thread = threading.Thread(target=work)
        thread.start()
        while len(turns._turns._waiting) < len(threads) + 1:
            time.sleep(0.001)
        return thread

    threads: list[threading.Thread] = []
    with turns.turn():
        for name, most_s in (("run", None), ("another run", None), ("answer", 10.0), ("another answer", 10.0)):
            threads.append(one(name, most_s))
    for thread in threads:
        thread.join()
    assert order == ["answer", "another answer", "run", "another run"]


def test_a_run_that_has_waited_long_goes_before_an_answer() -> None:
    places = turns.Turns(aside=0)
    held = places.take(0)
    order: list[str] = []

    def one(name: str, due_in_s: float) -> None:
        mine = places.take(10, due_in_s)
        if mine is not None:
            order.append(name)
            places.give_back(mine)

    late = threading.Thread(target=one, args=("run", 0.01))
    late.start()
    while not places._waiting or time.monotonic() < places._waiting[0].due:
        time.sleep(0.001)
    answer = threading.Thread(target=one, args=("answer", 0.0))
    answer.start()
    while len(places._waiting) < 2:
        time.sleep(0.001)
    assert held is not None
    places.give_back(held)
    late.join()
    answer.join()
    assert order == ["run", "answer"]


def test_who_gave_up_waiting_is_not_given_a_place() -> None:
    places = turns.Turns(aside=0)
    held = places.take(0)
    assert held is not None and places.take(0.01) is None
    places.give_back(held)
    assert places.take(0) is not None
