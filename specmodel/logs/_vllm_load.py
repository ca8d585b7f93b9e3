"""What vLLM's lines of throughput add up to, and those among them that belong to no speculation."""

from dataclasses import dataclass, field
from typing import Any

from specmodel.logs._window_pace import WindowPace

FEWEST_ALONE = 6
"""Windows one after another without a line of speculation from which on they are a run without it."""


@dataclass
class Load:
    """Lines of throughput: tokens per second in a window, and how many requests were running at its end.

    >>> load = Load()
    >>> load.add(90.0, 1), load.known(1.0)["step_ms"]
    (None, 11.11111111111111)
    """

    windows: int = 0
    speed: float = 0.0
    busy: int = 0
    busy_speed: float = 0.0
    running: float = 0.0
    pace: WindowPace = field(default_factory=WindowPace)

    def add(self, speed: float, running: int) -> None:
        """One more window."""
        self.windows += 1
        self.speed += speed
        if speed and running:
            self.busy += 1
            self.busy_speed += speed
            self.running += running
            self.pace.add(speed, 1000.0 * running)

    def known(self, tokens_per_step: float | None) -> dict[str, Any]:
        """Fields of `SpecStats`; a step takes running × tokens per step ÷ throughput."""
        fields: dict[str, Any] = {}
        if self.windows:
            fields["output_tokens_per_s"] = self.speed / self.windows
        if self.busy:
            fields["batch_size"] = self.running / self.busy
        if self.busy and tokens_per_step:
            fields["step_ms"] = 1000 * self.running * tokens_per_step / self.busy_speed
            fields["pace"] = self.pace.units
        return fields


class Alone:
    """Windows one after another that no line of speculation follows: a few are pauses, many a run without drafts.

    >>> alone = Alone()
    >>> for _ in range(8): alone.add(90.0, 1)
    >>> alone.end(), alone.add(20.0, 1), alone.ended().busy
    (None, None, 8)
    """

    def __init__(self) -> None:
        self._longest, self._open = Load(), Load()

    def add(self, speed: float, running: int) -> None:
        """One more; idle ones end nothing and count for nothing."""
        if speed and running:
            self._open.add(speed, running)

    def end(self) -> None:
        """A line of speculation: the windows so far are all."""
        if self._open.busy > self._longest.busy:
            self._longest = self._open
        self._open = Load()

    def ended(self) -> Load | None:
        """The longest row of windows at the end of the log, if it is long enough to be a run."""
        self.end()
        return self._longest if self._longest.busy >= FEWEST_ALONE else None
