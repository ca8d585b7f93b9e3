"""`python -m specmodel.logs FILE…` reads engine files of any size as a stream and prints what they hold.

Counters come as JSON (one object a file) or as a table, and with them a link that opens the app on them; on request
the engine page's report of one file, with all that the file tells and a link cannot carry, and the rules and the
dashboard that watch it. Beside a baseline the verdict comes too, and decides the exit code.
"""

import argparse
import gc
import json
import sys
from collections.abc import Sequence, Set
from pathlib import Path
from typing import Any

from specmodel import engine
from specmodel.base.messages import SpecmodelError, Verbatim
from specmodel.engine import EngineAnswer, EngineRun
from specmodel.engine.record import compared, linked, record
from specmodel.logs import ROLES, LogError, parse_file, read_table, text_of
from specmodel.measured.spec_stats import SpecStats
from specmodel.watch import dashboard_json, levels_of, rules_yaml

UNREAD, LOSES, UNKNOWN = 1, 3, 4
"""Exit codes; 2 is a call that makes no sense, as of every Python command. `EXITS` says them all."""
EXITS = (
    "Exit code: 0 read (with --baseline: it pays), 1 something could not be read or written, 2 a wrong call; with "
    "--baseline also 3 it does not pay, 4 not known: too close, not comparable, no times. Of several files the worst."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the files and print; the exit code says how it went, see `EXITS`.

    >>> main([])
    Traceback (most recent call last):
    SystemExit: 2
    """
    options = _options(arguments)
    baseline = _read(options.baseline) if options.baseline else None
    other = _read(options.against) if options.against else None
    failed = bool((options.baseline and baseline is None) or (options.against and other is None))
    found, verdicts = [], set()
    for path in options.files:
        stats = _read(path, options.columns)
        answer = _answer(path, stats, baseline) if stats is not None else None
        failed = failed or answer is None
        if answer is not None:
            one = record(str(path), answer.stats, answer, options.app)
            found.append(one if other is None else compared(one, answer.stats, other))
            verdicts.add(answer.verdict.kind)
            failed = not _written(answer, one["link"], options) or failed
    if options.table:
        _print_table(found)
    else:
        for one in found:
            print(json.dumps(one, ensure_ascii=False))
    return _exit_code(failed, verdicts if options.baseline else set())


def _exit_code(failed: bool, verdicts: Set[str]) -> int:
    if failed:
        return UNREAD
    if "does_not_pay" in verdicts:
        return LOSES
    return UNKNOWN if verdicts - {"pays"} else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m specmodel.logs",
        description="Read what serving engines print about speculative decoding: files of any size, - for stdin.",
        epilog=EXITS,
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="log, /metrics page, benchmark or JSON file; may be gzip"
    )
    parser.add_argument(
        "--baseline", metavar="FILE", help="the same format without speculation; its step time joins the link"
    )
    parser.add_argument(
        "--against", metavar="FILE", help="another run with speculation: which is faster, how sure, which part differs"
    )
    parser.add_argument(
        "--columns",
        metavar="NAMES",
        help="what the columns of a table of settings hold, with commas between them, empty for as understood: "
        + ", ".join(ROLES),
    )
    parser.add_argument("--table", action="store_true", help="print a table instead of JSON")
    parser.add_argument(
        "--app", default="http://localhost:8501", metavar="URL", help="where the app runs, for the link"
    )
    parser.add_argument("--html", metavar="FILE", type=Path, help="write the engine page's report of the one file")
    parser.add_argument("--rules", metavar="FILE", type=Path, help="write Prometheus rules that watch the one run")
    parser.add_argument("--dashboard", metavar="FILE", type=Path, help="write the Grafana dashboard beside them")
    parser.add_argument("--tpot", metavar="MS", type=float, help="the service level of an output token, for the rules")
    parser.add_argument("--model", metavar="NAME", default="", help="model_name of the metrics, for the rules")
    parser.add_argument("--lang", choices=("en", "ja"), default="en", help="the language of the report")
    found = parser.parse_args(arguments)
    written = [name for name in ("html", "rules", "dashboard") if getattr(found, name) is not None]
    if written and len(found.files) > 1:
        parser.error(f"--{written[0]} writes what one file tells")
    return found


def _read(path: str, columns: str | None = None) -> SpecStats | None:
    try:
        if columns is not None:
            return _named_columns(path, [each.strip() for each in columns.split(",")])
        if path == "-":
            return parse_file(sys.stdin.buffer, "stdin")
        with Path(path).open("rb") as file:
            return parse_file(file, Path(path).name)
    except (LogError, OSError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return None


def _named_columns(path: str, roles: Sequence[str]) -> SpecStats:
    """A table of settings whose columns are named on the command line."""
    if wrong := [each for each in roles if each and each not in ROLES]:
        raise LogError(
            "no column holds {name}: expected one of {names}", name=wrong[0], names=Verbatim(", ".join(ROLES))
        )
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    found = read_table(text_of(data), roles)
    if found is None:
        raise LogError("no table of settings was found")
    if found.stats is None:
        raise LogError("{reason}", reason=found.error)
    return found.stats.replace(label=Path(path).name)


def _answer(path: str, stats: SpecStats, baseline: SpecStats | None) -> EngineAnswer | None:
    """The answer on a file, or why its numbers allow none; a file without speculation is printed like any other."""
    try:
        several = stats.parts_are_settings and stats.speculation and baseline is None
        return engine.answer(stats if several else EngineRun(stats, baseline))
    except SpecmodelError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return None


def _written(answer: EngineAnswer, link: str, options: argparse.Namespace) -> bool:
    """Write the files that were asked for; whether that worked, with the reason on the error stream where not."""
    try:
        if options.rules is not None or options.dashboard is not None:
            levels = levels_of(answer, tpot_ms=options.tpot, model=options.model, link=link)
            if options.rules is not None:
                options.rules.write_text(rules_yaml(levels), "utf-8")
            if options.dashboard is not None:
                options.dashboard.write_text(dashboard_json(levels), "utf-8")
        if options.html is not None:
            _report(answer, options)
    except (OSError, SpecmodelError) as error:
        print(error, file=sys.stderr)
        return False
    return True


def _report(answer: EngineAnswer, options: argparse.Namespace) -> None:
    """Write the engine page's report. The dashboard is loaded only here: reading goes without."""
    from specmodel.dashboard.engine.answer import answer as page
    from specmodel.dashboard.frame.answering import Answered
    from specmodel.dashboard.frame.files import write_report
    from specmodel.dashboard.session.chosen import read_link
    from specmodel.dashboard.session.translation import translator

    chosen, _ = read_link({"lang": options.lang, **linked(answer.stats, answer)})
    translate = translator(options.lang)
    found = Answered("engine", chosen, (), translate, page(chosen, translate, answer), {})
    write_report(found, options.html, options.app)


def _print_table(records: Sequence[dict[str, Any]]) -> None:
    for one in records:
        width = max(map(len, one))
        for name, value in one.items():
            if name not in ("notes", "parts"):
                print(f"{name:<{width}}  {value}")
        for note in one["notes"]:
            print(f"{'note':<{width}}  {note}")
        print()


if __name__ == "__main__":
    gc.set_threshold(100_000)  # what is made of a line is no cycle, and to look for cycles takes a fifth of the time
    sys.exit(main())
