"""What several kinds of test share: a running app, and how Chromium is started."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import settings

from specmodel.dashboard.session.translation import Translator, _catalogue

ROOT = Path(__file__).parents[1]
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
]

# The same examples in every run, and no failure because the machine was busy.
settings.register_profile("specmodel", derandomize=True, deadline=None)
settings.load_profile("specmodel")


def pytest_configure() -> None:
    # A terminated run ends like an interrupted one: fixtures are finalised, so that no server outlives it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@contextmanager
def running_app(script: Path, **env: str) -> Iterator[str]:
    """The address of a Streamlit server that runs the script until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless=true"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [*command, f"--server.port={port}", "--server.address=127.0.0.1"],
            cwd=ROOT,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_until_healthy(process, port, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            _end(process)


def _wait_until_healthy(process: subprocess.Popen[bytes], port: int, log: IO[bytes], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        if _healthy(port):
            return
        time.sleep(0.1)
    log.seek(0)
    raise RuntimeError(f"the app did not start in {seconds} s; it printed:\n{log.read().decode(errors='replace')}")


def _healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


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
    names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    return os.environ.get("SPECMODEL_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """What pytest-playwright starts the browser with."""
    return {**browser_type_launch_args, "executable_path": chromium(), "args": CHROMIUM_ARGS}


@pytest.fixture
def untranslated(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The texts that translators were given during the test and that have no entry in their catalogue."""
    missing: set[str] = set()

    def recording(self: Translator, text: str) -> str:
        known = _catalogue(self.language)
        if known is not None and text and text not in known._catalog:
            missing.add(text)
        return known.gettext(text) if known is not None and text else text

    monkeypatch.setattr(Translator, "__call__", recording)
    return missing
