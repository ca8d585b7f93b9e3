"""What the tests of the readers share: the sample files, and what they ask of a result."""

import gzip
import json
from typing import Any

import pytest

from specmodel.logs import LogError, parse
from specmodel.measured.spec_stats import SpecStats
from tests.conftest import SAMPLES

EXPECTED: dict[str, Any] = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))


def read(name: str) -> str:
    return (SAMPLES / name).read_text(encoding="utf-8")


def real(name: str) -> str:
    """A log or the answers of a llama-server that ran."""
    return gzip.decompress((SAMPLES / "llama_server_real" / f"{name}.gz").read_bytes()).decode()


def sample(name: str) -> Any:
    return parse((SAMPLES / name).read_bytes())


def lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def refused(text: str) -> str:
    """Why it is refused."""
    with pytest.raises(LogError) as caught:
        parse(text)
    return str(caught.value)


def notes(stats: SpecStats) -> str:
    return " | ".join(map(str, stats.notes))


def printed(stats: SpecStats) -> dict[str, Any]:
    return {each.name: (each.value, each.definition) for each in stats.printed}


def decode_ms(stats: SpecStats) -> float:
    assert stats.step_ms is not None and stats.num_steps is not None
    return stats.step_ms * stats.num_steps
