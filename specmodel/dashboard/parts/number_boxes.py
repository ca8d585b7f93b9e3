"""Boxes for the numbers of a group that no slider has: one for each declared field, in a grid."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from specmodel.base.params import Declared, Param, declarations
from specmodel.dashboard.parts.entries import help_text
from specmodel.dashboard.session import state
from specmodel.dashboard.session.translation import Translator

COLUMNS = 3


def number_fields(kind: type[Declared], translate: Translator, names: Sequence[str] = ()) -> None:
    """A box for each declared number of a group, or for those named; a value that is refused changes nothing."""
    declared = declarations(kind)
    columns = st.columns(COLUMNS, gap="small")
    for index, name in enumerate(names or declared):
        with columns[index % COLUMNS]:
            _field(kind, declared[name], translate)


def _field(kind: type[Declared], declared: Param, translate: Translator) -> None:
    key = f"field:{kind.__name__}.{declared.name}"
    value = getattr(state.group(kind), declared.name)
    st.session_state[key] = int(value) if declared.integer else float(value)
    unit = declared.unit_in(translate)
    st.number_input(
        f"{translate(declared.label)} ({unit})" if unit else translate(declared.label),
        step=1 if declared.integer else None,
        format="%d" if declared.integer else "%.6g",
        key=key,
        help=help_text(declared, translate),
        on_change=_changed(kind, declared.name, key),
    )


def _changed(kind: type[Declared], name: str, key: str) -> Callable[[], Any]:
    return lambda: state.change_group(kind, **{name: st.session_state[key]})
