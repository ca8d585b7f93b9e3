"""What the Drift page parts: a changing workload, the boundary, the rules, where each loses, a draft that learns."""

from specmodel.base.messages import N_, Message
from specmodel.base.params import Declared, declarations
from specmodel.dashboard.drift.declared import GROUPS, OWN
from specmodel.dashboard.drift.questions import boundary_question, learning_question, share_question
from specmodel.dashboard.drift.race import phases_in_link, race_of, speedups_of, start_of
from specmodel.dashboard.drift.race_parts import RaceParts
from specmodel.dashboard.drift.tables import boundary_table, phase_table, rule_table, speedup_table, total_table
from specmodel.dashboard.drift.tuned import read_tuned
from specmodel.dashboard.drift.values import DriftLesson
from specmodel.dashboard.drift.words import boundary_words
from specmodel.dashboard.engine.linked import linked_engine
from specmodel.dashboard.lesson.declared import LessonSeed
from specmodel.dashboard.lesson.steps import Step
from specmodel.dashboard.parts.answer import Answer, Fact, Note, Notice, Text
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.drift.adaptation import Adaptation
from specmodel.drift.phases import Workload
from specmodel.drift.workload_inputs import measured_workload

COSTS = ("num_speculative_tokens", "target_ms", "draft_ms", "verify_ms_per_token", "overhead_ms")


def answer(chosen: Chosen, translate: Translator, groups: Workload | None = None, before: str = "") -> Answer:
    """The parts of the page.

    `groups` are the groups that the engine page measured, `before` is the key of the workload that was chosen before
    the visitor's own phases; neither is in the link.
    """
    _ = translate
    parts = RaceParts(chosen, translate, race_of(chosen, translate, groups, before))
    own = chosen.option("workload") == OWN
    wrong_phases = phases_in_link(chosen, start_of(groups, before))[1] if own else ()
    off = not chosen.scenario.num_speculative_tokens
    return Answer(
        {
            "no_groups": None if groups or chosen.option("workload") != GROUPS else Notice("warning", _(NO_GROUPS)),
            "phases_left_out": _left_out(wrong_phases, _),
            "fixed_note": Note(_("The slider's k is 0, which is off: the fixed length is 1 here.")) if off else None,
            "numbers_left_out": _left_out(read_tuned(str(chosen.option("tuned")))[1], _),
            "verdict": parts.verdict,
            "numbers": parts.numbers,
            "workload": parts.workload,
            "acceptance": parts.acceptance,
            "acceptance_note": parts.simulated,
            "phases_table": lambda: phase_table(parts.race.workload, _),
            "phases_note": parts.phases_note,
            "boundary_text": lambda: Text(boundary_words(parts.boundary, _)),
            "boundary": parts.boundary_chart,
            "boundary_table": lambda: boundary_table(parts.boundary, parts.race.workload, speedups_of(parts.race), _),
            "boundary_note": Note(_(BOUNDARY_NOTE)),
            "saved": parts.saved,
            "regret": parts.regret,
            "rules_table": lambda: total_table(parts.run, parts.labels, _),
            "rules_note": parts.rules_note,
            "what_rules_do": lambda: rule_table(parts.labels, _),
            "by_phase_table": lambda: speedup_table(parts.run, parts.labels, _),
            "by_phase_note": parts.by_phase_note,
            "drafts": parts.drafts,
            "drafts_note": parts.simulated,
            "learning": parts.learning,
            "learning_table": parts.learning_table,
            "learning_note": parts.learning_note,
        },
        leaves_out=(
            _("One request at a time: under load the cost of a round rises with the batch (see Serving load)."),
            _("Acceptance changes from request to request; inside an answer it does so only where the draft learns."),
            _("A request is of one kind of text: real ones mix them."),
            _("Rules see which drafts are accepted; those that go by the drafter's own probabilities are left out."),
            _("How a draft learns is a curve with two assumed numbers; what it learned is lost at the next phase."),
        ),
        facts=_facts(chosen, parts.race.workload, _),
    )


def linked(chosen: Chosen, translate: Translator) -> Answer:
    """The answer to a link: its groups are those of the engine page's run, where the link asks for them."""
    run = linked_engine(chosen) if chosen.option("workload") == GROUPS else None
    return answer(chosen, translate, measured_workload(run.group_acceptances) if run else None)


def steps(chosen: Chosen, translate: Translator, groups: Workload | None = None, before: str = "") -> list[Step]:
    """The steps of the lesson, with `groups` and `before` as in `answer`; the names of controls among their parts."""
    parts = RaceParts(chosen, translate, race_of(chosen, translate, groups, before))
    k, best = parts.race.k, [int(length) for length in speedups_of(parts.race).argmax(axis=1)]
    return [
        Step(
            "workload",
            N_("Acceptance is not a constant"),
            ("workload", "rule", "acceptance", "acceptance_note", "rule_numbers", "phases_table", "phases_note"),
        ),
        Step(
            "boundary",
            N_("Where it stops paying"),
            ("boundary_text", "boundary_row", "boundary_note"),
            boundary_question(parts.boundary, translate),
        ),
        Step(
            "rules",
            N_("Rules that choose the draft length"),
            ("time_row", "rules_table", "rules_note", "what_rules_do"),
            share_question(parts.run, best, k, translate),
        ),
        Step("phases", N_("Where each rule loses"), ("by_phase_table", "by_phase_note", "drafts", "drafts_note")),
        Step(
            "learning",
            N_("A draft that goes on learning"),
            ("learning", "learning_table", "learning_note"),
            learning_question(parts.learned, k, translate),
        ),
    ]


NO_GROUPS = N_("The engine page holds no groups with an acceptance: a published workload is shown instead.")
BOUNDARY_NOTE = N_(
    "Exact in the long run. The curve is for requests and positions that are all alike, α* for those of "
    "the phase: where requests differ it takes more, since those with low acceptance take most of the time."
)


def _left_out(wrong: tuple[Message, ...], translate: Translator) -> Notice | None:
    """What of the link could not be used."""
    return Notice("warning", "\n\n".join(escaped(translate.message(each)) for each in wrong)) if wrong else None


def _facts(chosen: Chosen, workload: Workload, translate: Translator) -> tuple[Fact, ...]:
    """What the page rests on, for its downloads."""
    _ = translate

    def rows(values: Declared, names: tuple[str, ...] = ()) -> list[Fact]:
        return [
            (f"{_(declared.label)} {declared.letter}".strip(), declared.show(getattr(values, name), _), name)
            for name, declared in declarations(type(values)).items()
            if not names or name in names
        ]

    groups = (chosen.group(DriftLesson), chosen.group(LessonSeed), chosen.group(Adaptation))
    of_groups = (row for group in groups for row in rows(group))
    return ((_("Workload"), _(workload.label), "workload"), *rows(chosen.scenario, COSTS), *of_groups)
