"""What the Drift page asks beside the costs of a round, each number declared once, with its link key."""

from dataclasses import dataclass

from specmodel.base.params import Declared, param


@dataclass(frozen=True)
class DriftLesson(Declared):
    """What the Drift page asks beside the costs of the scenario.

    >>> DriftLesson().switching_ms
    0.0
    """

    switching_ms: float = param(
        "Cost of a switch",
        "Time that each change of the draft length takes.",
        default=0,
        low=0,
        high=10_000,
        slider=(0, 100, 1),
        format=",.1f",
        unit="ms",
        key="switch",
    )
    spread: float = param(
        "Difference between requests",
        "How much the acceptance of requests differs inside a phase: 0 makes them all alike.",
        default=0.1,
        low=0,
        high=0.4,
        slider=(0, 0.3, 0.01),
        format=".2f",
        key="spread",
    )
