"""SpecDecode-Bench: the traces of its simulator (JSON lines).

Format read in simulator/ (commit 2fdccbd6, 2026-04-01). For each drafter (`acc_eagle`, `acc_ngram`, …) `acc_len` holds
how many drafts would be accepted from every position of the generated text on. The rounds are those of a replay: from
position 0 each round emits its accepted tokens and one more, and the next one starts behind them. Drafts are not capped
here (a smaller k would start its rounds elsewhere), so proposed tokens are unknown, and the last round accepts no more
than what is left of the text. Drafters are alternatives and become parts; the main counters are those of the drafter
that most requests have, of the first in the file where several have as many.
"""

from typing import Any

from specmodel.base.messages import N_
from specmodel.logs._checks import count
from specmodel.logs._format import LogError, Objects, note
from specmodel.logs._lengths import Lengths
from specmodel.measured.spec_stats import SpecStats

ENGINE = "SpecDecode-Bench"
MOST_DRAFTERS = 64


class _Traces:
    """One request an object."""

    def __init__(self) -> None:
        self._drafters: dict[str, Lengths] = {}
        self._requests: dict[str, int] = {}
        self._tokens: dict[str, int] = {}

    def take(self, line: int, found: dict[str, Any]) -> bool:
        generated = found.get("generated_token_ids")
        traces = {
            name[4:44]: value["acc_len"]
            for name, value in found.items()
            if name.startswith("acc_") and isinstance(value, dict) and isinstance(value.get("acc_len"), list)
        }
        if not traces or not isinstance(generated, list):
            return False
        for drafter, trace in traces.items():
            self._replay(drafter, trace, line)
        return True

    def _replay(self, drafter: str, trace: list[Any], line: int) -> None:
        lengths = self._drafters.setdefault(drafter, Lengths())
        if len(self._drafters) > MOST_DRAFTERS:
            raise LogError("line {line}: more than {limit} drafters", line=line, limit=MOST_DRAFTERS)
        request = self._requests[drafter] = self._requests.get(drafter, 0) + 1
        position = 0
        while position < len(trace):
            left = len(trace) - position - 1
            accepted = min(count(trace[position], line, "acc_len"), left)
            lengths.add(accepted, line, request=request)
            position += accepted + 1
        self._tokens[drafter] = self._tokens.get(drafter, 0) + len(trace)

    def result(self) -> SpecStats | None:
        parts = [
            lengths.stats(
                ENGINE,
                TRACES.source,
                label=drafter,
                generated_tokens=self._tokens[drafter],
                num_steps=lengths.num_rounds,
                batch_size=1,
            )
            for drafter, lengths in self._drafters.items()
            if lengths.num_rounds
        ]
        if not parts:
            return None
        main = max(parts, key=lambda each: self._requests[each.label])
        replayed = note("a replay of traces with as many drafts in each round as would be accepted: k is not limited")
        main = main.replace(notes=(replayed,))
        return main.replace(parts=tuple(parts), parts_are_settings=True) if len(parts) > 1 else main


TRACES = Objects(ENGINE, N_("simulator traces"), ("acc_len",), _Traces)
FORMATS = (TRACES,)
