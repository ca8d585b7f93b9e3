"""What the Capacity page says: accelerators at peak and over the day, with and without speculation, and what binds."""

from collections.abc import Mapping
from dataclasses import replace

from specmodel.base.messages import N_, SpecmodelError
from specmodel.base.params import Quantity
from specmodel.dashboard.capacity.day import shares
from specmodel.dashboard.capacity.words import BINDS, SHORT, said_of_plan
from specmodel.dashboard.parts.answer import (
    Answer,
    Card,
    Cards,
    Chart,
    Column,
    Note,
    Notice,
    Part,
    Said,
    Table,
    table_of,
    text_card,
)
from specmodel.dashboard.parts.asked import asked_of_sliders
from specmodel.dashboard.parts.known import known
from specmodel.dashboard.parts.watch_parts import watch_parts
from specmodel.dashboard.passes.asked import asked_of_machine
from specmodel.dashboard.passes.drafted import drafted
from specmodel.dashboard.passes.load_answer import load_answer
from specmodel.dashboard.passes.pass_source import NO_PASSES, OwnPasses, PassSource, pass_parts, pass_source
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.pages import pages
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.figures.capacity import day_figure, level_figure
from specmodel.logs.prometheus.engines import ENGINES, VLLM
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.asked import served
from specmodel.serving.load import Load
from specmodel.serving.plan import DAYS_A_MONTH, FIXED, OFF, SCHEDULE, Plan, Traffic, Way, plan
from specmodel.serving.schedule import switch_off
from specmodel.watch import Levels

NAMES = {OFF: N_("without speculation"), FIXED: N_("best fixed k"), SCHEDULE: N_("schedule by batch")}
ACCELERATORS = Quantity(
    "accelerators",
    N_("Accelerators at peak"),
    N_("Replicas of the busiest hour × accelerators of each, with the best fixed draft length."),
    format=",.0f",
)
RATE = Quantity(
    "replica_rate",
    N_("A replica serves"),
    N_("The largest request rate at which one replica keeps every service level."),
    unit="/s",
    format=",.2f",
)
BINDING = Quantity("binds", N_("What binds"), N_("The level that a larger rate would miss first."))
DAY_COST = Quantity(
    "day_cost",
    N_("Cost of a day"),
    N_("Price of the accelerators that run, each hour as many as it needs."),
    unit="$",
    format=",.0f",
)
MONTH_COST = Quantity("month_cost", N_("Cost of a month"), N_("Cost of a day × 30.4 days."), unit="$", format=",.0f")
ENERGY = Quantity(
    "energy_kwh",
    N_("Energy of a day"),
    N_("At the power that an accelerator is said to draw at most: an upper bound."),
    unit="kWh",
    format=",.0f",
)


def answer(chosen: Chosen, translate: Translator, own: OwnPasses = NO_PASSES) -> Answer:
    """The parts of the page; `own` are measured passes that the visitor brought."""
    _, traffic = translate, chosen.group(Traffic)
    source = pass_source(chosen, _, own)
    at_load, prefill = loaded(chosen, traffic, source)
    parts: dict[str, Part | None] = dict(pass_parts(source))  # type: ignore[arg-type]
    asked = (
        *asked_of_machine(chosen, source, _),
        *asked_of_sliders(chosen, pages()["capacity"].panel(chosen.options), _),
    )
    if at_load.verdict.kind == "does_not_fit":
        reasons = _.sentences(*(_.message(reason) for reason in at_load.verdict.reasons))
        parts["verdict"] = Said("does_not_fit", _("No: it does not fit into memory."), reasons)
        return Answer(parts, asked=asked)
    try:
        day = shares(chosen.option("day"), chosen.option("daycurve"))
    except SpecmodelError as error:
        parts["day_error"] = Notice("error", escaped(_.message(error.message)))
        day = shares("flat", "")
    found = plan(at_load, traffic, day, source.hardware)
    parts |= _parts(found, traffic, at_load, prefill, str(chosen.option("engine")), _)
    return Answer(parts, _limits(_), asked=asked, main="over_day")


def loaded(chosen: Chosen, traffic: Traffic, source: PassSource) -> tuple[LoadAnswer, float]:
    """The engine at this traffic, and the time in ms to read one prompt, which is a pass over its tokens."""
    prefill = float(source.pass_ms(traffic.prompt_tokens, 1, traffic.prompt_tokens / 2))
    load = chosen.group(Load).replace(
        context_tokens=traffic.prompt_tokens + traffic.answer_tokens // 2,
        prefill_ms=min(prefill, 1e6),
        request_rate=traffic.peak_rate,
    )
    scenario = chosen.scenario.replace(output_tokens=traffic.answer_tokens)
    here = replace(chosen, scenario=scenario, groups={**chosen.groups, Load: load})
    return load_answer(source, here, scenario, drafted(here)), prefill


def _parts(
    found: Plan, traffic: Traffic, at_load: LoadAnswer, prefill: float, engine: str, translate: Translator
) -> Mapping[str, Part | None]:
    _ = translate
    text = _(
        "Reading a prompt takes {prefill:,.0f} ms, one pass over its tokens; meanwhile nothing is decoded. Percentiles "
        "are approximate: beside an engine played event by event times per token are 0.97 to 1.13 of it, times to "
        "first token 1.07 to 1.48, so they err towards more accelerators."
    )
    chart_day = Chart(
        day_figure(found, {key: _(name) for key, name in NAMES.items()}, _),
        _("Accelerators over the day"),
        _("Accelerators that each hour needs, without speculation, with the best fixed draft length, with a schedule."),
        300,
    )
    return {
        "verdict": said_of_plan(found, traffic, _),
        "numbers": Cards(_cards(found, _)),
        "note": Note(text.format(prefill=prefill)),
        "over_day": chart_day,
        "tokens": Chart(
            level_figure(at_load, found, traffic, _),
            _("Time per output token against the rate of a replica"),
            _("Time per output token at the percentile against the request rate of one replica, with its level."),
            300,
        ),
        "ways": _ways(found, _),
        **watch_parts(watched(at_load, traffic, found, engine), _),
        "watch_assumed": Note(
            _("Computed from assumed costs: put levels of a measured engine in their place (Your engine).")
        ),
    }


def watched(at_load: LoadAnswer, traffic: Traffic, found: Plan, engine: str) -> Levels:
    """What to watch of such replicas: the break-even at their largest rate, the level per token, where drafts lose."""
    k = found.way(FIXED).num_speculative_tokens or 1
    batch = max(served(at_load.engine_with(k), found.way(FIXED).most.rate).batch, 1.0)
    here = (k, batch, at_load.load.context_tokens)
    even = float(at_load.serving.round_ms(*here) / at_load.serving.plain_ms(*here[1:]))
    off = [first for first, _last in switch_off(at_load.table, k)]
    return Levels(
        engine if engine in ENGINES else VLLM.name,
        k,
        break_even=even,
        expected=float(at_load.serving.tau(k)),
        tpot_ms=traffic.tpot_ms or None,
        off_beyond=off[0] - 1 if off and off[0] > 1 else None,
    )


def _cards(found: Plan, translate: Translator) -> tuple[Card, ...]:
    _, off, fixed = translate, found.way(OFF), found.way(FIXED)

    def card(quantity: Quantity, ours: float | None, theirs: float | None) -> Card:
        shown, plain = ("–" if each is None else str(quantity.show(each, _)) for each in (ours, theirs))
        return text_card(quantity, shown, _, _("plain {value}").format(value=plain), known=known("assumed", ours))

    def of(way: Way, value: float) -> float | None:
        return value if way.replicas else None

    at_peak = [None if way.at_peak is None else way.at_peak * found.accelerators for way in (fixed, off)]
    money = [of(way, found.money(way)) for way in (fixed, off)]
    month = [None if each is None else each * DAYS_A_MONTH for each in money]
    energy = [of(way, found.kilowatt_hours(way)) for way in (fixed, off)]
    binds = [_(SHORT[way.most.binds]) for way in (fixed, off)]
    return (
        card(ACCELERATORS, *at_peak),
        card(RATE, of(fixed, fixed.most.rate), of(off, off.most.rate)),
        text_card(BINDING, binds[0], _, _("plain {value}").format(value=binds[1]), known=known("assumed")),
        card(DAY_COST, *money),
        card(MONTH_COST, *month),
        card(ENERGY, *energy),
    )


def _ways(found: Plan, translate: Translator) -> Table:
    _, ways = translate, found.ways
    k = ["" if each.num_speculative_tokens is None else str(each.num_speculative_tokens) for each in ways]
    rate = [each.most.rate for each in ways]
    peak = [None if each.at_peak is None else each.at_peak * found.accelerators for each in ways]
    hours = [each.replica_hours * found.accelerators for each in ways]
    money = [found.money(each) if each.replicas else None for each in ways]
    energy = [found.kilowatt_hours(each) if each.replicas else None for each in ways]
    columns = [
        Column(_("way"), "way", [each.key for each in ways], [_(NAMES[each.key]) for each in ways]),
        Column("k", "num_speculative_tokens", [each.num_speculative_tokens for each in ways], k),
        Column(_("a replica serves (/s)"), "replica_rate", rate, [f"{value:,.2f}" for value in rate]),
        Column(_("binds"), "binds", [each.most.binds for each in ways], [_(BINDS[each.most.binds]) for each in ways]),
        Column(_("accelerators at peak"), "accelerators", peak, _texts(peak, ",d")),
        Column(_("accelerator hours a day"), "accelerator_hours", hours, [f"{value:,d}" for value in hours]),
        Column(_("$ a day"), "usd_per_day", money, _texts(money, ",.0f")),
        Column(_("kWh a day"), "kwh_per_day", energy, _texts(energy, ",.0f")),
    ]
    return table_of(_("By way of running it"), columns, "ways")


def _texts(values: list[int | None] | list[float | None], pattern: str) -> list[str]:
    return ["–" if value is None else format(value, pattern) for value in values]


def _limits(translate: Translator) -> tuple[str, ...]:
    _ = translate
    return (
        _("Prompts are read one by one and stop all decoding; engines that mix both in one pass stall less."),
        _("All requests have the same lengths and acceptance, and arrive independently of each other."),
        _("Replicas share the traffic evenly and start at once; no spare one is counted, and none that fails."),
    )
