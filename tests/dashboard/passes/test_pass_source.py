"""Which cost of a pass the choices give, what it says of itself, and what of the choices it cannot use."""

import pytest

from specmodel.dashboard.passes.pass_source import NO_PASSES, OwnPasses, PassSource, pass_source, preset_sources
from specmodel.dashboard.session.chosen import read_link
from specmodel.dashboard.session.translation import plain, translator
from specmodel.serving.load import Drafter, Load
from specmodel.serving.pass_tables import pass_tables
from specmodel.serving.passes import AffinePass, Points

POINTS = Points([1, 4, 16], [0, 0, 0], [20, 20, 40])


def source(own: OwnPasses = NO_PASSES, /, **query: str) -> PassSource:
    return pass_source(read_link(query)[0], translator("en"), own)


def warned(given: PassSource) -> str:
    return plain("\n".join(given.warnings))


def test_the_sources_cost_differently_and_say_where_they_are_from() -> None:
    sources = [source(cost=kind) for kind in ("roofline", "fit", "points")]
    assert [each.kind for each in sources] == ["roofline", "fit", "points"]
    assert len({round(float(each.pass_ms(1, 8, 1024)), 2) for each in sources}) == 3
    for each, words in zip(sources, ("roofline", "Llama-3.1-8B on one H100", "vLLM blog of 2026-08-14"), strict=True):
        assert words in each.note and not each.warnings


def test_memory_is_known_where_the_model_is() -> None:
    roofline, points = source(), source(cost="points")
    plain_room, drafted = roofline.room(Load(), None), roofline.room(Load(), Drafter(weights_billions=1))
    assert plain_room and drafted and (plain_room.sequences or 0) > (drafted.sequences or 0)
    assert (
        points.room(Load(), None) is None and points.largest == pass_tables()["deepseek_v4_flash"].points.tokens.max()
    )


def test_a_changed_line_is_no_longer_the_published_one() -> None:
    assert "Published fit" in source(cost="fit").note
    changed = source(cost="fit", fit_base="12.25")
    assert "A line with your numbers." in changed.note and changed.pass_ms == AffinePass(base_ms=12.25)


def test_captured_sizes_pad_a_pass() -> None:
    query = {"cost": "points", "passes": "smollm2_bf16"}
    padded, exact = source(**query, sizes="1, 4, 8, 13"), source(**query)
    assert float(padded.pass_ms(3, 1, 0)) == float(exact.pass_ms(4, 1, 0)) != float(exact.pass_ms(3, 1, 0))


@pytest.mark.parametrize(
    ("sizes", "complaint"),
    [
        ("8, 4", "captured sizes must be numbers of at least 1 that rise; got [8.0, 4.0]"),
        ("0, 1", "captured sizes must be numbers of at least 1 that rise"),
        ("1, two", "'two' is not a number: captured sizes are numbers with commas between them"),
        ("1, nan", "captured sizes must be numbers of at least 1 that rise"),
    ],
)
def test_captured_sizes_that_cannot_be_are_named_and_left_out(sizes: str, complaint: str) -> None:
    given = source(cost="points", sizes=sizes)
    assert complaint in warned(given)
    assert float(given.pass_ms(3, 1, 0)) == float(source(cost="points").pass_ms(3, 1, 0))


def test_own_passes_are_used_where_they_are_chosen() -> None:
    own = OwnPasses(file=POINTS, engine=Points([1, 2], [0, 0], [5, 6]))
    for passes, ms, words in (("upload", 20.0, "your file"), ("engine", 5.0, "your engine's file tells of")):
        given = source(own, cost="points", passes=passes)
        assert float(given.pass_ms(1, 1, 0)) == ms and words in given.note and given.step_ms is None
    assert float(source(own, cost="points").pass_ms(1, 1, 0)) not in (20.0, 5.0)


def test_until_there_is_a_file_the_first_table_stands_for_it() -> None:
    given = source(cost="points", passes="upload")
    assert "until then the page shows the first table" in given.note
    assert float(given.pass_ms(4, 2, 0)) == float(source(cost="points").pass_ms(4, 2, 0))


def test_passes_that_only_another_session_has_are_told() -> None:
    given = source(cost="points", passes="engine")
    assert "The passes of an engine's file do not come with a link" in warned(given)
    assert given.note == source(cost="points").note and given.step_ms is not None


def test_passes_that_are_not_the_leading_engine_s_are_told() -> None:
    own = OwnPasses(engine_leads=True)
    assert "Its file tells of too few passes" in warned(source(own))
    assert not source(OwnPasses(engine=POINTS, engine_leads=True), cost="points", passes="engine").warnings


def test_a_measured_drafter_counts_instead_of_the_slider() -> None:
    chosen, _ = read_link({"cost": "points", "dratio": "100"})
    given = pass_source(chosen, translator("en"))
    assert given.step_ms is not None and "Its drafter was measured too" in given.note
    serving = given.serving(chosen, chosen.scenario)
    assert float(serving.round_ms(5, 8, 1024)) < 3 * float(serving.plain_ms(8, 1024))


def test_changed_numbers_of_a_preset_are_told() -> None:
    text = "\n".join(preset_sources(read_link({"bw": "4321.5"})[0], translator("en")))
    assert text.count("Some of its numbers were changed.") == 1 and "Llama-3.1-8B" in text
    assert "changed" not in "\n".join(preset_sources(read_link({"gpu": "mi300x"})[0], translator("en")))
