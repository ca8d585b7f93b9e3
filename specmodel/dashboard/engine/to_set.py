"""The answer to paste: configuration for the reader's engine, the measured curve for a rehearsal, and the way on."""

from collections.abc import Sequence

import streamlit as st

from specmodel.base.messages import SpecmodelError
from specmodel.dashboard.parts.old_page import Page, escaped
from specmodel.dashboard.passes.own_passes import bring_engine
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import script
from specmodel.dashboard.session.translation import with_code
from specmodel.engine.as_scenario import engine_scenario
from specmodel.engine.case import EngineCase
from specmodel.engine.config import MAX_K, Request, Snippet, methods, snippet, synthetic_snippet
from specmodel.engine.config_text import ENGINES, PLACEHOLDERS, VLLM
from specmodel.engine.lengths import LengthChoice, Setting, best_by_batch, best_choice
from specmodel.measured.acceptance import MeasuredAcceptance
from specmodel.model.scenario import Scenario
from specmodel.serving.load import MAX_BATCH, Drafter, Load
from specmodel.serving.pass_tables import points_of


def answer(
    page: Page,
    case: EngineCase,
    known: MeasuredAcceptance | None,
    choices: Sequence[LengthChoice],
    found: Sequence[Setting],
) -> None:
    """What to paste into an engine's configuration, by engine and way of drafting."""
    _ = page.translate
    k = _length(case, choices, found)
    if k is None:
        return
    st.subheader(_("What to set"), anchor=False)
    engine, method = _choose(page, case)
    schedule = _schedule(found)
    longest = max((drafts for _, drafts in schedule), default=k)
    acceptance = known.acceptance if known else None
    try:
        _paste(page, snippet(Request(engine, method, min(longest, MAX_K), schedule, acceptance)))
    except SpecmodelError as error:
        st.warning(escaped(_.message(error.message)))
        _paste(page, snippet(Request(engine, method, min(k, MAX_K), (), acceptance)))
    if schedule:
        page.note(_("Batch sizes between two measured ones get the setting of the larger one: nobody measured them."))
    if engine == VLLM and acceptance is not None and acceptance.num_speculative_tokens <= MAX_K:
        with st.expander(_("Rehearse it: the time of a step with this acceptance, before there is a good drafter")):
            _paste(page, synthetic_snippet(acceptance, method if method != "ngram" else "eagle3"))


def _length(case: EngineCase, choices: Sequence[LengthChoice], found: Sequence[Setting]) -> int | None:
    """The draft length to configure: of the best measured setting, the best predicted, or as it ran; 0 is off."""
    by_batch = best_by_batch(found)
    if by_batch:
        return next(iter(by_batch.values())).num_speculative_tokens
    best = best_choice(choices)
    if case.stats.num_draft_tokens == 0 or (choices and choices[0].ties):
        return 0  # nothing is drafted, or off cannot be told from the best: the simplest of equals
    if best is None and case.decode_speedup is not None and case.decode_speedup < 1:
        return 0  # it lost as it ran, and no other length is known
    return best.num_speculative_tokens if best is not None else case.num_speculative_tokens


def _schedule(found: Sequence[Setting]) -> tuple[tuple[int, int], ...]:
    """Tiers (last batch size, k) where the best differs between the batch sizes that the file tells of."""
    by_batch = [(int(batch), each.num_speculative_tokens) for batch, each in best_by_batch(found).items()]
    return tuple(by_batch) if len({k for _, k in by_batch}) > 1 else ()


def _choose(page: Page, case: EngineCase) -> tuple[str, str]:
    """The engine whose configuration is shown and the way of drafting; the file's engine unless another is chosen."""
    _ = page.translate
    if not state.option("engine") or state.option("engine") not in ENGINES:
        state.set_option("engine", case.stats.engine if case.stats.engine in ENGINES else VLLM)
    with st.container(horizontal=True):
        engine = st.selectbox(_("Engine"), ENGINES, key="engine", persist_state="session", width=220)
        offered = {each.key: each for each in methods(engine)}
        if state.option("method") not in offered:
            lookup = case.share_with_draft < 0.5 and "ngram" in offered  # only a lookup finds nothing so often
            state.set_option("method", "ngram" if lookup else next(iter(offered)))
        method = st.selectbox(
            _("Way of drafting"),
            list(offered),
            format_func=lambda key: _(offered[key].label),
            key="method",
            persist_state="session",
            width=420,
        )
    return engine, method


def _paste(page: Page, found: Snippet) -> None:
    _ = page.translate
    st.code(found.text, language=found.language if found.language != "shell" else "bash", wrap_lines=True)
    page.keep(found.text)
    version = _("Option names of {engine} {version}.").format(engine=found.engine, version=found.version)
    fill = _("{name}: {meaning}.")
    filled = [fill.format(name=name, meaning=_(PLACEHOLDERS[name])) for name in found.placeholders]
    page.note(_.sentences(version, *filled))
    if found.notes:
        st.markdown("\n".join(f"- {with_code(_.message(note))}" for note in found.notes))


def _to_serving(case: EngineCase, same: Scenario) -> None:
    """Carry acceptance, drafting cost, batch, and the passes that the file tells of to the Serving load page."""
    state.start_from(same)
    state.change(Drafter, draft_cost_ratio=min(same.draft_ms / same.target_ms, 100.0))
    if case.stats.batch_size and 1 <= case.stats.batch_size <= MAX_BATCH:
        state.change(Load, batch_size=round(case.stats.batch_size))
    bring_engine(points_of(case.stats))
    st.switch_page(script("serving"))


def send(page: Page, case: EngineCase) -> None:
    """The button that sets the sliders of the Explore pages to this engine; the link then carries it."""
    _ = page.translate
    same: Scenario | None = engine_scenario(case, page.scenario)
    if same is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(_("Open this engine in the Explore pages"), key="to_explore", type="primary"):
            state.start_from(same)
            st.switch_page(script("speedup"))
        if st.button(_("…under load"), key="to_serving"):
            _to_serving(case, same)
        if case.rho is None:
            st.caption(_("Acceptance by position and draft length go along; the times stay those of the sliders."))
        elif case.share_with_draft < 0.995:
            st.caption(
                _("Acceptance and times go along; steps without a draft count there as rounds that accept nothing.")
            )
        else:
            st.caption(_("Acceptance by position, draft length and times go along, also in the link."))
