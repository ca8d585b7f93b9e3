"""What a visitor has chosen is the link, and the link is what was chosen; every declaration has its place."""

import dataclasses
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.params import Param, declarations
from specmodel.dashboard.session.chosen import Chosen, read_link, write_link
from specmodel.dashboard.session.declaration import Option
from specmodel.dashboard.session.pages import all_declared, groups, options, pages
from specmodel.methods import methods
from specmodel.model.scenario import Scenario
from specmodel.serving.load import Load
from specmodel.serving.target_model import TargetModel

DEFAULTS = {key: option.default for key, option in options().items()}


@st.composite
def queries(draw: st.DrawFn) -> dict[str, str]:
    """Links with some options and some numbers of the groups, each inside its domain."""
    query = {}
    for option in draw(st.lists(st.sampled_from([each for each in options().values() if each.values]), max_size=6)):
        values = option.values
        query[option.key] = str(draw(st.sampled_from(values if isinstance(values, range) else sorted(values or ()))))
    return query | {"alpha": str(draw(st.floats(0, 1))), "batch": str(draw(st.integers(1, 64)))}


@given(queries())
def test_a_link_that_was_read_is_written_as_it_was_chosen(query: dict[str, str]) -> None:
    chosen, complaints = read_link(query)
    assert complaints == ()
    again, complaints = read_link(write_link(chosen))
    assert complaints == ()
    if chosen.options["src"] in ("files", "paste"):  # what they hold is not in a link
        again = dataclasses.replace(again, options={**again.options, "src": chosen.options["src"]})
    assert again == chosen


def test_the_defaults_are_an_empty_link() -> None:
    chosen, complaints = read_link({})
    assert (dict(write_link(chosen)), complaints, chosen.scenario) == ({}, (), Scenario())
    assert chosen.options == DEFAULTS


def test_a_group_starts_from_what_the_options_choose() -> None:
    chosen, _ = read_link({"llm": "qwen3_8b"})
    assert chosen.group(TargetModel) != read_link({})[0].group(TargetModel)
    assert dict(write_link(chosen)) == {"llm": "qwen3_8b"}


def test_counters_of_a_file_become_the_source_of_the_link() -> None:
    chosen, _ = read_link({"src": "link", "counts": "x"})
    pasted = dataclasses.replace(chosen, options={**chosen.options, "src": "paste"})
    assert dict(write_link(pasted)) == {"src": "link", "counts": "x"}
    typed = dataclasses.replace(chosen, options={**chosen.options, "src": "hand"})
    assert dict(write_link(typed)) == {"src": "hand"}


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ({"colour": "red"}, "colour"),
        ({"show": "elephants"}, "elephants"),
        ({"round": "-3"}, "-3"),
        ({"alpha": "2"}, "outside"),
        ({"pin": "alpha:7"}, "outside"),
    ],
)
def test_what_cannot_be_used_is_said_and_left_out(query: dict[str, str], complaint: str) -> None:
    chosen, complaints = read_link(query)
    assert len(complaints) == 1 and complaint in str(complaints[0])
    assert chosen == read_link({})[0]


def test_no_key_of_a_link_means_two_things() -> None:
    kinds: tuple[type, ...] = (
        Scenario,
        *(type(each) for each in groups(DEFAULTS)),
        *(method.params for method in methods()),
    )
    numbers = [each.key for kind in dict.fromkeys(kinds) for each in declarations(kind).values() if each.key]
    declared = [option.key for each in all_declared() for option in each.options]
    assert [key for key, times in Counter([*numbers, *declared, "pin"]).items() if times > 1] == []


def test_pages_have_places_and_sliders_that_exist() -> None:
    assert len({page.order for page in pages().values()}) == len(pages())
    chosen: Chosen = read_link({})[0]
    kinds = {Scenario, *chosen.groups}
    for page in pages().values():
        panel = page.panel(DEFAULTS)
        for kind, name in (*panel.main, *panel.more) if panel else ():
            assert kind in kinds and isinstance(declarations(kind)[name], Param)
        for part in page.lesson.values():
            for experiment in part.experiments:
                assert experiment.options.keys() | experiment.needs.keys() <= options().keys()
                assert set(experiment.values) <= kinds


def test_every_default_is_one_of_the_values() -> None:
    for option in options().values():
        assert option.values is None or option.default in option.values


def test_an_option_reads_only_what_it_may_be() -> None:
    number, word = Option("n", 1, range(1, 10)), Option("w", "a", ("a", "b"))
    assert [number.read(text) for text in ("3", "10", "٣", "-1", "x")] == [3, None, None, None, None]
    assert [word.read(text) for text in ("b", "c", "")] == ["b", None, None]
    assert isinstance(read_link({"batch": "8"})[0].group(Load).batch_size, int)
