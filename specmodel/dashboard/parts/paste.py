"""Configuration to paste, as parts of an answer. No Streamlit."""

from collections.abc import Mapping

from specmodel.base.messages import N_
from specmodel.dashboard.parts.answer import Code, Note, Part, Text
from specmodel.dashboard.session.translation import Translator, with_code
from specmodel.engine.setting import PLACEHOLDERS, Snippet

COMMAND, KUBERNETES = "command", "kubernetes"
FORMS: Mapping[str, str] = {COMMAND: N_("Command line"), KUBERNETES: N_("Kubernetes")}


def paste_parts(name: str, given: Snippet, translate: Translator, form: str = COMMAND) -> dict[str, Part | None]:
    """The text to paste under a name, what is to be filled in, and what the engine says of it (`name`_filled, _notes).

    `form` is one of `FORMS`; what is no command line of a server stands as it is, and the note says so.

    >>> from specmodel.dashboard.session.translation import translator
    >>> from specmodel.engine.setting import Request, snippet
    >>> list(paste_parts("paste", snippet(Request("vLLM", "eagle3", 3)), translator("en")))
    ['paste', 'paste_filled', 'paste_notes']
    """
    _ = translate
    version = _("Option names of {engine} {version}.").format(engine=given.engine, version=given.version)
    fill = _("{name}: {meaning}.")
    filled = [fill.format(name=key, meaning=_(PLACEHOLDERS[key])) for key in given.placeholders]
    notes = "\n".join(f"- {with_code(_.message(note))}" for note in given.notes)
    as_yaml = form == KUBERNETES and given.kubernetes is not None
    return {
        name: Code(given.kubernetes, "yaml") if as_yaml and given.kubernetes else Code(given.text, given.language),
        f"{name}_filled": Note(_.sentences(version, *filled, *(_about(form, as_yaml, _)))),
        f"{name}_notes": Text(notes) if notes else None,
    }


def _about(form: str, as_yaml: bool, translate: Translator) -> list[str]:
    _ = translate
    if form != KUBERNETES:
        return []
    if as_yaml:
        return [_("Leave `command` out where the image already starts that program.")]
    return [_("This engine is not set by a server's arguments: it has no Kubernetes form.")]
