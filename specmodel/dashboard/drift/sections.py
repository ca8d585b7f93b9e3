"""The steps of the Drift page: a changing workload, the boundary, the rules, where each loses, a draft that learns."""

from typing import Any

import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.params import Declared, declarations
from specmodel.dashboard.drift.input import Asked, rule_numbers, shown_rules
from specmodel.dashboard.drift.tables import (
    boundary_columns,
    learning_columns,
    phase_columns,
    phase_data,
    publications,
    rule_columns,
    speedup_columns,
    speedup_data,
    total_columns,
    total_data,
)
from specmodel.dashboard.drift.words import (
    FIXED,
    answer,
    boundary_question,
    boundary_words,
    cards,
    learning_question,
    named,
    rule_labels,
    share_question,
    stationary_words,
)
from specmodel.dashboard.lesson.lesson import Step
from specmodel.dashboard.lesson.values import DriftLesson, LessonSeed
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.session import state
from specmodel.dashboard.session.translation import escaped
from specmodel.drift.adaptation import Adaptation, acceptance_over_tokens
from specmodel.drift.policies import policies
from specmodel.drift.run import ORACLE
from specmodel.figures.drift import (
    acceptance_figure,
    boundary_figure,
    drafts_figure,
    learning_figure,
    regret_figure,
    saved_figure,
)

COSTS = ("num_speculative_tokens", "target_ms", "draft_ms", "verify_ms_per_token", "overhead_ms")


class Drift:
    """What was asked, every rule played on the same rounds, and the boundary."""

    def __init__(self, page: Page, asked: Asked):
        self.page, self.asked, self.run = page, asked, asked.run()
        self.boundary, self.speedups = asked.boundary(), asked.speedups()
        self.best = [int(each) for each in self.speedups.argmax(axis=1)]
        self.labels = rule_labels(("off", *shown_rules(), ORACLE), asked.k, page.translate)
        self.adaptation = state.group(Adaptation)
        self.all_labels = rule_labels([each.key for each in policies()], asked.k, page.translate)

    @property
    def rule(self) -> str:
        """The rule whose k is drawn and whose numbers can be changed."""
        return str(state.option("rule"))

    def opening(self) -> None:
        """The page's answer and its numbers."""
        page, k = self.page, self.asked.k
        page.say(answer(self.run, self.labels, k, self.asked.seed, page.translate))
        page.measured_cards(cards(self.run, self.labels, k, page.translate))

    def steps(self) -> list[Step]:
        """The parts of the lesson."""
        _, k = self.page.translate, self.asked.k
        self.learned = self.asked.learning((FIXED, self.rule), self.adaptation)
        return [
            Step("workload", N_("Acceptance is not a constant"), self.workload),
            Step("boundary", N_("Where it stops paying"), self.failure, boundary_question(self.boundary, _)),
            Step(
                "rules", N_("Rules that choose the draft length"), self.rules, share_question(self.run, self.best, k, _)
            ),
            Step("phases", N_("Where each rule loses"), self.phases),
            Step("learning", N_("A draft that goes on learning"), self.learning, learning_question(self.learned, k, _)),
        ]

    def simulated(self) -> str:
        """How sure the numbers of a part are."""
        _, asked = self.page.translate, self.asked
        text = _(
            "Simulated with seed {seed}: every rule meets the same draws. {tokens:,} tokens in {requests} requests."
        )
        rounds = self.run.rounds
        return text.format(seed=asked.seed, tokens=rounds.num_tokens, requests=rounds.num_requests)

    def workload(self) -> None:
        """The phases with their sources; acceptance and k over time."""
        page, _, workload = self.page, self.page.translate, self.asked.workload
        st.markdown(escaped(_(workload.description)))
        left, _right = st.columns([1, 2])
        with left:
            offered = [key for key in self.all_labels if key != "off"]
            select(page, "rule", _("Rule whose k is drawn"), offered, self.all_labels.__getitem__)
        alt = _("Acceptance of each request with its phase, and below it the draft length of a rule and of the oracle.")
        figure = acceptance_figure(self.run, self.rule, _("k of: {rule}").format(rule=self.all_labels[self.rule]), _)
        page.chart(figure, "acceptance", _("Acceptance, and the draft length that follows it"), alt, height=430)
        page.note(self.simulated())
        rule_numbers(page, self.rule)
        page.table("phases", _("The phases"), phase_columns(workload, _), data=phase_data(workload), shown=_wide)
        page.note(self._phase_note())

    def _phase_note(self) -> str:
        _, spread = self.page.translate, state.group(DriftLesson).spread
        text = _(
            "How long a phase lasts is assumed, and so is the standard deviation of the acceptance of its requests, "
            "{spread:.2f}: the drafts of one request share its acceptance."
        )
        lines = [text.format(spread=spread)]
        found = publications(self.asked.workload)
        if found:
            lines.insert(0, _("Published in: {sources}.").format(sources=_.listed(found)))
        if any(phase.kind == "derived" for phase in self.asked.workload.phases):
            lines.append(_("Derived: solved from the published tokens per round or shares by position."))
        if any(phase.acceptance_shape for phase in self.asked.workload.phases):
            lines.append(_("* at the first position; later positions differ, as published."))
        return _.sentences(*lines)

    def failure(self) -> None:
        """The boundary: a curve, the phases on it, and a table."""
        page, _ = self.page, self.page.translate
        st.markdown(boundary_words(self.boundary, _))
        left, right = st.columns([3, 2], gap="medium")
        with left:
            alt = _("Speedup against acceptance at the chosen draft length, with the break-even point and the phases.")
            title = _("Speedup at k = {k}").format(k=self.asked.k)
            page.chart(boundary_figure(self.boundary, _), "boundary", title, alt, height=340)
        with right:
            columns = boundary_columns(self.boundary, self.asked.workload, self.speedups, _)
            page.table("boundary", _("Phase by phase"), columns)
        page.note(
            _(
                "Exact in the long run. The curve is for requests and positions that are all alike, α* for those of "
                "the phase: where requests differ it takes more, since those with low acceptance take most of the time."
            )
        )

    def rules(self) -> None:
        """Time saved and regret, and what each rule did."""
        page, _ = self.page, self.page.translate
        left, right = st.columns(2, gap="medium")
        with left:
            alt = _("Time saved so far against no speculation over the tokens of the workload, one line a rule.")
            page.chart(saved_figure(self.run, self.labels, _), "saved", _("Time saved"), alt, height=380)
        with right:
            alt = _("Time behind the oracle so far over the tokens of the workload, one line a rule.")
            page.chart(regret_figure(self.run, self.labels, _), "regret", _("Regret"), alt, height=380)
        columns, data = total_columns(self.run, self.labels, _), total_data(self.run, self.labels)
        page.table("rules", _("The whole workload"), columns, data=data)
        stationary = stationary_words(self.asked.workload, self.speedups, _)
        page.note(_.sentences(*filter(None, (stationary, self.simulated(), self._switching()))))
        with st.expander(_("What each rule does")):
            st.table(rule_columns(self.labels, _))

    def _switching(self) -> str:
        _, cost = self.page.translate, self.asked.costs.switching_ms
        if not cost:
            return _("A change of k is taken to cost nothing.")
        return _("Each change of k costs {ms:.1f} ms (assumed), the oracle's too.").format(ms=cost)

    def phases(self) -> None:
        """Speedup by rule and phase, losses marked; drafts kept and wasted."""
        page, _ = self.page, self.page.translate
        columns, data = speedup_columns(self.run, self.labels, _), speedup_data(self.run, self.labels)
        page.table("by_phase", _("Speedup by rule and phase"), columns, data=data)
        lost = [self._lost(key) for key in self.labels if self.run.losing_phases(key)]
        page.note(_.sentences(*(lost or [_("No rule shown is slower than plain decoding in any phase.")])))
        alt = _("Drafts of each rule over the whole workload: those that became tokens and those that were wasted.")
        height = 110 + 34 * len(self.labels)
        page.chart(drafts_figure(self.run, self.labels, _), "drafts", _("Drafts kept and wasted"), alt, height=height)
        page.note(self.simulated())

    def _lost(self, key: str) -> str:
        _ = self.page.translate
        phases = named(self.run.losing_phases(key), _)
        return _("▼ {rule} is slower than plain decoding in: {phases}.").format(rule=self.labels[key], phases=phases)

    def learning(self) -> None:
        """Acceptance over tokens with and without learning, what it gains, and what it may cost."""
        page, _, workload = self.page, self.page.translate, self.asked.workload
        alt = _(
            "Mean acceptance over the tokens of the workload: of the draft as it came, of one that learns, the ceiling."
        )
        figure = learning_figure(workload, acceptance_over_tokens(workload, self.adaptation), _)
        page.chart(figure, "learning", _("Acceptance of a draft that learns"), alt, height=340)
        names = [run.choice.name for run in self.learned.static.runs]
        labels = {name: self.all_labels[name] for name in names}
        page.table("learning", _("What learning gains"), learning_columns(self.learned, labels, _))
        text = _(
            "Assumed: the draft closes {gain:.0%} of the gap to certain acceptance at {rate:.2%} a token, and starts "
            "anew with each phase. Training takes {share:.0%} of the time and {ms:.1f} ms a round here. Online "
            "Speculative Decoding (arXiv 2310.07177) measured acceptance 0.1 to 0.65 higher."
        )
        values = self.adaptation
        paid = text.format(
            gain=values.gain, rate=values.learning_rate, share=values.training_share, ms=values.training_ms
        )
        page.note(_.sentences(paid, self.simulated()))

    def facts(self) -> list[tuple[str, str, str]]:
        """What the page rests on, for its downloads."""
        _ = self.page.translate
        scenario, groups = self.page.scenario, (state.group(DriftLesson), state.group(LessonSeed), self.adaptation)
        rows = [*self._shown(scenario, COSTS), *(row for group in groups for row in self._shown(group, ()))]
        return [(_("Workload"), _(self.asked.workload.label), "workload"), *rows]

    def _shown(self, group: Declared, names: tuple[str, ...]) -> list[tuple[str, str, str]]:
        _, declared = self.page.translate, declarations(type(group))
        return [
            (f"{_(each.label)} {each.letter}".strip(), each.show(getattr(group, name), _), name)
            for name, each in declared.items()
            if not names or name in names
        ]


def _wide(frame: Any) -> None:
    """A table with long texts: on a narrow screen it scrolls instead of growing tall."""
    st.dataframe(frame, hide_index=True, width="stretch", height="content")
