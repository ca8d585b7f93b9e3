"""LM Studio: the `stats` and `usage` of an answer (REST API, or camelCase in its SDKs), also in the log of its server.

The program is closed source: names as its API shows them, before 0.4 all in `stats`, since then the counts of drafts in
`usage` and the clock in `stats`; the API that is like OpenAI's has no clock at all. Its log (~/.lmstudio/server-logs)
holds each answer behind “Generated prediction:”. `tokens_per_second` is (tokens − 1) ÷ (`generation_time` −
`time_to_first_token`) in public answers, so it is the rate of decoding. How tokens that were not accepted are split
into rejected and ignored ones is not verified, so that is only held against what was drafted. Rounds are not told;
target passes after the prompt are predicted − 1 − accepted tokens, passes without a draft included.
"""

import re
from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import count
from specmodel.logs._format import Lines, LogError, Objects, note
from specmodel.logs._llama_cpp import Answer, Answers
from specmodel.logs._printed import inner, known, settings, text
from specmodel.measured.spec_stats import SpecStats

ENGINE = "LM Studio"
MAX_MODELS = 64
_REMNANT = re.compile(r'\s*"total_draft_tokens_count"\s*:\s*(\d{1,20})\s*,?\s*$')
_CAMEL = {
    "totalDraftTokensCount": "total_draft_tokens_count",
    "acceptedDraftTokensCount": "accepted_draft_tokens_count",
    "rejectedDraftTokensCount": "rejected_draft_tokens_count",
    "predictedTokensCount": "predicted_tokens_count",
    "tokensPerSecond": "tokens_per_second",
    "timeToFirstTokenSec": "time_to_first_token",
}
_CLOCK = {"tokens_per_second", "time_to_first_token"}


class _Model:
    """The answers of one model, those with and without drafts apart."""

    def __init__(self) -> None:
        self._drafted, self._plain = Answers(ANSWERS.source), Answers(ANSWERS.source)
        self._window_s: float | None = 0.0
        self._tokens = 0.0

    def add(self, answer: Answer, window_s: float | None, line: int) -> None:
        if answer.drafted and not self._drafted.count:
            self._window_s, self._tokens = 0.0, 0.0
        (self._drafted if answer.drafted else self._plain).add(answer, line)
        if answer.drafted or not self._drafted.count:
            self._window_s = None if None in (self._window_s, window_s) else (self._window_s or 0) + (window_s or 0)
            self._tokens += answer.tokens or 0

    def total(self, model: str, named: bool) -> SpecStats | None:
        stats = self._drafted.total() or self._plain.total()
        if stats is None:
            return None
        notes = []
        if stats.speculation:
            notes.append(note("LM Studio is closed source: what it counts as drafted and accepted is not verified"))
        if stats.speculation and self._plain.count:
            notes.append(
                note("{without:,} answers without a draft are in the file and were left out", without=self._plain.count)
            )
        decoded = round(1000 / stats.tpot_ms, 9) if stats.tpot_ms else None  # of one answer what it prints, exactly
        return stats.replace(
            engine=ENGINE,
            label=model if named else "",
            model=model or None,
            num_rounds=None,
            num_draft_tokens=stats.num_draft_tokens or None,
            num_accepted_draft_tokens=stats.num_accepted_draft_tokens if stats.speculation else None,
            num_steps=stats.num_steps if stats.speculation else None,
            accepted_per_position=None,
            units=None,
            window_s=self._window_s or None,
            request_ms=1000 * self._window_s / stats.num_requests if self._window_s and stats.num_requests else None,
            output_tokens_per_s=decoded,
            notes=tuple(notes),
        )


class _Answers:
    """One answer an object."""

    def __init__(self) -> None:
        self._models: dict[str, _Model] = {}
        self._last = ""

    def take(self, line: int, found: dict[str, Any]) -> bool:
        alone = "total_draft_tokens_count" in found  # the `usage` of an answer that is cut off or broken around it
        raw = found if alone or found.keys() & _CAMEL.keys() else {**inner(found, "usage"), **inner(found, "stats")}
        stats = {_CAMEL.get(name, name): value for name, value in raw.items()}
        if not stats.keys() >= _CLOCK and "total_draft_tokens_count" not in stats:
            return False
        answer, window_s = _answer(stats, found if alone else inner(found, "usage"), line)
        model = text(found, "model") or self._last  # counts that a broken answer left are of the model beside them
        if model and list(self._models) == [""]:
            self._models[model] = self._models.pop("")
        self._last = model
        if model not in self._models and len(self._models) >= MAX_MODELS:
            raise LogError("line {line}: more than {limit} models in one file", line=line, limit=MAX_MODELS)
        self._models.setdefault(model, _Model()).add(answer, window_s, line)
        return True

    def result(self) -> SpecStats | None:
        several = len(self._models) > 1
        parts = [each.total(model, several) for model, each in self._models.items()]
        return settings([each for each in parts if each is not None])


def _answer(found: dict[str, Any], usage: dict[str, Any], line: int) -> tuple[Answer, float | None]:
    """Its counters, and the seconds that it took as a whole where they are told."""
    drafted = count(found.get("total_draft_tokens_count") or 0, line, "total_draft_tokens_count")
    accepted = found.get("accepted_draft_tokens_count") if drafted else 0
    accepted = None if accepted is None else count(accepted, line, "accepted_draft_tokens_count")
    rejected = count(found.get("rejected_draft_tokens_count") or 0, line, "rejected_draft_tokens_count")
    if (accepted or 0) <= drafted < (accepted or 0) + rejected:
        raise LogError(
            "line {line}: {accepted:,} accepted and {rejected:,} rejected draft tokens are more than the {drafted:,} "
            "drafted",
            line=line, accepted=accepted or 0, rejected=rejected, drafted=drafted,
        )  # fmt: skip
    tokens = known(found, "predicted_tokens_count", line)
    tokens = known(usage, "completion_tokens", line) if tokens is None else tokens
    speed, first = known(found, "tokens_per_second", line), known(found, "time_to_first_token", line)
    window = known(found, "generation_time", line) or (tokens / speed if tokens and speed else None)
    answer = Answer(
        tokens=None if tokens is None else int(tokens),
        decode_ms=1000 * max(tokens - 1, 0) / speed if tokens is not None and speed else None,
        prompt_ms=None if first is None else 1000 * first,
        drafted=drafted,
        accepted=accepted,
        rounds=None if drafted else 0,
        positions=None if drafted else (),
    )
    return answer, window


class _Remnants:
    """What is left in a log of an answer that is cut off or broken: never read, and no baseline without it."""

    def take(self, line: int, found: str) -> bool:
        match = _REMNANT.match(found)
        return match is None or not match[1].strip("0")

    def result(self) -> SpecStats | None:
        return None


ANSWERS = Objects(
    ENGINE,
    N_("stats of an answer"),
    ("tokens_per_second", "tokensPerSecond", "total_draft_tokens_count", "totalDraftTokensCount"),
    _Answers,
)
REMNANTS = Lines(ENGINE, N_("log lines"), ('"total_draft_tokens_count"',), _Remnants)
FORMATS = (ANSWERS, REMNANTS)
