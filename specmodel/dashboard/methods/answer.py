"""What the Methods page says: the ways of drafting beside each other, one of them closer, and its draft tree."""

from specmodel.base.params import declarations
from specmodel.dashboard.methods.closer import closer_parts
from specmodel.dashboard.methods.compared import BATCHES, Rows, compared, listed_rows
from specmodel.dashboard.methods.tables import method_table
from specmodel.dashboard.methods.tree import tree_parts
from specmodel.dashboard.methods.words import answer_words, method_cards
from specmodel.dashboard.parts.answer import Answer, Cards, Chart, Fact, Note, Parts, Said
from specmodel.dashboard.passes.asked import asked_of_load, asked_of_machine
from specmodel.dashboard.passes.pass_source import NO_PASSES, OwnPasses, PassSource, pass_parts, pass_source
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.dashboard.session.way import task_of
from specmodel.figures.methods import methods_figure, trade_figure
from specmodel.serving.hardware import Accelerator
from specmodel.serving.load import Load


def answer(chosen: Chosen, translate: Translator, own: OwnPasses = NO_PASSES) -> Answer:
    """The parts of the page; `own` are measured passes that the visitor brought."""
    _, source = translate, pass_source(chosen, translate, own)
    rows = compared(chosen, source)
    listed = listed_rows(chosen, rows)
    looked_at = next(row for row in rows if row.method.key == chosen.option("look"))
    published = _("Speedups of the model: published figures of each method on your pass costs, not measured together.")
    return Answer(
        {
            **pass_parts(source),
            "verdict": Said("says", answer_words(listed, chosen.group(Load), _)),
            "numbers": Cards(method_cards(listed, _)),
            "note": Note(published),
            **_charts(chosen, listed, _),
            "methods": lambda: method_table(listed, source, chosen.group(Load), _),
            "methods_note": Note(
                _.sentences(
                    _("A star: published for other work or another temperature. Click a heading to sort."),
                    _("The drafter is that of the published setup, whose target may be another model than yours."),
                )
            ),
            **closer_parts(looked_at, chosen, _),
            **tree_parts(looked_at.choice, chosen, _),
        },
        leaves_out=(
            _("Published figures come from different models, engines and prompts: the order may differ on yours."),
            _("The checking pass and the plain step are yours; the cost of drafting is a share of the plain step."),
            _("A longer context or another temperature changes acceptance; only what was published is here."),
        ),
        facts=_facts(chosen, source, _),
        asked=_asked(chosen, source, _),
    )


def _charts(chosen: Chosen, listed: Rows, translate: Translator) -> Parts:
    _ = translate
    return {
        "curves": lambda: Chart(
            methods_figure(listed, BATCHES, chosen.group(Load), chosen.option("look"), _),
            _("Speedup against batch size"),
            _("Speedup against batch size, one line for each way of drafting."),
            520,
        ),
        "trade": lambda: Chart(
            trade_figure(listed, _),
            _("What a round gives and costs here"),
            _("Tokens of a round against its cost at this batch, one point for each way of drafting."),
            520,
        ),
    }


def _asked(chosen: Chosen, source: PassSource, translate: Translator) -> tuple[Fact, ...]:
    """Model, accelerators, load and kind of prompt by name."""
    _, workload = translate, task_of(chosen)
    of_prompts = [
        (_("kind of prompt"), workload.prompt_kind, "prompt_kind"),
        (_("temperature"), f"{workload.temperature:g}", "temperature"),
    ]
    load = asked_of_load(chosen, ("batch_size", "context_tokens"), _)
    return (*asked_of_machine(chosen, source, _), *load, *of_prompts)


def _facts(chosen: Chosen, source: PassSource, translate: Translator) -> tuple[Fact, ...]:
    """What the page rests on, for its downloads."""
    _, load, declared, workload = translate, chosen.group(Load), declarations(Load), task_of(chosen)
    named = ("batch_size", "context_tokens")
    rows = [(_(declared[name].label), declared[name].show(getattr(load, name), _), name) for name in named]
    rows.append((_("kind of prompt"), workload.prompt_kind, "prompt_kind"))
    rows.append((_("temperature"), f"{workload.temperature:g}", "temperature"))
    count = str(chosen.group(Accelerator).count)
    rows += [(_("accelerators"), count, "count")] if source.model is not None else []
    return (*rows, (_("cost of a pass"), source.note, "pass"))
