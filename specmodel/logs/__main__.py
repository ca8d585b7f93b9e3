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
from specmodel.base.messages import SpecmodelError, Verbatim
from specmodel.engine import EngineAnswer, EngineRun
from specmodel.engine.run import linked_baseline
from specmodel.engine.two_runs import compare_runs, unlike, why
from specmodel.logs import ROLES, LogError, parse_file, read_table, text_of
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
    other = _read(options.against) if options.against else None
    failed = bool((options.baseline and baseline is None) or (options.against and other is None))
    found = []
    for path in options.files:
        stats = _read(path, options.columns)
        answer = _answer(path, stats, baseline) if stats is not None else None
        failed = failed or answer is None
        if answer is not None:
            record = _record(str(path), answer.stats, answer, options.app)
            found.append(record if other is None else _compared(record, answer.stats, other))
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
    parser.add_argument("--lang", choices=("en", "ja"), default="en", help="the language of the report")
    found = parser.parse_args(arguments)
    if found.html is not None and len(found.files) > 1:
        parser.error("--html writes the report of one file")
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
        query |= {"base": base} if (base := linked_baseline(answer.run)) else {}
    return query


def _record(path: str, stats: SpecStats, answer: EngineAnswer | None, app: str) -> dict[str, Any]:
    """What is printed of one file: every known counter, what follows from them, notes, parts, and the link.

    Beside a baseline the verdict is printed too, and the speedup where the two are a pair.
    """
    record: dict[str, Any] = {"file": path, **_known(stats)}
    record["notes"] = [str(note) for note in stats.notes]
    if stats.parts:
        record["parts"] = [_known(part) for part in stats.parts]
    if answer is not None and answer.next_setting is not None:
        record["tried"] = [
            {"setting": each.stats.label, "speedup": each.speedup.value if each.speedup else None, "ties": each.ties,
             "best": each.is_best} for each in answer.tried
        ]  # fmt: skip
        record["next"] = {"kind": answer.next_setting.kind, "k": answer.next_setting.num_speculative_tokens,
                          "reason": str(answer.next_setting.reason)}  # fmt: skip
    if answer is not None and answer.run.baseline is not None:
        record["verdict"] = answer.verdict.kind
        record["reason"] = str(answer.verdict.reason)
        if answer.speedup is not None:
            record["speedup"] = answer.speedup.value
    record["link"] = f"{app.rstrip('/')}/engine?{urlencode(_linked(stats, answer))}"
    return record


def _compared(record: dict[str, Any], stats: SpecStats, other: SpecStats) -> dict[str, Any]:
    """The record with what the comparison with another run comes to; ratios above 1: that one is better."""
    try:
        found = compare_runs(stats, other)
        record["against"] = {
            "file": other.label,
            "faster": found.kind,
            "chance_second_faster": found.chance_second_faster,
        }
        for name in ("speed", "tokens", "step"):
            each = getattr(found, name)
            record["against"][name] = None if each is None else [each.value, each.low, each.high]
        reason = unlike(found) or why(found)
        record["against"]["reason"] = None if reason is None else str(reason)
    except SpecmodelError as error:
        record["against"] = {"file": other.label, "reason": str(error)}
    record["link"] += f"&{urlencode({'other': pack_stats(other)})}"
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
