"""The names of the entries of the Reference page, and the links to them from every "?" of the app. No Streamlit.

An entry is named by what it is about, in English and in any language the same, so that a help text can name its entry
without asking the page for it. A link is relative to the address of a page, so it works behind any base path; it opens
a tab of its own, which leaves the visitor's session as it is.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from specmodel.base.messages import N_
from specmodel.base.params import Quantity

REFERENCE = "reference"
"""The page's key and address."""
LINK = N_("Reference")
_SPELT = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "λ": "lambda",
    "ρ": "rho",
    "τ": "tau",
    "÷": " per ",
    "×": " times ",
}


def slug(text: str) -> str:
    """A text as a part of an address: small letters, digits and hyphens.

    >>> slug("Accepted ÷ drafted, α*")
    'accepted-per-drafted-alpha'
    """
    spelt = "".join(_SPELT.get(char, char) for char in text.lower())
    plain = unicodedata.normalize("NFKD", spelt).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def number_entry(declared: Quantity) -> str:
    """The entry of a declared number: all that go by one label share it.

    >>> number_entry(Quantity("tau", "Tokens per round", ""))
    'tokens-per-round'
    """
    return slug(declared.label)


def term_entry(key: str) -> str:
    """The entry of a term.

    >>> term_entry("bonus_token")
    'term-bonus-token'
    """
    return f"term-{slug(key)}"


def function_entry(function: Callable[..., Any]) -> str:
    """The entry of a function or class whose docstring a page shows.

    >>> function_entry(number_entry)
    'formula-number-entry'
    """
    return f"formula-{slug(function.__qualname__)}"


def entry_link(entry: str, translate: Callable[[str], str] = str) -> str:
    """The address of an entry as seen from any page, in the visitor's language.

    >>> entry_link("speedup")
    'reference?entry=speedup'
    """
    language = getattr(translate, "language", "")
    return f"{REFERENCE}?{urlencode({'entry': entry} | ({'lang': language} if language else {}))}"


def help_text(declared: Quantity, translate: Callable[[str], str]) -> str:
    """The definition of a declared number as Markdown for a help text, with the link to its entry.

    >>> help_text(Quantity("tau", "Tokens per round", "Tokens that a round emits."), str)
    'Tokens that a round emits. [Reference](reference?entry=tokens-per-round)'
    """
    return with_link(translate(declared.help), number_entry(declared), translate)


def with_link(text: str, entry: str, translate: Callable[[str], str]) -> str:
    """Markdown with the link to an entry behind it.

    >>> with_link("", "speedup", str)
    '[Reference](reference?entry=speedup)'
    """
    return f"{text} [{translate(LINK)}]({entry_link(entry, translate)})".strip()
