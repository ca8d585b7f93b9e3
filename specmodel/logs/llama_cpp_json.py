"""llama.cpp and its fork ik_llama.cpp: the `timings` of an answer, speed_bench.py, and /metrics of llama-server.

Formats read in ggml-org/llama.cpp (mirror 3f545becc of 2026-08-22, about b10573: tools/server/server-task.cpp,
server-context.cpp, tools/server/bench/speed-bench/speed_bench.py) and ikawrakow/ik_llama.cpp (8337e4cd, 2026-08-15).
The drafts of an answer (`draft_n`) are in it since 2025-03 (#12603), the counters of /metrics since b10290 (#26389).
Until b10424 (#26920) `predicted_per_token_ms` was the time ÷ tokens, since then it is ÷ (tokens − 1): times are worked
out anew here. An answer tells no rounds. A stream with `timings_per_token` repeats what was so far; its last chunk
counts. Answers that were saved with `"_meta": {"role": …}` beside them are kept apart by role: a baseline is no request
more of the run with speculation.
"""

import math
from collections.abc import Mapping
from typing import Any

from specmodel.base.messages import N_, Message
from specmodel.logs._checks import checked, count
from specmodel.logs._format import Families, LogError, Metrics, Objects, note
from specmodel.logs._llama_cpp import ENGINE, Answer, Answers
from specmodel.logs._printed import agree, inner, known, text
from specmodel.logs._prometheus import by_position, summed
from specmodel.measured.spec_stats import Printed, SpecStats, total

MAX_ROLES = 64


class _Timings:
    """One request an object; objects without `timings` are not its own."""

    def __init__(self) -> None:
        self._roles: dict[str, Answers] = {}
        self._open: tuple[int, dict[str, Any], dict[str, Any]] | None = None
        self._deepest = 0

    def take(self, line: int, found: dict[str, Any]) -> bool:
        timings = inner(found, "timings") or found
        if timings.get("predicted_n") is None or "predicted_ms" not in timings:
            return False
        self._open = (line, found, timings)
        if not _unfinished(found):
            self._add()
        return True

    def _add(self) -> None:
        if self._open is None:
            return
        (line, found, timings), self._open = self._open, None
        answer = _answer(line, found, timings)
        role = text(inner(found, "_meta"), "role")
        if role not in self._roles and len(self._roles) >= MAX_ROLES:
            raise LogError("line {line}: more than {limit} roles in one file", line=line, limit=MAX_ROLES)
        self._deepest = max(self._deepest, len(answer.drafted_by_position or ()))
        if answer.tokens:
            self._roles.setdefault(role, Answers(TIMINGS.source)).add(answer, line)

    def result(self) -> SpecStats | None:
        cut = (note("the last stream ends before its last chunk; it counts as far as it went"),) if self._open else ()
        self._add()
        parts = [self._part(role, answers) for role, answers in self._roles.items()]
        if len(parts) < 2:
            return parts[0].replace(notes=(*parts[0].notes, *cut)) if parts else None
        main = next((each for each in parts if each.speculation), None)
        main = main or next((each for each in parts if each.label != "baseline"), parts[0])
        return main.replace(parts=tuple(parts), parts_are_settings=True, notes=(*main.notes, *cut))

    def _part(self, role: str, answers: Answers) -> SpecStats:
        stats = answers.total(label=role, num_speculative_tokens=self._deepest or None)
        assert stats is not None
        notes: list[Message] = []
        if stats.speculation and stats.num_rounds is None:
            notes.append(note("the answers tell no rounds: tokens per target pass are exact, tokens per round unknown"))
        if stats.speculation and answers.without_draft:
            notes.append(
                note(
                    "{without:,} of {count:,} answers hold no draft and count as plain steps; if they are from a "
                    "server without speculation, give them as a file of their own",
                    without=answers.without_draft,
                    count=answers.count,
                )
            )
        if not stats.speculation:
            stats = stats.replace(num_speculative_tokens=None)
        return stats.replace(notes=tuple(notes))


def _unfinished(found: Mapping[str, Any]) -> bool:
    """Whether this is a chunk of a stream that goes on."""
    if isinstance(found.get("stop"), bool):
        return not found["stop"]
    choices = found.get("choices")
    if not isinstance(choices, list) or not choices or "chunk" not in text(found, "object"):
        return False
    return all(isinstance(each, dict) and each.get("finish_reason") is None for each in choices)


def _answer(line: int, found: Mapping[str, Any], timings: Mapping[str, Any]) -> Answer:
    tokens, decode_ms = count(timings["predicted_n"], line, "predicted_n"), known(timings, "predicted_ms", line)
    drafted = count(timings.get("draft_n") or 0, line, "draft_n")
    accepted: int | None = 0
    if drafted or timings.get("draft_n_accepted"):
        given = timings.get("draft_n_accepted")
        accepted = None if given is None else count(given, line, "draft_n_accepted")
    by_depth = _by_depth(timings, drafted, line) if drafted else ((), ())
    drafted_at, accepted_at = by_depth if by_depth else (None, None)
    temperature = inner(found, "generation_settings").get("temperature")
    return Answer(
        tokens=tokens,
        decode_ms=decode_ms,
        prompt_ms=_finite(timings.get("prompt_ms")),
        drafted=drafted,
        accepted=accepted,
        rounds=(drafted_at[0] if drafted_at else 0) if drafted_at is not None else None,
        positions=accepted_at,
        drafted_by_position=drafted_at,
        temperature=_finite(temperature),
        version=_version(timings, tokens, decode_ms),
    )


def _by_depth(timings: Mapping[str, Any], drafted: int, line: int) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Drafted and accepted by position: ik_llama.cpp counts every depth by itself, and depth 1 once a round."""
    rows = timings.get("draft_by_depth")
    if not isinstance(rows, list) or not rows:
        return None
    if len(rows) > 1024 or not all(isinstance(each, dict) for each in rows):
        raise LogError("line {line}: {name} is no list of counts", line=line, name="draft_by_depth")
    depths = [count(each.get("depth"), line, "depth") for each in rows]
    if depths != list(range(1, len(rows) + 1)):
        raise LogError(
            "line {line}: the depths are {found}, expected 1, 2, 3, …", line=line, found=", ".join(map(str, depths))
        )
    proposed = tuple(count(each.get("draft_n"), line, "draft_n") for each in rows)
    accepted = tuple(count(each.get("draft_n_accepted"), line, "draft_n_accepted") for each in rows)
    if sum(proposed) != drafted:
        raise LogError(
            "line {line}: the depths add up to {sum:,} draft tokens, but {drafted:,} are given",
            line=line, sum=sum(proposed), drafted=drafted,
        )  # fmt: skip
    return proposed, accepted


def _version(timings: Mapping[str, Any], tokens: int, decode_ms: float | None) -> str | None:
    """By what the time per token was divided by; only the fork tells depths and `n_past`."""
    if "draft_by_depth" in timings or "n_past" in timings:
        return "ik_llama.cpp"
    each = _finite(timings.get("predicted_per_token_ms"))
    if not each or not decode_ms or tokens < 2:
        return None
    divisor = decode_ms / each
    nearest = tokens if abs(divisor - tokens) < abs(divisor - tokens + 1) else tokens - 1
    if abs(divisor - nearest) > 0.25:
        return None
    return "b10424+" if nearest < tokens else "<b10424"


def _finite(value: Any) -> float | None:
    """A number that is one; what is not used to count anything may be missing or broken."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) and found >= 0 else None


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
        listed = [each for each in results if isinstance(each, dict)] if isinstance(results, list) else []
        parts = [_category(row, listed, single, line) for row in rows]
        named = tuple(each for each in parts if each.label != "overall")
        stats = total(named or parts)
        for overall in parts if named else ():
            if overall.label == "overall":
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
    own = [each for each in results if each.get("ok") is True and label in (each.get("category"), "overall")]
    return checked(_with_results(stats, own, line), line)


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


def _metrics(found: Families) -> SpecStats | None:
    """Requests are not counted there: a pass over a prompt and its first token count as a step and a token."""
    prefix = "llamacpp:spec_decode_num_"
    drafted, accepted = summed(found, f"{prefix}draft_tokens_total"), summed(found, f"{prefix}accepted_tokens_total")
    generated, seconds = (summed(found, f"llamacpp:tokens_predicted{part}_total") for part in ("", "_seconds"))
    if generated is None and drafted is None:
        return None
    unknown = generated is None or (accepted is None and bool(drafted))
    steps = None if unknown else (generated or 0) - (accepted or 0)
    positions = by_position(found, f"{prefix}accepted_tokens_per_pos_total")
    counted = steps is not None and steps > 0 and seconds is not None
    stats = SpecStats(
        ENGINE,
        METRICS.source,
        version="b10290+" if drafted is not None else None,
        speculation=bool(drafted),
        num_speculative_tokens=len(positions) if positions and drafted else None,
        num_rounds=summed(found, f"{prefix}drafts_total"),
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=positions,
        generated_tokens=generated,
        num_steps=steps if steps and steps > 0 else None,
        step_ms=1000 * (seconds or 0) / steps if counted and steps else None,
        tpot_ms=1000 * seconds / generated if seconds is not None and generated else None,
        batch_size=summed(found, "llamacpp:n_busy_slots_per_decode"),
        notes=tuple(_metrics_notes(found, drafted, generated)),
    )
    exact = max((sample.value for name in found for sample in found[name] if name.startswith(prefix)), default=0) < 1e6
    return checked(stats, 1) if exact else stats


def _metrics_notes(found: Families, drafted: float | None, generated: float | None) -> list[Message]:
    notes = [note("/metrics does not count requests: steps and tokens include the pass and first token of each prompt")]
    if drafted is None:
        notes.append(
            note("this page has no counters of speculation (builds before b10290): whether there was any is open")
        )
    largest = max((sample.value for name in found for sample in found[name] if name.endswith("_total")), default=0)
    if largest >= 1e6:
        notes.append(note("counters from 1,000,000 on are printed with 6 significant digits only: they are rounded"))
    return notes


TIMINGS = Objects(ENGINE, N_("timings of answers"), ("predicted_n",), _Timings)
SPEED_BENCH = Objects(ENGINE, N_("speed_bench.py summary"), ("avg_pred_t_s",), _SpeedBench)
METRICS = Metrics(ENGINE, N_("/metrics page"), ("llamacpp:",), _metrics)
FORMATS = (METRICS, TIMINGS, SPEED_BENCH)
