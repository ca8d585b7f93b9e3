"""What the formats make of a scrape; one of several models becomes a part for each."""

import re
from collections.abc import Iterable

from specmodel.logs._format import Families, Format, LogError, Metrics, Sample
from specmodel.logs._prometheus import families
from specmodel.logs._unread import checked_page
from specmodel.measured.spec_stats import SpecStats, total


def read_scrape(text: str, formats: Iterable[Metrics]) -> list[tuple[int, Format, SpecStats]]:
    """What each format makes of the text of a scrape, with the line on which its samples start.

    A contradiction between counters is named with the line of the accepted tokens, or of the first sample.

    >>> read_scrape("", [])
    []
    """
    formats = list(formats)
    try:
        found = read_families(families(text, formats), formats)
    except LogError as error:
        values = dict(error.message.values)
        if values.get("line") != 1:
            raise
        values["line"] = _first_line(text, formats, "accepted") or _first_line(text, formats) or 1
        raise LogError(error.message.template, **values) from error
    return [(_first_line(text, [each]) or 1, each, stats) for _, each, stats in found if isinstance(each, Metrics)]


def _first_line(text: str, formats: Iterable[Metrics], word: str = "") -> int | None:
    names = "|".join(re.escape(prefix) for each in formats for prefix in each.prefixes)
    match = re.search(rf"^(?:{names})\w*{word}", text, re.MULTILINE)
    return text.count("\n", 0, match.start()) + 1 if match else None


def read_families(found: Families, formats: Iterable[Metrics]) -> list[tuple[int, Format, SpecStats]]:
    """What each format makes of a scrape; a scrape of several models becomes one part for each.

    >>> read_families({}, [])
    []
    """
    results: list[tuple[int, Format, SpecStats]] = []
    for each in formats:
        models = _by_model(found, each.prefixes)
        parts = [(model, each.read(own)) for model, own in models.items()] if len(models) > 1 else []
        known = [stats.replace(label=model, model=model) for model, stats in parts if stats is not None]
        drafting = [stats for stats in known if stats.speculation] or known
        stats = total(drafting).replace(label="", parts=tuple(known)) if known else each.read(found)
        if stats is not None and len(models) == 1:
            stats = stats.replace(model=next(iter(models)))
        if stats is not None:
            checked_page(stats, found, each.prefixes)
            results.append((1, each, stats))
    return results


def _by_model(found: Families, prefixes: tuple[str, ...]) -> dict[str, dict[str, list[Sample]]]:
    """The families of each model; a sample that names none belongs to none of several."""
    models: dict[str, dict[str, list[Sample]]] = {}
    for name, samples in found.items():
        for sample in samples if name.startswith(prefixes) else ():
            if model := sample.labels.get("model_name"):
                models.setdefault(model, {}).setdefault(name, []).append(sample)
    return models
