"""The Capacity page: its verdict follows the plan, its levels are said, bad input is named, all of it from a link."""

import pytest

from specmodel.base.messages import SpecmodelError
from specmodel.dashboard.capacity.answer import answer, loaded, watched
from specmodel.dashboard.capacity.day import DAYS, HOURS, OWN, shares
from specmodel.dashboard.parts.answer import Answer, Cards, Code, Notice, Said, Table
from specmodel.dashboard.passes.pass_source import pass_source
from specmodel.dashboard.session.chosen import read_link
from specmodel.dashboard.session.translation import translator
from specmodel.serving.hardware import Accelerator
from specmodel.serving.load import Load
from specmodel.serving.plan import Traffic, plan
from tests.dashboard.conftest import Opener

_ = translator("en")


def found(**query: str) -> Answer:
    chosen, wrong = read_link(query)
    assert not wrong
    return answer(chosen, _)


def said(parts: Answer) -> Said:
    part = parts["verdict"]
    assert isinstance(part, Said)
    return part


def test_the_verdict_names_accelerators_with_and_without_traffic_levels_and_money() -> None:
    verdict = said(found(peak="100", slottft="50"))
    assert verdict.kind in ("pays", "does_not_pay", "too_close")
    for words in ("100.0 requests/s at peak", "1,000 tokens in and 300 out", "95%", "first token 50 ms", "A day costs"):
        assert words in verdict.reason


def test_one_replica_too_slow_is_said_with_what_binds() -> None:
    nothing = said(found(slotpot="0.5"))
    assert nothing.kind == "does_not_fit" and "one request alone misses the time per output token" in nothing.headline
    only = said(found(slotpot="5"))
    assert only.kind == "pays" and only.headline.startswith("Yes, only with speculation")


def test_what_does_not_fit_says_so_and_shows_no_numbers() -> None:
    parts = found(llm="llama33_70b", gpu="l4")
    assert said(parts).kind == "does_not_fit" and "numbers" not in parts and "over_day" not in parts


def test_reading_a_prompt_is_computed_and_never_nothing() -> None:
    chosen, _wrong = read_link({"prompt": "8000", "prefill": "0"})
    traffic = chosen.group(Traffic)
    at_load, prefill = loaded(chosen, traffic, pass_source(chosen, _))
    assert prefill > 50 and at_load.load.prefill_ms == prefill
    assert at_load.load.context_tokens == 8000 + traffic.answer_tokens // 2 != chosen.group(Load).context_tokens


def test_the_table_has_all_three_ways_and_the_cards_the_same_numbers() -> None:
    parts = found(peak="80")
    table, cards = parts["ways"], parts["numbers"]
    assert isinstance(table, Table) and table.data is not None and isinstance(cards, Cards)
    assert list(table.data["way"]) == ["off", "fixed", "schedule"]
    assert cards.cards[0].value == f"{table.data['accelerators'][1]:,d}"


def test_what_to_watch_has_the_break_even_at_the_rate_of_a_replica_and_the_level() -> None:
    chosen, _wrong = read_link({"peak": "80", "slotpot": "40"})
    traffic = chosen.group(Traffic)
    at_load, _prefill = loaded(chosen, traffic, pass_source(chosen, _))
    levels = watched(at_load, traffic, plan(at_load, traffic, shares("flat", ""), Accelerator()), "SGLang")
    assert levels.engine == "SGLang" and levels.tpot_ms == 40 and levels.break_even is not None
    assert 1 < levels.break_even < levels.num_speculative_tokens + 1
    text = found(peak="80", slotpot="40", engine="SGLang")["watch"]
    assert isinstance(text, Code) and "> 0.04" in text.text and "sglang:" in text.text


@pytest.mark.parametrize("shape", [each for each in DAYS if each != OWN])
def test_shapes_are_shares_of_a_peak(shape: str) -> None:
    day = shares(shape, "")
    assert len(day) == HOURS and max(day) == 1 and min(day) >= 0


@pytest.mark.parametrize("text", ["", "1 2 3", "x " * 24, "-1 " * 24, "nan " * 24, "0 " * 24, "1e300 " * 24])
def test_a_day_that_is_none_is_named_and_a_flat_one_stands_instead(text: str) -> None:
    with pytest.raises(SpecmodelError):
        shares(OWN, text)
    parts = found(day="own", daycurve=text)
    assert isinstance(parts["day_error"], Notice) and "over_day" in parts


def test_the_page_opens_and_a_day_of_ones_own_goes_into_the_link(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("capacity", peak="50")
    assert not app.exception and app.header[0].value == "How many accelerators does this traffic need?"
    app.selectbox(key="capacity:day").set_value("own").run()
    assert any("24 numbers" in each.value for each in app.error)
    app.text_input(key="capacity:daycurve").set_value("1 " * 23 + "9").run()
    assert not app.error and links[-1]["daycurve"].startswith("1 1")
