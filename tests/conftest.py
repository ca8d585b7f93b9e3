"""What several kinds of test share: how thorough a run is, servers that end with it, and how Chromium is started."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "tests" / "logs" / "samples"
SAMPLE_NAMES = sorted(path.name for path in SAMPLES.iterdir() if path.is_file() and path.name != "expected.json")
# What the window around a page would start a process for, each time; the rest is Playwright's own list, which this
# one replaces: no requests of the browser's own.
WITHOUT = [
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup"),
    *("AimEnabled", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "GlobalMediaControls"),
    *("HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying"),
    *("OptimizationHints", "PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning", "Translate"),
]
CHROMIUM_ARGS = [
    f"--disable-features={','.join(WITHOUT)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-gpu-compositing",
    "--in-process-gpu",
    "--process-per-site",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
]

# How many examples a law gets: 1 is what it was written with, `tests/run.sh deep` gives more.
EXAMPLES = float(os.environ.get("SPECMODEL_EXAMPLES") or 0.2)


def times(count: int) -> int:
    """How many examples this run makes of so many."""
    return max(round(count * EXAMPLES), 5)


def examples(count: int) -> settings:
    """For a law that was written with its own number of examples."""
    return settings(max_examples=times(count))


# The same examples in every run, and no failure because the machine was busy.
settings.register_profile("specmodel", examples(100), derandomize=True, deadline=None)
settings.load_profile("specmodel")

slowest: dict[str, float] = {}


def pytest_configure() -> None:
    # A terminated run ends like an interrupted one, with its summary.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    slowest[report.nodeid] = slowest.get(report.nodeid, 0) + report.duration


def pytest_sessionfinish() -> None:
    """Leave the ten slowest tests for tests/run.sh, which prints them at its end; a worker's stand with its master."""
    if (file := os.environ.get("SPECMODEL_SLOWEST")) and "PYTEST_XDIST_WORKER" not in os.environ:
        with open(file, "a", encoding="utf-8") as lines:
            for name in sorted(slowest, key=slowest.__getitem__)[-10:]:
                lines.write(f"{slowest[name]:7.1f} s  {name}\n")


def free_port() -> int:
    """A port of 127.0.0.1 on which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running_server(
    command: Sequence[str], ready: Callable[[], bool], env: Mapping[str, str] | None = None, seconds: float = 60
) -> Iterator[None]:
    """The command runs until the block ends, or this process does; in the block it is ready.

    RuntimeError with what it printed if it is not ready in time.
    """
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-IS", str(ROOT / "tests" / "guard.py"), *command],
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            deadline = time.monotonic() + seconds
            while not ready():
                if process.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    printed = log.read().decode(errors="replace")
                    raise RuntimeError(f"not ready in {seconds} s: {command}; it printed:\n{printed}")
                time.sleep(0.1)
            yield
        finally:
            process.terminate()
            process.wait()


@contextmanager
def running_app(script: Path, **env: str) -> Iterator[str]:
    """The address of a Streamlit server that runs the script until the block ends."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless=true"]
    address = [f"--server.port={port}", "--server.address=127.0.0.1"]
    base = env.get("STREAMLIT_SERVER_BASE_URL_PATH", "")
    with running_server([*command, *address], lambda: _healthy(port, base), env):
        yield f"http://127.0.0.1:{port}{base}"


def _healthy(port: int, base: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", f"{base}/_stcore/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@pytest.fixture(scope="session")
def start_app() -> Iterator[Callable[..., str]]:
    """`start_app(script, **env)` starts a server that lasts for the session and returns its address."""
    with ExitStack() as servers:
        yield lambda script, **env: servers.enter_context(running_app(script, **env))


@pytest.fixture(scope="session")
def app_url(start_app: Callable[..., str]) -> str:
    """The address of the explorer itself."""
    return start_app(ROOT / "app.py")


def chromium() -> str | None:
    """The Chromium that the tests drive: SPECMODEL_CHROMIUM, else one on the path, else (None) Playwright's own."""
    names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    return os.environ.get("SPECMODEL_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """What pytest-playwright starts the browser with."""
    return {**browser_type_launch_args, "executable_path": chromium(), "args": CHROMIUM_ARGS}


@pytest.fixture
def untranslated(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The texts that translators were given during the test and that have no entry in their catalogue."""
    from specmodel.dashboard.session.translation import Translator, _catalogue  # most tests need no Streamlit

    missing: set[str] = set()

    def recording(self: Translator, text: str) -> str:
        known = _catalogue(self.language)
        if known is not None and text and text not in known._catalog:
            missing.add(text)
        return known.gettext(text) if known is not None and text else text

    monkeypatch.setattr(Translator, "__call__", recording)
    return missing
