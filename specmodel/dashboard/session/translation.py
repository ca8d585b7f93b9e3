"""The languages of the app: which one a visitor gets, and the translator of a run (gettext catalogues, read by Babel).

Nothing here is installed process-wide: two visitors with two languages share a server.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations

from specmodel.base.messages import Message

LANGUAGES = {"en": "English", "ja": "日本語"}
LOCALE = Path(__file__).parents[2] / "locale"


@dataclass(frozen=True)
class Translator:
    """Looks English texts up in the catalogue of a language; English, and what is not in the catalogue, stays."""

    language: str

    def __call__(self, text: str) -> str:
        """The text in the visitor's language.

        >>> translator("en")("Speedup")
        'Speedup'
        """
        catalogue = _catalogue(self.language)
        return catalogue.gettext(text) if catalogue and text else text

    def plural(self, singular: str, plural: str, n: int) -> str:
        """The form of a template that fits n things; the caller puts the values in.

        >>> translator("en").plural("{n} draft token", "{n} draft tokens", 2).format(n=2)
        '2 draft tokens'
        """
        catalogue = _catalogue(self.language)
        if catalogue:
            return str(catalogue.ngettext(singular, plural, n))
        return singular if n == 1 else plural

    def sentences(self, *texts: str) -> str:
        """Sentences one after another: with a space between them, but in Japanese.

        >>> translator("en").sentences("Yes.", "It pays.")
        'Yes. It pays.'
        """
        return ("" if self.language == "ja" else " ").join(texts)

    def listed(self, texts: Iterable[str]) -> str:
        """Several things in a row.

        >>> translator("ja").listed(["a", "b"])
        'a、b'
        """
        return ("、" if self.language == "ja" else ", ").join(texts)

    def message(self, message: Message) -> str:
        """A sentence of the core with its values, in the visitor's language.

        >>> translator("en").message(Message("best at {k}", {"k": 2}))
        'best at 2'
        """
        return message.translated(self)


def translator(language: str) -> Translator:
    """The translator of one of the `LANGUAGES`.

    >>> translator("ja").language
    'ja'
    """
    if language not in LANGUAGES:
        raise ValueError(f"language {language!r} is not one of {', '.join(LANGUAGES)}")
    return Translator(language)


def choose(requested: str | None, browser_locale: str | None) -> str:
    """The language asked for if the app speaks it, else that of the browser, else English.

    >>> choose("ja", "en-US"), choose(None, "ja-JP"), choose("xx", "fr-FR")
    ('ja', 'ja', 'en')
    """
    wishes = (requested, (browser_locale or "").replace("_", "-").split("-")[0].lower())
    return next((wish for wish in wishes if wish in LANGUAGES), "en")


def escaped(text: str) -> str:
    """Text that may hold words of a file or a link, as markdown that shows it as it is."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]()<>#+-!|$~:" else char for char in text)


def plain(markdown: str) -> str:
    """Our Markdown as plain text: without the marks of bold type and the backslashes of `escaped`.

    >>> plain("**Wins** " + escaped("[3 of 4]"))
    'Wins [3 of 4]'
    """
    return re.sub(r"\\([^\w\s])", r"\1", markdown.replace("**", ""))


def with_code(text: str) -> str:
    """Text with backticks as markdown that shows what stands in them as code, and the rest as it is.

    >>> print(with_code("set `k_max` to a_b"))
    set `k_max` to a\\_b
    """
    return "`".join(part if i % 2 else escaped(part) for i, part in enumerate(text.split("`")))


@cache
def _catalogue(language: str) -> Translations | None:
    path = LOCALE / language / "LC_MESSAGES" / "specmodel.po"
    if not path.exists():
        return None  # the source language
    compiled = BytesIO()
    with path.open("rb") as source:
        write_mo(compiled, read_po(source, locale=language))
    compiled.seek(0)
    return Translations(compiled, domain="specmodel")
