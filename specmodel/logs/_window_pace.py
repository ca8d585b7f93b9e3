"""The pace of each window of a log, in bounded memory: what shows how much its speed varies."""

from specmodel.measured.sampling_units import MAX_UNITS, Units


class WindowPace:
    """Tokens and milliseconds of the windows of a log; neighbours are joined where there are too many.

    >>> pace = WindowPace()
    >>> pace.add(20.0, 100.0), pace.add(30.0, 100.0)
    (None, None)
    >>> pace.units.counts.tolist()
    [[20.0, 100.0, 0.0], [30.0, 100.0, 0.0]]
    """

    def __init__(self) -> None:
        self._rows: list[tuple[float, float]] = []
        self._together = 1
        self._open = (0.0, 0.0)
        self._held = 0

    def add(self, tokens: float, ms: float) -> None:
        """One window: output tokens and the milliseconds that the sequences spent on them, of any common scale."""
        self._open = (self._open[0] + tokens, self._open[1] + ms)
        self._held += 1
        if self._held < self._together:
            return
        self._rows.append(self._open)
        self._open, self._held = (0.0, 0.0), 0
        if len(self._rows) >= 2 * MAX_UNITS:
            self._rows = [(a + c, b + d) for (a, b), (c, d) in zip(self._rows[::2], self._rows[1::2], strict=True)]
            self._together *= 2

    @property
    def units(self) -> Units | None:
        """What `SpecStats.pace` holds; None below two windows. Windows that do not fill a row are left out."""
        rows = [(tokens, ms, 0.0, None) for tokens, ms in self._rows]
        return Units.of("windows", rows) if len(rows) > 1 else None
