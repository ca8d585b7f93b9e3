import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.sampling.blocks import BlockModels
from specmodel.sampling.verify import acceptance
from tests.conftest import examples

NEAR = 1e-9
BROKEN: Any = 1.5


@st.composite
def models(draw):
    """A target and a drafter over 2 to 4 tokens and blocks of 1 to 4 drafts, zeros and ties among the chances."""
    size = draw(st.integers(2, 4))
    k = draw(st.integers(1, {2: 4, 3: 3, 4: 2}[size]))
    weights = st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any)
    prefixes = [prefix for length in range(k + 1) for prefix in itertools.product(range(size), repeat=length)]
    target, draft = ({prefix: _shares(draw(weights)) for prefix in prefixes} for _ in range(2))
    return target, draft, k


def _shares(weights):
    return np.array(weights) / sum(weights)


def by_the_algorithm(target, draft, k):
    """Kept drafts and emitted text of block verification, by playing every block as Sun et al., algorithm 2, has it."""
    size = len(target[()])
    kept, output = np.zeros(k + 1), np.zeros((size,) * (k + 1))
    for block in itertools.product(range(size), repeat=k):
        chance = math.prod(draft[block[:i]][block[i]] for i in range(k))
        if chance == 0:
            continue
        running, passing = [1.0], [1.0]
        for i in range(1, k + 1):
            ratio = target[block[: i - 1]][block[i - 1]] / draft[block[: i - 1]][block[i - 1]]
            running.append(min(running[-1] * ratio, 1.0))
            if i < k:
                left = np.maximum(running[i] * target[block[:i]] - draft[block[:i]], 0).sum()
                total = left + 1 - running[i]
                passing.append(left / total if total > 0 else 1.0)
        passing.append(running[k])
        for i in range(k + 1):
            ends = chance * passing[i] * math.prod(1 - passing[j] for j in range(i + 1, k + 1))
            if ends == 0:
                continue
            kept[i] += ends
            left = target[block] if i == k else np.maximum(running[i] * target[block[:i]] - draft[block[:i]], 0)
            for token in range(size):
                share = left[token] / left.sum() if left.sum() > 0 else 0
                _continue(output, target, (*block[:i], token), ends * share)
    return kept, output


def _continue(output, target, text, chance):
    if chance and len(text) == output.ndim:
        output[text] += chance
    elif chance:
        for token, more in enumerate(target[text]):
            _continue(output, target, (*text, token), chance * more)


@given(models())
@examples(60)
def test_both_ways_emit_the_targets_text(case):
    made = BlockModels.of(*case)
    own = made.target_output()
    assert own.sum() == pytest.approx(1)
    assert made.by_token().output == pytest.approx(own, abs=NEAR)
    assert made.by_block().output == pytest.approx(own, abs=NEAR)


@given(models())
@examples(60)
def test_the_mean_number_kept_is_the_sum_of_the_running_chances(case):
    made = BlockModels.of(*case)
    block, token = made.by_block(), made.by_token()
    means = [float((drafted * running).sum()) for drafted, running in zip(made.drafted(), made.running(), strict=True)]
    assert block.acceptance.per_position_acceptance == pytest.approx(means[1:], abs=NEAR)
    assert block.mean_accepted == pytest.approx(sum(means[1:]), abs=NEAR)
    for one, whole in zip(
        token.acceptance.per_position_acceptance, block.acceptance.per_position_acceptance, strict=True
    ):
        assert whole >= one - NEAR


@given(models())
@examples(60)
def test_no_way_keeps_more_than_the_texts_have_in_common(case):
    made = BlockModels.of(*case)
    own, shared = [np.ones(())], 0.0
    for target in made.target[:-1]:
        own.append(own[-1][..., None] * target)
    shared = sum(
        float(np.minimum(mine, drafted).sum()) for mine, drafted in zip(own[1:], made.drafted()[1:], strict=True)
    )
    assert made.by_block().mean_accepted <= shared + NEAR


@given(models())
@examples(30)
def test_it_is_what_the_algorithm_does_on_every_block(case):
    made = BlockModels.of(*case)
    kept, output = by_the_algorithm(*case)
    assert made.by_block().acceptance.pmf == pytest.approx(kept, abs=NEAR)
    assert made.by_block().output == pytest.approx(output, abs=NEAR)


@given(models())
@examples(40)
def test_the_rows_of_the_table_add_up(case):
    made = BlockModels.of(*case)
    rows = made.blocks()
    assert sum(row.chance for row in rows) == pytest.approx(1)
    assert sum(row.chance * row.kept_by_token for row in rows) == pytest.approx(made.by_token().mean_accepted, abs=NEAR)
    assert sum(row.chance * row.kept_by_block for row in rows) == pytest.approx(made.by_block().mean_accepted, abs=NEAR)
    for row in rows:
        assert row.stops_by_token.sum() == pytest.approx(1) and row.stops_by_block.sum() == pytest.approx(1)


def test_the_papers_example():
    # Sun et al. 2024, section 3: 10/9 drafts kept token by token, 11/9 by blocks, 12/9 with full information
    made = BlockModels.alike([1 / 3, 2 / 3], [2 / 3, 1 / 3], 2)
    assert made.by_token().mean_accepted == pytest.approx(10 / 9)
    assert made.by_block().mean_accepted == pytest.approx(11 / 9)
    rows = {row.tokens: row for row in made.blocks()}
    assert rows[0, 1].kept_by_token == pytest.approx(1)  # the first is kept half the time, the second then always
    assert rows[0, 1].kept_by_block == pytest.approx(2)  # the second makes up for the first


def test_token_by_token_has_one_alpha_when_nothing_depends_on_what_came_before():
    target, draft = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    made = BlockModels.alike(target, draft, 3)
    alpha = acceptance(target, draft)
    assert made.by_token().acceptance.per_position_acceptance == pytest.approx((alpha, alpha**2, alpha**3))
    assert made.by_block().mean_accepted > made.by_token().mean_accepted + 0.01


def test_the_last_draft_alone_is_the_same_both_ways():
    made = BlockModels.alike([0.5, 0.3, 0.15, 0.05], [0.2, 0.2, 0.2, 0.4], 1)
    assert made.by_block().mean_accepted == pytest.approx(made.by_token().mean_accepted)
    assert made.by_block().output == pytest.approx(made.by_token().output)


def test_no_drafts_and_equal_models():
    nothing = BlockModels.alike([0.25, 0.75], [0.5, 0.5], 0)
    for verified in (nothing.by_token(), nothing.by_block()):
        assert verified.mean_accepted == 0 and verified.output.tolist() == [0.25, 0.75]
    assert [row.tokens for row in nothing.blocks()] == [()]
    same = BlockModels.alike([0.5, 0.3, 0.2], [0.5, 0.3, 0.2], 3)
    assert same.by_token().mean_accepted == pytest.approx(3) == same.by_block().mean_accepted
    nowhere = BlockModels.alike([1, 0], [0, 1], 3)
    assert nowhere.by_token().mean_accepted == nowhere.by_block().mean_accepted == 0


def test_models_that_ignore_the_past_are_looked_up_or_made_alike():
    target, draft = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    looked_up, alike = BlockModels.of(lambda _: target, lambda _: draft, 3), BlockModels.alike(target, draft, 3)
    for one, other in zip(looked_up.target + looked_up.draft, alike.target + alike.draft, strict=True):
        assert np.array_equal(one, other)
    assert looked_up.by_block().output == pytest.approx(alike.by_block().output)
    assert looked_up.blocks()[5].kept_by_block == pytest.approx(alike.blocks()[5].kept_by_block)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: BlockModels.of({(): [1, 0]}, {(): [1, 0]}, 1), "target has no distribution after the tokens (0,)"),
        (lambda: BlockModels.of(lambda p: [0.5, 0.5], lambda p: [1.0], 1), "draft has 1 tokens after (), expected 2"),
        (lambda: BlockModels.of(lambda p: [0.5, 0.4], lambda p: [1.0], 1), "target[()] must add up to 1"),
        (lambda: BlockModels.of(lambda p: [0.1] * 10, lambda p: [0.1] * 10, 5), "blocks of 5 drafts over 10 tokens"),
        (
            lambda: BlockModels.of(lambda p: [0.5, 0.5], lambda p: [0.5, 0.5], -1),
            "num_speculative_tokens = -1 is not a whole",
        ),
        (lambda: BlockModels.of(lambda p: [1], lambda p: [1], 64), "num_speculative_tokens = 64 is not a whole number"),
        (
            lambda: BlockModels.alike([1], [1], BROKEN),
            "num_speculative_tokens = 1.5 is not a whole number from 0 to 63",
        ),
    ],
)
def test_what_cannot_be_is_refused(ask, says):
    with pytest.raises(SpecmodelError) as refused:
        ask()
    assert says in str(refused.value)


def test_the_longest_block_has_as_many_axes_as_an_array_can():
    made = BlockModels.of(lambda p: [1], lambda p: [1], 63)
    assert made.by_token().mean_accepted == made.by_block().mean_accepted == 63
    assert [row.kept_by_block for row in made.blocks()] == [63]
