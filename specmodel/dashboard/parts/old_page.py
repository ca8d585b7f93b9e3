"""The earlier way to make a page, part by part while it is drawn; for the pages that have no `answer.py` yet."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from specmodel.base.params import Quantity
from specmodel.dashboard.parts import answer as parts
from specmodel.dashboard.parts.answer import Answer, card, outcome_cards
from specmodel.dashboard.parts.chart import Pull
from specmodel.dashboard.parts.page import Page as NewPage
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.figures.style import Figure
from specmodel.model.outcome import Outcome, Verdict

__all__ = ["Page", "escaped"]


class Page(NewPage):
    """A page that draws what it makes."""

    def __init__(self, key: str, question: str = ""):
        super().__init__(key)
        self._facts: tuple[tuple[str, str, str], ...] | None = None

    def _next(self, kind: str) -> str:
        return f"{kind}_{len(self.shown)}"

    def verdict(self, verdict: Verdict, headline: str) -> None:
        self.draw("verdict", parts.said(verdict, headline, self.translate))

    def say(self, text: str) -> None:
        self.draw("verdict" if "verdict" not in self.shown else self._next("said"), parts.Said("says", text))

    def numbers(self, outcome: Any, *names: str, pinned: Any = None, of: type = Outcome) -> None:
        self.draw(self._next("numbers"), parts.Cards(tuple(outcome_cards(outcome, pinned, self.translate, *names))))

    def cards(self, cards: Sequence[tuple[Quantity, Any, Any]]) -> None:
        self.draw(self._next("numbers"), parts.Cards(tuple(card(q, v, self.translate, b) for q, v, b in cards)))

    def measured_cards(self, cards: Sequence[tuple[Quantity, str, str]]) -> None:
        made = [card(quantity, value, self.translate) for quantity, value, _ in cards]
        made = [
            parts.Card(one.label, one.value, one.help, below) for one, (_, _, below) in zip(made, cards, strict=True)
        ]
        self.draw(self._next("numbers"), parts.Cards(tuple(made)))

    def note(self, text: str) -> None:
        self.draw(self._next("note"), parts.Note(text))

    def keep(self, text: str) -> None:
        self.shown[self._next("kept")] = parts.Note(text)

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
        self.draw(key, parts.Chart(figure, title, alt, height), control=control, pull=pull)

    def table(
        self,
        key: str,
        title: str,
        columns: Mapping[str, Sequence[Any]],
        *,
        data: Mapping[str, Sequence[Any]] | None = None,
        shown: Callable[..., Any] | None = None,
    ) -> None:
        self.draw(f"{key}_table", parts.Table(title, columns, data, key), drawn=shown)

    def rests_on(self, facts: Sequence[tuple[str, str, str]]) -> None:
        self._facts = tuple(facts)

    def why(self, leaves_out: Sequence[str], *functions: Callable[..., Any]) -> None:
        self.answer = Answer({}, tuple(leaves_out), self._facts)
