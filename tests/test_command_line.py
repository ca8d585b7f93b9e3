"""The command line answers as the pages do: text, JSON, a report, a picture; what is wrong is said on the error stream.

Pictures by a real browser: tests/browser/test_picture.py. Here a script stands for it, to see what becomes of faults.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import specmodel as sm
from specmodel.__main__ import asked, main
from specmodel.base.messages import Message
from specmodel.dashboard.frame import chromium, first_page
from specmodel.dashboard.frame.answering import answered, json_bytes
from specmodel.dashboard.frame.picture import picture_html
from specmodel.dashboard.frame.printed import KINDS, aligned, printed
from specmodel.dashboard.frame.shape import shaped
from specmodel.dashboard.parts.answer import Said, Table
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import plain, translator
from specmodel.logs.__main__ import main as logs_main
from tests.conftest import ROOT

ENGINE = ROOT / "specmodel" / "data" / "engine"
LOG, BASELINE = ENGINE / "smol_draft15m_k4.server.log.gz", ENGINE / "smol_draft15m_k4.baseline.server.log.gz"


def out(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a call prints that succeeds, with nothing said on the error stream."""
    code = main(arguments)
    said = capsys.readouterr()
    assert code == 0 and said.err == ""
    return said.out


def test_without_a_page_it_lists_the_pages(capsys: pytest.CaptureFixture[str]) -> None:
    lines = out(capsys).splitlines()
    assert [line.split()[0] for line in lines] == list(pages()) and "alpha k" in lines[0]
    assert json.loads(out(capsys, "--json"))["keys"]["alpha"]["maximum"] == 1
    assert translator("ja")(pages()["speedup"].question) in out(capsys, "--lang", "ja")


@pytest.mark.parametrize("key", pages())
@pytest.mark.parametrize("language", ["en", "ja"])
def test_text_says_all_that_the_page_says(key: str, language: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, key, "--lang", language)
    found = answered(key, f"lang={language}")
    assert text == printed(found) and text.startswith(found.translate(pages()[key].question))
    for number in shaped(found)["numbers"]:
        lines = [line for line in text.splitlines() if line.startswith(f"{number['label']} ")]
        assert any(number["text"] in line and found.translate(KINDS[number["kind"]]) in line for line in lines)
    for part in found.answer.values():
        assert not isinstance(part, Said) or plain(part.headline) in text
        assert not isinstance(part, Table) or part.title in text
    assert all(plain(limit) in text for limit in found.answer.leaves_out)
    assert "\\" not in re.sub(r"\\n|\\s", "", text) or key in ("engine", "serving", "drift")  # patterns to paste


def test_the_command_and_a_link_come_to_the_same_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "speedup", "alpha=0.83&k=4")
    outcome = sm.evaluate(sm.Scenario(alpha=0.83, num_speculative_tokens=4))
    assert re.search(rf"^Speedup +{outcome.speedup:.2f}× +exact$", text, re.MULTILINE)
    for same in (
        ["speedup", "?alpha=0.83&k=4"],
        ["speedup", "http://localhost:8501/?alpha=0.83&k=4"],
        ["http://localhost:8501/speedup?alpha=0.83&k=4"],
        ["https://tools.example/spec/speedup/?alpha=0.83&k=4"],
    ):
        assert out(capsys, *same) == text


def test_a_bare_link_is_that_of_the_page_at_the_root() -> None:
    assert asked("http://localhost:8501", "") == (first_page.FIRST, "")


def test_json_is_that_of_the_api(capsys: pytest.CaptureFixture[str]) -> None:
    query = "batch=64&cost=roofline"
    text = out(capsys, "serving", query, "--json")
    assert text.encode() == json_bytes(shaped(answered("serving", query)), indented=True) + b"\n"
    assert "charts" not in json.loads(text)
    assert len(json.loads(out(capsys, "serving", query, "--json", "--charts"))["charts"]) > 5


def test_the_link_may_name_the_language_and_the_option_overrules_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(out(capsys, "speedup", "lang=ja", "--json"))["language"] == "ja"
    assert json.loads(out(capsys, "speedup", "lang=ja", "--lang", "en", "--json"))["language"] == "en"


def test_what_of_a_link_cannot_be_used_goes_to_the_error_stream(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speedup", "alpha=lots&color=blue\udcff", "--json"]) == 0
    said = capsys.readouterr()
    assert len(said.err.splitlines()) == 2 and "lots" in said.err
    assert len(json.loads(said.out)["complaints"]) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "There is no page nowhere; there are speedup,"),
        (["nowhere", "--lang", "ja"], "nowhere というページはありません"),
        (["http://localhost:8501/nowhere?alpha=1"], "There is no page nowhere"),
        (["speedup", "x" * 9000], "9,000 characters"),
        (["speedup", "--png", "speedup.png", "--lang", "ja"], "Chromium"),
        (["speedup", "--png", "speedup.png", "--figure", "map"], "no figure map; it has speedup, time, token."),
        (["speedup", "--html", "/nonexistent/folder/report.html"], "/nonexistent/folder/report.html"),
    ],
)
def test_why_there_is_no_answer(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("specmodel.dashboard.frame.chromium.NAMES", ())
    monkeypatch.delenv("SPECMODEL_CHROMIUM", raising=False)
    assert main(arguments) == 1
    printed_now = capsys.readouterr()
    assert said in printed_now.err and printed_now.out == "" and "Traceback" not in printed_now.err


@pytest.mark.parametrize("arguments", [["speedup", "--size", "big"], ["speedup", "--size", "1x9"], ["--lang", "fr"]])
def test_wrong_usage_is_said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2 and "usage:" in capsys.readouterr().err


@pytest.fixture
def no_chromium(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports with interactive figures; tests/browser/test_picture.py has drawn ones."""

    def none_found() -> str:
        raise chromium.PictureError(Message("no browser"))

    monkeypatch.setattr(chromium, "find_chromium", none_found)


@pytest.mark.usefixtures("no_chromium")
@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_report_is_the_pages(tmp_path: Path, language: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.html"
    assert out(capsys, "draft_length", "alpha=0.7", "--lang", language, "--html", str(file)) == ""
    text, found = file.read_text(encoding="utf-8"), answered("draft_length", f"alpha=0.7&lang={language}")
    assert f"lang='{language}'" in text or f'lang="{language}"' in text
    assert found.translate(pages()["draft_length"].question) in text
    assert all(number["text"] in text for number in shaped(found)["numbers"])
    assert "http://localhost:8501/draft_length?alpha=0.7" in text


@pytest.mark.usefixtures("no_chromium")
def test_the_report_of_an_engines_file_holds_what_no_link_carries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "engine.html"
    assert logs_main([str(LOG), "--baseline", str(BASELINE), "--html", str(file), "--app", "http://app:1"]) == 3
    record = json.loads(capsys.readouterr().out)
    text = file.read_text(encoding="utf-8")
    numbers = {each["name"]: each for each in shaped(answered("engine", "example=draft15m"))["numbers"]}
    for name in ("rate", "length", "rho", "speedup", "slower"):  # those of the example, which has the same files
        shown = numbers[name]["text"].replace("<", "&lt;").replace(">", "&gt;")
        assert shown in text
    assert record["verdict"] == "does_not_pay" and "http://app:1/engine?" in text
    assert logs_main([str(LOG), "--html", str(file), "--lang", "ja"]) == 0
    assert "自分のエンジン" in file.read_text(encoding="utf-8")


@pytest.mark.usefixtures("no_chromium")
def test_one_report_is_of_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        logs_main([str(LOG), str(BASELINE), "--html", str(tmp_path / "engine.html")])
    assert "--html writes what one file tells" in capsys.readouterr().err
    assert logs_main([str(LOG), "--html", str(tmp_path / "no" / "engine.html")]) == 1
    assert "engine.html" in capsys.readouterr().err


def browser(folder: Path, script: str) -> str:
    """A script that stands for Chromium: it answers --version, and then does what it is told."""
    file = folder / "chromium"
    file.write_text(f'#!/bin/sh\n[ "$1" = --version ] && exit 0\nfor each; do last=$each; case $each in\n{script}\n')
    file.chmod(0o755)
    return str(file)


NOTES = '--screenshot=*) echo "$@" > "$NOTED"; echo x > "${each#*=}";; esac; done'


def test_a_picture_is_made_by_the_browser_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPECMODEL_CHROMIUM", browser(tmp_path, NOTES))
    monkeypatch.setenv("NOTED", str(tmp_path / "noted"))
    file = tmp_path / "speedup.png"
    assert out(capsys, "speedup", "alpha=0.8", "--png", str(file), "--size", "800x600") == ""
    noted = (tmp_path / "noted").read_text()
    assert file.read_text() == "x\n" and "--window-size=800,600" in noted and "file:///" in noted


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("esac; done; echo first >&2; echo 'no display' >&2; exit 3", "Chromium made no picture: no display."),
        ("esac; done; exit 3", "Chromium made no picture: 3."),
    ],
)
def test_a_browser_that_fails_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], script: str, said: str
) -> None:
    monkeypatch.setenv("SPECMODEL_CHROMIUM", browser(tmp_path, f"none) ;; {script}"))
    assert main(["speedup", "--png", str(tmp_path / "speedup.png")]) == 1
    assert capsys.readouterr().err.strip() == said and not (tmp_path / "speedup.png").exists()


def test_a_browser_that_hangs_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("specmodel.dashboard.frame.chromium.LONGEST_S", 0.5)
    monkeypatch.setenv("SPECMODEL_CHROMIUM", browser(tmp_path, "none) ;; esac; done; exec sleep 60"))
    assert main(["speedup", "--png", str(tmp_path / "speedup.png")]) == 1
    assert "longer than 0.5 s" in capsys.readouterr().err


def test_without_a_browser_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPECMODEL_CHROMIUM", str(tmp_path / "none"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["speedup", "--png", str(tmp_path / "speedup.png")]) == 1
    assert "install one, or name it in SPECMODEL_CHROMIUM" in capsys.readouterr().err


def test_what_a_picture_shows_is_escaped() -> None:
    text = picture_html(answered("reference", "find=%3Cscript%3Ealert(1)%3C%2Fscript%3E"))
    assert "<script>alert" not in text and "find=%3Cscript" in text


def test_wide_letters_count_twice_in_a_table() -> None:
    assert aligned([("値", "b"), ("abc", "ドラフト")]).splitlines() == ["値   b", "abc  ドラフト"]


def test_it_is_a_command_and_answers_without_streamlit() -> None:
    program = "import sys; from specmodel.__main__ import main; main(['speedup', 'alpha=0.8', '--json'])\n"
    checked = program + "assert not {'streamlit', 'pandas'} & sys.modules.keys(), 'loaded'"
    run = subprocess.run([sys.executable, "-c", checked], cwd=ROOT, capture_output=True, text=True, check=True)
    value: Any = json.loads(run.stdout)["numbers"][0]["value"]
    assert value == sm.evaluate(sm.Scenario(alpha=0.8)).speedup
    command = [sys.executable, "-m", "specmodel", "nowhere"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True).returncode == 1
