"""Loads to start from: they are what they say, and no key is used twice."""

import pytest

from specmodel.dashboard.session.pages import options
from specmodel.model.presets import PRESETS
from specmodel.model.scenario import Scenario
from specmodel.serving.by_batch import by_batch
from specmodel.serving.load import Drafter, Load
from specmodel.serving.presets import LOAD_PRESETS, LoadPreset
from specmodel.serving.roofline import RooflinePass
from specmodel.serving.schedule import switch_off
from specmodel.serving.served_model import Serving


def preset(key: str) -> LoadPreset:
    return next(each for each in LOAD_PRESETS if each.key == key)


def test_keys_are_used_once():
    keys = [each.key for each in (*PRESETS, *LOAD_PRESETS)]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("each", LOAD_PRESETS, ids=lambda each: each.key)
def test_a_preset_names_choices_that_exist(each):
    for key, value in each.options.items():
        assert value in (options()[key].values or ())
    kinds = [type(group).__name__ for group in each.groups]
    assert kinds == ["Load", "Drafter", "Accelerator", "TargetModel", "AffinePass"]
    assert each.of(Scenario(alpha=0.1, target_ms=7)).target_ms == 7


def test_the_gutter_lies_where_its_text_says():
    gutter = preset("gutter")
    load, drafter, machine, model, _ = gutter.groups
    assert isinstance(load, Load) and isinstance(drafter, Drafter)
    serving = Serving(RooflinePass(model, machine), gutter.of(Scenario()).alpha, drafter.cost("sequential"))
    assert switch_off(by_batch(serving, range(1, 65), load.context_tokens, 64)) == ((4, 13),)


def test_the_published_fit_keeps_its_drafters_time_whatever_the_length():
    drafter = preset("published_fit").groups[1]
    assert drafter.cost("parallel").draft_ms([1, 3, 10], 7.0).tolist() == [2.135, 2.135, 2.135]
