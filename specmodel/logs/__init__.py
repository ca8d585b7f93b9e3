"""Read what serving engines print about speculative decoding: logs, /metrics pages, benchmark files, JSON answers.

One file an engine; a module that is in this folder is known (those with a leading underscore are the machinery).

>>> parse("# TYPE lmdeploy:spec_decode_num_drafts_total counter\\nlmdeploy:spec_decode_num_drafts_total 100\\n").engine
'LMDeploy'
"""

import importlib
import io
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import BinaryIO

from specmodel.base.messages import N_
from specmodel.logs._checks import plausible
from specmodel.logs._columns import ROLES
from specmodel.logs._dispatch import Dispatcher
from specmodel.logs._format import Format, LogError, Metrics
from specmodel.logs._prometheus import difference, families
from specmodel.logs._scrape import read_families
from specmodel.logs._stream import Source
from specmodel.logs._sweep_table import TableRead, read_table
from specmodel.logs._table_rows import SOURCE as TABLE
from specmodel.measured.spec_stats import SpecStats

MAX_BYTES = 64 * 2**20
"""The most that `parse` reads, unpacked; `parse_file` reads any size."""
DIFFERENCE = N_("difference of two /metrics pages")
"""The source of what happened between two scrapes."""

__all__ = [
    "DIFFERENCE",
    "MAX_BYTES",
    "ROLES",
    "TABLE",
    "LogError",
    "Metrics",
    "TableRead",
    "formats",
    "is_scrape",
    "parse",
    "parse_file",
    "parse_scrapes",
    "read_table",
    "text_of",
]


@cache
def formats() -> tuple[Format, ...]:
    """Every format of every engine in this folder, an engine's best format first.

    >>> sorted({each.engine for each in formats()})[-1]
    'vLLM'
    """
    readers = [each.name for each in pkgutil.iter_modules(__path__) if not each.ispkg]
    names = sorted(name for name in readers if not name.startswith("_"))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return tuple(each for module in modules for each in module.FORMATS)


def parse(text_or_bytes: str | bytes, name: str | None = None) -> SpecStats:
    """The counters in a log, a scrape, a benchmark file or a JSON answer; bytes may be gzip.

    Raises `LogError` where no engine or more than one is recognised, where a counter breaks an identity that it has to
    obey (with the line and the numbers), and where there are more than `MAX_BYTES`.

    >>> parse('{"timings": {"predicted_n": 281, "predicted_ms": 2525, "draft_n": 300, "draft_n_accepted": 180}}').engine
    'llama.cpp'
    """
    data = text_or_bytes.encode("utf-8", "surrogatepass") if isinstance(text_or_bytes, str) else bytes(text_or_bytes)
    return parse_file(io.BytesIO(data), name, limit=MAX_BYTES)


def parse_file(
    file: BinaryIO,
    name: str | None = None,
    *,
    limit: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> SpecStats:
    """The same from an open binary file, in blocks: memory stays flat. `progress` is told the bytes read so far.

    >>> parse_file(io.BytesIO(b""))
    Traceback (most recent call last):
    specmodel.logs._format.LogError: the file is empty
    """
    stats = Dispatcher(formats()).read(Source(file, limit, progress))
    return plausible(stats).replace(label=stats.label or name or "")


def text_of(data: bytes) -> str:
    """The text of a file as `parse` sees it: unpacked, as UTF-8, with plain line ends.

    >>> text_of(b"\\xef\\xbb\\xbfa\\r\\n")
    'a\\n'
    """
    return Source(io.BytesIO(data), MAX_BYTES).whole(MAX_BYTES)


def is_scrape(stats: SpecStats) -> bool:
    """Whether it was read from one /metrics page, whose counters run since the engine started.

    >>> is_scrape(parse("# TYPE lmdeploy:generation_tokens_total counter\\nlmdeploy:generation_tokens_total 100\\n"))
    True
    """
    return any(
        isinstance(each, Metrics) and (each.engine, each.source) == (stats.engine, stats.source) for each in formats()
    )


def parse_scrapes(before: str | bytes, after: str | bytes, name: str | None = None) -> SpecStats:
    """What happened between two scrapes of /metrics; a counter that fell was reset, and then counts since its start.

    >>> head = "# TYPE lmdeploy:spec_decode_num_drafts_total counter\\nlmdeploy:spec_decode_num_drafts_total "
    >>> parse_scrapes(f"{head}100\\n", f"{head}130\\n").num_rounds
    30.0
    """
    texts = [each if isinstance(each, str) else text_of(each) for each in (before, after)]
    scraped = [each for each in formats() if isinstance(each, Metrics)]
    changed, reset = difference(*(families(text, scraped) for text in texts))
    metrics = [each for each in scraped if any(sample.startswith(each.prefixes) for sample in changed)]
    found = read_families(changed, metrics)
    if len(found) != 1:
        raise LogError("the two files are no scrapes of one known engine")
    stats = plausible(found[0][2])
    return stats.replace(source=DIFFERENCE, label=name or stats.label, notes=(*stats.notes, *reset))
