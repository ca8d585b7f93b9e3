"""Tokens of the small language models: frequent words and word parts, single characters, and bytes for all else.

A text is first split into pieces by a regular expression that leaves nothing out. A piece that is a token is one
token; any other is cut from the left into the longest tokens that fit. Characters of the training text are tokens, and
a character that is not becomes its UTF-8 bytes, which are 256 tokens of their own. So every text can be tokenised, and
joining its tokens gives the same text again.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from specmodel.base.arrays import Floats

BYTES = 256
BYTE_WEIGHT = 1e-6  # of an ordinary token, before anything is counted: bytes are for what the text never showed
ALWAYS = ["\n", "\t", *map(chr, range(32, 127))]
LONGEST_PART = 6
RAREST_WORD = 3


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of one kind of text: numbers 0 … 255 are bytes, number 256 + i is the text `texts[i]`.

    `pattern` splits a text into pieces and has to match every character.

    >>> letters = Vocabulary("(?s:.)", ("a", "b"))
    >>> letters.encode("abé"), letters.decode([256, 257, 195, 169])
    ([256, 257, 195, 169], 'abé')
    """

    pattern: str
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return BYTES + len(self.texts)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {text: BYTES + i for i, text in enumerate(self.texts)}

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.texts), default=1)

    @cached_property
    def _spelled(self) -> tuple[bytes, ...]:
        words = [text.encode("utf-8", "surrogatepass") for text in self.texts]
        return tuple([*(bytes([i]) for i in range(BYTES)), *words])

    def encode(self, text: str) -> list[int]:
        """The token numbers of a text; `decode` gives exactly this text back."""
        known: dict[str, Sequence[int]] = {}
        tokens: list[int] = []
        for piece in re.findall(self.pattern, text):
            found = known.get(piece)
            if found is None:
                found = known[piece] = self._cut(piece)
            tokens.extend(found)
        return tokens

    def _cut(self, piece: str) -> list[int]:
        tokens: list[int] = []
        start = 0
        while start < len(piece):
            end = min(len(piece), start + self._longest)
            while end > start + 1 and piece[start:end] not in self._numbers:
                end -= 1
            part = piece[start:end]
            number = self._numbers.get(part)
            tokens += part.encode("utf-8", "surrogatepass") if number is None else [number]
            start = end
        return tokens

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of some tokens; bytes that make no character, which a model may draw, become U+FFFD."""
        spelled = b"".join(self._spelled[token] for token in tokens)
        try:
            return spelled.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return spelled.decode("utf-8", "replace")

    def label(self, token: int) -> str:
        """How one token is written when it stands alone: its text, or <0xE3> for a byte.

        >>> Vocabulary("(?s:.)", ("a",)).label(227)
        '<0xE3>'
        """
        return self.texts[token - BYTES] if token >= BYTES else f"<0x{token:02X}>"

    @cached_property
    def base_probs(self) -> Floats:
        """What a model assumes before it has counted anything, shape (tokens,): all alike, but bytes hardly ever."""
        weights = np.ones(len(self))
        weights[:BYTES] = BYTE_WEIGHT
        probs: Floats = weights / weights.sum()
        probs.setflags(write=False)
        return probs


def build_vocabulary(text: str, pattern: str, size: int) -> Vocabulary:
    """At most `size` tokens for a text: bytes, characters, the most frequent pieces, and parts of the other pieces.

    A part of 2 to 6 characters counts (its occurrences) × (its length − 1): the tokens that it saves. Two thirds of the
    room goes to whole pieces. Equal counts go in the order of the text, so the same text gives the same vocabulary.

    >>> words = build_vocabulary("the cat, the dog, the cow, the end", " ?[a-z]+|,", 400)
    >>> [words.label(token) for token in words.encode(" the cat")]
    [' the', ' cat']
    """
    pieces = Counter(re.findall(pattern, text))
    characters = [char for char, count in Counter(text).most_common() if count > 1]
    chosen = dict.fromkeys([*ALWAYS, *characters])
    room = max(size - BYTES - len(chosen), 0)
    words = [piece for piece, count in pieces.most_common() if count >= RAREST_WORD and len(piece) > 1]
    chosen |= dict.fromkeys(words[: room * 2 // 3])
    parts = _parts({piece: count for piece, count in pieces.items() if piece not in chosen})
    chosen |= dict.fromkeys(parts[:room])
    return Vocabulary(pattern, tuple(chosen)[: max(size - BYTES, len(ALWAYS))])


def _parts(pieces: dict[str, int]) -> list[str]:
    saved: Counter[str] = Counter()
    for piece, count in pieces.items():
        for length in range(2, min(LONGEST_PART, len(piece)) + 1):
            for start in range(len(piece) - length + 1):
                saved[piece[start : start + length]] += count * (length - 1)
    return [part for part, _ in saved.most_common()]
