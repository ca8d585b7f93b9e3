"""Nothing outlives a run of the tests, however it ends. Only processes that carry this test's own mark are touched."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

GUARD = [sys.executable, "-IS", str(ROOT / "tests" / "guard.py")]
SERVER = "tests/hanging.py::test_with_a_server_and_a_stubborn_process_in_a_session_of_its_own"
BROWSER = "tests/hanging.py::test_with_the_app_and_a_browser"
TOLD = "import os, pathlib; pathlib.Path(os.environ['SPECMODEL_HANGING']).touch()"
SLEEP = "import time; time.sleep(600)"
WITH_AN_ORPHAN = (  # one that hears no SIGTERM, in a session of its own
    f"import subprocess, sys; subprocess.Popen([sys.executable, '-ISc', 'import signal; "
    f"signal.signal(signal.SIGTERM, signal.SIG_IGN); {TOLD.replace(chr(39), chr(34))}; {SLEEP}'], "
    "start_new_session=True);"
)


class Session:
    """A command with a mark that all its processes inherit."""

    def __init__(self, folder: Path, command: list[str]) -> None:
        self.started, self.printed = folder / "started", folder / "printed"
        self.mark = f"SPECMODEL_HANGING={self.started}"
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        env["SPECMODEL_HANGING"] = str(self.started)
        with self.printed.open("wb") as file:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=env, stdout=file, stderr=file, start_new_session=True
            )

    def alive(self) -> dict[int, str]:
        """Its processes that have not ended: id -> command."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
        return found

    def until(self, done: Callable[[], bool], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < deadline, (self.alive(), self.printed.read_text("utf-8"))
            time.sleep(0.1)

    def ends(self) -> int:
        """Its exit code, once nothing of it is left."""
        self.until(lambda: not self.alive(), 60)
        return self.process.wait()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Session]]:
    """`start(*command)`: a session that by now hangs."""
    sessions: list[Session] = []

    def start(*command: str) -> Session:
        sessions.append(session := Session(tmp_path, list(command)))
        session.until(session.started.exists, 180)
        return session

    yield start
    for session in sessions:
        for pid in session.alive():
            os.kill(pid, signal.SIGKILL)
        session.process.wait()


def test_what_a_command_leaves_behind_is_ended_and_its_code_and_seconds_are_kept(
    start: Callable[..., Session], tmp_path: Path
) -> None:
    busy = (
        WITH_AN_ORPHAN + "import time; any(time.process_time() > 0.3 for _ in iter(int, 1)); time.sleep(1); sys.exit(3)"
    )
    session = start(*GUARD, "--seconds", str(tmp_path / "seconds"), "stage", sys.executable, "-ISc", busy)
    assert session.ends() == 3
    name, user, kernel, clock = (tmp_path / "seconds").read_text().split()
    assert name == "stage" and float(clock) > 1
    assert float(user) + float(kernel) >= 0.1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_guard_that_is_told_to_end_ends_everything(start: Callable[..., Session], number: signal.Signals) -> None:
    session = start(*GUARD, sys.executable, "-ISc", WITH_AN_ORPHAN + SLEEP)
    session.process.send_signal(number)
    assert session.ends() == 130


def test_a_guard_whose_parent_dies_ends_everything(start: Callable[..., Session]) -> None:
    session = start("bash", "-c", '"$@" & wait', "bash", *GUARD, sys.executable, "-ISc", WITH_AN_ORPHAN + SLEEP)
    session.process.kill()
    session.ends()


def test_a_guard_that_is_killed_takes_its_command_along(start: Callable[..., Session]) -> None:
    session = start(*GUARD, sys.executable, "-ISc", f"{TOLD}; {SLEEP}")
    session.process.kill()
    session.ends()


RUN, GROUP, TOOL = "tests/run.sh", "its process group", "pytest"
WAYS = [
    *((RUN, number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)),
    *((GROUP, number) for number in (signal.SIGINT, signal.SIGTERM)),
    *((TOOL, number) for number in (signal.SIGTERM, signal.SIGKILL)),
]


@pytest.mark.parametrize(
    ("stage", "test", "whom", "number"),
    [
        ("pages", SERVER, *WAYS[0]),
        *(pytest.param("pages", SERVER, *way, marks=pytest.mark.deep) for way in WAYS[1:]),
        *(pytest.param("browser", BROWSER, *way, marks=pytest.mark.deep) for way in WAYS[::2]),
    ],
)
def test_nothing_outlives_an_interrupted_run(
    start: Callable[..., Session], stage: str, test: str, whom: str, number: signal.Signals
) -> None:
    session = start("bash", "tests/run.sh", stage, test, "-n", "1")
    if whom == GROUP:
        os.killpg(session.process.pid, number)
    elif whom == RUN:
        session.process.send_signal(number)
    else:
        pytest_itself = re.compile(r"\S*python\S* -m pytest ")  # not the guard, whose command line holds the same
        os.kill(next(pid for pid, command in session.alive().items() if pytest_itself.match(command)), number)
    assert session.ends() != 0
