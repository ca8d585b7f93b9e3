"""llama.cpp: what its example programs print at their end, and the rows of mtp-bench.py.

Formats read in ggml-org/llama.cpp (mirror 3f545becc of 2026-08-22, about b10573: examples/speculative,
examples/speculative-simple, examples/lookup) and in the community's mtp-bench.py (from #22673). The example programs
take the first token from the first pass that verifies: passes = tokens − accepted. Where both contexts print their
times, the first `eval time` is that of the draft model. Throughput of mtp-bench.py is tokens ÷ time of whole answers.
"""

import re
from dataclasses import dataclass, field

from specmodel.base.messages import N_
from specmodel.logs._checks import checked, count, number
from specmodel.logs._format import Lines, LogError, note
from specmodel.logs._llama_cpp import ENGINE, Answer
from specmodel.logs._printed import agree, settings
from specmodel.logs._tallies import Tallies
from specmodel.measured.spec_stats import Printed, SpecStats, total

_DECODED = re.compile(r"decoded +(\d+) tokens in +(\d+\.\d+) seconds, speed: +(\d+\.\d+|inf) t/s")
_PERF = re.compile(r"(?:perf_(?:context_)?print|llama_print_timings): +(prompt )?eval time = +(\d+\.\d+) ms / +\d+ ")
_COUNT = re.compile(r"\b(n_draft|n_predict|n_drafted|n_accept) *= *(\d+)\s*$")
_LOOKUP = re.compile(r"\bt_draft *= *(\d+\.\d+) ms")
_SHARE = re.compile(r"\baccept +?= *(\d+\.\d+)%")
_ROW = re.compile(
    r"^\s*(?P<name>\S.{0,80}?)\s{1,80}pred= *(?P<tokens>\d+) draft= *(?P<drafted>\d+) acc= *(?P<accepted>\d+) "
    r"rate=(?P<rate>n/a|\d\.\d+) tok/s=(?P<speed>\d+\.\d+)"
)
_AGGREGATE = re.compile(r'^\s*"(n_requests|total_\w+|aggregate_accept_rate|wall_s_total)": (\d+(?:\.\d+)?|null),?\s*$')


@dataclass
class _Run:
    """What one of the example programs prints at its end."""

    line: int
    tokens: int
    decode_ms: float
    speed: float
    counts: dict[str, int] = field(default_factory=dict)
    eval_ms: list[float] = field(default_factory=list)
    lookup_ms: float | None = None

    def stats(self) -> SpecStats | None:
        """Its counters; None where they are cut off."""
        drafted, accepted = self.counts.get("n_drafted"), self.counts.get("n_accept")
        if drafted is None or accepted is None:
            return None
        agree(self.counts.get("n_predict", self.tokens), self.tokens, 0, self.line, "n_predict")
        steps = max(self.tokens - accepted, 0)
        drafting = self.eval_ms[0] if len(self.eval_ms) > 1 else self.lookup_ms
        timed = drafting is not None and steps and drafting <= self.decode_ms
        stats = SpecStats(
            ENGINE,
            EXAMPLES.source,
            num_speculative_tokens=self.counts.get("n_draft"),
            num_draft_tokens=drafted,
            num_accepted_draft_tokens=accepted,
            generated_tokens=self.tokens,
            num_steps=steps,
            step_ms=self.decode_ms / steps if steps else None,
            tpot_ms=self.decode_ms / self.tokens if self.tokens else None,
            draft_ms=drafting / steps if timed and drafting is not None else None,
            verify_ms=(self.decode_ms - drafting) / steps if timed and drafting is not None else None,
            output_tokens_per_s=self.speed,
            printed=(Printed("accept", accepted / drafted, "accepted_per_drafted"),) if drafted else (),
            notes=(note("times of drafting and verifying are by target pass: rounds are not printed"),)
            if timed
            else (),
        )
        return checked(stats, self.line)


class _Examples:
    """llama-speculative, llama-speculative-simple and llama-lookup; runs with different k are settings."""

    def __init__(self) -> None:
        self._run: _Run | None = None
        self._over = Tallies()

    def take(self, line: int, found: str) -> bool:
        if decoded := _DECODED.search(found):
            self._finish()
            tokens, seconds = count(decoded[1], line, "decoded"), number(decoded[2], line, "seconds")
            self._run = _Run(line, tokens, 1000 * seconds, number(decoded[3], line, "speed"))
        elif self._run is None:
            return True
        elif counted := _COUNT.search(found):
            self._run.counts[counted[1]] = count(counted[2], line, counted[1])
        elif share := _SHARE.search(found):
            drafted, accepted = self._run.counts.get("n_drafted"), self._run.counts.get("n_accept", 0)
            if drafted:
                agree(number(share[1], line, "accept") / 100, accepted / drafted, 0.000005, line, "accept")
        else:
            return self._time(line, found)
        return True

    def _time(self, line: int, found: str) -> bool:
        run, perf, lookup = self._run, _PERF.search(found), _LOOKUP.search(found)
        if run is not None and perf and not perf[1]:
            run.eval_ms.append(number(perf[2], line, "eval time"))
        elif run is not None and lookup:
            run.lookup_ms = number(lookup[1], line, "t_draft")
        return bool(lookup) or "print" in found or "encoded" in found

    def _finish(self) -> None:
        stats = self._run.stats() if self._run else None
        if stats is not None:
            self._over.add(stats)
        self._run = None

    def result(self) -> SpecStats | None:
        self._finish()
        return self._over.result()


class _MtpBench:
    """One answer a row, with a sum of all of them at the end."""

    def __init__(self) -> None:
        self._rows: list[SpecStats] = []
        self._runs: list[SpecStats] = []
        self._wall: float | None = None

    def take(self, line: int, found: str) -> bool:
        if row := _ROW.search(found):
            if any(each.label == row["name"] for each in self._rows):  # a name that was there begins another run
                self._end()
            self._rows.append(_mtp_row(line, row))
            if len(self._rows) + len(self._runs) > 4096:
                raise LogError("line {line}: more than {limit:,} rows of mtp-bench.py", line=line, limit=4096)
            return True
        sums = _AGGREGATE.search(found)
        if not sums or not self._rows:
            return sums is not None
        if sums[1] in _SUMS and sums[2] != "null":
            counted = sum(getattr(each, _SUMS[sums[1]]) for each in self._rows)
            agree(number(sums[2], line, sums[1]), counted, 0, line, sums[1])
        elif sums[1] == "wall_s_total" and sums[2] != "null":
            self._wall = number(sums[2], line, sums[1])
        return True

    def result(self) -> SpecStats | None:
        self._end()
        if len(self._runs) < 2:
            return self._runs[0] if self._runs else None
        return settings([each.replace(label=f"{number}") for number, each in enumerate(self._runs, 1)])

    def _end(self) -> None:
        """The rows so far are a run."""
        if not self._rows:
            return
        stats, tokens = total(self._rows), sum(each.generated_tokens or 0 for each in self._rows)
        whole = stats.replace(
            parts=tuple(self._rows) if len(self._rows) > 1 else (),
            window_s=self._wall,
            output_tokens_per_s=tokens / self._wall if self._wall else stats.output_tokens_per_s,
            printed=(),
        )
        self._runs.append(whole)
        self._rows, self._wall = [], None


_SUMS = {
    "n_requests": "num_requests",
    "total_predicted": "generated_tokens",
    "total_draft": "num_draft_tokens",
    "total_draft_accepted": "num_accepted_draft_tokens",
}


def _mtp_row(line: int, row: "re.Match[str]") -> SpecStats:
    tokens, drafted, accepted = (count(row[name], line, name) for name in ("tokens", "drafted", "accepted"))
    printed: tuple[Printed, ...] = ()
    if row["rate"] != "n/a":
        rate = number(row["rate"], line, "rate")
        agree(rate, accepted / drafted if drafted else 0, 0.0005, line, "rate")
        printed = (Printed("rate", rate, "accepted_per_drafted"),)
    stats = SpecStats(
        ENGINE,
        MTP_BENCH.source,
        label=row["name"],
        speculation=drafted > 0,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        generated_tokens=tokens,
        num_steps=Answer(tokens=tokens, drafted=drafted, accepted=accepted).steps,
        num_requests=1,
        output_tokens_per_s=number(row["speed"], line, "tok/s"),
        printed=printed,
    )
    return checked(stats, line)


EXAMPLES = Lines(
    ENGINE,
    N_("end print of an example program"),
    (
        "tokens in ",
        "n_draft ",
        "n_predict",
        "n_drafted",
        "n_accept",
        "t_draft",
        "accept  ",
        "perf_print: ",
        "perf_context_print: ",
        "llama_print_timings: ",
    ),
    _Examples,
)
MTP_BENCH = Lines(
    ENGINE,
    N_("mtp-bench.py rows"),
    (" pred=", '"n_requests":', '"total_predicted":', '"total_draft', '"aggregate_accept_rate":', '"wall_s_total":'),
    _MtpBench,
)
FORMATS = (EXAMPLES, MTP_BENCH)
