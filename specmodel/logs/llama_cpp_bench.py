"""llama.cpp: the summary of speed_bench.py.

Format read in ggml-org/llama.cpp (mirror 3f545becc of 2026-08-22, about b10573:
tools/server/bench/speed-bench/speed_bench.py).
"""

from collections.abc import Mapping
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import checked, count
from specmodel.logs._format import LogError, Objects, note
from specmodel.logs._llama_cpp import ENGINE
from specmodel.logs._printed import agree, inner, known, text
from specmodel.measured.spec_stats import Printed, SpecStats, total

OVERALL = "overall"


class _SpeedBench:
    """One category a row; the row of all of them has to be their sum."""

    def __init__(self) -> None:
        self._files: list[SpecStats] = []

    def take(self, line: int, found: dict[str, Any]) -> bool:
        rows = found.get("summary")
        if not isinstance(rows, list) or not 0 < len(rows) <= 4096:
            return False
        if not all(isinstance(row, dict) and {"category", "draft_n", "accepted"} <= row.keys() for row in rows):
            return False
        single = inner(found, "config").get("concurrency", 1) == 1
        results = found.get("results")
        results = results if isinstance(results, list) else []
        listed = [each for each in results if isinstance(each, dict) and each.get("ok") is True]
        by_category: dict[str, list[dict[str, Any]]] = {}
        for each in listed:
            by_category.setdefault(text(each, "category"), []).append(each)
        by_category[OVERALL] = listed
        if len({text(row, "category") for row in rows}) < len(rows):
            raise LogError("line {line}: a category stands in the summary twice", line=line)
        parts = [_category(row, by_category.get(text(row, "category"), []), single, line) for row in rows]
        named = tuple(each for each in parts if each.label != OVERALL)
        stats = total(named or parts)
        for overall in parts if named else ():
            if overall.label == OVERALL:
                _same_sums(stats, overall, line)
                stats = stats.replace(output_tokens_per_s=overall.output_tokens_per_s, printed=overall.printed)
        self._files.append(stats.replace(label="", parts=named if len(named) > 1 else ()))
        return True

    def result(self) -> SpecStats | None:
        if len(self._files) < 2:
            return self._files[0] if self._files else None
        return total(self._files).replace(parts=tuple(part for each in self._files for part in each.parts))


def _same_sums(stats: SpecStats, overall: SpecStats, line: int) -> None:
    for name, ours, theirs in (
        ("draft_n", stats.num_draft_tokens, overall.num_draft_tokens),
        ("accepted", stats.num_accepted_draft_tokens, overall.num_accepted_draft_tokens),
    ):
        agree(theirs or 0, ours or 0, 0.5, line, name)


def _category(row: Mapping[str, Any], results: list[dict[str, Any]], single: bool, line: int) -> SpecStats:
    label = text(row, "category")
    drafted, accepted = count(row["draft_n"], line, "draft_n"), count(row["accepted"], line, "accepted")
    rate, speed = known(row, "accept_rate", line), known(row, "avg_pred_t_s", line)
    if rate is not None and drafted:
        agree(rate, accepted / drafted, 0.0005, line, "accept_rate")
    samples, turns = known(row, "requests", line), known(row, "turns", line)
    latency, failed = known(row, "avg_latency", line), known(row, "failed", line)
    stats = SpecStats(
        ENGINE,
        SPEED_BENCH.source,
        label=label,
        speculation=drafted > 0,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        num_requests=turns,
        request_ms=1000 * latency * samples / turns if latency is not None and samples and turns else None,
        output_tokens_per_s=speed if single else None,
        printed=(Printed("accept_rate", rate, "accepted_per_drafted"),) if rate is not None else (),
        notes=(note("{failed:.10g} samples failed and are not counted", failed=failed),) if failed else (),
    )
    return checked(_with_results(stats, results, line), line)


def _with_results(stats: SpecStats, results: list[dict[str, Any]], line: int) -> SpecStats:
    """Tokens and times of the single samples, which may have several turns; each turn is a request."""
    if not results:
        return stats
    names = ("completion_tokens", "turns", "draft_n_accepted", "predicted_ms")
    rows = [[known(each, name, line) for name in names] for each in results]
    if any(value is None for row in rows for value in row):
        return stats
    tokens, turns, accepted, decode_ms = (sum(value or 0 for value in column) for column in zip(*rows, strict=True))
    agree(accepted, stats.num_accepted_draft_tokens or 0, 0.5, line, "accepted")
    steps, gaps = tokens - turns - accepted, tokens - turns
    return stats.replace(
        generated_tokens=tokens,
        num_requests=turns,
        num_steps=max(steps, 0),
        step_ms=decode_ms / steps if steps > 0 else None,
        tpot_ms=decode_ms / gaps if gaps > 0 else None,
    )


SPEED_BENCH = Objects(ENGINE, N_("speed_bench.py summary"), ("avg_pred_t_s",), _SpeedBench)
FORMATS = (SPEED_BENCH,)
