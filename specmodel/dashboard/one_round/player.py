"""Stepping through a run: forward, back, play, new seed. The round and the seed are options of the link."""

from functools import lru_cache

import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.params import Quantity
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.dashboard.session.options import VERIFIED
from specmodel.dashboard.session.run_queue import turn
from specmodel.figures.one_round import Moment, round_figure
from specmodel.model.scenario import Scenario
from specmodel.model.simulate import Trace, trace

SECONDS_A_STEP = 0.7
CARDS = (
    Quantity("round", N_("Round"), N_("The round that is shown, counted from 1."), format="d"),
    Quantity(
        "accepted",
        N_("Accepted now"),
        N_("Drafts of this round kept before the first rejection."),
        symbol="J",
        format="d",
    ),
    Quantity(
        "wasted",
        N_("Wasted now"),
        N_("Drafts of this round thrown away: the rejected one and all after it."),
        format="d",
    ),
    Quantity(
        "tokens", N_("Tokens so far"), N_("Tokens emitted by all finished rounds, bonus tokens included."), format=",d"
    ),
    Quantity(
        "plain", N_("Plain decoding so far"), N_("Tokens that plain decoding emits in the same time."), format=",d"
    ),
    Quantity("time", N_("Time so far"), N_("Since the start of the run."), unit="ms", format=",.1f"),
)


@lru_cache(maxsize=16)
def _trace(scenario: Scenario, seed: int) -> Trace:
    return trace(scenario, seed)


def _stage(k: int) -> int:
    return min(int(state.option("stage")), k + 1)


def _go(number: int, stage: int, k: int) -> None:
    state.set_option("round", number)
    state.set_option("stage", VERIFIED if stage > k else stage)


def _move(forward: int, run: Trace) -> None:
    k = run.scenario.num_speculative_tokens
    position = (state.option("round") - 1) * (k + 2) + _stage(k) + forward
    position = max(0, min(position, run.accepted.size * (k + 2) - 1))
    if position == run.accepted.size * (k + 2) - 1:
        st.session_state["playing"] = False
    _go(position // (k + 2) + 1, position % (k + 2), k)


def _next_round(run: Trace) -> None:
    _go(min(int(state.option("round")) + 1, run.accepted.size), VERIFIED, run.scenario.num_speculative_tokens)


def _new_seed() -> None:
    state.set_option("seed", (int(state.option("seed")) * 48_271 + 11) % 1_000_000)
    _to_start()


def _to_start() -> None:
    _go(1, 0, VERIFIED)


def _toggle() -> None:
    st.session_state["playing"] = not st.session_state.get("playing", False)


def current(page: Page) -> tuple[Trace, Moment]:
    """The run and how far it has been played."""
    run = _trace(page.scenario, int(state.option("seed")))
    state.set_option("round", min(int(state.option("round")), run.accepted.size))
    return run, Moment(int(state.option("round")), _stage(page.scenario.num_speculative_tokens))


def play(page: Page) -> None:
    """The player: buttons, cards and figure. While it plays, only this part of the page runs again; else all of it,
    so that the link shows the step."""
    if st.session_state.get("playing"):
        st.fragment(_in_turn, run_every=SECONDS_A_STEP)(page)
    else:
        _draw(page)


def _in_turn(page: Page) -> None:
    with turn():
        _draw(page)


def _draw(page: Page) -> None:
    _ = page.translate
    run, step = current(page)
    playing = bool(st.session_state.get("playing"))
    if playing and st.session_state.get("drawn") == (step, run.scenario, state.option("seed")):
        _move(1, run)
        run, step = current(page)
    st.session_state["drawn"] = (step, run.scenario, state.option("seed"))
    page.say(narration(page, run, step))
    with st.container(horizontal=True):
        st.button(_("Start"), key="to_start", on_click=_to_start)
        st.button(_("◀ Back"), key="back", on_click=_move, args=(-1, run))
        st.button(_("Forward ▶"), key="forward", on_click=_move, args=(1, run), type="primary")
        if st.button(_("Pause") if playing else _("Play"), key="play", on_click=_toggle):
            st.rerun()
        st.button(_("Next round"), key="next", on_click=_next_round, args=(run,))
        st.button(_("New seed"), key="new_seed", on_click=_new_seed, help=_("Another run of the same scenario."))
    if playing and not st.session_state.get("playing"):
        st.rerun()
    show(page, run, step)


def show(page: Page, run: Trace, step: Moment) -> None:
    """Cards and figure of one step."""
    _ = page.translate
    page.shown.numbers.clear()
    page.shown.figures.clear()
    page.cards([(quantity, value, None) for quantity, value in zip(CARDS, _values(run, step), strict=True)])
    alt = _("Two lanes on one clock: drafts and verification passes with speculation, plain steps without.")
    ghost = _trace(page.pinned, int(state.option("seed"))) if page.pinned else None
    height = 420 if ghost else 330
    page.chart(round_figure(run, step, _, ghost=ghost), "lanes", _("Round by round, on one clock"), alt, height=height)


def _values(run: Trace, step: Moment) -> tuple[int | float | None, ...]:
    done = step.stage > run.scenario.num_speculative_tokens
    now = step.now_ms(run)
    return (
        step.number,
        int(run.accepted[step.number - 1]) if done else None,
        int(run.wasted[step.number - 1]) if done else None,
        int(run.emitted[: step.number if done else step.number - 1].sum()),
        int(now / run.scenario.target_ms + 1e-9),
        now,
    )


def narration(page: Page, run: Trace, step: Moment) -> str:
    """What has just happened, in a sentence."""
    _, k = page.translate, run.scenario.num_speculative_tokens
    kept = int(run.accepted[step.number - 1])
    if k == 0:
        text = _("Round {number}: speculation is off, so it is one plain decoding step and emits one token.")
        return text.format(number=step.number)
    if step.stage <= k:
        text = _("Round {number}: {stage} of {k} drafted. The target has not looked yet.")
        return text.format(number=step.number, stage=step.stage, k=k)
    emitted = _.plural("The round emits {n} token.", "The round emits {n} tokens.", kept + 1).format(n=kept + 1)
    if kept == k:
        text = _("Round {number}: every draft was accepted, and the same pass gives one bonus token.")
        return _.sentences(text.format(number=step.number), emitted)
    text = _(
        "Round {number}: {kept} of {k} accepted. Draft {next} was rejected; the target replaces it with a "
        "recovered token."
    )
    lines = [text.format(number=step.number, kept=kept, k=k, next=kept + 1)]
    if kept + 1 < k:
        lines.append(_("What was drafted after it is thrown away."))
    return _.sentences(*lines, emitted)
