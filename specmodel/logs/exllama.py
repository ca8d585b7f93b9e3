"""ExLlamaV2 and ExLlamaV3: the last result of a job of the dynamic generator (`eos`), dumped as JSON.

Drafted tokens are the accepted and the rejected ones. Rounds are not told; target passes after the prompt are new
tokens − 1 − accepted, passes without a draft included. `time_generate` runs from the first token to the last.
"""

from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import Tally, checked, count
from specmodel.logs._format import Objects, note
from specmodel.logs._printed import known
from specmodel.logs._tallies import speculating_or_plain
from specmodel.measured.spec_stats import SpecStats

ENGINE = "ExLlama"


class _Results:
    """One job an object."""

    def __init__(self) -> None:
        self._tally, self._plain = Tally(), Tally()

    def take(self, line: int, found: dict[str, Any]) -> bool:
        if not {"eos", "new_tokens", "time_generate"} <= found.keys():
            return False
        stats = _job(found, line)
        (self._tally if stats.speculation else self._plain).add(stats)
        return True

    def result(self) -> SpecStats | None:
        left_out = note("answers without speculation were left out")
        return speculating_or_plain(self._tally, self._plain, left_out)


def _job(found: dict[str, Any], line: int) -> SpecStats:
    tokens, seconds = count(found["new_tokens"], line, "new_tokens"), known(found, "time_generate", line)
    accepted, rejected = (known(found, f"{name}_draft_tokens", line) for name in ("accepted", "rejected"))
    drafted = None if accepted is None or rejected is None else accepted + rejected
    steps = tokens - 1 - (accepted or 0.0)
    prompt, queue = known(found, "time_prefill", line), known(found, "time_enqueued", line)
    stats = SpecStats(
        ENGINE,
        RESULTS.source,
        speculation=bool(drafted),
        num_draft_tokens=drafted or None,
        num_accepted_draft_tokens=accepted if drafted else None,
        generated_tokens=tokens,
        num_steps=steps if steps > 0 else None,
        num_requests=1,
        step_ms=1000 * seconds / steps if seconds is not None and steps > 0 else None,
        tpot_ms=1000 * seconds / (tokens - 1) if seconds is not None and tokens > 1 else None,
        ttft_ms=1000 * (prompt + queue) if prompt is not None and queue is not None else None,
    )
    return checked(stats, line)


RESULTS = Objects(ENGINE, N_("result of a job"), ("time_generate",), _Results)
FORMATS = (RESULTS,)
