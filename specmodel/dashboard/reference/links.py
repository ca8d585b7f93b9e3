"""Links inside the Reference page, as seen from any page of the app: to an entry, and to a page."""

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from specmodel.dashboard.parts.entries import entry_link
from specmodel.dashboard.reference.entry import Link
from specmodel.dashboard.session.pages import pages

Translate = Callable[[str], str]


def to_entry(text: str, entry: str, translate: Translate) -> Link:
    """The link to an entry.

    >>> to_entry("Speedup", "speedup", str).href
    'reference?entry=speedup'
    """
    return Link(text, entry_link(entry, translate))


def to_page(key: str, translate: Translate, query: Mapping[str, str] | None = None, text: str = "") -> Link:
    """The link to a page, under its title unless another text is given, opened with a query.

    >>> to_page("serving", str, {"batch": "64"})
    Link(text='Serving load', href='serving?batch=64')
    """
    language = getattr(translate, "language", "")
    asked = urlencode(dict(query or {}) | ({"lang": language} if language else {}))
    return Link(text or translate(pages()[key].title), f"{key}?{asked}" if asked else key)
