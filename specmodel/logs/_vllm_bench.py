"""One run of `vllm bench serve` as counters, whichever way it was printed; `vllm_bench` reads the ways."""

import math
from collections.abc import Mapping
from typing import Any

from specmodel.base.messages import Message
from specmodel.logs._checks import number, share
from specmodel.logs._format import LogError, note
from specmodel.logs._positions import counts_from_rates
from specmodel.logs._printed import MOST_SETTINGS, agree, known, settings, text
from specmodel.logs._tallies import together_of
from specmodel.logs._vllm import ENGINE, consistent, tokens
from specmodel.measured.spec_stats import Printed, SpecStats, total

SPEC = "spec_decode_"
_MEANS = {
    "ttft_ms": "mean_ttft_ms",
    "tpot_ms": "mean_tpot_ms",
    "itl_ms": "mean_itl_ms",
    "step_ms": "mean_itl_ms",
    "request_ms": "mean_e2el_ms",
    "batch_size": "max_concurrency",
    "output_tokens_per_s": "output_throughput",
    "peak_tokens_per_s": "max_output_tokens_per_s",
}
POSITIONS = f"{SPEC}per_position_acceptance_rates"


class Runs:
    """Runs of one model, k and concurrency are added up where the file has no others, else each is a part of a sweep.

    >>> runs = Runs("result")
    >>> runs.add(1, {"completed": 2, "total_output_tokens": 20, "mean_itl_ms": 9, "mean_tpot_ms": 9})
    >>> runs.result().generated_tokens
    20
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._runs: dict[tuple[Any, ...], list[SpecStats]] = {}
        self._empty = self._count = 0

    def add(self, line: int, run: Mapping[str, Any]) -> None:
        """One run, under the names of the JSON result; one without a completed request only counts as such."""
        if run.get("completed") is not None and not tokens(run["completed"], line, "completed"):
            self._empty = self._empty or line
            return
        stats = _run(line, run, self.source)
        key = (str(run.get("model_id")), stats.num_speculative_tokens, stats.batch_size, stats.speculation)
        self._runs.setdefault(key, []).append(stats)
        self._count += 1
        if self._count > MOST_SETTINGS:
            raise LogError("the file holds more than {limit} runs; give fewer in one file", limit=MOST_SETTINGS)

    def result(self) -> SpecStats | None:
        """The runs of one setting added up, or one setting with all runs of all settings as its parts."""
        if not self._runs and self._empty:
            raise LogError("line {line}: no request of this benchmark was completed", line=self._empty)
        if len(self._runs) == 1:
            runs = next(iter(self._runs.values()))
            return together_of(total(runs), len(runs))
        parts, sums = [], []
        models = {model for model, *_ in self._runs}
        for (model, k, batch, _), runs in self._runs.items():
            one = model[:60] if len(models) > 1 else ""
            named = ", ".join(filter(None, [one, f"k={k or 0}", f"max_concurrency={batch:g}" if batch else ""]))
            sums.append(total(runs).replace(label=named))
            parts += [each.replace(label=named) for each in runs]
        chosen = settings(sums)
        return chosen.replace(parts=tuple(parts)) if chosen is not None else None


def _run(line: int, run: Mapping[str, Any], source: str) -> SpecStats:
    """One run; with the counters of speculation if it has them."""
    requests, generated = (
        tokens(run[name], line, name) if run.get(name) is not None else None
        for name in ("completed", "total_output_tokens")
    )
    means = {name: known(run, key, line) or None for name, key in _MEANS.items()}
    stats = SpecStats(
        ENGINE,
        source,
        model=text(run, "model_id") or None,
        generated_tokens=generated,
        num_requests=requests,
        num_steps=_steps(run),
        window_s=known(run, "duration", line),
        context_tokens=_context(known(run, "total_input_tokens", line), generated, requests),
        request_rate=_rate(run, line),
        notes=_notes(run, line),
        **means,  # type: ignore[arg-type]
    )
    if run.get(f"{SPEC}num_drafts") is not None:
        return _speculating(stats, run, line)
    if any(name.startswith(SPEC) and value is not None for name, value in run.items()):
        return _without_counts(stats, run, line)
    itl, tpot = stats.itl_ms, stats.tpot_ms
    if itl and tpot and itl > 1.2 * tpot:
        hidden = note(
            "the gaps between chunks are {ratio:.2f} times the time per token: the run speculated, but its file holds "
            "no counters of that (vLLM writes them since 2026)",
            ratio=itl / tpot,
        )
        return stats.replace(notes=(*stats.notes, hidden))
    if itl is None or tpot is None:
        silent = note(
            "gaps between chunks (ITL) are not in the file: whether the run speculated cannot be told from it"
        )
        return stats.replace(speculation=False, notes=(*stats.notes, silent))
    steps = generated - requests if generated is not None and requests is not None else 0
    return stats.replace(speculation=False, num_steps=stats.num_steps or max(steps, 0) or None)


def _rate(run: Mapping[str, Any], line: int) -> float | None:
    """The rate at which requests were sent; "inf" stands for all at once, as far as the concurrency allows."""
    value = run.get("request_rate")
    return None if value in (None, "inf", math.inf) else number(value, line, "request_rate") or None


def _context(given: float | None, generated: float | None, requests: float | None) -> float | None:
    """Tokens that stand before an output token, on average: the prompt and half of the answer."""
    if given is None or generated is None or not requests:
        return None
    return (given + generated / 2) / requests


def _without_counts(stats: SpecStats, run: Mapping[str, Any], line: int) -> SpecStats:
    """A run that names results of speculation but not how many drafts there were: it is no run without speculation."""
    rate, length = (known(run, f"{SPEC}{name}", line) for name in ("acceptance_rate", "acceptance_length"))
    rates = run.get(POSITIONS)
    if length is None or length < 1:
        raise LogError(
            "line {line}: the run tells of speculation ({names}), but neither how many drafts there were nor the "
            "acceptance length could be read: it can be no baseline either",
            line=line, names=", ".join(sorted(name for name in run if name.startswith(SPEC))),
        )  # fmt: skip
    printed = [Printed(f"{SPEC}acceptance_length", length, "length_with_bonus")]
    if rate is not None:
        printed.append(Printed(f"{SPEC}acceptance_rate", rate / 100, "accepted_per_drafted"))
    stats = stats.replace(printed_length=length, printed=tuple(printed))
    if not isinstance(rates, list) or not 0 < len(rates) <= 1024:
        return stats
    shares = tuple(share(each, line, POSITIONS) for each in rates)
    agree(length, 1 + sum(shares), 0.005 + 0.00005 * len(shares), line, "acceptance length")
    # shares of one round stand for counts that the file does not hold
    return stats.replace(num_speculative_tokens=len(shares), num_rounds=1, accepted_per_position=shares, estimated=True)


def _speculating(stats: SpecStats, run: Mapping[str, Any], line: int) -> SpecStats:
    rounds, drafted, accepted = (
        tokens(run.get(f"{SPEC}{name}"), line, f"{SPEC}{name}")
        for name in ("num_drafts", "draft_tokens", "accepted_tokens")
    )
    rates = run.get(POSITIONS)
    positions = None
    if isinstance(rates, list) and rates and len(rates) <= 1024:
        shares = [share(rate, line, POSITIONS) for rate in rates]
        positions = counts_from_rates(shares, rounds, accepted, line, half_step=0.000051)
    rate, length = (known(run, f"{SPEC}{name}", line) for name in ("acceptance_rate", "acceptance_length"))
    printed = []
    if rate is not None:
        printed.append(Printed("spec_decode_acceptance_rate", rate / 100, "accepted_per_drafted"))
    if length is not None:
        printed.append(Printed("spec_decode_acceptance_length", length, "length_with_bonus"))
    stats = stats.replace(
        num_speculative_tokens=len(positions) if positions else None,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=positions,
        printed=tuple(printed),
        notes=(*stats.notes, *_overcount(stats, rounds + accepted, len(positions or ()))),
    )
    return consistent(stats, line, rate=None if rate is None else rate / 100, length=length if rounds else None)


def _overcount(stats: SpecStats, counted: int, k: int) -> tuple[Message, ...]:
    """What the server counted beyond what the requests got: drafts are counted before a stop cuts the rest."""
    requests = stats.num_requests
    surplus = counted + requests - stats.generated_tokens if requests and stats.generated_tokens else 0
    if not requests or surplus <= 0:
        return ()
    if k and surplus > k * requests:
        return (
            note(
                "the counters hold {surplus:,.0f} tokens more than the {requests:,.0f} requests received: other "
                "requests reached the server during the run",
                surplus=surplus, requests=requests,
            ),
        )  # fmt: skip
    return (
        note(
            "the counters hold {surplus:,.0f} tokens more than the {requests:,.0f} requests received: drafts are "
            "accepted before the end of a request cuts them off",
            surplus=surplus, requests=requests,
        ),
    )  # fmt: skip


def _notes(run: Mapping[str, Any], line: int) -> tuple[Message, ...]:
    found = []
    peak, mean = known(run, "max_output_tokens_per_s", line), known(run, "output_throughput", line)
    if peak and mean and peak < mean:
        found.append(
            note(
                "the peak throughput ({peak:,.1f} tokens/s) is below the mean ({mean:,.1f}): it counts one token per "
                "chunk, and a chunk holds all tokens of a round",
                peak=peak, mean=mean,
            )
        )  # fmt: skip
    if failed := known(run, "failed", line):
        found.append(note("{failed:,.0f} requests failed and are not counted", failed=failed))
    return tuple(found)


def _steps(run: Mapping[str, Any]) -> int | None:
    """With --save-detailed: each gap between two chunks of a request is one step."""
    gaps = run.get("itls")
    if not isinstance(gaps, list) or not all(isinstance(each, list) for each in gaps):
        return None
    return sum(map(len, gaps)) or None
