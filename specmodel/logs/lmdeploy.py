"""LMDeploy: its log line and its /metrics.

Formats read in lmdeploy/metrics/loggers.py (commit 1263d5cd, 2026-08-21). The mean acceptance length includes the bonus
token; the line has the same words as those of vLLM 0.9 behind its own `Avg thr (in/out)`. `Prefix cache hit rate`
stands in between where that cache is used. A line without `SpecDecoding metrics` is one of a window in which nothing
was drafted: left out in a log that drafts elsewhere, a baseline in one that never does.
"""

import re

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, checked, count, number
from specmodel.logs._format import Families, Lines, LogError, Metrics, note
from specmodel.logs._positions import counts_from_rates
from specmodel.logs._printed import agree
from specmodel.logs._prometheus import by_position, summed
from specmodel.logs._tallies import speculating_or_plain
from specmodel.logs._vllm_line import Line, line_of
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import Printed, SpecStats

ENGINE = "LMDeploy"
_SERVER = re.compile(r"Avg thr \(in/out\): [\d.]+ / (?P<out>[\d.]+) tokens/s")
_RUNNING = re.compile(r"Engine \(running/waiting\): (?P<running>\d+) / \d+")


class _Log:
    """One window a line; rounds are not printed: with as many rates as drafts in a round they are drafted ÷ k."""

    def __init__(self) -> None:
        self._tally, self._plain = Tally(), Tally()

    def take(self, line: int, found: str) -> bool:
        head, spec, tail = found.partition("SpecDecoding metrics: ")
        server, running = _SERVER.search(head), _RUNNING.search(head)
        if not server or not running:
            return False
        window = SpecStats(
            ENGINE,
            LOG.source,
            batch_size=number(running["running"], line, "running"),
            output_tokens_per_s=number(server["out"], line, "Avg thr (out)"),
        )
        if not spec:
            self._plain.add(window.replace(speculation=False))
            return True
        fields = line_of(f"{spec}{tail}", own_words=True)
        if fields is None or fields.rates is None or fields.rate is None or fields.length is None:
            return False
        self._tally.add(_window(window, fields, line))
        return True

    def result(self) -> SpecStats | None:
        left_out = note("lines without an acceptance length were left out: they did not speculate")
        return speculating_or_plain(self._tally, self._plain, left_out)


def _window(window: SpecStats, found: Line, line: int) -> SpecStats:
    rates = [number(rate, line, "Per-position acceptance rate") for rate in found.rates or ()]
    drafted, accepted = count(found.drafted, line, "Drafted"), count(found.accepted, line, "Accepted")
    rounds, left = divmod(drafted, len(rates))
    if left:
        raise LogError(
            "line {line}: {drafted} draft tokens are no multiple of the {k} positions",
            line=line, drafted=drafted, k=len(rates),
        )  # fmt: skip
    positions = counts_from_rates(rates, rounds, accepted, line)
    rate, length = number(found.rate, line, "Draft acceptance rate") / 100, number(found.length, line, "Mean len")
    stats = window.replace(
        num_speculative_tokens=len(rates),
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=positions,
        units=Units.of("windows", [(rounds, drafted, accepted, positions)]),
        printed=(
            Printed("Draft acceptance rate", rate, "accepted_per_drafted"),
            Printed("Mean acceptance length", length, "length_with_bonus"),
        ),
    )
    if rounds:
        agree(rate, accepted / drafted, 0.00005, line, "Draft acceptance rate")
        agree(length, 1 + accepted / rounds, 0.005, line, "Mean acceptance length")
    return checked(stats, line)


def _metrics(found: Families) -> SpecStats | None:
    prefix = "lmdeploy:spec_decode_"
    rounds, drafted = summed(found, f"{prefix}num_drafts_total"), summed(found, f"{prefix}num_draft_tokens_total")
    generated = summed(found, "lmdeploy:generation_tokens_total")
    if not any(name.startswith(prefix) for name in found):
        off = note("the page has no family of speculative decoding: it is switched off")
        plain = SpecStats(ENGINE, METRICS.source, speculation=False, generated_tokens=generated, notes=(off,))
        return plain if generated is not None else None
    positions = by_position(found, f"{prefix}num_accepted_tokens_per_pos_total")
    rate, length = summed(found, f"{prefix}mean_accept_rate"), summed(found, f"{prefix}mean_accept_length")
    printed = (("mean_accept_rate", rate, "accepted_per_drafted"), ("mean_accept_length", length, "length_with_bonus"))
    stats = SpecStats(
        ENGINE,
        METRICS.source,
        num_speculative_tokens=len(positions) if positions else None,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=summed(found, f"{prefix}num_accepted_tokens_total"),
        accepted_per_position=positions,
        generated_tokens=generated,
        printed=tuple(Printed(name, value, definition) for name, value, definition in printed if value is not None),
    )
    return checked(stats, 1)


LOG = Lines(ENGINE, N_("log lines"), ("Avg thr (in/out):",), _Log)
METRICS = Metrics(ENGINE, N_("/metrics page"), ("lmdeploy:",), _metrics)
FORMATS = (METRICS, LOG)
