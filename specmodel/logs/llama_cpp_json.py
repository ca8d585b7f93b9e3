"""llama.cpp and its fork ik_llama.cpp: the `timings` of an answer.

Formats read in ggml-org/llama.cpp (mirror 3f545becc of 2026-08-22, about b10573: tools/server/server-task.cpp,
server-context.cpp) and ikawrakow/ik_llama.cpp (8337e4cd, 2026-08-15). The drafts of an answer (`draft_n`) are in it
since 2025-03 (#12603). Until b10424 (#26920) `predicted_per_token_ms` was the time ÷ tokens, since then it is
÷ (tokens − 1): times are worked out anew here. An answer tells no rounds. A stream with `timings_per_token` repeats
what was so far; its last chunk counts. Answers that were saved with `"_meta": {"role": …}` beside them are kept apart
by role: a baseline is no request more of the run with speculation.
"""

import math
from collections.abc import Mapping
from typing import Any

from specmodel.base.messages import N_, Message
from specmodel.logs._borrowed_timings import is_borrowed
from specmodel.logs._checks import count
from specmodel.logs._format import LogError, Objects, note
from specmodel.logs._llama_cpp import ENGINE, Answer, Answers
from specmodel.logs._printed import inner, known, text
from specmodel.measured.spec_stats import SpecStats

MAX_ROLES = 64


class _Timings:
    """One request an object; objects without `timings` are not its own."""

    def __init__(self) -> None:
        self._roles: dict[str, Answers] = {}
        self._open: tuple[int, dict[str, Any], dict[str, Any]] | None = None
        self._deepest = 0

    def take(self, line: int, found: dict[str, Any]) -> bool:
        timings = inner(found, "timings") or found
        if timings.get("predicted_n") is None or "predicted_ms" not in timings or is_borrowed(found, timings):
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


TIMINGS = Objects(ENGINE, N_("timings of answers"), ("predicted_n",), _Timings)
FORMATS = (TIMINGS,)
