"""Pictures of answers that the command line makes with a real Chromium."""

from pathlib import Path

import pytest
from PIL import Image

from specmodel.__main__ import main

# dark enough to be ink, light enough to be paper
INK, PAPER = 120, 250


def drawn(file: Path) -> Image.Image:
    with Image.open(file) as picture:
        return picture.convert("L")


def inked(picture: Image.Image, top: float, bottom: float) -> float:
    """Share of dark points between two heights, given as shares of the picture."""
    width, height = picture.size
    band = picture.crop((0, int(top * height), width, int(bottom * height)))
    return sum(band.histogram()[:INK]) / (band.size[0] * band.size[1])


NARROW = pytest.param((600, 900), "ja", marks=pytest.mark.deep)


@pytest.mark.parametrize(("size", "language"), [((1200, 760), "en"), NARROW])
def test_a_picture_holds_verdict_figure_and_link(tmp_path: Path, size: tuple[int, int], language: str) -> None:
    file = tmp_path / "speedup.png"
    wanted = "x".join(map(str, size))
    assert main(["speedup", "alpha=0.8", "--png", str(file), "--size", wanted, "--lang", language]) == 0
    picture = drawn(file)
    assert picture.size == size and max(picture.getdata()) >= PAPER
    heading, figure, foot = inked(picture, 0, 0.25), inked(picture, 0.4, 0.9), inked(picture, 0.95, 1)
    assert heading > 0.005 and figure > 0.001 and foot > 0.001


def test_a_report_is_drawn_where_there_is_a_chromium(tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    assert main(["serving", "batch=64", "--html", str(file)]) == 0
    text = file.read_text("utf-8")
    assert len(text) < 600_000 and "<script" not in text and text.count("<svg") >= 9
