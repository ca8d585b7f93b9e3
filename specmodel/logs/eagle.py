"""EAGLE: the answer files of its evaluation (JSON lines).

Format read in eagle/evaluation/gen_ea_answer_*.py (commit cb7e0841, 2026-02-19). `idxs` is the last loop index of each
turn, so that rounds are idxs + 1, and tokens per round (bonus included) are new_tokens ÷ rounds. Spec-Bench's files
have `decoding_steps` and `accept_lengths` instead. A file with as many tokens as rounds is plain decoding. EAGLE drafts
a tree; how many tokens it proposed is not told. A file has each question once: other models, and questions that are
answered again, are other runs.
"""

from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, checked, count, number
from specmodel.logs._format import LogError, Objects, note
from specmodel.logs._printed import settings
from specmodel.logs._repeats import Repeats, Run, asked, labelled
from specmodel.measured.sampling_units import Units
from specmodel.measured.spec_stats import SpecStats

ENGINE = "EAGLE"


class _Answers:
    """One question an object; its turns are one unit."""

    def __init__(self) -> None:
        self._runs: dict[Run, Tally] = {}
        self._repeats = Repeats()

    def take(self, line: int, found: dict[str, Any]) -> bool:
        choices = found.get("choices")
        told = [
            each
            for each in (choices if isinstance(choices, list) else [])
            if isinstance(each, dict) and isinstance(each.get("idxs"), list) and "accept_lengths" not in each
        ]
        if told:
            run = self._runs.setdefault(self._repeats.of(*asked(found), line), Tally())
            for each in told:
                run.add(_choice(each, line))
        return bool(told)

    def result(self) -> SpecStats | None:
        totals = {run: _run(stats) for run, tally in self._runs.items() if (stats := tally.total()) is not None}
        return settings(labelled(totals))


def _run(stats: SpecStats) -> SpecStats:
    """One run with its speed; without speculation where nothing was ever accepted."""
    speed = stats.generated_tokens / stats.window_s if stats.window_s and stats.generated_tokens else None
    stats = stats.replace(output_tokens_per_s=speed)
    if not stats.num_accepted_draft_tokens:
        nothing = {"num_rounds": None, "num_accepted_draft_tokens": None, "units": None}
        return stats.replace(speculation=False, **nothing)
    unknown = note("proposed draft tokens are not in the file: EAGLE drafts a tree of them in each round")
    return stats.replace(notes=(unknown,))


def _choice(choice: dict[str, Any], line: int) -> SpecStats:
    new_tokens, wall_time = choice.get("new_tokens"), choice.get("wall_time")
    if not isinstance(new_tokens, list) or len(new_tokens) != len(choice["idxs"]):
        raise LogError("line {line}: idxs and new_tokens must be lists of the same length", line=line)
    rounds = sum(count(last, line, "idxs") + 1 for last in choice["idxs"])
    tokens = sum(count(each, line, "new_tokens") for each in new_tokens)
    if tokens < rounds - len(new_tokens):
        raise LogError(
            "line {line}: {tokens:,} new tokens in {rounds:,} rounds, expected at least one in each",
            line=line, tokens=tokens, rounds=rounds,
        )  # fmt: skip
    accepted = max(tokens - rounds, 0)
    seconds = sum(number(each, line, "wall_time") for each in wall_time) if isinstance(wall_time, list) else None
    stats = SpecStats(
        ENGINE,
        ANSWERS.source,
        num_rounds=rounds,
        num_accepted_draft_tokens=accepted,
        generated_tokens=tokens,
        num_steps=rounds,
        window_s=seconds,
        batch_size=1,
        units=Units.of("requests", [(rounds, 0, accepted, None)]),
    )
    return checked(stats, line)


ANSWERS = Objects(ENGINE, N_("answer file"), ("idxs",), _Answers)
FORMATS = (ANSWERS,)
