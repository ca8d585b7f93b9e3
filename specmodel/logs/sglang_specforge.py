"""SpecForge: the results of its benchmarks, which drive SGLang."""

from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, count, number
from specmodel.logs._format import LogError, Objects, note
from specmodel.logs._sglang import (
    ENGINE,
    MAX_SETTINGS,
    draft_length,
    length_of,
    printed_length,
    setting_label,
    settings,
)
from specmodel.measured.spec_stats import SpecStats

_KEYS = ("batch_size", "steps", "topk", "num_draft_tokens")


class _Forge:
    """Results of SpecForge: the benchmarks of one setting are groups; of several settings each is a part."""

    def __init__(self) -> None:
        self._settings: dict[str, Tally] = {}
        self._groups: dict[str, Tally] = {}

    def take(self, line: int, found: dict[str, Any]) -> bool:
        runs = [
            (name, row, metric)
            for name, rows in found.items()
            if isinstance(rows, list)
            for row in rows
            if isinstance(row, dict) and row.keys() >= {*_KEYS, "metrics"} and isinstance(row["metrics"], list)
            for metric in row["metrics"]
            if isinstance(metric, dict) and {"accept_length", "output_throughput", "latency"} <= metric.keys()
        ]
        for name, row, metric in runs:
            stats = _forge(row, metric, line)
            for tallies, key in ((self._settings, stats.label), (self._groups, name)):
                if key not in tallies and len(tallies) > MAX_SETTINGS:
                    raise LogError("the file holds more than {limit} settings", limit=MAX_SETTINGS)
                tallies.setdefault(key, Tally()).add(stats.replace(label=key))
        return bool(runs)

    def result(self) -> SpecStats | None:
        parts = [stats for tally in self._settings.values() if (stats := tally.total())]
        groups = [stats for tally in self._groups.values() if (stats := tally.total())]
        if len(parts) == 1:
            return parts[0].replace(parts=tuple(groups) if len(groups) > 1 else ())
        return settings(parts)


def _forge(row: dict[str, Any], metric: dict[str, Any], line: int) -> SpecStats:
    """Counts follow from throughput × time and the acceptance length."""
    batch, steps, topk, draft_tokens = (count(row[name], line, name) for name in _KEYS)
    seconds, speed = (number(metric[name], line, name) for name in ("latency", "output_throughput"))
    length = length_of(metric, "accept_length", line) if steps else None
    k, notes = draft_length(steps, topk, draft_tokens) if steps else (0, ())
    tokens = seconds * speed
    stats = SpecStats(
        ENGINE,
        SPECFORGE.source,
        label=setting_label(k, topk, draft_tokens, batch),
        speculation=steps > 0,
        num_speculative_tokens=k or None,
        generated_tokens=tokens,
        window_s=seconds,
        batch_size=batch,
        output_tokens_per_s=speed,
    )
    if not steps:
        return stats
    length = length or 1.0
    counted = note("counts follow from throughput × latency and accept_length; the file holds ratios only")
    return stats.replace(
        estimated=True,
        num_rounds=tokens / length,
        num_steps=tokens / length,
        num_accepted_draft_tokens=tokens - tokens / length,
        printed_length=length,
        printed=printed_length("accept_length", length),
        notes=(counted, *notes),
    )


SPECFORGE = Objects(ENGINE, N_("SpecForge results"), ("num_samples",), _Forge)
FORMATS = (SPECFORGE,)
