"""Ways of drafting at every length, and as chains: their own round is in the list, and a chain keeps the chances."""

import pytest

from specmodel.methods import (
    Task,
    chain,
    compare,
    draft_length,
    find,
    is_tree,
    methods,
    published_rows,
    rounds_by_length,
)
from specmodel.serving.passes import AffinePass
from specmodel.serving.served_model import Serving

TREES = ("medusa", "eagle", "eagle2", "eagle3", "lookahead")
every_row = pytest.mark.parametrize("row", published_rows(), ids=lambda row: f"{row.method}-{row.prompt_kind}")


@every_row
def test_its_own_round_is_in_the_list(row):
    choice = find(row.method).choose(Task(row.prompt_kind, row.temperature or 0), row=row)
    rounds, own = rounds_by_length(choice), draft_length(choice)
    assert rounds.offered[0] and rounds.offered[own] and rounds.by_length[own] == choice.proposal
    [there] = compare([choice], AffinePass(), batch_size=32, context_tokens=512, overhead_ms=0.4)
    serving = Serving(AffinePass(), 0.5, overhead_ms=0.4, rounds=rounds)
    assert float(serving.speedup(own, 32, 512)) == pytest.approx(there.speedup, rel=1e-12)


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.key)
def test_more_drafts_never_emit_less_and_are_all_checked(method):
    rounds = rounds_by_length(method.choose(Task("chat", 0)))
    tau, verified = rounds.tau[rounds.offered], rounds.verified[rounds.offered]
    assert (tau[1:] >= tau[:-1] - 1e-12).all() and (verified[1:] >= verified[:-1]).all() and verified[0] == 1


def test_a_smaller_tree_is_the_best_one_of_its_size():
    eagle3 = find("eagle3")
    rounds = rounds_by_length(eagle3.choose(Task("chat", 0)))
    for size in (1, 5, 8, 20, 64):
        same = eagle3.choose(Task("chat", 0), {"num_draft_tokens": size}).proposal
        assert rounds.by_length[size] == same


def test_a_tree_beyond_the_longest_draft_is_kept_whole():
    choice = find("eagle3").choose(Task("chat", 0), {"num_draft_tokens": 200})
    rounds = rounds_by_length(choice)
    assert rounds.most == draft_length(choice) == 200 and rounds.verified[200] == 201
    assert rounds.offered[:65].all() and not rounds.offered[65:200].any()


def test_where_the_text_decides_or_tokens_were_measured_only_its_own_length_is_known():
    suffix = find("suffix").choose(Task("agentic", 0))
    measured = find("medusa").choose(Task(), {"given_tau": 3.0})
    for choice in (suffix, measured):
        assert rounds_by_length(choice).offered.sum() == 2


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.key)
def test_a_chain_keeps_the_methods_own_chances(method):
    choice = method.choose(Task("chat", 0))
    found, values = chain(choice), choice.values
    k = found.acceptance.num_speculative_tokens
    assert is_tree(choice) == (method.key in TREES)
    assert (found.num_draft_tokens, found.verified_tokens) == (k, k + 1)
    assert found.draft_ms(20.0, 4) == pytest.approx(choice.proposal.draft_ms(20.0, 4)), "drafting costs what it does"
    if not is_tree(choice):
        assert found.acceptance == choice.proposal.acceptance
        return
    assert found.tau < choice.proposal.tau
    if method.key == "lookahead":
        assert found.acceptance.conditional_acceptance == pytest.approx([values.alpha] * k)
    elif method.key == "medusa":
        assert found.acceptance.conditional_acceptance == pytest.approx(values.by_rank[:k, 0].tolist())
    else:
        own = [values.first_acceptance] + [values.later_acceptance] * (k - 1)
        assert found.acceptance.conditional_acceptance == pytest.approx(own)
