"""The parts of the Drift page that tell of one race: its figures, its numbers, and the notes beside them."""

from dataclasses import dataclass
from functools import cached_property

from specmodel.dashboard.drift.declared import DRIFT_RULES
from specmodel.dashboard.drift.race import Race, boundary_of, fixed_length, learning_of, run_of, speedups_of
from specmodel.dashboard.drift.tables import learning_table, publications
from specmodel.dashboard.drift.tuned import FIXED
from specmodel.dashboard.drift.values import DriftLesson
from specmodel.dashboard.drift.words import cards, named, rule_labels, stationary_words, summary
from specmodel.dashboard.parts.answer import Cards, Chart, Note, Said, Table, Text
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.drift.adaptation import Adaptation, AdaptationOutcome, acceptance_over_tokens
from specmodel.drift.boundary import Boundary
from specmodel.drift.policies import policies
from specmodel.drift.run import ORACLE, DriftRun
from specmodel.figures.drift import (
    acceptance_figure,
    boundary_figure,
    drafts_figure,
    learning_figure,
    regret_figure,
    saved_figure,
)
from specmodel.model.scenario import Scenario


def rules_to_show(chosen: Chosen) -> tuple[str, ...]:
    """The rules that the visitor wants to see beside off and the oracle, which are always there."""
    keys = str(chosen.option("rules")).split("_")
    return tuple(key for key in DRIFT_RULES if key in keys)


def rules_to_choose(scenario: Scenario, translate: Translator) -> dict[str, str]:
    """The rules whose k can be drawn, by key, with their names."""
    return rule_labels([rule.key for rule in policies() if rule.key != "off"], fixed_length(scenario), translate)


@dataclass(frozen=True)
class RaceParts:
    """Makes the parts of the answer; what they have in common is computed once."""

    chosen: Chosen
    translate: Translator
    race: Race

    @cached_property
    def run(self) -> DriftRun:
        """Every rule on the same rounds."""
        return run_of(self.race)

    @cached_property
    def boundary(self) -> Boundary:
        """Where the fixed length stops paying."""
        return boundary_of(self.race)

    @cached_property
    def labels(self) -> dict[str, str]:
        """The rules that are shown, by key, with their names."""
        return rule_labels(("off", *rules_to_show(self.chosen), ORACLE), self.race.k, self.translate)

    @property
    def rule(self) -> str:
        """The rule whose k is drawn and whose numbers can be changed."""
        return str(self.chosen.option("rule"))

    @property
    def adaptation(self) -> Adaptation:
        """How the draft learns."""
        return self.chosen.group(Adaptation)

    @cached_property
    def learned(self) -> AdaptationOutcome:
        """The fixed length and the rule with a draft that learns, and with one that does not."""
        return learning_of(self.race, (FIXED, self.rule), self.adaptation)

    def verdict(self) -> Said:
        """The page's answer."""
        return Said("says", summary(self.run, self.labels, self.race.k, self.race.seed, self.translate))

    def numbers(self) -> Cards:
        """Speedups over the whole workload, and the waste."""
        return cards(self.run, self.labels, self.race.k, self.translate)

    def simulated(self) -> Note:
        """How sure the numbers of a part are."""
        text = self.translate(
            "Simulated with seed {seed}: every rule meets the same draws. {tokens:,} tokens in {requests} requests."
        )
        rounds = self.run.rounds
        return Note(text.format(seed=self.race.seed, tokens=rounds.num_tokens, requests=rounds.num_requests))

    def workload(self) -> Text:
        """What the workload is."""
        return Text(escaped(self.translate(self.race.workload.description)))

    def acceptance(self) -> Chart:
        """Acceptance and k over time."""
        _ = self.translate
        label = _("k of: {rule}").format(rule=rules_to_choose(self.chosen.scenario, _)[self.rule])
        return Chart(
            acceptance_figure(self.run, self.rule, label, _),
            _("Acceptance, and the draft length that follows it"),
            _("Acceptance of each request with its phase, and below it the draft length of a rule and of the oracle."),
            430,
        )

    def phases_note(self) -> Note:
        """Where the phases come from, and what of them is assumed."""
        _, workload = self.translate, self.race.workload
        text = _(
            "How long a phase lasts is assumed, and so is the standard deviation of the acceptance of its requests, "
            "{spread:.2f}: the drafts of one request share its acceptance."
        )
        lines = [text.format(spread=self.chosen.group(DriftLesson).spread)]
        sources = publications(workload)
        if sources:
            lines.insert(0, _("Published in: {sources}.").format(sources=_.listed(sources)))
        if any(phase.kind == "derived" for phase in workload.phases):
            lines.append(_("Derived: solved from the published tokens per round or shares by position."))
        if any(phase.acceptance_shape for phase in workload.phases):
            lines.append(_("* at the first position; later positions differ, as published."))
        return Note(_.sentences(*lines))

    def boundary_chart(self) -> Chart:
        """The boundary as a curve, with the phases on it."""
        _ = self.translate
        return Chart(
            boundary_figure(self.boundary, _),
            _("Speedup at k = {k}").format(k=self.race.k),
            _("Speedup against acceptance at the chosen draft length, with the break-even point and the phases."),
            340,
        )

    def saved(self) -> Chart:
        """Time saved against no speculation."""
        _ = self.translate
        alt = _("Time saved so far against no speculation over the tokens of the workload, one line a rule.")
        return Chart(saved_figure(self.run, self.labels, _), _("Time saved"), alt)

    def regret(self) -> Chart:
        """Time behind the oracle."""
        _ = self.translate
        alt = _("Time behind the oracle so far over the tokens of the workload, one line a rule.")
        return Chart(regret_figure(self.run, self.labels, _), _("Regret"), alt)

    def rules_note(self) -> Note:
        """What a change of k costs; for phases that do not differ, the best single length."""
        _, cost = self.translate, self.race.costs.switching_ms
        switching = _("A change of k is taken to cost nothing.")
        if cost:
            switching = _("Each change of k costs {ms:.1f} ms (assumed), the oracle's too.").format(ms=cost)
        stationary = stationary_words(self.race.workload, speedups_of(self.race), _)
        return Note(_.sentences(*filter(None, (stationary, self.simulated().text, switching))))

    def by_phase_note(self) -> Note:
        """Which rules lose, and where."""
        _ = self.translate
        text = _("▼ {rule} is slower than plain decoding in: {phases}.")
        lines = [
            text.format(rule=label, phases=named(self.run.losing_phases(key), _))
            for key, label in self.labels.items()
            if self.run.losing_phases(key)
        ]
        return Note(_.sentences(*(lines or [_("No rule shown is slower than plain decoding in any phase.")])))

    def drafts(self) -> Chart:
        """Drafts kept and wasted."""
        _ = self.translate
        alt = _("Drafts of each rule over the whole workload: those that became tokens and those that were wasted.")
        height = 110 + 34 * len(self.labels)
        return Chart(drafts_figure(self.run, self.labels, _), _("Drafts kept and wasted"), alt, height)

    def learning(self) -> Chart:
        """Acceptance over tokens with and without learning."""
        _, workload = self.translate, self.race.workload
        alt = _(
            "Mean acceptance over the tokens of the workload: of the draft as it came, of one that learns, the ceiling."
        )
        figure = learning_figure(workload, acceptance_over_tokens(workload, self.adaptation), _)
        return Chart(figure, _("Acceptance of a draft that learns"), alt, 340)

    def learning_table(self) -> Table:
        """What learning gains, and what training may cost."""
        labels = rules_to_choose(self.chosen.scenario, self.translate)
        in_order = {run.choice.name: labels[run.choice.name] for run in self.learned.static.runs}
        return learning_table(self.learned, in_order, self.translate)

    def learning_note(self) -> Note:
        """What is assumed of learning."""
        _, values = self.translate, self.adaptation
        text = _(
            "Assumed: the draft closes {gain:.0%} of the gap to certain acceptance at {rate:.2%} a token, and starts "
            "anew with each phase. Training takes {share:.0%} of the time and {ms:.1f} ms a round here. Online "
            "Speculative Decoding (arXiv 2310.07177) measured acceptance 0.1 to 0.65 higher."
        )
        paid = text.format(
            gain=values.gain, rate=values.learning_rate, share=values.training_share, ms=values.training_ms
        )
        return Note(_.sentences(paid, self.simulated().text))
