"""No speculation: plain decoding, what every other policy is measured against."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.base.params import Declared
from specmodel.drift.policies._policy import Case, Policy, State, Unused


@dataclass(frozen=True)
class Off(Declared):
    """Nothing to set."""


class _Off(Unused):
    def choose(self, state: State) -> int:
        return 0


def _start(values: Off, case: Case) -> _Off:
    return _Off()


POLICY = Policy(
    "off",
    10,
    label=N_("Off"),
    rule=N_("Never drafts: one plain decoding step for each token."),
    source="",
    params=Off,
    start=_start,
)
