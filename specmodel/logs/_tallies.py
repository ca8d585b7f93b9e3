"""Several runs in one text: those of one setting are added up and that is said, others are parts."""

from specmodel.base.messages import Message
from specmodel.logs._checks import Tally
from specmodel.logs._format import note
from specmodel.logs._printed import settings
from specmodel.measured.spec_stats import SpecStats

Setting = tuple[str, bool, int | None]


class Tallies:
    """Blocks of a text, each the print of one run, by label, k and whether they speculated.

    >>> runs = Tallies()
    >>> for rounds, k in ((10, 2), (20, 4), (5, 2)):
    ...     runs.add(SpecStats("a", "print", num_rounds=rounds, num_speculative_tokens=k))
    >>> [(each.label, each.num_rounds) for each in runs.result().parts]
    [('k = 2', 15), ('k = 4', 20)]
    """

    def __init__(self) -> None:
        self._over: dict[Setting, Tally] = {}
        self._counts: dict[Setting, int] = {}

    def add(self, stats: SpecStats) -> None:
        """One more run."""
        key = (stats.label, stats.speculation, stats.num_speculative_tokens)
        self._over.setdefault(key, Tally()).add(stats)
        self._counts[key] = self._counts.get(key, 0) + 1

    def result(self) -> SpecStats | None:
        """The run, the runs of one setting added up, or one of several settings with all of them as its parts."""
        parts = [self._summed(key) for key in self._over]
        if len(parts) < 2:
            return parts[0] if parts else None
        return settings([_named(each) for each in parts])

    def _summed(self, key: Setting) -> SpecStats:
        stats, count = self._over[key].total(), self._counts[key]
        assert stats is not None  # a tally is made with its first run
        return together_of(stats, count)


def speculating_or_plain(speculating: Tally, plain: Tally, left_out: Message) -> SpecStats | None:
    """What speculated, with a note where something else did not; or what did not, where nothing did.

    >>> fast, plain = Tally([SpecStats("a", "b")]), Tally([SpecStats("a", "b", speculation=False)])
    >>> speculating_or_plain(fast, plain, note("others")).notes, speculating_or_plain(Tally(), plain, note("")).notes
    ((Message(template='others', values={}),), ())
    """
    stats, others = speculating.total(), plain.total()
    if stats is None or others is None:
        return stats or others
    return stats.replace(notes=(*stats.notes, left_out))


def together_of(stats: SpecStats, count: int) -> SpecStats:
    """The sum of runs with the note that says so.

    >>> [str(each) for each in together_of(SpecStats("a", "b", num_rounds=3), 2).notes]
    ['2 runs of one setting stand in this text; they were added up']
    """
    if count < 2:
        return stats
    added = note("{count:,} runs of one setting stand in this text; they were added up", count=count)
    return stats.replace(notes=(*stats.notes, added))


def _named(stats: SpecStats) -> SpecStats:
    k = stats.num_speculative_tokens
    named = "k = 0" if not stats.speculation else f"k = {k}" if k else ""
    return stats.replace(label=", ".join(each for each in (stats.label, named) if each))
