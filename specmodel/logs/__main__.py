"""`python -m specmodel.logs FILE…` reads engine files of any size as a stream and prints what they hold.

Counters come as JSON (one object a file) or as a table, and with them a link that opens the app on them; on request
the engine page's report of one file, with all that the file tells and a link cannot carry.
"""

import argparse
import dataclasses
import gc
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from specmodel import engine
from specmodel.base.messages import SpecmodelError
from specmodel.engine import EngineAnswer, EngineRun
from specmodel.logs import LogError, parse_file
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import pack_stats

LEFT_OUT = ("units", "pace", "parts", "groups", "printed", "notes")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the files and print; 1 if one of them could not be read.

    >>> main([])
    Traceback (most recent call last):
    SystemExit: 2
    """
    options = _options(arguments)
    baseline = _read(options.baseline) if options.baseline else None
    failed = bool(options.baseline and baseline is None)
    found = []
    for path in options.files:
        stats = _read(path)
        answer = _answer(path, stats, baseline) if stats is not None else None
        failed = failed or answer is None
        if answer is not None:
            found.append(_record(str(path), answer.stats, answer, options.app))
            failed = failed or (options.html is not None and not _report(answer, options))
    if options.table:
        _print_table(found)
    else:
        for record in found:
            print(json.dumps(record, ensure_ascii=False))
    return int(failed)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m specmodel.logs",
        description="Read what serving engines print about speculative decoding: files of any size, - for stdin.",
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="log, /metrics page, benchmark or JSON file; may be gzip"
    )
    parser.add_argument(
        "--baseline", metavar="FILE", help="the same format without speculation; its step time joins the link"
    )
    parser.add_argument("--table", action="store_true", help="print a table instead of JSON")
    parser.add_argument(
        "--app", default="http://localhost:8501", metavar="URL", help="where the app runs, for the link"
    )
    parser.add_argument("--html", metavar="FILE", type=Path, help="write the engine page's report of the one file")
    parser.add_argument("--lang", choices=("en", "ja"), default="en", help="the language of the report")
    found = parser.parse_args(arguments)
    if found.html is not None and len(found.files) > 1:
        parser.error("--html writes the report of one file")
    return found


def _read(path: str) -> SpecStats | None:
    try:
        if path == "-":
            return parse_file(sys.stdin.buffer, "stdin")
        with Path(path).open("rb") as file:
            return parse_file(file, Path(path).name)
    except (LogError, OSError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return None


def _answer(path: str, stats: SpecStats, baseline: SpecStats | None) -> EngineAnswer | None:
    """The answer on a file, or why its numbers allow none; a file without speculation is printed like any other."""
    try:
        return engine.answer(EngineRun(stats, baseline))
    except SpecmodelError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return None


def _report(answer: EngineAnswer, options: argparse.Namespace) -> bool:
    """Write the engine page's report; whether that worked. The dashboard is loaded only here: reading goes without."""
    from specmodel.dashboard.engine.answer import answer as page
    from specmodel.dashboard.frame.answering import Answered
    from specmodel.dashboard.frame.files import write_report
    from specmodel.dashboard.session.chosen import read_link
    from specmodel.dashboard.session.translation import translator

    chosen, _ = read_link({"lang": options.lang, **_linked(answer.stats, answer)})
    translate = translator(options.lang)
    found = Answered("engine", chosen, (), translate, page(chosen, translate, answer), {})
    try:
        write_report(found, options.html, options.app)
    except OSError as error:
        print(error, file=sys.stderr)
        return False
    return True


def _linked(stats: SpecStats, answer: EngineAnswer | None) -> dict[str, str]:
    """What a link holds of a run: its counters, and those of its baseline where the two are a pair."""
    query = {"src": "link", "counts": pack_stats(stats)}
    pair = answer.case.comparability if answer is not None else None
    if answer is not None and answer.run.baseline is not None and pair is not None and pair.no_baseline is None:
        query["base"] = pack_stats(answer.run.baseline)
    return query


def _record(path: str, stats: SpecStats, answer: EngineAnswer | None, app: str) -> dict[str, Any]:
    """What is printed of one file: every known counter, what follows from them, notes, parts, and the link.

    Beside a baseline the verdict is printed too, and the speedup where the two are a pair.
    """
    record: dict[str, Any] = {"file": path, **_known(stats)}
    record["notes"] = [str(note) for note in stats.notes]
    if stats.parts:
        record["parts"] = [_known(part) for part in stats.parts]
    if answer is not None and answer.run.baseline is not None:
        record["verdict"] = answer.verdict.kind
        record["reason"] = str(answer.verdict.reason)
        if answer.speedup is not None:
            record["speedup"] = answer.speedup.value
    record["link"] = f"{app.rstrip('/')}/engine?{urlencode(_linked(stats, answer))}"
    return record


def _known(stats: SpecStats) -> dict[str, Any]:
    fields = {
        field.name: getattr(stats, field.name) for field in dataclasses.fields(stats) if field.name not in LEFT_OUT
    }
    derived = {
        "mean_acceptance_length": stats.mean_acceptance_length,
        "draft_acceptance_rate": stats.draft_acceptance_rate,
        "per_position_acceptance": stats.per_position_acceptance,
        "tokens_per_step": stats.tokens_per_step,
    }
    return {name: value for name, value in (fields | derived).items() if value is not None and value != ""}


def _print_table(records: Sequence[dict[str, Any]]) -> None:
    for record in records:
        width = max(map(len, record))
        for name, value in record.items():
            if name not in ("notes", "parts"):
                print(f"{name:<{width}}  {value}")
        for note in record["notes"]:
            print(f"{'note':<{width}}  {note}")
        print()


if __name__ == "__main__":
    gc.set_threshold(100_000)  # what is made of a line is no cycle, and to look for cycles takes a fifth of the time
    sys.exit(main())
