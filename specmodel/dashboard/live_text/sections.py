"""The steps of the Live text page: draft by draft through a text, the same without, kinds of text, positions."""

from pathlib import Path
from typing import Any, Literal

import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.params import declarations
from specmodel.dashboard.lesson.old_lesson import Step
from specmodel.dashboard.live_text.declared import TEXT_END
from specmodel.dashboard.live_text.html import checked_rounds, end_of_round, html_legend, html_plain, html_text
from specmodel.dashboard.live_text.input import DRAWS, HELD_OUT_TOKENS, LOOKUP, ORDERS, Asked, drafter_name
from specmodel.dashboard.live_text.questions import continuation_question, kinds_question, passes_question
from specmodel.dashboard.live_text.words import (
    agreement,
    answer,
    cell_names,
    fit_words,
    kind_cards,
    narration,
    share,
    text_cards,
    worth_words,
)
from specmodel.dashboard.parts.old_page import Page
from specmodel.dashboard.session import state
from specmodel.figures.live_text import continuations_figure, kinds_figure, position_figure
from specmodel.ngram import KINDS, Measured, measure_rounds

ROOT = Path(__file__).parents[3]
MOST_FACTOR = 1000.0


class LiveText:
    """What was asked, and the parts of the lesson on it."""

    def __init__(self, page: Page, asked: Asked):
        self.page, self.asked = page, asked

    def opening(self) -> None:
        """The answer, and what the whole text comes to."""
        _ = self.page.translate
        self.page.say(answer(self.asked, _))
        found = {kind: self.asked.held_out(kind) for kind in KINDS}
        self.page.measured_cards([*text_cards(self.asked.counted, _)[:2], *kind_cards(found, _)])
        self.page.note(_("Measured: the first two on the text below, the others on held-out openings of each kind."))

    def steps(self) -> list[Step]:
        """The parts of the lesson."""
        _, asked = self.page.translate, self.asked
        return [
            Step("text", N_("Draft by draft through a text"), self.text, passes_question(asked, _)),
            Step("same", N_("Is it still the target's text?"), self.same, continuation_question(asked, _)),
            Step("kinds", N_("Another kind of text, another drafter"), self.kinds, kinds_question(asked, _)),
            Step("positions", N_("Deeper in the round"), self.positions),
        ]

    @property
    def shown(self) -> int:
        """How many events of the text are shown."""
        return min(int(state.option("textat")), len(self.asked.trace.events))

    def text(self) -> None:
        """The player: buttons, what has just happened, the numbers so far, and both texts."""
        page, _, asked = self.page, self.page.translate, self.asked
        shown, checked = self.shown, checked_rounds(self.asked.trace, self.shown)
        self._buttons()
        st.info(narration(asked.trace, shown, checked, _))
        k, most = asked.trace.num_speculative_tokens, asked.trace.max_tokens
        page.measured_cards(text_cards(measure_rounds(asked.trace.rounds[:checked], k, most), _))
        left, right = st.columns([3, 2], gap="medium")
        with left:
            st.markdown(f"**{_('With speculation')}**")
            st.html(html_text(asked.trace, shown, state.option("textwaste") == "1", asked.kind, _))
        with right:
            st.markdown(f"**{_('The target alone, same seed')}**")
            st.html(html_plain(asked.plain, checked, asked.kind, _))
        st.html(html_legend(_))
        page.note(
            _(
                "Real rounds of real (small) models; the numbers are of this text, as far as it is shown. The mark in "
                "the right text is where the target alone stands after the same number of passes; hold the pointer on "
                "a draft for both probabilities. So small a target makes little sense by itself: what counts is that "
                "speculation changes nothing about it."
            )
        )

    def _buttons(self) -> None:
        _, trace, shown = self.page.translate, self.asked.trace, self.shown
        last = len(trace.events)
        moves = (
            ("text_start", _("Start"), 0),
            ("text_back", _("◀ Back"), shown - 1),
            ("text_forward", _("Forward ▶"), shown + 1),
            ("text_round", _("Next round"), end_of_round(trace, shown)),
            ("text_end", _("To the end"), last),
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            for key, label, to in moves:
                look: Literal["primary", "secondary"] = "primary" if key == "text_forward" else "secondary"
                nowhere = shown == (0 if to < shown or key == "text_start" else last)
                st.button(label, key=key, type=look, on_click=_go, args=(to, last), disabled=nowhere)
            st.session_state["text_waste"] = state.option("textwaste") == "1"
            st.toggle(
                _("Show thrown-away drafts"),
                key="text_waste",
                on_change=lambda: state.set_option("textwaste", "1" if st.session_state["text_waste"] else "0"),
            )

    def same(self) -> None:
        """The two texts compared, and many short ones against the target's own probabilities."""
        page, _, asked = self.page, self.page.translate, self.asked
        fine, text = agreement(asked, _)
        (st.success if fine else st.error)(text)
        found = asked.continuations
        names = cell_names(found, asked.pair.vocabulary.decode, _)
        alt = _("Bars for each likely continuation, without and with speculation; rings are the exact probabilities.")
        page.chart(continuations_figure(found, names, _), "continuations", _("How often which words come"), alt, 320)
        st.markdown(fit_words(asked, _))
        columns = {
            _("continuation"): names,
            _("target, exact"): [f"{value:.1%}" for value in found.probs],
            _("target alone, drawn"): [f"{value:,}" for value in found.alone],
            _("with speculation, drawn"): [f"{value:,}" for value in found.speculative],
        }
        data: dict[str, list[Any]] = {
            "continuation": names,
            "target": list(found.probs),
            "alone": list(found.alone),
            "speculative": list(found.speculative),
        }
        page.table("continuations", _("Continuation by continuation"), columns, data=data)
        length = len(found.tokens[0]) if found.tokens else 1
        text = _.plural(
            "Simulated: {draws} continuations of {n} token each way, each anew from the same text.",
            "Simulated: {draws} continuations of {n} tokens each way, each anew from the same text.",
            length,
        )
        page.note(text.format(draws=DRAWS, n=length))

    def kinds(self) -> None:
        """The chosen drafter on all kinds of text, and all drafters."""
        page, _, asked = self.page, self.page.translate, self.asked
        found = {kind: asked.held_out(kind) for kind in KINDS}
        labels = [_(KINDS[kind].label) for kind in KINDS]
        left, right = st.columns([3, 2], gap="medium")
        with left:
            self._all_drafters(found)
        with right:
            columns = {
                _("kind of text"): labels,
                _("kept of those looked at"): [share(each.alpha) for each in found.values()],
                _("tokens per round"): [f"{each.num_tokens / each.num_rounds:.2f}" for each in found.values()],
                _("passes saved"): [share(each.target_passes_saved / each.num_tokens) for each in found.values()],
                _("drafts wasted"): [share(_wasted(each)) for each in found.values()],
            }
            data: dict[str, list[Any]] = {
                "kind": list(found),
                "looked_at": [sum(each.reached) for each in found.values()],
                "accepted": [each.num_accepted_draft_tokens for each in found.values()],
                "drafted": [each.num_draft_tokens for each in found.values()],
                "rounds": [each.num_rounds for each in found.values()],
                "tokens": [each.num_tokens for each in found.values()],
            }
            name = drafter_name(asked.drafter_key, asked.lesson.draft_order, page)
            title = _("The chosen drafter, {drafter}, on each kind").format(drafter=name)
            page.table("kinds", title, columns, data=data)
            text = _(
                "Measured on the held-out openings of each kind: {n} tokens after each, the last round to its end. "
                "Every kind has models of its own, trained on text of that kind."
            )
            page.note(text.format(n=HELD_OUT_TOKENS))

    def _all_drafters(self, found: dict[str, Measured]) -> None:
        page, _, asked = self.page, self.page.translate, self.asked
        keys = [*map(str, ORDERS), LOOKUP]
        names = [*(_("order {n}").format(n=order) for order in ORDERS), _("lookup")]
        expected = {_(KINDS[kind].label): [asked.along(kind)[key] for key in keys] for kind in KINDS}
        measured = {_(KINDS[kind].label): each.alpha for kind, each in found.items()}
        chosen = keys.index(LOOKUP if asked.drafter_key == LOOKUP else str(asked.lesson.draft_order))
        alt = _("Acceptance against the order of the drafter, one line for each kind of text; prompt lookup beside it.")
        figure = kinds_figure(expected, measured, names, chosen, _)
        page.chart(figure, "drafters", _("Acceptance by kind of text and drafter"), alt, 340)
        page.note(
            _(
                "Lines: expected acceptance of a round's first draft along texts of the target, exact for each place. "
                "Order 5 is the target itself, so all its drafts are kept."
            )
        )

    def positions(self) -> None:
        """Acceptance by position, measured beside expected, and the way to the Explore pages."""
        page, _, asked = self.page, self.page.translate, self.asked
        found = asked.held_out(asked.kind)
        alt = _("Bars of the measured acceptance at each position of a round, rings for the expected one.")
        page.chart(position_figure(found, _), "positions", _("Acceptance by position in the round"), alt, 320)
        columns = {
            _("draft"): [str(number) for number in range(1, found.num_speculative_tokens + 1)],
            _("looked at"): [f"{value:,}" for value in found.reached],
            _("kept"): [f"{value:,}" for value in found.accepted],
            _("kept, given all before"): [share(value) for value in found.conditional_acceptance],
            _("expected, Σ min"): [share(value) for value in found.expected_acceptance],
            _("kept, of all rounds"): [share(value) for value in found.acceptance.per_position_acceptance],
        }
        page.table("positions", _("Draft by draft"), columns)
        text = _(
            "Measured: {rounds:,} rounds on the held-out openings of “{kind}”; whiskers are one standard error. A "
            "draft is only looked at when all before it were kept, so few rounds come far."
        )
        page.note(text.format(rounds=found.num_rounds, kind=_(KINDS[asked.kind].label)))
        st.markdown(worth_words(asked, page.scenario, _))
        if st.button(_("Take this acceptance to the Explore pages"), key="take_text"):
            _take(found, lookup=asked.drafter_key == LOOKUP)

    def facts(self) -> list[tuple[str, str, str]]:
        """What the page rests on, for its downloads."""
        _, asked = self.page.translate, self.asked
        declared = declarations(type(asked.lesson))
        rows = [
            (_(each.label), each.show(getattr(asked.lesson, name), _), name)
            for name, each in declared.items()
            if asked.drafter_key != LOOKUP or name != "draft_order"
        ]
        return [
            (_("kind of text"), _(KINDS[asked.kind].label), "kind"),
            (_("drafter"), drafter_name(asked.drafter_key, asked.lesson.draft_order, self.page), "drafter"),
            (_("text to continue"), asked.opening, "opening"),
            *rows,
            (_("seed"), str(asked.seed), "seed"),
            (_("training text"), _.message(asked.pair.corpus.origin), "corpus"),
        ]


def _wasted(found: Measured) -> float | None:
    return found.num_wasted_draft_tokens / found.num_draft_tokens if found.num_draft_tokens else None


def _go(position: int, last: int) -> None:
    """Show so many events; the end stays the end when the text changes."""
    place = max(0, position)
    state.set_option("textat", TEXT_END if place >= last else place)


def _take(found: Measured, lookup: bool) -> None:
    """The measured acceptance by position and its draft length as the scenario of the other pages.

    A lookup runs no model: its draft step takes no time. Its rounds without a proposal are among the rejected.
    """
    first, *later = found.acceptance.conditional_acceptance
    shape = tuple(round(min(each / first, MOST_FACTOR), 6) if first and each == each else 0.0 for each in later)
    state.start_from(
        state.scenario().replace(
            alpha=round(first, 6),
            acceptance_shape=() if all(factor == 1 for factor in shape) else shape,
            num_speculative_tokens=found.num_speculative_tokens,
            vocabulary_overlap=1,
            **({"draft_ms": 0} if lookup else {}),
        )
    )
    st.switch_page(str(ROOT / "pages" / "speedup.py"))
