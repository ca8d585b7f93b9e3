"""A page of one run: its heading, and the drawing of the parts of its answer, in the order that every page has:
question, verdict, numbers, figures, why, download."""

from collections.abc import Callable
from functools import singledispatchmethod
from typing import Any

import pandas as pd
import streamlit as st

from specmodel.dashboard.parts import answer as parts
from specmodel.dashboard.parts import downloads
from specmodel.dashboard.parts.answer import Answer, Part
from specmodel.dashboard.parts.cards import card_row
from specmodel.dashboard.parts.chart import Pull, chart
from specmodel.dashboard.parts.explore import SCENARIO
from specmodel.dashboard.parts.way import way_words
from specmodel.dashboard.parts.why import draw_why
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.figures.style import enlarged

__all__ = ["Page", "escaped"]

BOXES = {
    "pays": st.success,
    "does_not_pay": st.error,
    "too_close": st.warning,
    "off": st.info,
    "does_not_fit": st.error,
    "saturated": st.error,
    "prefill_bound": st.error,
    "only_with": st.success,
    "extrapolated": st.warning,
    "not_comparable": st.warning,
    "says": st.info,
    "info": st.info,
    "warning": st.warning,
    "error": st.error,
    "success": st.success,
}
Drawer = Callable[[Any], Any]


class Page:
    """One page of one run, by the key of its declaration; draws the heading and what was wrong with the link.

    `answer` is what the page has to say. `show` draws parts of it and remembers them for the report; `finish` ends the
    page with its "why" and the downloads.
    """

    def __init__(self, key: str):
        self.declared = pages()[key]
        self.key, self.question = key, self.declared.question
        self.translate, self.chosen = state.translate(), state.chosen()
        self.scenario, self.pinned = self.chosen.scenario, self.chosen.pinned
        self.answer = Answer({})
        self.shown: dict[str, Part] = {}
        self.larger = 1.0
        st.header(self.translate(self.question), anchor=False)
        self._complaints()
        self._way()

    def _complaints(self) -> None:
        if not state.complaints():
            return
        lines = [self.translate.message(each) for each in state.complaints()]
        st.warning("\n\n".join(escaped(line) for line in lines))
        st.button(self.translate("Understood"), key="dismiss", on_click=state.dismiss)

    def _way(self) -> None:
        """On a page with the sliders of a scenario: what they hold of the way of drafting that was taken along."""
        panel = self.declared.panel(self.chosen.options)
        if panel is not None and panel.key == SCENARIO.key and (words := way_words(self.chosen, self.translate)):
            self.draw("way", parts.Note(words))

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
        for name in names:
            part = self.answer.get_part(name)
            if part is not None:
                self.draw(name, part, control=control, pull=pull, drawn=drawn)

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
    def _(self, part: parts.Said, name: str) -> None:
        text = f"**{part.headline}** {part.reason}" if part.reason else part.headline  # markdown wants the space
        BOXES[part.kind](text)

    @_draw.register
    def _(self, part: parts.Cards, name: str) -> None:
        card_row(part.cards, key=f"{self.key}_{name}", translate=self.translate)

    @_draw.register
    def _(self, part: parts.Note, name: str) -> None:
        st.caption(part.text)

    @_draw.register
    def _(self, part: parts.Text, name: str) -> None:
        st.markdown(part.markdown)

    @_draw.register
    def _(self, part: parts.Notice, name: str) -> None:
        BOXES[part.kind](part.markdown)

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
        figure = part.figure if self.larger == 1 else enlarged(part.figure, self.larger)
        if control:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{part.title}**", width="stretch")
                control(self.translate)
        chart(
            figure,
            key=f"{self.key}_{name}",
            alt=part.alt,
            filename=f"speculative-decoding_{self.key}_{name}",
            height=part.height,
            translate=self.translate,
            title="" if control else part.title,
            pull=pull,
        )

    def forget(self, *names: str) -> None:
        """Leave parts out of the report that were drawn before: a player draws the same ones again."""
        for name in names:
            self.shown.pop(name, None)

    def report(self) -> downloads.Report:
        """What was shown so far, with what it rests on, for a file."""
        return downloads.Report(
            key=self.key,
            question=self.translate(self.question),
            parts=self.shown,
            scenario=self.scenario,
            pinned=self.pinned,
            query=state.query(),  # as it is now: the page may have set options of its own
            facts=self.answer.facts,
            explains=self.declared.explains,
            leaves_out=self.answer.leaves_out,
        )

    def finish(self) -> None:
        """The formulas behind the page and its limits, and the downloads of everything that it has shown."""
        draw_why(self.translate, self.declared.explains, self.answer.leaves_out)
        downloads.draw(self.report(), self.translate)
