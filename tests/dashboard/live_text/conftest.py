"""What the tests of the Live text page share: the marked text as a visitor sees it."""

import re
from html import unescape


def text_of(markup: str) -> str:
    """What a visitor sees without the marks: no thrown-away drafts, no signs for line ends."""
    body = re.sub(r"<style>.*?</style>|<del.*?</del>|<span class=\"n\">↵</span>", "", markup, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "", body))
