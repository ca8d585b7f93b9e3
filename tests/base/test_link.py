import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.link import PLAIN, pack, read, to_query, unpack
from specmodel.base.params import Factors, declarations
from specmodel.model.presets import PRESETS
from specmodel.model.scenario import Scenario

DECLARED = declarations(Scenario)


def whole_domain(declared):
    if isinstance(declared, Factors):
        return st.lists(st.floats(declared.low, declared.high), max_size=declared.most)
    if declared.integer:
        return st.integers(int(declared.low), int(declared.high))
    return st.floats(declared.low, declared.high) | st.sampled_from([declared.low, declared.default, declared.high])


scenarios = st.builds(Scenario, **{name: whole_domain(declared) for name, declared in DECLARED.items()})
queries = st.dictionaries(st.sampled_from([declared.key for declared in DECLARED.values()]) | st.text(), st.text())


def from_query(query, other_keys=()):
    (scenario,), complaints = read(query, (Scenario(),), other_keys)
    return scenario, complaints


@given(scenarios)
def test_a_link_brings_back_the_same_scenario(scenario):
    assert from_query(to_query(scenario)) == (scenario, ())


@given(scenarios)
def test_packing_brings_back_the_same_scenario(scenario):
    assert unpack(pack(scenario), Scenario()) == (scenario, ())
    assert "&" not in pack(scenario) and "=" not in pack(scenario)


@pytest.mark.parametrize(
    "value", [5e-324, math.nextafter(0.1, 1), 0.1 + 0.2, 1 - sys.float_info.epsilon / 2, 1e-9, 2 / 3]
)
def test_every_digit_of_a_value_survives(value):
    assert from_query(to_query(Scenario(alpha=value)))[0].alpha == value


def test_a_link_holds_only_what_differs_under_its_key():
    assert to_query(Scenario()) == {} and pack(Scenario()) == PLAIN
    assert to_query(Scenario(target_ms=22.0, draft_ms=2.5, output_tokens=100)) == {"draft": "2.5", "tokens": "100"}
    keys = [declared.key for declared in DECLARED.values()]
    assert keys == ["alpha", "k", "target", "draft", "overlap", "tokens", "verify", "overhead", "pspread", "shape"]


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_presets_fit_into_a_link(preset):
    assert from_query(to_query(preset.scenario)) == (preset.scenario, ())


@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)
@pytest.mark.parametrize("text", ["", "many", "nan", "inf", "-inf", "-1", "1e9", "1e400", "0x10", "½", "True", "{0}"])
def test_a_broken_value_is_named_and_its_default_used(declared, text):
    scenario, messages = from_query({declared.key: text, "k": "3"} if declared.key != "k" else {"k": text})
    assert getattr(scenario, declared.name) == declared.default
    assert declared.key == "k" or scenario.num_speculative_tokens == 3
    [message] = map(str, messages)
    shown = "the same at every position" if isinstance(declared, Factors) else f"{declared.default:,.10g}"
    for part in (f"opened with {shown} instead", declared.name, repr(text), f"{declared.high:,.10g}", declared.label):
        assert part in message


def test_several_mistakes_are_all_named():
    scenario, messages = from_query({"alpha": "2", "colour": "red", "k": "x", "draft": "1"})
    assert scenario == Scenario(draft_ms=1)
    assert len(messages) == 3 and "colour" in str(messages[0])


def test_keys_known_elsewhere_are_no_mistake():
    assert from_query({"lang": "ja", "alpha": "0.7"}, other_keys=["lang"]) == (Scenario(alpha=0.7), ())
    assert len(from_query({"lang": "ja"})[1]) == 1


def test_long_names_are_cut():
    [message] = from_query({"x" * 10_000: "1"})[1]
    assert len(str(message)) < 200


@given(queries)
def test_any_query_opens(query):
    scenario, messages = from_query(query)
    known = {declared.key: declared for declared in DECLARED.values()}
    assert len(messages) <= len(query)
    for key in query.keys() - known.keys():
        assert any("does not know" in str(message) for message in messages), key
    for message in messages:
        assert str(message) and message.translated(lambda text: text) == str(message)
    assert from_query(to_query(scenario)) == (scenario, ())


@given(st.text() | st.text("alphkdrft:,.0123456789e-+ ", max_size=40))
def test_any_text_unpacks(text):
    scenario, messages = unpack(text, Scenario())
    assert unpack(pack(scenario), Scenario()) == (scenario, ())
    assert all(str(message) for message in messages)


@pytest.mark.parametrize(
    ("text", "wanted", "complaints"),
    [
        ("", Scenario(), 0),
        (PLAIN, Scenario(), 0),
        (",,", Scenario(), 0),
        ("alpha", Scenario(), 1),
        ("alpha:", Scenario(), 1),
        ("alpha:0.8,k:99", Scenario(alpha=0.8), 1),
        ("alpha:0.8,colour:red", Scenario(alpha=0.8), 1),
        ("alpha:0.8:9", Scenario(), 1),
    ],
)
def test_what_unpacks_to_what(text, wanted, complaints):
    scenario, messages = unpack(text, Scenario())
    assert (scenario, len(messages)) == (wanted, complaints)
