"""The engine page on a running server: models from the Prometheus that the deployer configured, over a chosen window.

The address is never a visitor's: it comes from Streamlit's secrets or the environment. What is asked of Prometheus is
shared by all visitors for a few seconds, so that a class does not multiply the load.
"""

import os
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import streamlit as st

from specmodel.base.messages import SpecmodelError
from specmodel.dashboard.engine.lately_part import LATELY_S
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.session import state
from specmodel.dashboard.session.run_queue import waiting
from specmodel.engine.run import EngineRun, assemble
from specmodel.logs.prometheus import (
    FleetRow,
    LiveError,
    LiveSeries,
    Server,
    Target,
    configured,
    find,
    read_fleet,
    read_plain,
    read_series,
    read_window,
    targets,
    with_steps,
)
from specmodel.measured.spec_stats import SpecStats

SHARED_S = 5
REFRESH_S = 10
AWAY = ("down", "slow", "http", "not_prometheus", "credentials")
"""Of what is wrong, what may pass by itself."""
_LAST = "live:last"
WINDOWS = (300, 900, 3600, 21_600, 86_400)


def live_available() -> bool:
    """Whether the deployer configured a Prometheus, well or badly."""
    try:
        return _server() is not None
    except LiveError:
        return True


def _server() -> Server | None:
    return configured(_secrets(), os.environ)


def _secrets() -> Mapping[str, Any]:
    try:
        return dict(st.secrets)
    except FileNotFoundError:
        return {}


@lru_cache(maxsize=8)
def _targets(server: Server, _moment: int) -> tuple[Target, ...]:
    return targets(server, time.time())


@lru_cache(maxsize=32)
def _window(server: Server, target: Target, window_s: int, _moment: int) -> SpecStats:
    now = time.time()
    return with_steps(server, target, read_window(server, target, window_s, now), now)


@lru_cache(maxsize=32)
def _plain(server: Server, target: Target, window_s: int, _moment: int) -> SpecStats:
    now = time.time()
    return with_steps(server, target, read_plain(server, target, window_s, now), now)


@lru_cache(maxsize=32)
def _series(server: Server, target: Target, window_s: int, _moment: int) -> LiveSeries:
    return read_series(server, target, window_s, time.time())


@lru_cache(maxsize=4)
def _fleet(server: Server, window_s: int, moment: int) -> tuple[FleetRow, ...]:
    return read_fleet(server, _targets(server, moment), window_s, time.time())


def live_fleet() -> tuple[FleetRow, ...]:
    """All models over the chosen window; raises `LiveError`, and is empty where no Prometheus is configured."""
    server = _server()
    with waiting():
        return _fleet(server, int(state.option("window")), _moment()) if server is not None else ()


def _moment() -> int:
    return int(time.time() // SHARED_S)


def live_stats(page: Page) -> Sequence[SpecStats]:
    """Choose a model and a window; its counters over that window, or why there are none."""
    try:
        server = _server()
        if server is None:
            return ()
        with waiting():
            offered = _targets(server, _moment())
            state.set_option("model", _wanted(server, offered).key)
        target = _choose(page, offered)
        _refresh(page)
        with waiting():
            stats = _window(server, target, int(state.option("window")), _moment())
        found = [stats.replace(label=_label(target)), *_baseline(page, target)]
    except LiveError as error:
        _say(page, error)
        return _kept(page, error)
    st.session_state[_LAST] = (time.time(), str(state.option("model")), found)
    return found


def _label(target: Target) -> str:
    return " · ".join(filter(None, (target.model, target.where)))


def _kept(page: Page, error: LiveError) -> Sequence[SpecStats]:
    """The last answer with its age, while the server is away; the page goes on asking for it by itself."""
    _refresh(page)
    when, _model, found = st.session_state.get(_LAST, (0.0, "", ()))
    if error.kind not in AWAY or not found:
        return ()
    text = page.translate("Below is the last answer, {n} min old; the page goes on asking.")
    st.warning(text.format(n=max(round((time.time() - when) / 60), 1)))
    return found  # type: ignore[no-any-return]


def live_lately() -> EngineRun | None:
    """The last minutes of the model that is shown, with its plain instances; None where they cannot be asked."""
    if state.option("src") != "live" or int(state.option("window")) <= LATELY_S:
        return None
    try:
        server = _server()
        if server is None:
            return None
        with waiting():
            target = find(_targets(server, _moment()), str(state.option("model")))
            found = [_window(server, target, LATELY_S, _moment()).replace(label=_label(target))]
            if target.plain is not None and st.session_state.get("live_plain", True):
                found.append(_plain(server, target.plain, LATELY_S, _moment()))
        return assemble(found)
    except SpecmodelError:
        return None  # the window says what is wrong


def _say(page: Page, error: LiveError) -> None:
    (st.info if error.kind in ("idle", "no_data") else st.error)(escaped(page.translate.message(error.message)))


def _baseline(page: Page, target: Target) -> Sequence[SpecStats]:
    """The instances of the same model that do not speculate, where there are any and the visitor wants them."""
    if target.plain is None:
        return ()
    label = page.translate("Compare with the instances of this model that do not speculate: {names}")
    if not st.checkbox(label.format(names=escaped(target.plain.where)), value=True, key="live_plain"):
        return ()
    server = _server()
    try:
        with waiting():
            return [_plain(server, target.plain, int(state.option("window")), _moment())] if server else ()
    except LiveError as error:
        _say(page, error)
        return ()


def _wanted(server: Server, offered: Sequence[Target]) -> Target:
    """The model of the link, where it is still there; else one that is at work."""
    try:
        return find(offered, str(state.option("model")))
    except LiveError:
        return _first_at_work(server, offered)


def _first_at_work(server: Server, offered: Sequence[Target]) -> Target:
    """The first model that drafted in the window, of the first few; else the first."""
    for target in offered[:5]:
        try:
            _window(server, target, int(state.option("window")), _moment())
        except LiveError:
            continue
        return target
    return offered[0]


def _choose(page: Page, offered: Sequence[Target]) -> Target:
    _ = page.translate
    names = {each.key: " · ".join(filter(None, (each.engine, each.model, each.where))) for each in offered}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = st.selectbox(
            _("Model"), list(names), format_func=lambda each: names.get(each, each), key="model",
            persist_state="session", width=420,
        )  # fmt: skip
        st.selectbox(
            _("Window"), [str(each) for each in WINDOWS], format_func=lambda each: _minutes(page, int(each)),
            key="window", persist_state="session", width=160,
        )  # fmt: skip
    return find(offered, key)


def _minutes(page: Page, seconds: int) -> str:
    if seconds < 3600:
        return page.translate("{n} min").format(n=seconds // 60)
    return page.translate("{n} h").format(n=seconds // 3600)


def _refresh(page: Page) -> None:
    """A switch, and a piece of the page that starts it anew again and again while the switch is on."""
    on = st.toggle(page.translate("Refresh every {n} s").format(n=REFRESH_S), value=True, key="live_refresh")
    drawn = time.time()

    @st.fragment(run_every=REFRESH_S if on else None)
    def again() -> None:
        if time.time() - drawn > REFRESH_S / 2:  # not in the run of the whole page that draws it
            st.rerun()

    again()


def live_series(page: Page) -> LiveSeries | None:
    """Curves over the window, where the page is on a live server that answers."""
    if state.option("src") != "live":
        return None
    try:
        server = _server()
        if server is None:
            return None
        with waiting():
            target = find(_targets(server, _moment()), state.option("model"))
            return _series(server, target, int(state.option("window")), _moment())
    except LiveError as error:
        if error.kind not in AWAY:  # else that stands above already
            st.error(escaped(page.translate.message(error.message)))
        return None
