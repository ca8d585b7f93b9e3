"""A page of one run: its heading, and the drawing of the parts of its answer, in the order that every page has:
question, verdict, numbers, figures, why, download."""

import html
from collections.abc import Callable, Mapping
from functools import singledispatchmethod
from typing import Any

import pandas as pd
import streamlit as st

from specmodel.dashboard.parts import answer as parts
from specmodel.dashboard.parts import downloads
from specmodel.dashboard.parts.answer import Answer, Fact, Part
from specmodel.dashboard.parts.asked import asked_of_sliders
from specmodel.dashboard.parts.blocks import blocks
from specmodel.dashboard.parts.chart import Pull, chart
from specmodel.dashboard.parts.element_data import BLOCKS
from specmodel.dashboard.parts.live import begin_page, outside_link
from specmodel.dashboard.parts.report import Report
from specmodel.dashboard.parts.way import WAY, way_note
from specmodel.dashboard.parts.why import draw_why
from specmodel.dashboard.session import state
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import Translator, escaped

__all__ = ["Page", "escaped"]

LONG = 60
Drawer = Callable[[Any], Any]


class Page:
    """One page of one run, by the key of its declaration; draws the heading and what was wrong with the link.

    `answer` is what the page has to say. `show` draws parts of it and remembers them for the report; `finish` ends the
    page with its "why" and the downloads. `fixed` names parts that no link holds: they wait while a slider moves.
    """

    def __init__(self, key: str):
        self.declared = pages()[key]
        self.key, self.question = key, self.declared.question
        self.translate, self.chosen = state.translate(), state.chosen()
        self.scenario, self.pinned = self.chosen.scenario, self.chosen.pinned
        self.answer = Answer({})
        self._asked_of: Chosen | None = None
        self.shown: dict[str, Part] = {}
        self.larger = 1.0
        self.fixed: set[str] = set()
        st.header(self.translate(self.question), anchor=False)
        begin_page()
        self._complaints()
        note = way_note(self.declared, self.chosen, self.translate)
        if note is not None:
            self.draw(WAY, note)

    def _complaints(self) -> None:
        if not state.complaints():
            return
        lines = [self.translate.message(each) for each in state.complaints()]
        st.warning("\n\n".join(escaped(line) for line in lines))
        st.button(self.translate("Understood"), key="dismiss", on_click=state.dismiss)

    def show(
        self,
        *names: str,
        control: Callable[[Translator], object] | None = None,
        pull: Pull | None = None,
        drawn: Drawer | None = None,
    ) -> None:
        """Draw parts of the answer by their names; one that is not there is passed over.

        `control` stands beside the title of a chart, `pull` lets its bars be pulled, `drawn` draws a table's frame in
        another way.
        """
        together: dict[str, Part | None] = {}
        for name in names:
            part = self.answer.get_part(name)
            if part is None or isinstance(part, BLOCKS):
                together[name] = part
            else:
                self._blocks(together)
                together = {}
                self.draw(name, part, control=control, pull=pull, drawn=drawn)
        self._blocks(together)

    def _blocks(self, together: Mapping[str, Part | None]) -> None:
        """Text and numbers that follow each other, as one element; nothing where none of them is there."""
        here = {name: part for name, part in together.items() if part is not None}
        if here:
            self.shown.update(here)
            blocks(together, key=f"{self.key}_{next(iter(together))}", translate=self.translate, fixed=self.fixed)

    def not_in_link(self, so: bool) -> None:
        """Whether the page shows something that no link holds, such as a visitor's file: its sliders wait for runs."""
        if so:
            outside_link()

    def show_all(self, start: str) -> None:
        """Draw all parts whose names start so."""
        self.show(*(name for name in self.answer if name.startswith(start)))

    def draw(
        self,
        name: str,
        part: Part,
        *,
        control: Callable[[Translator], object] | None = None,
        pull: Pull | None = None,
        drawn: Drawer | None = None,
    ) -> None:
        """Draw a part and remember it for the report, under its name."""
        if isinstance(part, BLOCKS):
            self._blocks({name: part})
            return
        self.shown[name] = part
        if isinstance(part, parts.Chart):
            self._chart(name, part, control, pull)
        elif isinstance(part, parts.Table):
            if part.title:
                st.markdown(f"**{part.title}**")
            (drawn or st.table)(pd.DataFrame(dict(part.columns)))
        else:
            self._draw(part, name)

    @singledispatchmethod
    def _draw(self, part: Any, name: str) -> None:
        raise TypeError(f"{name}: there is no way to draw {type(part).__name__}")

    @_draw.register
    def _(self, part: parts.Heading, name: str) -> None:
        st.subheader(part.text, anchor=False)

    @_draw.register
    def _(self, part: parts.Folded, name: str) -> None:
        with st.expander(part.label):
            st.markdown(part.markdown)

    @_draw.register
    def _(self, part: parts.Code, name: str) -> None:
        st.code(part.text, language=part.language, wrap_lines=True)

    @_draw.register
    def _(self, part: parts.Html, name: str) -> None:
        if part.title:
            st.markdown(f"**{part.title}**")
        st.html(part.markup)

    def _chart(
        self, name: str, part: parts.Chart, control: Callable[[Translator], object] | None, pull: Pull | None
    ) -> None:
        if control:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{part.title}**", width="stretch")
                control(self.translate)
        chart(
            part,
            key=f"{self.key}_{name}",
            name="" if name in self.fixed else name,
            filename=f"speculative-decoding_{self.key}_{name}",
            translate=self.translate,
            titled=not control,
            larger=self.larger,
            pull=pull,
            caption=self._values(),
        )

    def remembered(self, name: str) -> str:
        """The text of a heading that stands where only a text can, the label of an expander say; the report has it."""
        part = self.answer[name]
        assert isinstance(part, parts.Heading)
        self.shown[name] = part
        return part.text

    def forget(self, *names: str) -> None:
        """Leave parts out of the report that were drawn before: a player draws the same ones again."""
        for name in names:
            self.shown.pop(name, None)

    def report(self) -> Report:
        """What was shown so far, with what it rests on, for a file."""
        return Report(
            key=self.key,
            question=self.translate(self.question),
            parts=self.shown,
            scenario=self.scenario,
            pinned=self.pinned,
            query=state.query(),  # as it is now: the page may have set options of its own
            facts=self.answer.facts,
            explains=self.declared.explains,
            leaves_out=self.answer.leaves_out,
            asked=self.answer.asked or self._sliders(),
            main=self.answer.main,
        )

    def _on_paper(self) -> None:
        """The values of the sliders, which a print has no room for; the screen does not show them a second time."""
        if text := self._values():
            st.html(f"<p class='on-paper'>{html.escape(text)}</p>")

    def _values(self) -> str:
        """What was asked in one line, but for what is said in sentences."""
        asked = self.answer.asked or self._sliders()
        return " · ".join(f"{label} {value}" for label, value, _ in asked if len(value) < LONG)

    def _sliders(self) -> tuple[Fact, ...]:
        """The values of the sliders beside the page."""
        if self._asked_of is not self.chosen:
            self._asked_of = self.chosen
            self._asked = asked_of_sliders(self.chosen, self.declared.panel(self.chosen.options), self.translate)
        return self._asked

    def finish(self) -> None:
        """The formulas behind the page and its limits, and the downloads of everything that it has shown."""
        self._on_paper()
        draw_why(self.translate, self.declared.explains, self.answer.leaves_out)
        downloads.draw(self.report(), self.translate)
