"""mlx-vlm: the `timings` of its server's answers, in the words of llama.cpp with its own beside them.

Format read in Blaizzy/mlx-vlm (mlx_vlm/server/schemas.py, commit 303265002), which has `peak_memory` (GB) in them; with
a drafter answers also tell `draft_kind` and `draft_rounds` (#1788, 2026-08). `predicted_ms` is output tokens ÷ the rate
of generation. Rounds that all drafted alike give k; a pass without a draft shows as more output tokens than the rounds
can have given.
"""

from typing import Any

from specmodel.base.messages import N_, Message
from specmodel.logs._borrowed_timings import is_mlx_vlm
from specmodel.logs._checks import count
from specmodel.logs._format import LogError, Objects, note
from specmodel.logs._llama_cpp import Answer, Answers
from specmodel.logs._printed import draft_length, inner, known, settings, text
from specmodel.measured.spec_stats import SpecStats

ENGINE = "mlx-vlm"
MAX_SETTINGS = 64


class _Answers:
    """One answer an object; drafters and models apart, and answers without a draft from those with one."""

    def __init__(self) -> None:
        self._settings: dict[tuple[str, str], tuple[Answers, set[int | None]]] = {}
        self._memory: float | None = None

    def take(self, line: int, found: dict[str, Any]) -> bool:
        timings = inner(found, "timings") or found
        if timings.get("predicted_n") is None or "predicted_ms" not in timings or not is_mlx_vlm(timings):
            return False
        answer, k = _answer(timings, line)
        kind = text(timings, "draft_kind") if answer.drafted else ""
        key = (kind, text(found, "model"))
        if key not in self._settings and len(self._settings) >= MAX_SETTINGS:
            raise LogError("line {line}: more than {limit} settings in one file", line=line, limit=MAX_SETTINGS)
        answers, lengths = self._settings.setdefault(key, (Answers(ANSWERS.source), set()))
        answers.add(answer, line)
        if len(lengths) < 2:
            lengths.add(k)
        memory = known(timings, "peak_memory", line)
        self._memory = max(memory, self._memory or 0) if memory else self._memory
        return True

    def result(self) -> SpecStats | None:
        parts = [self._part(key, *each) for key, each in self._settings.items()]
        return settings(parts)

    def _part(self, key: tuple[str, str], answers: Answers, lengths: set[int | None]) -> SpecStats:
        stats = answers.total()
        assert stats is not None
        several = len(self._settings) > 1
        notes: tuple[Message, ...] = ()
        if stats.speculation and answers.without_draft:
            notes = (
                note(
                    "{without:,} of {count:,} answers hold no draft and count as plain steps; if they are from a "
                    "server without speculation, give them as a file of their own",
                    without=answers.without_draft, count=answers.count,
                ),
            )  # fmt: skip
        return stats.replace(
            engine=ENGINE,
            label=" · ".join(filter(None, key)) if several else "",
            num_speculative_tokens=next(iter(lengths)) if stats.speculation and len(lengths) == 1 else None,
            num_rounds=stats.num_rounds if stats.speculation else None,
            num_draft_tokens=stats.num_draft_tokens if stats.speculation else None,
            num_accepted_draft_tokens=stats.num_accepted_draft_tokens if stats.speculation else None,
            memory_gb=self._memory,
            notes=notes,
        )


def _answer(timings: dict[str, Any], line: int) -> tuple[Answer, int | None]:
    """Its counters, and the drafts of every round where they can all have been alike."""
    drafted = count(timings.get("draft_n") or 0, line, "draft_n")
    accepted, rounds = timings.get("draft_n_accepted"), timings.get("draft_rounds")
    accepted = count(accepted, line, "draft_n_accepted") if accepted is not None else None if drafted else 0
    rounds = count(rounds, line, "draft_rounds") if rounds is not None else None if drafted else 0
    if drafted and rounds is not None and rounds > drafted:
        raise LogError(
            "line {line}: {drafted:,} draft tokens are fewer than the {rounds:,} rounds",
            line=line, drafted=drafted, rounds=rounds,
        )  # fmt: skip
    answer = Answer(
        tokens=count(timings["predicted_n"], line, "predicted_n"),
        decode_ms=known(timings, "predicted_ms", line) or None,
        prompt_ms=known(timings, "prompt_ms", line),
        drafted=drafted,
        accepted=accepted,
        rounds=rounds if drafted else 0,
        positions=None if drafted else (),
    )
    alike = drafted and rounds and drafted % rounds == 0
    return answer, draft_length(drafted // rounds, line, "draft_n") if alike and rounds else None


ANSWERS = Objects(ENGINE, N_("timings of answers"), ("draft_kind", "draft_rounds", "peak_memory"), _Answers)
FORMATS = (ANSWERS,)
