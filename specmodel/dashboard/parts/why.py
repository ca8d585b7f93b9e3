"""The "why" at the end of a page: the docstrings of the functions that computed its numbers, and the model's limits."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from specmodel.base.docstrings import paragraphs
from specmodel.dashboard.parts.entries import function_entry, with_link
from specmodel.dashboard.session.translation import Translator


def draw_why(translate: Translator, functions: Sequence[Callable[..., Any]], leaves_out: Sequence[str]) -> None:
    """An expander with one part a function, then what the model leaves out; sent only while it is open."""
    title = translate("Why: formulas, sources, and what the model leaves out")
    with st.expander(title, key="why", on_change="rerun") as why:
        if why.open:
            st.markdown(
                "\n\n".join((*(_part(function, translate) for function in functions), _limits(translate, leaves_out)))
            )


def _part(function: Callable[..., Any], translate: Translator) -> str:
    """A function's name, prose and formulas as markdown."""
    parts = [with_link(f"**`{function.__qualname__}`**", function_entry(function), translate)]
    for kind, text in paragraphs(function):
        parts.append(f"```text\n{text}\n```" if kind == "formula" else _plain(translate(text)))
    return "\n\n".join(parts)


def _limits(translate: Translator, leaves_out: Sequence[str]) -> str:
    points = "\n".join(f"- {_plain(text)}" for text in leaves_out)
    return f"**{translate('What the model leaves out')}**\n\n{points}"


def _plain(text: str) -> str:
    """Docstring prose as markdown: stars and underscores of formulas stay what they are."""
    return text.replace("*", "\\*").replace("$", "\\$").replace("~", "\\~")
