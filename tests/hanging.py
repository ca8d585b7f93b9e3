"""Sessions that never end, for test_guard.py to interrupt; the file's name keeps other runs from finding them."""

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.conftest import running_server

SLEEP = "import time; time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"


def hang():
    """Tell that everything is running, then wait to be interrupted."""
    Path(os.environ["SPECMODEL_HANGING"]).touch()
    time.sleep(600)


def test_with_a_server_and_a_stubborn_process_in_a_session_of_its_own():
    subprocess.Popen([sys.executable, "-c", STUBBORN], start_new_session=True)
    with running_server([sys.executable, "-c", SLEEP], lambda: True):
        hang()


def test_with_the_app_and_a_browser(page, app_url):
    page.goto(app_url)
    hang()
