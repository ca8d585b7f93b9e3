"""Runs a command of which nothing outlives the process that asked for it, however that one ends.

python tests/guard.py [--seconds FILE NAME] COMMAND... ends with the command's code, and before that ends all that the
command has left behind. When its parent dies, or a signal comes, it ends the command and does the same. --seconds adds
a line to the file: the name, then seconds in user mode, in the kernel, and on the clock of all that has run in it.
"""

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

GRACE_S = 10  # for an orderly end
AGAIN_S = 1  # a signal that comes later than this after the first means: at once
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
TREE = Path("/proc")


def prctl() -> Callable[..., Any]:
    """What sets a property of this process, on Linux; elsewhere nothing is set."""
    return ctypes.CDLL(None).prctl if sys.platform == "linux" else lambda *_: None


def children() -> list[int]:
    """The processes that this one has started or, on Linux, that their dead parents left to it."""
    found = []
    for folder in TREE.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            found += [int(folder.name)] if int(parent) == os.getpid() else []
    return found


def end_all(group: int) -> None:
    """Kill the command's group and whoever is left; the children of who is killed become our own and are next."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            for child in children():
                os.kill(child, signal.SIGKILL)
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
            time.sleep(0.01)


def reap(process: subprocess.Popen[bytes]) -> int | None:
    """The command's code once it has ended, None before; orphans that were left to us are buried on the way."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            if ended[0] == process.pid:
                process.returncode = os.waitstatus_to_exitcode(ended[1])
    return process.returncode


def guarded(command: list[str]) -> int:
    """Run it; its exit code, or 130 when it was ended from outside."""
    parent, asked = os.getppid(), list[float]()
    for number in SIGNALS:
        signal.signal(number, lambda *_: asked.append(time.monotonic()))
    set_property = prctl()
    set_property(PR_SET_CHILD_SUBREAPER, 1)
    dies_with_us = partial(set_property, PR_SET_PDEATHSIG, signal.SIGKILL)
    process = subprocess.Popen(command, start_new_session=True, preexec_fn=dies_with_us)
    began = None  # to end
    while (code := reap(process)) is None:
        now = time.monotonic()
        if began is None and (asked or os.getppid() != parent):
            began = now
            process.terminate()
        if began is not None and (now > began + GRACE_S or (asked and asked[-1] > began + AGAIN_S)):
            break
        time.sleep(0.05)
    end_all(process.pid)
    if began is not None or code is None:
        return 130
    return code if code >= 0 else 128 - code


def main(arguments: list[str]) -> int:
    noted = None
    if arguments[0] == "--seconds":
        noted, arguments = arguments[1:3], arguments[3:]
    began = time.monotonic()
    code = guarded(arguments)
    if noted:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(noted[0], "a", encoding="utf-8") as file:
            file.write(f"{noted[1]} {used.ru_utime:.1f} {used.ru_stime:.1f} {time.monotonic() - began:.1f}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
