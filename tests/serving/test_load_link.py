"""Links of the parameters of a served model: load, drafter, accelerator, model, fitted line."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.link import read, to_query
from specmodel.base.params import Param, declarations
from specmodel.dashboard.session.pages import options
from specmodel.model.scenario import Scenario
from specmodel.serving.hardware import Accelerator, accelerators, target_models
from specmodel.serving.load import Drafter, Load
from specmodel.serving.passes import AffinePass
from specmodel.serving.target_model import TargetModel
from tests.domains import anything, lines, models

KINDS = (Load, Drafter, Accelerator, TargetModel, AffinePass)
BASES = tuple(kind() for kind in KINDS)
DECLARED = [(kind, each) for kind in KINDS for each in declarations(kind).values() if isinstance(each, Param)]
by_name = pytest.mark.parametrize(("kind", "declared"), DECLARED, ids=[f"{k.__name__}.{d.name}" for k, d in DECLARED])


def test_every_key_of_a_link_means_one_thing():
    keys = [each.key for kind in (Scenario, *KINDS) for each in declarations(kind).values()]
    keys += [*options(), "pin", "embed", "embed_options"]
    assert all(keys) and sorted(set(keys)) == sorted(keys)
    assert all(key.isascii() and key.replace("_", "").isalnum() for key in keys)


@by_name
def test_a_slider_stays_inside_its_domain(kind, declared):
    low, high, step = declared.slider or (declared.low, declared.high, declared.high - declared.low)
    assert declared.low <= low < high <= declared.high and 0 < step <= high - low
    assert declared.low <= declared.default <= declared.high
    assert list(declared.stops) == sorted(set(declared.stops))
    assert all(low <= stop <= high for stop in declared.stops)
    assert declared.label and declared.help.endswith(".")
    for value in (declared.default, low, high, *declared.stops):
        assert declared.check(declared.text(value)) == value


@given(anything(Load), anything(Drafter), anything(Accelerator), models(), lines())
def test_a_link_brings_back_all_of_them(load, drafter, chip, model, line):
    chosen = (load, drafter, chip, model, line)
    query: dict[str, str] = {}
    for values in chosen:
        query |= to_query(values)
    assert read(query, BASES) == (chosen, ())


@given(models(), st.sampled_from(list(target_models())))
def test_a_link_beside_a_preset_brings_back_what_differs_from_it(model, key):
    preset = target_models()[key].values
    assert to_query(preset, preset) == {}
    assert read(to_query(model, preset), (preset,)) == ((model,), ())


@pytest.mark.parametrize("key", target_models())
def test_model_presets_fit_into_a_link(key):
    values = target_models()[key].values
    assert read(to_query(values), (TargetModel(),)) == ((values,), ())


@pytest.mark.parametrize("key", accelerators())
def test_accelerator_presets_fit_into_a_link(key):
    values = accelerators()[key].values
    assert read(to_query(values), (Accelerator(),)) == ((values,), ())


@by_name
@pytest.mark.parametrize("text", ["", "many", "nan", "inf", "-1", "1e400", "½", "True"])
def test_a_broken_value_is_named_and_the_base_used_instead(kind, declared, text):
    found, [message] = read({declared.key: text}, BASES)
    assert found == BASES
    for part in (declared.name, repr(text), declared.label, f"opened with {declared.default:,g} instead"):
        assert part in str(message)


def test_a_broken_value_falls_back_to_the_preset_and_leaves_the_others():
    preset = accelerators()["b200"].values
    (chip, load), [message] = read({"bw": "0", "gpus": "4", "batch": "64"}, (preset, Load()))
    assert chip == preset.replace(count=4) and load == Load(batch_size=64)
    assert "8,000 instead" in str(message) and "bandwidth_gb_s" in str(message)


def test_values_that_contradict_each_other_leave_their_base_alone():
    query = {"experts": "4", "topk": "9", "bw": "100", "batch": "3"}
    (model, chip, load), [message] = read(query, (TargetModel(), Accelerator(), Load()))
    assert (model, chip, load) == (TargetModel(), Accelerator(bandwidth_gb_s=100), Load(batch_size=3))
    assert "9 active experts of 4" in str(message)


def test_a_line_that_takes_no_time_leaves_its_base_alone():
    query = {"fit_base": "0", "fit_token": "0", "fit_step": "0", "batch": "3"}
    (line, load), [message] = read(query, (AffinePass(), Load()))
    assert (line, load) == (AffinePass(), Load(batch_size=3)) and "a pass takes some time" in str(message)
    found, messages = read(query | {"fit_token": "0.5"}, (AffinePass(), Load()))
    assert found[0] == AffinePass(base_ms=0, per_token_ms=0.5, overhead_ms=0) and messages == ()


@pytest.mark.parametrize("query", [{"active": "7.5"}, {"experts": "8"}, {"experts": "8", "topk": "8"}, {"shared": "1"}])
def test_a_link_may_change_one_number_of_a_model(query):
    (model,), messages = read(query, (TargetModel(),))
    assert model != TargetModel() and messages == ()


def test_what_nobody_knows_is_named_once():
    found, messages = read({"colour": "red", "lang": "ja", "batch": "2"}, BASES, other_keys=["lang"])
    assert found[0] == Load(batch_size=2) and found[1:] == BASES[1:]
    [message] = messages
    assert "colour" in str(message)


KEYS = st.sampled_from([each.key for _, each in DECLARED]) | st.text()
VALUES = st.text() | st.integers().map(str) | st.floats().map(str)


@given(st.dictionaries(KEYS, VALUES))
def test_any_link_opens(query):
    found, messages = read(query, BASES)
    assert tuple(map(type, found)) == KINDS
    for message in messages:
        assert str(message) and message.translated(lambda text: text) == str(message)
    again: dict[str, str] = {}
    for values in found:
        again |= to_query(values)
        assert all(math.isfinite(getattr(values, name)) for name in declarations(type(values)))
    assert read(again, BASES) == (found, ())
