"""The answer on a measured engine as plain data: what the command line prints, with a link to the app."""

import dataclasses
from typing import Any
from urllib.parse import urlencode

from specmodel.base.messages import SpecmodelError
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.run import linked_baseline
from specmodel.engine.two_runs import compare_runs, unlike, why
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import pack_stats

LEFT_OUT = ("units", "pace", "parts", "groups", "printed", "notes")


def linked(stats: SpecStats, answer: EngineAnswer | None) -> dict[str, str]:
    """What a link holds of a run: its counters, and those of its baseline where the two are a pair.

    >>> list(linked(SpecStats("vLLM", "log", num_rounds=10), None))
    ['src', 'counts']
    """
    query = {"src": "link", "counts": pack_stats(stats)}
    pair = answer.case.comparability if answer is not None else None
    if answer is not None and answer.run.baseline is not None and pair is not None and pair.no_baseline is None:
        query |= {"base": base} if (base := linked_baseline(answer.run)) else {}
    return query


def record(path: str, stats: SpecStats, answer: EngineAnswer | None, app: str) -> dict[str, Any]:
    """What is printed of one file: every known counter, what follows from them, notes, parts, and the link.

    Beside a baseline the verdict is printed too, and where the two are a pair the speedup with its 95 % interval.

    >>> found = record("a.log", SpecStats("vLLM", "log", num_rounds=10), None, "http://127.0.0.1:8501/")
    >>> found["file"], found["num_rounds"], found["link"].split("?")[0]
    ('a.log', 10, 'http://127.0.0.1:8501/engine')
    """
    found: dict[str, Any] = {"file": path, **known(stats)}
    found["notes"] = [str(note) for note in stats.notes]
    if stats.parts:
        found["parts"] = [known(part) for part in stats.parts]
    if answer is not None and answer.next_setting is not None:
        found["tried"] = [
            {"setting": each.stats.label, "speedup": each.speedup.value if each.speedup else None, "ties": each.ties,
             "best": each.is_best} for each in answer.tried
        ]  # fmt: skip
        found["next"] = {"kind": answer.next_setting.kind, "k": answer.next_setting.num_speculative_tokens,
                          "reason": str(answer.next_setting.reason)}  # fmt: skip
    if answer is not None and answer.run.baseline is not None:
        found["verdict"] = answer.verdict.kind
        found["reason"] = str(answer.verdict.reason)
        if answer.speedup is not None:
            found["speedup"] = answer.speedup.value
            found["speedup_interval"] = [answer.speedup.low, answer.speedup.high]
    found["link"] = f"{app.rstrip('/')}/engine?{urlencode(linked(stats, answer))}"
    return found


def compared(found: dict[str, Any], stats: SpecStats, other: SpecStats) -> dict[str, Any]:
    """The record with what the comparison with another run comes to; ratios above 1: that one is better.

    >>> one = SpecStats("vLLM", "log", label="one", printed_length=2.0, tpot_ms=5.0)
    >>> compared({"link": "?"}, one, one.replace(label="other", tpot_ms=9.0))["against"]["file"]
    'other'
    """
    try:
        runs = compare_runs(stats, other)
        found["against"] = {
            "file": other.label,
            "faster": runs.kind,
            "chance_second_faster": runs.chance_second_faster,
        }
        for name in ("speed", "tokens", "step"):
            each = getattr(runs, name)
            found["against"][name] = None if each is None else [each.value, each.low, each.high]
        reason = unlike(runs) or why(runs)
        found["against"]["reason"] = None if reason is None else str(reason)
    except SpecmodelError as error:
        found["against"] = {"file": other.label, "reason": str(error)}
    found["link"] += f"&{urlencode({'other': pack_stats(other)})}"
    return found


def known(stats: SpecStats) -> dict[str, Any]:
    """The counters of a run that are known, and the rates that follow from them.

    >>> stats = SpecStats("vLLM", "log", num_rounds=10, num_draft_tokens=30, num_accepted_draft_tokens=15)
    >>> known(stats)["mean_acceptance_length"]
    2.5
    """
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
