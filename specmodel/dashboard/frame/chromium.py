"""A picture of a web page, made by a Chromium that is installed. No Streamlit."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim
from specmodel.base.numbers import shortened

NAMED_BY = "SPECMODEL_CHROMIUM"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LONGEST_S = 90
DRAWN_MS = 20_000
"""How long a page may take to draw, in the browser's own time, which passes as fast as there is nothing to wait for."""
NO_CHROMIUM = N_("A picture needs a Chromium, and none was found: install one, or name it in {variable}.")
NO_PICTURE = N_("Chromium made no picture: {reason}.")


class PictureError(SpecmodelError):
    """Why there is no picture."""


def find_chromium() -> str:
    """The path of the Chromium that the environment names, else of one that is installed; `PictureError` if none."""
    for name in (os.environ.get(NAMED_BY, ""), *NAMES):
        path = shutil.which(name) if name else None
        if path and _works(path):
            return path
    raise PictureError(Message(NO_CHROMIUM, {"variable": NAMED_BY}))


def _works(path: str) -> bool:
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=LONGEST_S).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def take_picture(address: str, file: Path, width: int, height: int) -> None:
    """Write what a window of this size shows of a page as PNG; `PictureError` says why it could not.

    The page has to be a file that needs nothing else: the browser's own time does not wait for a server.
    """
    target = file.resolve()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "picture.png"
        run = _ran(folder, address, f"--window-size={width},{height}", f"--screenshot={made}")
        if not made.exists():
            said = run.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise PictureError(Message(NO_PICTURE, {"reason": shortened(said or Verbatim(run.returncode), 200)}))
        shutil.copyfile(made, target)


def after_scripts(address: str) -> str:
    """A page as HTML once its scripts have run; `PictureError` says why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        return _ran(folder, address, "--dump-dom").stdout.decode("utf-8", "replace")


def _ran(folder: str, address: str, *more: str) -> "subprocess.CompletedProcess[bytes]":
    options = [
        "--headless",
        f"--user-data-dir={folder}/profile",
        "--hide-scrollbars",
        "--disable-gpu",
        "--no-first-run",
        f"--virtual-time-budget={DRAWN_MS}",
        *more,
    ]
    if os.name == "posix" and os.geteuid() == 0:
        options.append("--no-sandbox")  # Chromium has no sandbox for root
    try:
        return subprocess.run([find_chromium(), *options, address], capture_output=True, timeout=LONGEST_S)
    except subprocess.TimeoutExpired as error:
        late = Message(N_("it took longer than {seconds} s"), {"seconds": LONGEST_S})
        raise PictureError(Message(NO_PICTURE, {"reason": late})) from error
