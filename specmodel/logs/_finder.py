"""Finds the lines of a block that hold one of many markers, in one pass: most lines of a log hold none.

The search is an Aho–Corasick automaton (Aho and Corasick 1975, Commun. ACM 18), by the library ahocorasick_rs.
"""

from collections.abc import Iterable

from ahocorasick_rs import BytesAhoCorasick


class Finder:
    """Looks for markers in blocks of whole lines; which ones a line holds is told as bits, in the order of `markers`.

    >>> finder = Finder([b"draft acceptance", b"Drafts:"])
    >>> block = b"one\\nDrafts: 3\\nthe draft acceptance = 1\\n"
    >>> [(line, block[start:end], bits) for line, start, end, bits in finder.lines(block, 1)]
    [(2, b'Drafts: 3', 2), (3, b'the draft acceptance = 1', 1)]
    """

    def __init__(self, markers: Iterable[bytes]):
        self.markers = tuple(dict.fromkeys(markers))
        self._bits = [1 << index for index in range(len(self.markers))]
        self._automaton = BytesAhoCorasick(self.markers)

    def lines(self, block: bytes, line: int) -> list[tuple[int, int, int, int]]:
        """(line, start, end, bits) of every line that holds a marker; `line` is the number of the block's first one."""
        bits, counted, start, end, bits_found = self._bits, 0, 0, -1, 0
        found = []
        for index, at, _ in self._automaton.find_matches_as_indexes(block, overlapping=True):
            if at > end:
                if bits_found:
                    found.append((line, start, end, bits_found))
                start = block.rfind(b"\n", 0, at) + 1
                line += block.count(b"\n", counted, start)
                counted = start
                end = block.find(b"\n", at)
                end = len(block) if end < 0 else end
                bits_found = 0
            bits_found |= bits[index]
        if bits_found:
            found.append((line, start, end, bits_found))
        return found
