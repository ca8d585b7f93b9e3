"""A reader's own phases as text of the link: what is written is what is read, and nothing breaks the reader."""

from hypothesis import given
from hypothesis import strategies as st

from specmodel.dashboard.drift.phases import MOST_PHASES, name, own_workload, read_phases, write_phases
from specmodel.dashboard.session.translation import translator
from specmodel.drift.phases import MAX_TOKENS, Phase
from specmodel.drift.published import published_phases

NAMES = st.text(min_size=1).map(name).filter(bool)


@st.composite
def any_phase(draw):
    """A phase of one's own, or one with a published acceptance."""
    length = {"requests": draw(st.integers(1, 40)), "output_tokens": draw(st.integers(1, 100))}
    if draw(st.booleans()):
        return draw(st.sampled_from(published_phases())).phase(draw(st.just("") | NAMES), **length)
    ends = [draw(st.integers(0, 1000)) / 1000 for _ in range(2)]
    change = draw(st.sampled_from([0.0, ends[1] - ends[0]]))
    return Phase(
        draw(NAMES), alpha=ends[0], change=change, kind=draw(st.sampled_from(["assumed", "measured"])), **length
    )


@given(st.lists(any_phase(), max_size=MOST_PHASES))
def test_what_is_written_is_read(phases):
    text = write_phases(phases)
    found, wrong = read_phases(text)
    assert not wrong and write_phases(found) == text
    assert found == tuple(phases)


@given(st.text() | st.text("_@~,.0123456789abmn-%"))
def test_any_text_is_read_to_phases_that_make_a_workload_or_to_none(text):
    found, _wrong = read_phases(text)
    if found:
        made = own_workload(found, translator("en"))
        assert made.num_tokens <= MAX_TOKENS and len(made.phases) <= MOST_PHASES


@given(st.lists(st.tuples(st.sampled_from(["A", "A (2)", "B"]), st.sampled_from([0.2, 0.8])), min_size=1, max_size=12))
def test_equal_phases_keep_one_name_and_different_ones_have_different_names(pairs):
    phases = [Phase(label, alpha=alpha, requests=2) for label, alpha in pairs]
    named = own_workload(phases, translator("en")).phases
    for one, first in zip(phases, named, strict=True):
        for other, second in zip(phases, named, strict=True):
            assert (first.label == second.label) == (one == other)


def test_every_published_row_is_written_by_its_key():
    rows = [row.phase() for row in published_phases()]
    for at in range(0, len(rows), MOST_PHASES):
        some = rows[at : at + MOST_PHASES]
        assert list(read_phases(write_phases(some))[0]) == some and "@" in write_phases(some)
