"""The first steps of the Exactness page: one draft token, what comes out of many, and the questions before them."""

from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.exactness.blocks import blocks
from specmodel.dashboard.exactness.input import Pair, bars_to_pull
from specmodel.dashboard.exactness.more import breaks, rules, temperature
from specmodel.dashboard.lesson.lesson import Question, Step
from specmodel.dashboard.lesson.values import ExactnessLesson
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.figures.exactness import (
    output_figure,
    overlap_figure,
    pair_figure,
)
from specmodel.sampling.draws import chi_square, counted, draw_step, play
from specmodel.sampling.verify import Verification, verify

ACCEPTANCE = Quantity(
    "acceptance", N_("Acceptance"), N_("Chance that the draft token is kept: Σ min(target, drafter). Exact."), format=""
)
DISTANCE = Quantity(
    "distance",
    N_("Distance of the output"),
    N_("Total variation between what comes out and the target's distribution, enumerated. 0 is exact."),
    format="",
)
DRAWN = Quantity(
    "drawn", N_("Kept in the draws"), N_("Share of the drawn tokens that were kept drafts. Simulated."), format=""
)
FIT = Quantity(
    "fit",
    N_("Chi-square test"),
    N_("Chance of counts at least this far from the target's distribution if they come from it: tiny is suspicious."),
    format="",
)


class Exactness:
    """The page's pair of distributions, what rejection sampling makes of it, and the draws."""

    def __init__(self, page: Page, pair: Pair):
        self.page, self.pair, self.lesson = page, pair, state.group(ExactnessLesson)
        self.step = verify(pair.target_probs, pair.draft_probs)
        steps = play(self.step, self.lesson.draws, self.lesson.seed)
        self.names = pair.labels(page.translate)
        self.shown = pair.lumped(self.step)
        self.counts = counted(steps, len(pair.names))
        self.kept = steps.acceptance
        self.fit = chi_square(self.counts, self.step.target_probs)

    @property
    def shared(self) -> NDArray[np.bool_]:
        """The tokens that the drafter knows: all but the last ones."""
        return self.pair.known(self.lesson.unknown_tokens)

    def opening(self) -> None:
        """The answer and the numbers of the page."""
        self.page.say(self.answer())
        self.page.measured_cards(self.cards())

    def answer(self) -> str:
        """The page's answer in a sentence."""
        _ = self.page.translate
        text = _(
            "Rejected drafts are replaced from exactly what kept drafts leave out: the output differs from the target "
            "by **{distance:.0e}**, which is rounding. {share:.0%} of the draft tokens are kept."
        )
        return text.format(distance=max(self.step.total_variation, 1e-17), share=self.step.acceptance)

    def cards(self) -> list[tuple[Quantity, str, str]]:
        """Acceptance and distance, exact; the draws and their test, simulated."""
        _ = self.page.translate
        simulated = _("of {n:,} draws, simulated").format(n=self.lesson.draws)
        test = _("χ² = {value:.1f}, {degrees} degrees").format(value=self.fit.statistic, degrees=self.fit.degrees)
        return [
            (ACCEPTANCE, f"{self.step.acceptance:.1%}", _("exact")),
            (DISTANCE, f"{self.step.total_variation:.1e}" if self.step.total_variation else "0", _("exact")),
            (DRAWN, f"{self.kept:.1%}", simulated),
            (FIT, f"p = {self.fit.p_value:.2f}", test),
        ]

    def steps(self) -> list[Step]:
        """The parts of the lesson."""
        return [
            Step("one", N_("One draft token"), self.one_token, self._how_many()),
            Step("output", N_("What comes out"), self.output),
            Step("rules", N_("Other rules, other vocabularies"), partial(rules, self), self._exact_match()),
            Step("temperature", N_("What the temperature does"), partial(temperature, self)),
            Step("breaks", N_("What breaks it"), partial(breaks, self), self._lenient()),
            Step("blocks", N_("Blocks, and several drafts at once"), partial(blocks, self)),
        ]

    def _how_many(self) -> Question:
        _ = self.page.translate
        return Question(
            _("Of 100 draft tokens, how many does the target keep?"),
            0, 100, 1, round(100 * self.step.acceptance, 1),
            _("It is the overlap of the two distributions: the sum of the smaller of both bars over all tokens."),
            format=".0f",
            given=self._pair,
        )  # fmt: skip

    def _exact_match(self) -> Question:
        _ = self.page.translate
        found = verify(self.pair.target_probs, self.pair.draft_probs, "exact_match").acceptance
        return Question(
            _(
                "Now the target draws its own token, and a draft is kept only if it is the same one (as llama.cpp "
                "does). How many of 100 are kept?"
            ),
            0, 100, 1, round(100 * found, 1),
            _(
                "Both draw by themselves and have to meet: Σ target · drafter. The text is just as exact, the "
                "acceptance never higher."
            ),
            format=".0f",
        )  # fmt: skip

    def _lenient(self) -> Question:
        _ = self.page.translate
        found = self.leniently()
        text = _("With lenience {l:.2f} more drafts are kept. How far is the output from the target then, in %?")
        return Question(
            text.format(l=self.lesson.lenience),
            0, 60, 1, round(100 * found.total_variation, 1),
            _(
                "Exactly as far as acceptance was gained: what is kept beyond the overlap is kept where the target has "
                "less."
            ),
            unit="%",
            format=".1f",
        )  # fmt: skip

    def leniently(self) -> Verification:
        """The lenient rule at the reader's lenience."""
        return verify(self.pair.target_probs, self.pair.draft_probs, "lenient", lenience=self.lesson.lenience)

    def _pair(self) -> None:
        """Both distributions, before any draft is judged."""
        _ = self.page.translate
        alt = _("Bars of both distributions, the target's and the drafter's, token by token.")
        self.page.chart(pair_figure(self.shown, self.names, _), "pair", _("Target and drafter"), alt, height=280)

    def one_token(self) -> None:
        """The two distributions, what is kept, and one draw after another."""
        page, _ = self.page, self.page.translate
        left, right = st.columns([3, 2], gap="medium")
        with left:
            alt = _(
                "Bars of both distributions: of the drafter's, the part that is kept and the part that is rejected."
            )
            pull, title = bars_to_pull(), _("Target and drafter")
            figure = overlap_figure(self.shown, self.names, _, whole=pull is not None)
            page.chart(figure, "overlap", title, alt, height=330, pull=pull)
            if pull:
                page.note(_("Pull a bar up or down: the others of the same model make room. The table above is exact."))
        with right:
            st.markdown(
                _(
                    "The drafter draws a token. It is kept with chance **min(1, target ÷ drafter)**: always where the "
                    "drafter is less sure than the target, else as often as the target would have it. A rejected one "
                    "is replaced by a token from **max(0, target − drafter)**."
                )
            )
            self._draw()

    def _draw(self) -> None:
        """One step in words; a button draws the next."""
        page, _ = self.page, self.page.translate
        number = int(st.session_state.get("exactness:drawn", 0))
        random = np.random.default_rng((self.lesson.seed, number))
        found = draw_step(verify(self.pair.target_probs, self.pair.draft_probs), seed=random)
        names = self.pair.names
        drafted = _("Drafted: **{token}**, kept with chance {keep:.0%}; the random number is {u:.2f}.")
        lines = [drafted.format(token=names[found.draft_token], keep=found.keep, u=found.uniform)]
        if found.recovered is None:
            lines.append(_("Kept: **{token}** comes out.").format(token=names[found.token]))
        else:
            lines.append(_("Rejected: **{token}** is recovered in its place.").format(token=names[found.token]))
        st.markdown("\n\n".join(lines))
        st.button(_("Draw the next token"), key="exactness:draw", on_click=_next_draw)
        page.note(_("Simulated: one draw."))

    def output(self) -> None:
        """What comes out, by token, beside the target and the draws."""
        page, _ = self.page, self.page.translate
        shown, names = self.shown, self.names
        counts = np.append(self.counts[: len(names) - 1], self.counts[len(names) - 1 :].sum())
        drawn = counts / counts.sum()
        alt = _(
            "For each token the kept drafts and the recovered tokens stacked; rings are the target, crosses the draws."
        )
        page.chart(
            output_figure(shown, names, drawn, _),
            "output",
            _("Kept + recovered = target"),
            alt,
            height=340,
        )
        columns = {
            _("token"): list(names),
            _("target"): [f"{value:.2%}" for value in shown.target_probs],
            _("drafter"): [f"{value:.2%}" for value in shown.draft_probs],
            _("kept once drafted"): [f"{value:.0%}" for value in shown.keep],
            _("recovered"): [f"{value:.2%}" for value in (1 - shown.acceptance) * shown.recovered],
            _("comes out"): [f"{value:.2%}" for value in shown.output],
            _("drawn"): [f"{value:.2%}" for value in drawn],
        }
        data = {
            "token": list(names),
            "target": shown.target_probs.tolist(),
            "draft": shown.draft_probs.tolist(),
            "keep": shown.keep.tolist(),
            "output": shown.output.tolist(),
            "drawn": counts.tolist(),
        }
        page.table("tokens", _("Token by token"), columns, data=data)
        text = _(
            "Exact but for the last column: {n:,} draws with seed {seed}, simulated. Chi-square test of their fit to "
            "the target: p = {p:.2f}."
        )
        page.note(text.format(n=self.lesson.draws, seed=self.lesson.seed, p=self.fit.p_value))


def _next_draw() -> None:
    st.session_state["exactness:drawn"] = int(st.session_state.get("exactness:drawn", 0)) + 1
