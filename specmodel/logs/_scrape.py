"""What the formats make of a scrape; one of several models becomes a part for each."""

from collections.abc import Iterable
from typing import Any

from specmodel.logs._format import Format, Metrics
from specmodel.logs._prometheus import by_label
from specmodel.spec_stats import SpecStats, total


def read_families(found: Any, formats: Iterable[Metrics]) -> list[tuple[int, Format, SpecStats]]:
    """What each format makes of a scrape; a scrape of several models becomes one part for each.

    >>> read_families({}, [])
    []
    """
    results: list[tuple[int, Format, SpecStats]] = []
    for each in formats:
        names = [name for name in found if name.startswith(each.prefixes)]
        models = dict.fromkeys(model for name in names for model in by_label(found, name, "model_name") if model)
        parts = [(model, each.read(_of_model(found, model))) for model in models] if len(models) > 1 else []
        known = [stats.replace(label=model) for model, stats in parts if stats is not None]
        stats = total(known).replace(label="", parts=tuple(known)) if known else each.read(found)
        if stats is not None:
            results.append((1, each, stats))
    return results


def _of_model(found: Any, model: str) -> Any:
    return {
        name: kept
        for name, samples in found.items()
        if (kept := [each for each in samples if each.labels.get("model_name", model) == model])
    }
