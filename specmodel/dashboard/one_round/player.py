"""Stepping through a run: forward, back, play, new seed. The round and the seed are options of the link."""

import streamlit as st

from specmodel.dashboard.one_round.answer import PLAYER, answer, moment_of
from specmodel.dashboard.one_round.declared import VERIFIED
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.dashboard.session.run_queue import turn
from specmodel.model.simulate import Trace

SECONDS_A_STEP = 0.7


def _go(number: int, stage: int, k: int) -> None:
    state.set_option("round", number)
    state.set_option("stage", VERIFIED if stage > k else stage)


def _move(forward: int, run: Trace) -> None:
    k = run.scenario.num_speculative_tokens
    position = (state.option("round") - 1) * (k + 2) + moment_of(state.chosen())[1].stage + forward
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
    playing = st.session_state.get("playing")
    run = _play_on()
    page.answer = answer(state.chosen(), page.translate)
    page.forget(*PLAYER)  # a fragment that runs again draws the same parts anew
    page.show("narration")
    _buttons(page, run)
    if playing and not st.session_state.get("playing"):
        st.rerun()  # it has reached the end: the button says Play again
    page.show("numbers", "lanes")


def _play_on() -> Trace:
    """The run; it goes one step further where it plays and this step was shown already."""
    run, moment = moment_of(state.chosen())
    state.set_option("round", moment.number)
    now = (moment, run.scenario, state.option("seed"))
    if st.session_state.get("playing") and st.session_state.get("drawn") == now:
        _move(1, run)
        run, moment = moment_of(state.chosen())
    st.session_state["drawn"] = (moment, run.scenario, state.option("seed"))
    return run


def _buttons(page: Page, run: Trace) -> None:
    _, playing = page.translate, bool(st.session_state.get("playing"))
    with st.container(horizontal=True):
        st.button(_("Start"), key="to_start", on_click=_to_start)
        st.button(_("◀ Back"), key="back", on_click=_move, args=(-1, run))
        st.button(_("Forward ▶"), key="forward", on_click=_move, args=(1, run), type="primary")
        if st.button(_("Pause") if playing else _("Play"), key="play", on_click=_toggle):
            st.rerun()
        st.button(_("Next round"), key="next", on_click=_next_round, args=(run,))
        st.button(_("New seed"), key="new_seed", on_click=_new_seed, help=_("Another run of the same scenario."))
