"""The training texts: found where the package runs, never fetched, the same at every start of one installation.

English prose are docstrings and help topics of the Python standard library, code are modules of it, Japanese is the
catalogue of this package. Each is a list of parts (paragraphs, top-level statements, sentences); one part in 25 is held
out, and what to continue is taken from those. A short part may also stand inside another one that is trained on, so
only openings that the training text does not hold are taken.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim
from specmodel.base.numbers import one_of
from specmodel.ngram._texts import CODE_FILES, PROSE_FILES, code_blocks, prose, python_sources, translations

HELD_OUT = 25
MOST_CHARACTERS = 500_000
SHORTEST = 4
"""Characters of the shortest prompt."""
PROMPTS = 6
CATALOGUE = Path(__file__).parents[1] / "locale" / "ja" / "LC_MESSAGES" / "specmodel.po"

Parts = tuple[str, ...]
Reader = Callable[[], tuple[Message, int, list[str]]]


@dataclass(frozen=True)
class Corpus:
    """One kind of text: what it was read from, the text to train on, and the parts kept away from the training.

    `prompts` are openings of held-out parts: texts to continue that no model has seen, as they are not in `text`.
    """

    kind: str
    origin: Message
    text: str
    held_out: Parts
    prompts: Parts


@dataclass(frozen=True)
class KindOfText:
    """A kind of text: its label, how it splits into pieces, what joins its parts, and how a prompt is cut from one.

    `longest_prompt` is in characters; a prompt ends at the last of `prompt_ends` before that, where there is one.
    """

    key: str
    label: str
    pattern: str
    separator: str
    longest_prompt: int
    prompt_ends: str
    read: Reader


def _english() -> tuple[Message, int, list[str]]:
    return _python(PROSE_FILES, prose)


def _code() -> tuple[Message, int, list[str]]:
    return _python(CODE_FILES, code_blocks)


def _python(names: tuple[str, ...], take: Callable[[str], list[str]]) -> tuple[Message, int, list[str]]:
    origin, files = python_sources(names)
    parts: list[str] = []
    used = characters = 0
    for file in files:
        found = take(file.read_text(encoding="utf-8", errors="replace"))
        parts += found
        used += 1
        characters += sum(map(len, found))
        if characters >= MOST_CHARACTERS:
            break
    return origin, used, parts


def _japanese() -> tuple[Message, int, list[str]]:
    if not CATALOGUE.is_file():
        message = "no text to train on: the Japanese catalogue {file} is not installed"
        raise SpecmodelError(Message(message, {"file": Verbatim(CATALOGUE.name)}))
    origin = Message(N_("the Japanese of this application"))
    return origin, 1, translations(CATALOGUE.read_text(encoding="utf-8"))


_WORDS = r" ?[^\W\d_]+| ?\d| ?[^\w\s]|\n+ *| +|(?s:.)"
_KINDS = (
    KindOfText("english", N_("English prose"), _WORDS, "\n\n", 48, " ", _english),
    KindOfText(
        "japanese",
        N_("Japanese"),
        r"[\u3041-\u309f]+|[\u30a0-\u30ff]+|[\u4e00-\u9fff]+| ?[A-Za-z]+| ?\d|(?s:.)",
        "\n",
        16,
        "、をにはがで",
        _japanese,
    ),
    KindOfText("code", N_("Python code"), _WORDS, "\n\n\n", 90, "\n", _code),
)
KINDS = {kind.key: kind for kind in _KINDS}


def kind_of_text(key: str) -> KindOfText:
    """The kind of text with this key; an error that names the known ones for any other.

    >>> kind_of_text("code").label
    'Python code'
    """
    kind: KindOfText = one_of(key, KINDS, N_("kind of text"))
    return kind


def read_corpus(key: str) -> Corpus:
    """Read the training text of one kind of text; 40,000 to 500,000 characters, in some tenths of a second.

    >>> len(read_corpus("japanese").prompts)
    6
    """
    kind = kind_of_text(key)
    source, files, found = kind.read()
    parts = list(dict.fromkeys(found))
    held_out = tuple(parts[HELD_OUT // 2 :: HELD_OUT])
    kept = set(held_out)
    text = kind.separator.join(part for part in parts if part not in kept)[:MOST_CHARACTERS]
    if not text:
        raise SpecmodelError(Message("no text to train on in {source}", {"source": source}))
    values = {"source": source, "files": files, "characters": len(text)}
    origin = Message(N_("{source}, files read: {files}, characters: {characters:,}"), values)
    return Corpus(key, origin, text, held_out, _prompts(kind, held_out, text))


def _prompts(kind: KindOfText, held_out: Parts, trained_on: str) -> Parts:
    """Openings of parts that go on after them, spread over the held-out text, none of them in the training text."""
    long = [part for part in held_out if len(part) > 2 * kind.longest_prompt] or list(held_out)
    unseen = [part for part in long if _opening(part, kind) not in trained_on]
    openings = tuple(dict.fromkeys(_opening(part, kind) for part in unseen or long))
    return openings[:: max(len(openings) // PROMPTS, 1)][:PROMPTS]


def _opening(part: str, kind: KindOfText) -> str:
    """The start of a part, up to the last end of a word in it, unless that comes too early to be a prompt."""
    cut = part[: kind.longest_prompt]
    end = max(cut.rfind(char) for char in kind.prompt_ends)
    return cut[: end + (kind.separator == "\n")] if end >= SHORTEST else cut
