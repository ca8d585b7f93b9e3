"""Where the engine page gets its measurement: an example, files, pasted text, a typed rate, a link, Prometheus."""

from collections.abc import Callable, Sequence

import streamlit as st

from specmodel.base.messages import N_, SpecmodelError
from specmodel.dashboard.engine.current import forget_run, keep_run, offered_sources
from specmodel.dashboard.engine.examples import EXAMPLES, example_run
from specmodel.dashboard.engine.given import files_given, text_given
from specmodel.dashboard.engine.linked import linked_counters
from specmodel.dashboard.engine.live import live_stats
from specmodel.dashboard.engine.speed_boxes import SPEEDS_LABEL, speeds_given
from specmodel.dashboard.engine.typed import typed_k, typed_stats, typed_values
from specmodel.dashboard.engine.typed_speeds import SPEEDS
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import options
from specmodel.engine.run import EngineRun, assemble, linked_baseline
from specmodel.measured.definitions import DEFINITIONS, readings
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import pack_stats

SOURCES = {
    "example": N_("A real example"),
    "files": N_("Files"),
    "paste": N_("Paste text"),
    "hand": N_("Type a rate"),
    "link": N_("Counters of this link"),
    "live": N_("Prometheus"),
}


HOW_LIVE = N_(
    "A live server: set SPECMODEL_PROMETHEUS_URL to your Prometheus where this app runs, and it can be chosen here."
)


def engine_input(page: Page) -> EngineRun | None:
    """Draw the choice of a source and what belongs to it; the run that it gives, or None while there is none."""
    forget_run()
    run = _chosen_run(page)
    keep_run(run)
    return run


def _chosen_run(page: Page) -> EngineRun | None:
    _, offered = page.translate, offered_sources()
    if state.option("src") not in offered:
        state.set_option("src", options()["src"].default)
    st.segmented_control(
        _("Where the numbers come from"),
        offered,
        format_func=lambda key: _(SOURCES[key]),
        key="src",
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )
    if "live" not in offered:
        st.caption(_(HOW_LIVE))
    if state.option("src") == "example":
        run = _example(page)
        _forget_typed(("example", str(state.option("example"))))
        return run
    files = _READ[state.option("src")](page)
    _forget_typed(_signature(files))
    if not files:
        return None
    try:
        run = assemble(files)
    except SpecmodelError as error:
        st.warning(escaped(_.message(error.message)))
        return None
    if state.option("src") in ("files", "paste"):
        state.set_option("counts", pack_stats(run.stats))
        state.set_option("base", linked_baseline(run))
    return run


def _signature(files: Sequence[SpecStats]) -> tuple[str, ...]:
    """What the visitor has given: times typed beside one measurement do not belong to another."""
    source = str(state.option("src"))
    if source == "hand":
        return (source,)
    return (source, str(state.option("model"))) if source == "live" else (source, *map(pack_stats, files))


def _forget_typed(signature: tuple[str, ...]) -> None:
    """Clear what was typed and chosen for one measurement when another takes its place."""
    before = st.session_state.get("engine_signature")
    st.session_state["engine_signature"] = signature
    if before is not None and before != signature and len(signature) > 1:
        for key in (
            "plain",
            "took",
            "loadedoff",
            "mix",
            "engine",
            "method",
            *(() if signature[0] == "hand" else ("drafted",)),
        ):
            state.set_option(key, "")


def _example(page: Page) -> EngineRun:
    _ = page.translate
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = st.selectbox(
            _("Example"),
            [example.key for example in EXAMPLES],
            format_func=lambda key: _(next(each.name for each in EXAMPLES if each.key == key)),
            key="example",
            persist_state="session",
            label_visibility="collapsed",
            width=420,
        )
        example = next(each for each in EXAMPLES if each.key == chosen)
        st.caption(_.sentences(_(example.description), _(MEASURED_HERE)), width="stretch")
    return example_run(chosen)


MEASURED_HERE = N_("Measured by the project on 2026-11-29 on one CPU thread, with a run without speculation beside it.")


def _hand(page: Page) -> Sequence[SpecStats]:
    """One printed number (or one for each position), said to be of one definition."""
    _ = page.translate
    with st.container(horizontal=True, vertical_alignment="bottom"):
        definition = st.selectbox(
            _("Your engine's number is its"),
            [*DEFINITIONS, SPEEDS],
            format_func=lambda key: _(DEFINITIONS[key].label if key in DEFINITIONS else SPEEDS_LABEL),
            key="reads",
            persist_state="session",
        )
        if definition == SPEEDS:
            return speeds_given(page)
        declared = DEFINITIONS[definition]
        label = _("Values by position") if declared.list_of_values else _("Value")
        text = st.text_input(label, key="rate", persist_state="session", width=220)
        typed = "" if declared.list_of_values else st.text_input(
            _("Draft tokens per round k"), key="drafted", persist_state="session", width=180, placeholder=_("needed")
        )  # fmt: skip
    st.caption(f"{_(declared.meaning)} {_('Used by: {engines}').format(engines=declared.used_by)}")
    try:
        values = typed_values(text)
    except ValueError:
        st.error(_("“{text}” is no number, and no numbers with commas between them.").format(text=escaped(text[:60])))
        return ()
    if not values:
        return ()
    if not declared.list_of_values and not typed_k(typed):
        if typed:
            st.error(
                _("“{text}” is no draft length: k is a whole number from 1 to 64.").format(text=escaped(typed[:40]))
            )
        else:
            st.info(_("A single number needs the draft tokens per round to become an acceptance: type k."))
        return ()
    try:
        stats = typed_stats(definition, values, typed_k(typed))
    except SpecmodelError as error:
        st.error(escaped(_.message(error.message)))
        return ()
    if stats and stats.num_speculative_tokens and not declared.list_of_values:
        _other_readings(page, definition, values[0], stats.num_speculative_tokens)
    return (stats,) if stats else ()


def _other_readings(page: Page, chosen: str, value: float, k: int) -> None:
    """What the same number would mean under the other definitions that it fits: how much depends on the choice."""
    _ = page.translate
    found = [
        _("{label}: {tokens:.2f} tokens a round").format(
            label=_(DEFINITIONS[key].label), tokens=each.acceptance.mean_acceptance_length
        )
        for key, each in readings(value, k).items()
        if key != chosen
    ]
    if found:
        st.caption(_("Under another definition the same number would mean: {list}.").format(list=_.listed(found)))


LINK_HELP = N_(
    "These counters came with the link. The file, its kinds of prompts and its times of whole requests did not."
)


def _link(page: Page) -> Sequence[SpecStats]:
    """The counters of a link: those of the run, and if they can be used those of its baseline."""
    counters, wrong = linked_counters(state.chosen())
    for message in wrong:
        st.error(escaped(page.translate.message(message)))
    if counters:
        st.caption(page.translate(LINK_HELP))
    return counters


_READ: dict[str, Callable[[Page], Sequence[SpecStats]]] = {
    "files": files_given,
    "paste": text_given,
    "hand": _hand,
    "link": _link,
    "live": live_stats,
}
