"""Configuration to paste, as parts of an answer. No Streamlit."""

from specmodel.dashboard.parts.answer import Code, Note, Part, Text
from specmodel.dashboard.session.translation import Translator, with_code
from specmodel.engine.config import Snippet
from specmodel.engine.config_text import PLACEHOLDERS


def paste_parts(name: str, given: Snippet, translate: Translator) -> dict[str, Part | None]:
    """The text to paste under a name, what is to be filled in, and what the engine says of it (`name`_filled, _notes).

    >>> from specmodel.dashboard.session.translation import translator
    >>> from specmodel.engine.config import Request, snippet
    >>> list(paste_parts("paste", snippet(Request("vLLM", "eagle3", 3)), translator("en")))
    ['paste', 'paste_filled', 'paste_notes']
    """
    _ = translate
    version = _("Option names of {engine} {version}.").format(engine=given.engine, version=given.version)
    fill = _("{name}: {meaning}.")
    filled = [fill.format(name=key, meaning=_(PLACEHOLDERS[key])) for key in given.placeholders]
    notes = "\n".join(f"- {with_code(_.message(note))}" for note in given.notes)
    return {
        name: Code(given.text, "bash" if given.language == "shell" else given.language),
        f"{name}_filled": Note(_.sentences(version, *filled)),
        f"{name}_notes": Text(notes) if notes else None,
    }
