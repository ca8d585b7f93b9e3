"""The parts that every page is made of, in the order that every page has: question, verdict, numbers, figures, why,
download. A page says what to show; this module draws it and remembers it for the downloads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.params import Quantity, declarations
from specmodel.dashboard.parts import downloads
from specmodel.dashboard.parts.cards import Card, card_row
from specmodel.dashboard.parts.chart import LABELS, Pull, chart
from specmodel.dashboard.parts.why import draw_why
from specmodel.dashboard.session import state
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.figures.style import Figure
from specmodel.model.outcome import Outcome, Verdict, evaluate
from specmodel.model.scenario import Scenario

__all__ = ["Page", "escaped", "headline"]

CHART_TEXTS = (
    N_("Download as PNG"),
    N_("Download as SVG"),
    N_("Zoom"),
    N_("Pan"),
    N_("Reset axes"),
    N_("Double-click to zoom back out"),
    N_("This chart could not be drawn. Reload the page to try again."),
)
BOXES = {"pays": st.success, "does_not_pay": st.error, "too_close": st.warning, "off": st.info}


@dataclass
class Page:
    """One page of one run. `key` is its file name; `question` is its heading."""

    key: str
    question: str
    shown: downloads.Shown = field(init=False)
    larger: float = field(default=1.0, init=False)

    def __post_init__(self) -> None:
        self.translate, self.scenario, self.pinned = state.translate(), state.scenario(), state.pinned()
        st.header(self.translate(self.question), anchor=False)
        self._complaints()
        question = self.translate(self.question)
        self.shown = downloads.Shown(self.key, question, self.scenario, state.query(), pinned=self.pinned)

    def _complaints(self) -> None:
        if not state.complaints():
            return
        lines = [self.translate.message(each) for each in state.complaints()]
        st.warning("\n\n".join(escaped(line) for line in lines))
        st.button(self.translate("Understood"), key="dismiss", on_click=state.dismiss)

    def verdict(self, verdict: Verdict, headline: str) -> None:
        """The answer in one sentence: a headline and its reason, in a box of the verdict's kind."""
        reason = self.translate.message(verdict.reason)
        BOXES[verdict.kind](f"**{headline}** {reason}")  # markdown wants the space, in Japanese too
        self.shown.verdict = self.translate.sentences(headline, reason)

    def say(self, text: str) -> None:
        """The answer in one sentence where it is not a verdict on speculation."""
        st.info(text)
        self.shown.verdict = text.replace("**", "")

    def numbers(self, outcome: Any, *names: str, pinned: Any = None, of: type = Outcome) -> None:
        """Cards with the named results of an outcome, each with its definition, and the change against the pinned."""
        declared = declarations(of)
        cards = [(declared[name], getattr(outcome, name), getattr(pinned, name, None)) for name in names]
        self.cards(cards)

    def cards(self, cards: Sequence[tuple[Quantity, Any, Any]]) -> None:
        """Cards of (quantity, value, pinned value or None)."""
        shown = [self._card(*each) for each in cards]
        help_label = self.translate("Help: {label}")
        card_row(shown, key=f"{self.key}_{len(self.shown.numbers)}", help_label=help_label)
        self.shown.numbers += [(card.label, card.value, card.pinned, card.help) for card in shown]

    def measured_cards(self, cards: Sequence[tuple[Quantity, str, str]]) -> None:
        """Cards of measured values: (quantity, value, interval for the line below)."""
        shown = [replace(self._card(quantity, value, None), pinned=interval) for quantity, value, interval in cards]
        help_label = self.translate("Help: {label}")
        card_row(shown, key=f"{self.key}_{len(self.shown.numbers)}", help_label=help_label)
        self.shown.numbers += [(card.label, card.value, card.pinned, card.help) for card in shown]

    def _card(self, quantity: Quantity, value: Any, before: Any) -> Card:
        label = " ".join(filter(None, (self.translate(quantity.label), quantity.letter)))
        pinned = ""
        if before is not None:
            pinned = self.translate("pinned {value}").format(value=quantity.show(before, self.translate))
        return Card(label, quantity.show(value, self.translate), self.translate(quantity.help), pinned)

    def note(self, text: str) -> None:
        """A line of small print that says what kind of numbers stand above it."""
        st.caption(text)
        self.shown.notes.append(text)

    def chart(
        self,
        figure: Figure,
        key: str,
        title: str,
        alt: str,
        height: int = 380,
        control: Callable[[Translator], object] | None = None,
        pull: Pull | None = None,
    ) -> None:
        """A figure with its heading, a control beside the heading, bars that can be pulled; kept for the report."""
        if self.larger != 1:  # in front of a class
            figure = _enlarged(figure, self.larger)
        if control:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{title}**", width="stretch")
                control(self.translate)
        name = f"speculative-decoding_{self.key}_{key}"
        labels = {name: self.translate(text) for name, text in LABELS.items()}
        shown = "" if control else title
        place = f"{self.key}_{key}"
        chart(figure, key=place, alt=alt, filename=name, height=height, labels=labels, title=shown, pull=pull)
        self.shown.figures.append((title, alt, figure, height))

    def table(
        self,
        key: str,
        title: str,
        columns: Mapping[str, Sequence[Any]],
        *,
        data: Mapping[str, Sequence[Any]] | None = None,
        shown: Callable[..., Any] | None = None,
    ) -> None:
        """A table as the reader sees it; `data` are plain numbers for its CSV, `shown` draws it another way."""
        frame = pd.DataFrame(dict(columns))
        st.markdown(f"**{title}**")
        (shown or st.table)(frame)
        self.shown.tables.append((key, title, frame, frame if data is None else pd.DataFrame(dict(data))))

    def rests_on(self, facts: Sequence[tuple[str, str, str]]) -> None:
        """What the page rests on instead of the scenario: (label, value, name), for the downloads."""
        self.shown.facts = list(facts)

    def symbols(self) -> None:
        """Every symbol of the formulas with its name, its current value and its definition."""
        quantities = [*declarations(Scenario).items(), *declarations(Outcome).items()]
        outcome = evaluate(self.scenario)
        named = [(declared, name) for name, declared in quantities if declared.symbol]
        values = [
            declared.show(getattr(self.scenario if hasattr(self.scenario, name) else outcome, name), self.translate)
            for declared, name in named
        ]
        columns = {
            self.translate("symbol"): [declared.symbol for declared, _ in named],
            self.translate("name"): [self.translate(declared.label) for declared, _ in named],
            self.translate("value"): values,
            self.translate("definition"): [self.translate(declared.help) for declared, _ in named],
        }
        self.table("symbols", self.translate("Every symbol"), columns)

    def why(self, leaves_out: Sequence[str], *functions: Callable[..., Any]) -> None:
        """The formulas behind the page, from the docstrings of the functions that computed it, and its limits."""
        draw_why(self.translate, functions, leaves_out)
        self.shown.functions, self.shown.leaves_out = functions, tuple(leaves_out)

    def finish(self) -> None:
        """The downloads of everything the page has shown."""
        self.shown.query = state.query()  # the page may have set options of its own
        downloads.draw(self.shown, self.translate)


def _enlarged(figure: Figure, by: float) -> Figure:
    """The figure with larger type."""
    layout, size = {**figure["layout"]}, round(13 * by)
    layout["font"] = {**layout.get("font", {}), "size": size}
    for name, each in layout.items():
        if name == "legend":
            layout[name] = {**each, "font": {"size": size}}
        elif name.startswith(("xaxis", "yaxis")):
            title = {**each.get("title", {}), "font": {"size": size}}
            layout[name] = {**each, "tickfont": {"size": size}, "title": title}
    notes = [{**each, "font": {**each.get("font", {}), "size": size}} for each in layout.get("annotations", ())]
    return {**figure, "layout": {**layout, "annotations": notes} if notes else layout}


def headline(outcome: Outcome, page: Page) -> str:
    """Yes or no in a few words, with the factor."""
    kind, factor = outcome.verdict.kind, outcome.speedup
    if kind == "off":
        return page.translate("Speculation is off.")
    if kind == "too_close":
        return page.translate("Too close to call: {speedup:.2f}× in the long run.").format(speedup=factor)
    if kind == "pays":
        return page.translate("Yes, it pays: {speedup:.2f}× as fast.").format(speedup=factor)
    if factor >= 1:
        return page.translate("No, not for answers this short.")
    return page.translate("No, it costs time: {ratio:.2f}× as long.").format(ratio=outcome.time_ratio)
