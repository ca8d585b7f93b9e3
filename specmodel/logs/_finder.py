"""Finds the lines of a block that hold one of many markers, in one pass: most lines of a log hold none.

The search is an Aho–Corasick automaton (Aho and Corasick 1975, Commun. ACM 18), by the library ahocorasick_rs.
"""

from collections.abc import Iterable, Iterator

from ahocorasick_rs import BytesAhoCorasick


class Finder:
    """Looks for markers in blocks of whole lines.

    >>> finder = Finder([b"draft acceptance", b"Drafts:"])
    >>> block = b"one\\nDrafts: 3\\nthe draft acceptance = 1\\n"
    >>> [(block[start:end], found) for start, end, found in finder.lines(block)]
    [(b'Drafts: 3', {b'Drafts:'}), (b'the draft acceptance = 1', {b'draft acceptance'})]
    """

    def __init__(self, markers: Iterable[bytes]):
        self._markers = sorted(set(markers))
        self._automaton = BytesAhoCorasick(self._markers)

    def lines(self, block: bytes) -> Iterator[tuple[int, int, set[bytes]]]:
        """(start, end, markers) of every line that holds a marker; `end` is its line end."""
        start, end, found = 0, -1, set[bytes]()
        for index, at, _ in self._automaton.find_matches_as_indexes(block, overlapping=True):
            if at > end:
                if found:
                    yield start, end, found
                start, found = block.rfind(b"\n", 0, at) + 1, set()
                end = block.find(b"\n", at)
                end = len(block) if end < 0 else end
            found.add(self._markers[index])
        if found:
            yield start, end, found
