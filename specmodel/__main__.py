"""`python -m specmodel PAGE "QUERY OR LINK"` answers as a page of the app does: text, JSON, a report, or a picture.

Without a page it lists the pages.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from specmodel.base.messages import SpecmodelError
from specmodel.dashboard.frame.answering import Answered, Refused, answered, json_bytes
from specmodel.dashboard.frame.openapi import listing
from specmodel.dashboard.frame.picture import HEIGHT, WIDTH, write_picture
from specmodel.dashboard.frame.printed import aligned, printed
from specmodel.dashboard.frame.shape import CHARTS, shaped
from specmodel.dashboard.session.translation import LANGUAGES, translator


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer, or list the pages; 1 where there is no answer or a file cannot be written, with the reason.

    >>> main(["nowhere"])
    1
    """
    options = _options(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that knows few letters still gets the rest
    if not options.page:
        _print_pages(options)
        return 0
    key, query = asked(options.page, options.query)
    query += f"&lang={options.lang}" if options.lang else ""
    query += f"&{CHARTS}=1" if options.charts else ""
    try:
        _give(answered(key, query, beside=(CHARTS,)), options)
    except (Refused, SpecmodelError) as error:
        return _failed(translator(options.lang or "en").message(error.message))
    except BrokenPipeError:  # whoever read has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _failed(str(error))
    return 0


def asked(page: str, query: str) -> tuple[str, str]:
    """Page and query of what was typed: a page and a query, a page and a link, or a link alone.

    >>> asked("speedup", "alpha=0.8"), asked("speedup", "http://localhost:8501/?alpha=0.8")
    (('speedup', 'alpha=0.8'), ('speedup', 'alpha=0.8'))
    >>> asked("http://localhost:8501/serving?batch=64", ""), asked("http://localhost:8501/?k=3", "")
    (('serving', 'batch=64'), ('speedup', 'k=3'))
    """
    page, query = (text.encode("utf-8", "replace").decode("utf-8") for text in (page, query))
    if "://" in page:
        link = urlsplit(page)
        return link.path.strip("/").rpartition("/")[2] or FIRST, link.query
    return page, query.partition("?")[2] if "?" in query.partition("=")[0] else query


FIRST = "speedup"
"""The page at the root of the app."""


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m specmodel",
        description="Answer as a page of the app does, without a browser. Without a page: list the pages.",
    )
    parser.add_argument("page", nargs="?", default="", help="a page, or a whole link")
    parser.add_argument("query", nargs="?", default="", help="what a link holds: alpha=0.8&k=3; or the link itself")
    parser.add_argument("--json", action="store_true", help="print JSON, in the shape of the api")
    parser.add_argument("--charts", action="store_true", help="with the charts as data in the JSON")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write the page's report")
    parser.add_argument("--png", metavar="FILE", type=Path, help="write a picture of verdict and main figure")
    parser.add_argument("--figure", metavar="NAME", default="", help="another figure of the page in the picture")
    parser.add_argument("--size", metavar="WxH", type=_size, default=(WIDTH, HEIGHT), help="of the picture, in pixels")
    parser.add_argument("--lang", choices=list(LANGUAGES), help="the language, whatever the link says")
    parser.add_argument("--app", default="http://localhost:8501", metavar="URL", help="where the app runs, for links")
    return parser.parse_args(arguments)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and 200 <= min(int(width), int(height)) <= 8000):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no size such as 1200x760")
    return int(width), int(height)


def _print_pages(options: argparse.Namespace) -> None:
    found = listing(translator(options.lang or "en"))
    if options.json:
        print(json_bytes(found, indented=True).decode())
    else:
        print(aligned((page["page"], page["question"], _first(page["keys"])) for page in found["pages"]))


def _first(keys: Sequence[str], most: int = 8) -> str:
    return " ".join([*keys[:most], *(["…"] if len(keys) > most else [])])


def _give(found: Answered, options: argparse.Namespace) -> None:
    """Write the files that are wanted, else print; what of the link could not be used goes to the error stream."""
    for complaint in found.complaints:
        print(found.translate.message(complaint), file=sys.stderr)
    if options.html:
        from specmodel.dashboard.frame.files import write_report  # pandas and plotly, which printing does without

        write_report(found, options.html, options.app)
    if options.png:
        width, height = options.size
        write_picture(found, options.png, width, height, options.figure)
    if options.json:
        print(json_bytes(shaped(found), indented=True).decode())
    elif not options.html and not options.png:
        print(printed(found), end="")
    sys.stdout.flush()


def _failed(reason: str) -> int:
    print(reason, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
