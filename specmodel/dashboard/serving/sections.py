"""The parts of the Serving load page below its figures: schedule, request rate, map, roofline, bill, memory."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from specmodel.base.messages import SpecmodelError
from specmodel.base.params import Declared, Param, declarations
from specmodel.dashboard.engine.to_set import said
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.parts.select_box import select
from specmodel.dashboard.passes.pass_source import PassSource, serving_of
from specmodel.dashboard.serving.tables import (
    bill_columns,
    bill_data,
    bills,
    memory_columns,
    tier_columns,
    tier_data,
)
from specmodel.dashboard.serving.words import at_rate_words
from specmodel.dashboard.session import state
from specmodel.engine.config import MAX_K, Request, Snippet, snippet
from specmodel.engine.config_text import ENGINES, PLACEHOLDERS, VLLM, methods
from specmodel.figures.arrivals import latency_figure, running_figure, served_figure
from specmodel.figures.serving import (
    MAP_BATCHES,
    MAP_CONTEXTS,
    map_figure,
    pass_figure,
    schedule_figure,
)
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS, Scenario
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.answer import answer_for as load_answer
from specmodel.serving.by_batch import load_map
from specmodel.serving.load import Drafter, Load
from specmodel.serving.schedule import worst_regret


def answer_for(source: PassSource, scenario: Scenario) -> LoadAnswer:
    """The answer at the reader's load for a scenario's acceptance and draft length."""
    load, drafter = state.group(Load), state.group(Drafter)
    serving = serving_of(source, scenario.effective_alpha, scenario.acceptance_shape, scenario.overhead_ms)
    return load_answer(serving, load, scenario, source.room(load, None), source.room(load, drafter))


def fits(page: Page, source: PassSource, answer: LoadAnswer) -> None:
    """Say where the weights do not fit, and where the reader's batch does not."""
    _ = page.translate
    plain, drafted = source.room(answer.load, None), source.room(answer.load, state.group(Drafter))
    if plain is not None and plain.sequences == 0:
        text = _("The weights and one request do not fit into {usable:,.0f} GB: the limit by memory is left out below.")
        st.warning(text.format(usable=plain.usable_bytes / 1e9))
    elif drafted is not None and drafted.sequences == 0:
        text = _("The drafter does not fit beside the weights into {usable:,.0f} GB: its memory is left out below.")
        st.warning(text.format(usable=drafted.usable_bytes / 1e9))
    elif answer.load.batch_size > answer.most:
        text = _("A batch of {batch:,} is beyond the largest one here, {most:,}: {reason}.")
        reason = _limit(page, source, answer)
        st.warning(text.format(batch=answer.load.batch_size, most=answer.most, reason=reason))
    if answer.load.context_tokens < answer.output_tokens / 2:
        text = _(
            "A context of {context:,} is short for answers of {output:,.0f} tokens: it holds half of one on average."
        )
        page.note(text.format(context=answer.load.context_tokens, output=answer.output_tokens))
    if source.largest is not None:
        tokens = answer.load.batch_size * (answer.num_speculative_tokens + 1)
        if tokens > source.largest:
            text = _("Extrapolated: this batch checks {tokens:,} tokens, the largest measured pass has {most:,.0f}.")
            st.warning(text.format(tokens=tokens, most=source.largest))


def _limit(page: Page, source: PassSource, answer: LoadAnswer) -> str:
    """What sets the largest batch."""
    _ = page.translate
    if answer.most == answer.load.max_sequences:
        return _("the engine is set to no more")
    return _("no larger pass was measured") if source.largest is not None else _("memory holds no more requests")


def schedule_section(page: Page, answer: LoadAnswer) -> None:
    """The schedule: its steps, its table, and the configuration to paste."""
    _ = page.translate
    st.subheader(_("The schedule to set"), anchor=False)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        alt = _("Draft tokens per round of the schedule against batch size, with the best one at each batch.")
        page.chart(schedule_figure(answer, _), "schedule", _("Draft length against batch size"), alt, height=280)
        lost = worst_regret(answer.table, answer.tiers)
        page.note(_("No batch loses more than {share:.1%} of the best speedup by it.").format(share=lost))
        page.note(_standing(page, answer))
    with right:
        page.table("tiers", _("By batch size"), tier_columns(answer.tiers, _), data=tier_data(answer.tiers))
    _paste(page, answer)


def _standing(page: Page, answer: LoadAnswer) -> str:
    """What the standing cost of off does to the schedule."""
    _, cost = page.translate, answer.load.standing_cost
    if not cost:
        return _("Off is taken to cost nothing: an engine with speculation loaded is rarely the plain one.")
    rows = np.arange(answer.scheduled.size)
    slower = int(np.sum((answer.scheduled > 0) & (answer.table.speedup[rows, answer.scheduled] < 1)))
    text = _("Loaded but off is taken to be {share:.0%} slower than the plain engine (measured elsewhere, not here).")
    line = text.format(share=cost)
    if slower:
        change = _("That keeps drafting at {count} batch sizes where the plain engine would be faster.")
        return _.sentences(line, change.format(count=slower))
    return _.sentences(line, _("It does not change the schedule here."))


def _paste(page: Page, answer: LoadAnswer) -> None:
    """The configuration of the reader's engine, beside the choice of it."""
    _ = page.translate
    if state.option("engine") not in ENGINES:
        state.set_option("engine", VLLM)
    left, right = st.columns([1, 3], gap="medium")
    with left:
        engine = select(page, "engine", _("Engine"), ENGINES, str)
        offered = {each.key: each for each in methods(engine)}
        if state.option("method") not in offered:
            state.set_option("method", next(iter(offered)))
        method = select(page, "method", _("Way of drafting"), list(offered), lambda key: _(offered[key].label))
    with right:
        found = _snippet(page, engine, method, answer)
        st.code(found.text, language=found.language if found.language != "shell" else "bash", wrap_lines=True)
        page.shown.notes.append(found.text)
        fill = _("{name}: {meaning}.")
        filled = [fill.format(name=name, meaning=_(PLACEHOLDERS[name])) for name in found.placeholders]
        version = _("Option names of {engine} {version}.").format(engine=found.engine, version=found.version)
        page.note(_.sentences(version, *filled))
        if found.notes:
            st.markdown("\n".join(f"- {said(note, page)}" for note in found.notes))


def _snippet(page: Page, engine: str, method: str, answer: LoadAnswer) -> Snippet:
    """The schedule in the words of the engine; the longest k where the engine takes no such schedule."""
    tiers = tuple((tier.last, min(tier.num_speculative_tokens, MAX_K)) for tier in answer.tiers)
    longest = max(k for _last, k in tiers)
    try:
        return snippet(Request(engine, method, longest, tiers if len(tiers) > 1 else ()))
    except SpecmodelError as error:
        st.warning(escaped(page.translate.message(error.message)))
        return snippet(Request(engine, method, longest))


def rate_section(page: Page, answer: LoadAnswer) -> None:
    """By request rate: latency and the running batch, up to saturation."""
    _ = page.translate
    st.subheader(_("By request rate"), anchor=False)
    rate = answer.load.request_rate
    lines = at_rate_words(answer, _)
    page.note(_.sentences(_("At {rate:,.2f} requests per second.").format(rate=rate), *lines))
    left, middle, right = st.columns(3, gap="medium")
    with left:
        alt = _("Decoding time of one answer against request rate, with and without speculation, up to saturation.")
        page.chart(latency_figure(answer, _), "latency", _("Latency of one answer"), alt, height=320)
    with middle:
        alt = _("Output tokens per second against request rate, with and without speculation; level beyond saturation.")
        page.chart(served_figure(answer, _), "served", _("Throughput of the engine"), alt, height=320)
    with right:
        alt = _("Requests in the engine against request rate, with and without speculation.")
        page.chart(running_figure(answer, _), "running", _("The running batch"), alt, height=320)


def why_section(page: Page, source: PassSource, answer: LoadAnswer) -> None:
    """Why: the map over batch and context, and where the roofline turns."""
    _ = page.translate
    st.subheader(_("Why it turns"), anchor=False)
    left, right = st.columns(2, gap="medium")
    with left:
        grid = load_map(answer.serving, MAP_BATCHES, MAP_CONTEXTS, MAX_SPECULATIVE_TOKENS)
        alt = _("The best draft length over batch size and context; 0 is off.")
        page.chart(
            map_figure(grid, answer.load, _), "map", _("Best draft length by batch and context"), alt, height=340
        )
    with right:
        k, most = max(answer.num_speculative_tokens, 1), max(answer.plain_most, 2)
        figure = pass_figure(answer.serving, answer.load, k, most, _, source.turn)
        alt = _("Time of one pass against batch size, for one token and for k + 1 tokens of each request.")
        page.chart(figure, "pass", _("What checking costs"), alt, height=340)
    page.note(_turn_words(page, source, answer))


def _turn_words(page: Page, source: PassSource, answer: LoadAnswer) -> str:
    _ = page.translate
    k, load = max(answer.num_speculative_tokens, 1), answer.load
    here = (load.batch_size, load.context_tokens)
    ratio = float(answer.serving.verify_ms(k, *here) / answer.serving.plain_ms(*here))
    text = _("At this batch checking {n} tokens a request takes {ratio:.2f} times a plain step.")
    text = text.format(n=k + 1, ratio=ratio)
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


def cost_section(page: Page, source: PassSource, answer: LoadAnswer) -> None:
    """Money, energy and memory."""
    _ = page.translate
    st.subheader(_("What it costs"), anchor=False)
    left, right = st.columns(2, gap="medium")
    with left:
        found = bills(answer, source.hardware)
        page.table("bill", _("Price and energy"), bill_columns(found, answer, _), data=bill_data(found))
        text = _("At {price:,.2f} $ an hour and {watts:,.0f} W an accelerator, {count} of them: assumed, not measured.")
        hardware = source.hardware
        page.note(text.format(price=answer.load.price_per_hour, watts=hardware.watts, count=hardware.count))
    plain, drafted = source.room(answer.load, None), source.room(answer.load, state.group(Drafter))
    if plain is not None and drafted is not None:
        with right:
            page.table("memory", _("Memory"), memory_columns(plain, drafted, _))
            page.note(_memory_words(page, plain.sequences, drafted.sequences, answer))


def _memory_words(page: Page, plain: int | None, drafted: int | None, answer: LoadAnswer) -> str:
    _ = page.translate
    limit = _("The engine is set to at most {most} requests at once.").format(most=answer.load.max_sequences)
    if not state.group(Drafter).weights_billions:
        unknown = _("The drafter is taken to need no memory: its size is 0 in the sidebar.")
        return _.sentences(unknown, limit)
    if plain is None or drafted is None:
        return limit
    lost = _("The drafter takes the room of {count:,} requests of this context.").format(count=plain - drafted)
    return _.sentences(lost, limit)


def facts(page: Page, source: PassSource) -> list[tuple[str, str, str]]:
    """What the page rests on, for its downloads: load, drafter, and the numbers behind a pass."""
    _ = page.translate
    groups = [page.scenario, state.group(Load), state.group(Drafter)]
    groups += [] if source.model is None else [source.model, source.hardware]
    rows = [
        (f"{_(declared.label)} {declared.letter}".strip(), shown, name)
        for declared, shown, name in _shown(page, groups)
    ]
    return [*rows, (_("cost of a pass"), source.note, "pass")]


def _shown(page: Page, groups: Sequence[Declared]) -> list[tuple[Param, str, str]]:
    """Each number of the groups; of the scenario only what this page uses."""
    return [
        (declared, declared.show(getattr(group, name), page.translate), name)
        for group in groups
        for name, declared in declarations(type(group)).items()
        if name not in ("target_ms", "draft_ms", "verify_ms_per_token")
    ]
