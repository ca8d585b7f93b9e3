"""OpenVINO GenAI: the blocks MAIN MODEL and DRAFT MODEL that its samples and benchmarks of speculation print.

Format read in openvino.genai (samples/python/text_generation, samples/cpp benchmarks, and what the numbers are in
src/cpp/src/speculative_decoding/perf_metrics.cpp, 2026). Of the main model `Total iteration number` are its passes, the
first of them the prompt's; `Num generated token` the output tokens, `Num accepted token` those that came from drafts:
output = accepted + passes. `AVG Latency` is the mean time of a pass from the third on, although the print calls it per
token (and TPOT per iteration: the two units are exchanged). What the draft model generated may hold tokens that were
never tested, so that what was drafted stays unknown.
"""

import re

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, checked, count, number
from specmodel.logs._format import Lines, LogError, note
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats

ENGINE = "OpenVINO GenAI"
_MAIN, _DRAFT = "MAIN MODEL", "DRAFT MODEL"
_ROW = re.compile(
    r"\s+(AVG Latency|Num generated token|Total iteration number|Num accepted token): ([\d.]{1,30})(?!\S)"
)
_NEEDED = ("Num generated token", "Total iteration number", "Num accepted token")


class _Blocks:
    """One pair of blocks a request."""

    def __init__(self) -> None:
        self._tally = Tally()
        self._blocks: dict[str, dict[str, float]] = {}
        self._in = ""
        self._first = 0

    def take(self, line: int, found: str) -> bool:
        title = found.strip()
        if title in (_MAIN, _DRAFT):
            if title in self._blocks or title == _MAIN:
                self._end()
            self._first = self._first or line
            self._in = title
            self._blocks[title] = {}
            return True
        match = _ROW.match(found)
        if match is None or not self._in:
            return False
        self._blocks[self._in][match[1]] = number(match[2], line, match[1])
        return True

    def _end(self) -> None:
        blocks, line = self._blocks, self._first
        self._blocks, self._in, self._first = {}, "", 0
        main = blocks.get(_MAIN, {})
        if main.keys() >= set(_NEEDED):
            self._tally.add(_request(main, blocks.get(_DRAFT, {}), line))
        elif main:
            raise LogError("line {line}: the block {name} is cut off", line=line, name=_MAIN)

    def result(self) -> SpecStats | None:
        self._end()
        return self._tally.total()


def _request(main: dict[str, float], draft: dict[str, float], line: int) -> SpecStats:
    tokens, passes, accepted = (count(main[name], line, name) for name in _NEEDED)
    if passes < 1 or tokens != accepted + passes:
        raise LogError(
            "line {line}: {tokens:,} output tokens are not {accepted:,} accepted ones and one for each of {passes:,} "
            "passes",
            line=line, tokens=tokens, accepted=accepted, passes=passes,
        )  # fmt: skip
    rounds = passes - 1
    verify, each = main.get("AVG Latency"), draft.get("AVG Latency")
    drafting = draft.get("Total iteration number")
    untold = note("what was drafted is not told: the draft model may have generated tokens that were never tested")
    stats = SpecStats(
        ENGINE,
        BLOCKS.source,
        num_rounds=rounds,
        num_accepted_draft_tokens=accepted,
        generated_tokens=tokens,
        num_steps=rounds or None,
        num_requests=1,
        verify_ms=verify or None,
        draft_ms=each * drafting / rounds if each and drafting and rounds else None,
        units=Units.of("requests", [(rounds, 0, accepted, None)]),
        notes=(untold,),
    )
    return checked(stats, line)


BLOCKS = Lines(
    ENGINE,
    N_("metrics of both models"),
    (_MAIN, _DRAFT, "AVG Latency:", "Num generated token:", "Total iteration number:", "Num accepted token:"),
    _Blocks,
)
FORMATS = (BLOCKS,)
