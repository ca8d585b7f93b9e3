"""Servers that tell speculation in OpenAI's fields for predicted outputs: tabbyAPI, and any other that answers so.

In `usage.completion_tokens_details`, or `output_tokens_details`, `accepted_prediction_tokens` are drafts that were kept
and `rejected_prediction_tokens` those that were not: what was drafted is their sum. Both are 0, or null, where nothing
was drafted and where a server does not tell it: such an answer shows nothing, and is no baseline. Rounds are not told;
passes after the prompt are output tokens − 1 − accepted. tabbyAPI (theroyallab/tabbyAPI, endpoints/OAI/types/common.py)
adds `completion_time` in seconds and llama.cpp's `timings`, and 0 of both fields without a draft model: of it such
answers are a run without speculation. OpenAI itself counts a text that the caller sent along, which is no drafter.
"""

from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._borrowed_timings import is_mlx_vlm, is_tabby
from specmodel.logs._checks import count, number
from specmodel.logs._format import LogError, Objects, note
from specmodel.logs._llama_cpp import Answer, Answers
from specmodel.logs._printed import inner, settings, text
from specmodel.measured.spec_stats import SpecStats

TABBY = "tabbyAPI"
ENGINE = "OpenAI API"
MAX_MODELS = 64
_DETAILS = ("completion_tokens_details", "output_tokens_details")
_COUNTS = ("accepted_prediction_tokens", "rejected_prediction_tokens")


class _Usages:
    """One answer an object, of one server; models apart, and answers without a draft from those with one."""

    def __init__(self, tabby: bool):
        self._tabby = tabby
        self._models: dict[tuple[str, bool], Answers] = {}

    def take(self, line: int, found: dict[str, Any]) -> bool:
        if is_tabby(found) != self._tabby or not self._told(found):
            return False
        answer = _answer(found, line)
        if not answer.drafted and not self._tabby:
            return False
        key = (text(found, "model"), answer.drafted > 0)
        if key not in self._models and len(self._models) >= MAX_MODELS:
            raise LogError("line {line}: more than {limit} models in one file", line=line, limit=MAX_MODELS)
        self._models.setdefault(key, Answers(N_("usage of answers"))).add(answer, line)
        return True

    def _told(self, found: dict[str, Any]) -> bool:
        """Whether the counts are there; other servers' own `timings` beside them are read by their own reader."""
        timings = inner(found, "timings")
        return _details(found).keys() >= set(_COUNTS) and (self._tabby or not timings) and not is_mlx_vlm(timings)

    def result(self) -> SpecStats | None:
        drafting = [model for model, drafted in self._models if drafted]
        left_out = sum(each.count for (_, drafted), each in self._models.items() if not drafted) if drafting else 0
        kept = [key for key in self._models if key[1]] or list(self._models)
        parts = [self._part(key, len(kept) > 1, left_out) for key in kept]
        return settings(parts)

    def _part(self, key: tuple[str, bool], several: bool, left_out: int) -> SpecStats:
        stats = self._models[key].total()
        assert stats is not None
        notes = []
        if stats.speculation:
            notes.append(note("the answers tell no rounds: tokens per target pass are exact, tokens per round unknown"))
        if left_out:
            notes.append(
                note("{without:,} answers without a draft are in the file and were left out", without=left_out)
            )
        return stats.replace(
            engine=TABBY if self._tabby else ENGINE,
            label=key[0] if several else "",
            num_rounds=None,
            num_draft_tokens=stats.num_draft_tokens or None,
            num_accepted_draft_tokens=stats.num_accepted_draft_tokens if stats.speculation else None,
            accepted_per_position=None,
            units=None,
            notes=tuple(notes),
        )


def _details(found: dict[str, Any]) -> dict[str, Any]:
    usage = inner(found, "usage")
    return next((details for name in _DETAILS if (details := inner(usage, name))), {})


def _answer(found: dict[str, Any], line: int) -> Answer:
    accepted, rejected = (count(_details(found).get(name) or 0, line, name) for name in _COUNTS)
    usage, timings = inner(found, "usage"), inner(found, "timings")
    tokens = usage.get("completion_tokens", usage.get("output_tokens"))
    drafted = accepted + rejected
    told = count(timings.get("draft_n") or 0, line, "draft_n") if timings else drafted
    if told != drafted:
        raise LogError(
            "line {line}: {name} is {value}, but {sum:,} draft tokens were accepted or rejected",
            line=line, name="draft_n", value=f"{told:,}", sum=drafted,
        )  # fmt: skip
    seconds = usage.get("completion_time")
    return Answer(
        tokens=None if tokens is None else count(tokens, line, "completion_tokens"),
        decode_ms=None if seconds is None else 1000 * number(seconds, line, "completion_time") or None,
        drafted=drafted,
        accepted=accepted,
        rounds=None if drafted else 0,
        positions=None if drafted else (),
    )


def _tabby() -> _Usages:
    return _Usages(tabby=True)


def _any() -> _Usages:
    return _Usages(tabby=False)


TABBY_USAGE = Objects(TABBY, N_("usage of answers"), ("accepted_prediction_tokens",), _tabby)
USAGE = Objects(ENGINE, N_("usage of answers"), ("accepted_prediction_tokens",), _any)
FORMATS = (TABBY_USAGE, USAGE)
