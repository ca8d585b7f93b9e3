"""Ranges of batches in words."""

from collections.abc import Sequence

from specmodel.dashboard.session.translation import Translator

Range = tuple[int, int]


def ranges(off: Sequence[Range], most: int, translate: Translator) -> str:
    """Ranges of batches in words: 57 and more, or 4–13.

    >>> from specmodel.dashboard.session.translation import translator
    >>> ranges([(4, 13), (57, 256)], 256, translator("en"))
    '4–13, ≥ 57'
    """
    if list(off) == [(1, most)]:
        return translate("always")
    texts = [
        f"≥ {first}" if last >= most else str(first) if first == last else f"{first}–{last}" for first, last in off
    ]
    return translate.listed(texts)
