"""What the Serving load page says: speculation by batch and by request rate, the schedule, why it turns, the costs."""

from typing import Any

from specmodel.base.params import declarations
from specmodel.dashboard.parts.answer import Answer, Cards, Chart, Fact, Note, Parts
from specmodel.dashboard.parts.asked import asked_of_sliders
from specmodel.dashboard.passes.asked import asked_of_machine
from specmodel.dashboard.passes.drafted import Drafted, drafted, way_note
from specmodel.dashboard.passes.load_answer import load_answer
from specmodel.dashboard.passes.pass_source import NO_PASSES, OwnPasses, PassSource, pass_parts, pass_source
from specmodel.dashboard.serving.band_words import band_sentence
from specmodel.dashboard.serving.cards import serving_cards
from specmodel.dashboard.serving.configuration import schedule_parts
from specmodel.dashboard.serving.headline import said_of_load
from specmodel.dashboard.serving.limits import limit_parts, memory_words
from specmodel.dashboard.serving.tables import bill_table, memory_table, tier_table
from specmodel.dashboard.serving.words import advice, at_rate_words, rate_of_batch_words, whole_words
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.arrivals import latency_figure, running_figure, served_figure
from specmodel.figures.serving import (
    MAP_BATCHES,
    MAP_CONTEXTS,
    map_figure,
    pass_figure,
    schedule_figure,
    speedup_by_batch_figure,
    throughput_figure,
    tpot_figure,
)
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.by_batch import load_map
from specmodel.serving.load import Drafter, Load

NOT_USED = ("target_ms", "draft_ms", "verify_ms_per_token", "prompt_spread")
"""What of a scenario says nothing here: a pass costs what the chosen source says."""
OF_SLIDERS = ("alpha", "num_speculative_tokens", "vocabulary_overlap", "acceptance_shape")
"""What of it a way of drafting says itself."""


def answer(chosen: Chosen, translate: Translator, own: OwnPasses = NO_PASSES) -> Answer:
    """The parts of the page; `own` are measured passes that the visitor brought."""
    _, source = translate, pass_source(chosen, translate, own)
    found = drafted(chosen)
    at_load, what = load_answer(source, chosen, chosen.scenario, found), found.name(_)
    before = load_answer(source, chosen, chosen.pinned, drafted(chosen, chosen.pinned)) if chosen.pinned else None
    exact = _("Exact means of the model for the assumed values of the sliders; a pass costs what stands above.")
    if found.choice is not None:
        exact = _("Exact means of the model for the way of drafting named above; a pass costs what stands above.")
    return Answer(
        {
            **pass_parts(source),
            "way": way_note(found, _),
            "verdict": said_of_load(at_load, what, _),
            "numbers": Cards(serving_cards(at_load, before, what, _)),
            "note": Note(_.sentences(*filter(None, (advice(at_load, _), band_sentence(at_load, _), exact)))),
            **limit_parts(at_load, _),
            **_by_batch(at_load, before, _),
            **schedule_parts(chosen, at_load, found, _),
            **_by_rate(at_load, what, _),
            **_why(source, at_load, _),
            **_costs(source, at_load, found.drafter, _),
        },
        leaves_out=(
            _("All requests of a batch have the same context and acceptance; real ones differ."),
            _("Prefill is left out where it is 0, and what schedulers do beside a pass where nothing was measured."),
            _("The request rate is decoding only: a request waits besides for the round that runs when it arrives."),
        ),
        facts=_facts(chosen, source, found, _),
        asked=_asked(chosen, source, found, _),
    )


def _by_batch(at_load: LoadAnswer, before: LoadAnswer | None, translate: Translator) -> Parts:
    _ = translate
    return {
        "speedup": lambda: Chart(
            speedup_by_batch_figure(at_load, _, ghost=before),
            _("Speedup against batch size"),
            _("Speedup against batch size: the chosen draft length, the best one, and plain decoding at 1."),
            470,
        ),
        "throughput": lambda: Chart(
            throughput_figure(at_load, _),
            _("Throughput"),
            _("Tokens per second of the whole batch against batch size, with and without speculation."),
            220,
        ),
        "tpot": lambda: Chart(
            tpot_figure(at_load, _),
            _("Time per output token"),
            _("Time per output token of one request against batch size, with and without speculation."),
            220,
        ),
        "schedule": lambda: Chart(
            schedule_figure(at_load, _),
            _("Draft length against batch size"),
            _("Draft tokens per round of the schedule against batch size, with the best one at each batch."),
            280,
        ),
        "tiers": lambda: tier_table(at_load, _),
    }


def _by_rate(at_load: LoadAnswer, what: str, translate: Translator) -> Parts:
    """Latency and the running batch by request rate, up to saturation."""
    _, words = translate, at_rate_words if at_load.by_rate else rate_of_batch_words
    return {
        "at_rate": Note(_.sentences(*words(at_load, what, _), *whole_words(at_load, _))),
        "latency": lambda: Chart(
            latency_figure(at_load, _),
            _("Latency of one answer"),
            _("Decoding time of one answer against request rate, with and without speculation, up to saturation."),
            320,
        ),
        "served": lambda: Chart(
            served_figure(at_load, _),
            _("Throughput of the engine"),
            _("Output tokens per second against request rate, with and without speculation; level beyond saturation."),
            320,
        ),
        "running": lambda: Chart(
            running_figure(at_load, _),
            _("The running batch"),
            _("Requests in the engine against request rate, with and without speculation."),
            320,
        ),
    }


def _why(source: PassSource, at_load: LoadAnswer, translate: Translator) -> Parts:
    """The map over batch and context, and where the roofline turns."""
    _, serving = translate, at_load.serving
    k, most = max(at_load.num_speculative_tokens, 1), max(at_load.plain_most, 2)
    running = at_load.load.replace(batch_size=max(1, round(at_load.batch)))
    return {
        "map": lambda: Chart(
            map_figure(load_map(serving, MAP_BATCHES, MAP_CONTEXTS, serving.most_drafts), running, _),
            _("Best draft length by batch and context"),
            _("The best draft length over batch size and context; 0 is off."),
            340,
        ),
        "pass": lambda: Chart(
            pass_figure(serving, at_load.load, k, most, _, source.turn),
            _("What checking costs"),
            _("Time of one pass against batch size, for one token and for k + 1 tokens of each request."),
            340,
        ),
        "turn": Note(_turn_words(source, at_load, k, _)),
    }


def _turn_words(source: PassSource, at_load: LoadAnswer, k: int, translate: Translator) -> str:
    _, here = translate, (at_load.batch, at_load.load.context_tokens)
    ratio = float(at_load.serving.verify_ms(k, *here) / at_load.serving.plain_ms(*here))
    text = _("At this batch checking {n:g} tokens a request takes {ratio:.2f} times a plain step.")
    text = text.format(n=round(float(at_load.serving.verified(k)), 1), ratio=ratio)
    if source.turn is None:
        return text
    turn = _("Reading the weights hides the arithmetic up to {tokens:,.0f} tokens a pass.").format(tokens=source.turn)
    lines = [text, turn]
    if source.model is not None and source.model.experts:
        lines.append(
            _(
                "A mixture of experts reads more of them for more tokens: that is the gutter between small and large "
                "batches."
            )
        )
    return _.sentences(*lines)


def _costs(source: PassSource, at_load: LoadAnswer, drafter: Drafter, translate: Translator) -> Parts:
    """Money, energy and memory."""
    _, hardware = translate, source.hardware
    text = _("At {price:,.2f} $ an hour and {watts:,.0f} W an accelerator, {count} of them: assumed, not measured.")
    assumed = text.format(price=at_load.load.price_per_hour, watts=hardware.watts, count=hardware.count)
    if at_load.by_rate:
        same = _("A rate that both serve costs the same: what is won is time, and room for more requests.")
        assumed = _.sentences(assumed, same)
    parts: Parts = {"bill": lambda: bill_table(at_load, hardware, _), "bill_note": Note(assumed)}
    plain, drafted = source.room(at_load.load, None), source.room(at_load.load, drafter)
    if plain is None or drafted is None:
        return parts
    memory = Note(memory_words(plain.sequences, drafted.sequences, at_load, drafter, _))
    return {**parts, "memory": lambda: memory_table(plain, drafted, _), "memory_note": memory}


def _asked(chosen: Chosen, source: PassSource, found: Drafted, translate: Translator) -> tuple[Fact, ...]:
    """Model, accelerators and load by name, what drafts, and the sliders."""
    _, choice = translate, found.choice
    way = [] if choice is None else [(_("Way of drafting"), _(choice.method.label), "way")]
    panel = pages()["serving"].panel(chosen.options)
    return (*asked_of_machine(chosen, source, _), *way, *asked_of_sliders(chosen, panel, _))


def _facts(chosen: Chosen, source: PassSource, found: Drafted, translate: Translator) -> tuple[Fact, ...]:
    """What the page rests on, for its downloads: load, drafter, and the numbers behind a pass."""
    _, choice = translate, found.choice
    groups: list[Any] = [chosen.scenario, chosen.group(Load), found.drafter if choice is None else choice.values]
    groups += [] if source.model is None else [source.model, source.hardware]
    unused = {*NOT_USED, "batch_size" if chosen.option("load_by") == "rate" else "request_rate"}
    unused |= set(OF_SLIDERS) if choice is not None else set()
    rows = [
        (f"{_(declared.label)} {declared.letter}".strip(), declared.show(getattr(group, name), _), name)
        for group in groups
        for name, declared in declarations(type(group)).items()
        if name not in unused or (choice is not None and group is choice.values)
    ]
    way = [] if choice is None else [(_("Way of drafting"), _(choice.method.label), "way")]
    return (*way, *rows, (_("cost of a pass"), source.note, "pass"))
