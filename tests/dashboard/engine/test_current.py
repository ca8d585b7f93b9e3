"""The run that the engine page shows, for other pages: whatever its source, with what was typed beside it."""

import pytest
from streamlit.testing.v1 import AppTest

from specmodel import logs
from specmodel.engine.answer import EngineAnswer
from specmodel.measured.stats_link import pack_stats
from tests.conftest import SAMPLES
from tests.dashboard.conftest import Opener, go_to

LINKED = pack_stats(logs.parse((SAMPLES / "sglang-bench-speculative.jsonl").read_bytes()))


def asking() -> None:
    import streamlit as st

    from specmodel.dashboard.engine.current import current_run
    from specmodel.dashboard.session import state

    state.begin()
    st.session_state["asked"] = current_run()


def asked_without_the_page(**query: str) -> EngineAnswer | None:
    app = AppTest.from_function(asking)
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    run: EngineAnswer | None = app.session_state["asked"]
    return run


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"example": "ngram"},
        {"src": "hand", "rate": "60 %", "drafted": "3"},
        {"src": "hand", "rate": "0.8, 0.6", "reads": "per_position"},
        {"src": "hand", "rate": "60 %"},
        {"src": "hand", "rate": "sixty", "drafted": "3"},
        {"src": "hand", "rate": "9", "drafted": "3"},
        {"src": "link", "counts": LINKED},
        {"src": "link", "counts": LINKED, "base": "engine:vLLM,speculation:0,step:9"},
        {"src": "link", "counts": "junk"},
        {"src": "link"},
        {"src": "files"},
        {"src": "paste", "counts": LINKED},
        {"src": "live"},
    ],
)
def test_a_link_gives_the_run_that_the_engine_page_makes_of_it(opened: Opener, query: dict[str, str]) -> None:
    asked = asked_without_the_page(**query)
    _made_of, made = opened("engine", **query).session_state["engine_run"]
    assert (asked.run if asked else None) == made


def test_what_is_typed_beside_a_run_comes_with_it() -> None:
    typed = asked_without_the_page(plain="20 ms", took="30,5", drafted="7")
    assert typed is not None and (typed.case.plain_ms_typed, typed.case.round_ms_typed) == (20, 30.5)
    assert typed.case.num_speculative_tokens == 4, "the run tells its draft length: the typed one is another's"
    wrong = asked_without_the_page(plain="soon", took="-3")
    assert wrong is not None and (wrong.case.plain_ms_typed, wrong.case.round_ms_typed) == (None, None)


def test_the_run_of_a_page_that_was_left_for_another_source_is_not_kept(opened: Opener) -> None:
    app = opened("engine", src="paste")
    app.text_area(key="pasted").set_value((SAMPLES / "vllm-log-current.log").read_text()).run()
    assert app.session_state["engine_run"][1] is not None
    app.text_area(key="pasted").set_value("nothing of use").run()
    assert go_to(app, "drift").session_state["engine_run"][1] is None
