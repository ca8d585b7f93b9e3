"""LM Studio: the `stats` of an answer (REST API, or camelCase in its SDKs).

The program is closed source: names as its API shows them; how it splits tokens that were not accepted into rejected and
ignored ones is not verified, so that is not used. Rounds are not told; target passes after the prompt are predicted −
1 − accepted tokens, passes without a draft included.
"""

from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, checked
from specmodel.logs._format import Objects, note
from specmodel.logs._printed import inner, known
from specmodel.measured.spec_stats import SpecStats

ENGINE = "LM Studio"
_CAMEL = {
    "totalDraftTokensCount": "total_draft_tokens_count",
    "acceptedDraftTokensCount": "accepted_draft_tokens_count",
    "predictedTokensCount": "predicted_tokens_count",
    "tokensPerSecond": "tokens_per_second",
    "timeToFirstTokenSec": "time_to_first_token",
}


class _Answers:
    """One answer an object."""

    def __init__(self) -> None:
        self._tally, self._plain = Tally(), Tally()

    def take(self, line: int, found: dict[str, Any]) -> bool:
        raw = found if "tokensPerSecond" in found else inner(found, "stats")
        stats = {_CAMEL.get(name, name): value for name, value in raw.items()}
        if "tokens_per_second" not in stats or "time_to_first_token" not in stats:
            return False
        drafted = known(stats, "total_draft_tokens_count", line)
        (self._tally if drafted else self._plain).add(_answer(stats, inner(found, "usage"), drafted, line))
        return True

    def result(self) -> SpecStats | None:
        return self._tally.total() or self._plain.total()


def _answer(found: dict[str, Any], usage: dict[str, Any], drafted: float | None, line: int) -> SpecStats:
    accepted = known(found, "accepted_draft_tokens_count", line)
    predicted = known(found, "predicted_tokens_count", line)
    predicted = known(usage, "completion_tokens", line) if predicted is None else predicted
    first = known(found, "time_to_first_token", line)
    stats = SpecStats(
        ENGINE,
        ANSWERS.source,
        speculation=bool(drafted),
        num_draft_tokens=drafted or None,
        num_accepted_draft_tokens=accepted if drafted else None,
        generated_tokens=predicted,
        num_requests=1,
        ttft_ms=None if first is None else 1000 * first,
        output_tokens_per_s=known(found, "tokens_per_second", line),
    )
    if drafted:
        passes = -1.0 if predicted is None or accepted is None else predicted - 1 - accepted
        unverified = note("LM Studio is closed source: what it counts as drafted and accepted is not verified")
        stats = stats.replace(num_steps=passes if passes > 0 else None, notes=(unverified,))
    return checked(stats, line)


ANSWERS = Objects(
    ENGINE, N_("stats of an answer"), ("tokens_per_second", "tokensPerSecond", "total_draft_tokens_count"), _Answers
)
FORMATS = (ANSWERS,)
