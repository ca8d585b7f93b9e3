"""The ways of drafting: what holds for every one of them, how their rows are chosen, and that a new file is enough."""

import importlib
import math
import pkgutil
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import specmodel
from specmodel import methods as package
from specmodel.base import link
from specmodel.base.messages import SpecmodelError
from specmodel.base.numbers import OutOfDomain
from specmodel.base.params import Declared, UnknownParameter, declarations
from specmodel.methods import (
    EVIDENCE,
    LOSSLESS_LABELS,
    PROMPT_KINDS,
    MethodRow,
    Proposal,
    Task,
    compare,
    find,
    methods,
    published_rows,
)
from specmodel.methods._by_depth import candidates, falling_chances, tree_proposal, two_chances
from specmodel.methods.lookahead import Lookahead
from specmodel.methods.measured import Measured, propose_measured
from specmodel.methods.medusa import Medusa, accuracies
from specmodel.methods.ngram import Ngram, persistent_lookup
from specmodel.methods.suffix import Suffix
from specmodel.model.acceptance import Acceptance
from specmodel.model.costs import DraftCost
from specmodel.model.scenario import Scenario
from specmodel.serving.arrivals import RATE
from specmodel.serving.load import Drafter, Load
from specmodel.serving.passes import AffinePass
from tests import catalogue

ROOT = Path(__file__).parents[2]
EXPECTED = [
    *("draft_model", "ngram", "suffix", "medusa", "eagle", "eagle2", "eagle3"),
    *("mtp", "parallel", "block", "lookahead", "online", "measured"),
]
every_method = pytest.mark.parametrize("method", methods(), ids=lambda method: method.key)
every_row = pytest.mark.parametrize("row", published_rows(), ids=lambda row: f"{row.method}-{row.prompt_kind}")


def flat(tokens, batch, context):
    return 20.0 + 0.0 * np.asarray(batch)


def test_methods_in_their_order():
    assert [method.key for method in methods()] == EXPECTED
    assert len({method.order for method in methods()}) == len(methods())


@every_method
def test_default_proposal(method):
    proposal = method.propose(method.params())
    assert proposal.tau >= 1 and proposal.verified_tokens >= 1
    assert proposal.num_draft_tokens >= proposal.tau - 1
    assert proposal.num_wasted_draft_tokens >= 0
    assert 0 < proposal.speedup(flat, 1, 0) <= proposal.tau


@every_method
def test_defaults_are_those_of_the_first_row(method):
    values = method.params()
    given = {name: getattr(values, name) for name in method.rows[0].values}
    assert given == method.rows[0].values


@every_row
def test_every_row_is_complete(row):
    method = find(row.method)
    assert row.source.strip() and row.setup.strip()
    assert row.kind in EVIDENCE and row.prompt_kind in PROMPT_KINDS
    assert row.lossless in ("", *LOSSLESS_LABELS)
    assert row.temperature is None or row.temperature >= 0
    assert bool(row.notes) == (row.kind != "published"), "what was derived or assumed is said, and only that"
    chosen = method.choose(Task(row.prompt_kind, row.temperature or 0), row=row)
    assert chosen.row is row and 1 < chosen.proposal.tau <= chosen.proposal.num_draft_tokens + 1
    assert chosen.proposal.speedup(flat, 1, 0) > 0.5


def test_only_kinds_with_rows_are_offered():
    assert {row.prompt_kind for row in published_rows()} == set(PROMPT_KINDS)
    assert {row.method for row in published_rows()} == set(EXPECTED)


def all_declared():
    for module in pkgutil.walk_packages(specmodel.__path__, "specmodel."):
        if not module.name.startswith(
            ("specmodel.dashboard", "specmodel.figures", "specmodel.logs.__main__", "specmodel.__main__")
        ):
            importlib.import_module(module.name)
    waiting, found = [Declared], []
    while waiting:
        below = waiting.pop().__subclasses__()
        waiting += below
        found += [each for each in below if each.__module__ in sys.modules and each.__module__.startswith("specmodel.")]
    return {f"{each.__module__}.{each.__qualname__}": each for each in found}


def test_link_keys_are_unique_in_the_whole_app():
    keys = Counter(
        declared.key
        for each in all_declared().values()
        for declared in declarations(each).values()
        if getattr(declared, "key", "")
    )
    assert [key for key, uses in keys.items() if uses > 1] == []


@every_method
def test_link_keys_start_with_the_method(method):
    keys = [each.key for each in declarations(method.params).values()]
    expected = [""] * len(keys) if method.key == "measured" else [f"{method.key}_"] * len(keys)
    assert [key[: len(start)] for key, start in zip(keys, expected, strict=True)] == expected
    assert any(keys) == (method.key != "measured")


def test_the_measured_one_stands_in_no_link():
    changed = Measured(alpha=0.9, acceptance_shape=(0.5,), num_speculative_tokens=2)
    assert link.to_query(changed) == {}
    (scenario, kept), complaints = link.read({"alpha": "0.8", "shape": "0.7"}, (Scenario(), changed))
    assert (scenario.alpha, kept, complaints) == (0.8, changed, ())
    (kept,), complaints = link.read({"": "0.1", "measured_alpha": "0.1"}, (changed,))
    assert kept == changed and len(complaints) == 2


SHARED = {
    (Scenario, "alpha"): "alpha",
    (Scenario, "num_speculative_tokens"): "num_speculative_tokens",
    (Scenario, "acceptance_shape"): "acceptance_shape",
    (Drafter, "draft_cost_ratio"): "draft_cost_ratio",
    (Drafter, "weights_billions"): "weights_billions",
    (Drafter, "cache_bytes_per_token"): "cache_bytes_per_token",
}


@pytest.mark.parametrize(("kind", "name"), SHARED, ids=SHARED.values())
def test_what_methods_share_with_the_sliders_is_declared_once(kind, name):
    first = declarations(kind)[name]
    again = [declarations(method.params)[name] for method in methods() if name in declarations(method.params)]
    once_a_round = {"ngram", "medusa", "parallel", "block", "lookahead"} if name == "draft_cost_ratio" else set()
    same = [each for each in again if each.key.removesuffix("_c") not in once_a_round]
    for each in same:
        assert (each.label, each.help, each.unit, each.symbol) == (first.label, first.help, first.unit, first.symbol)
        assert (each.domain, each.integer) == (first.domain, first.integer)
    assert same
    if name in declarations(MethodRow):
        shown = declarations(MethodRow)[name]
        assert (shown.label, shown.help, shown.unit) == (first.label, first.help, first.unit)


def test_a_rate_is_one_quantity():
    asked = declarations(Load)["request_rate"]
    assert (RATE.label, RATE.help, RATE.unit, RATE.symbol) == (asked.label, asked.help, asked.unit, asked.symbol)
    assert RATE.low <= asked.low and RATE.high >= asked.high


@every_method
def test_texts_are_in_the_catalogue(method):
    shared = [ROOT / "specmodel" / name for name in ("model/scenario.py", "serving/load.py")]
    texts = catalogue.extract([*shared, *sorted((ROOT / "specmodel" / "methods").glob("*.py"))]).texts
    own = [method.label, method.wins, method.loses, method.needs, method.lossless_note]
    named = [text for each in declarations(method.params).values() for text in (each.label, each.help)]
    notes = [note for row in method.rows for note in row.notes]
    assert [text for text in [*own, *named, *notes] if text not in texts] == []
    assert all(text.endswith(".") for text in own[1:])
    assert method.lossless in LOSSLESS_LABELS and method.citation


def test_every_kind_and_note_is_in_the_catalogue():
    texts = catalogue.extract(sorted((ROOT / "specmodel" / "methods").glob("*.py")))
    assert not texts.problems
    assert {*EVIDENCE.values(), *PROMPT_KINDS.values(), *LOSSLESS_LABELS.values()} <= texts.texts.keys()


@every_method
def test_speedup_broadcasts(method):
    proposal = method.propose(method.params())
    batches, contexts = np.array([1, 8, 64]), np.array([[128], [4096]])
    table = proposal.speedup(AffinePass(), batches, contexts, overhead_ms=0.5)
    assert table.shape == (2, 3)
    assert table[1, 2] == pytest.approx(float(proposal.speedup(AffinePass(), 64, 4096, overhead_ms=0.5)))


@every_method
def test_speedup_is_tau_over_rho(method):
    (row,) = compare(
        [method.choose(Task())], AffinePass(), batch_size=32, context_tokens=1024, batch_sizes=[1, 32, 256]
    )
    assert row.speedup == pytest.approx(row.tau / row.rho)
    assert row.curve[:2] == pytest.approx([row.speedup_at_one, row.speedup])
    assert row.wasted_per_token == pytest.approx(
        (row.choice.proposal.num_draft_tokens + 1 - row.tau) / row.tau, abs=1e-9
    )
    assert row.method is method and row.row.method == method.key


def test_compare_keeps_the_order_and_is_fast():
    chosen = [method.choose(Task()) for method in methods()]
    batches = np.geomspace(1, 512, 40)
    compare(chosen, AffinePass(), batch_size=32, context_tokens=1024, batch_sizes=batches)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        rows = compare(chosen, AffinePass(), batch_size=32, context_tokens=1024, batch_sizes=batches)
        times.append(time.perf_counter() - start)
    assert [row.method.key for row in rows] == EXPECTED
    assert all(len(row.curve) == 40 for row in rows)
    assert min(times) < 0.05  # 0.4 ms on an idle machine; this only sees a computation that grew tenfold


def test_a_constant_pass_may_answer_with_a_number():
    chosen = [find("mtp").choose(Task())]
    (row,) = compare(chosen, lambda q, b, s: 20.0, batch_size=4, context_tokens=0, batch_sizes=[1, 2])
    assert row.curve == pytest.approx((row.speedup, row.speedup))


def test_rows_are_chosen_by_kind_then_temperature():
    ngram = find("ngram")
    exact = ngram.published(Task("code", 1))
    assert (exact.prompt_kind, exact.temperature) == ("code", 1) and exact.matches(Task("code", 1))
    unstated = ngram.published(Task("math", 0))
    assert (unstated.prompt_kind, unstated.temperature) == ("math", None)
    assert not unstated.matches(Task("math", 0))
    model = find("draft_model")
    assert model.published(Task("agentic", 1)).temperature == 1
    assert model.published(Task("code", 1)).prompt_kind == "chat"  # the code row was published for 0.8
    assert model.published(Task("code", 0.7)).prompt_kind == "code"
    assert model.published(Task("translation", 0.9)).temperature == 1
    assert model.published(Task("translation", 0.2)).temperature == 0
    assert model.published(Task("agentic", 0.7)) == model.rows[0]


def test_changes_of_the_reader_come_on_top():
    method = find("eagle3")
    values = method.values(Task("writing", 0), {"num_draft_tokens": 60, "depth": 8})
    assert values.first_acceptance == 0.6452 and values.num_draft_tokens == 60
    with pytest.raises(UnknownParameter, match="num_draft_tokens"):
        method.values(Task(), {"num_draft_token": 3})
    with pytest.raises(OutOfDomain, match="depth = 0"):
        method.values(Task(), {"depth": 0})


def test_memory_is_unknown_unless_published_or_typed():
    block = find("block")
    assert block.choose(Task()).weights_billions is None
    assert block.choose(Task(), {"weights_billions": 0.8}).weights_billions == 0.8
    assert find("ngram").choose(Task()).weights_billions == 0
    assert find("eagle3").choose(Task()).cache_bytes_per_token == 4096


def test_typical_acceptance_is_not_lossless():
    medusa = find("medusa")
    lossy = [row for row in medusa.rows if row.lossless == "no"]
    assert [row.values["given_tau"] for row in lossy] == [3.47, 3.51]
    assert medusa.choose(Task(), row=lossy[0]).lossless == "no"
    assert medusa.choose(Task()).lossless == "depends"


def test_a_new_file_is_a_new_method(tmp_path, monkeypatch):
    source = (ROOT / "specmodel" / "methods" / "lookahead.py").read_text(encoding="utf-8")
    renamed = source.replace('key="lookahead"', 'key="neu"').replace("order=110", "order=1")
    (tmp_path / "neu.py").write_text(renamed, encoding="utf-8")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    methods.cache_clear()
    try:
        assert [method.key for method in methods()] == ["neu", *EXPECTED]
        assert find("neu").propose(find("neu").params()).verified_tokens == 80
    finally:
        methods.cache_clear()
        sys.modules.pop("specmodel.methods.neu", None)
        monkeypatch.delattr(package, "neu", raising=False)


def test_refusals_name_what_was_expected():
    with pytest.raises(SpecmodelError, match=r"no way of drafting eagel: expected one of draft_model.*eagle3"):
        find("eagel")
    with pytest.raises(SpecmodelError, match=r"no kind of prompt poetry: expected one of chat"):
        Task("poetry")
    for temperature in (-0.1, math.nan, math.inf):
        with pytest.raises(SpecmodelError, match="of at least 0"):
            Task("chat", temperature)
    with pytest.raises(SpecmodelError, match="keeps at most one more"):
        Proposal(Acceptance.iid(1, 3), 2, 4, DraftCost())
    with pytest.raises(SpecmodelError, match="k = 0 is not a whole number from 1"):
        persistent_lookup(0.1, 0.9, 0.8, 0)


def test_no_drafts_is_plain_decoding():
    """Even the overhead is not paid: nothing is drafted."""
    for key in ("draft_model", "ngram", "mtp", "parallel", "block", "online", "measured"):
        proposal = find(key).choose(Task(), {"num_speculative_tokens": 0}).proposal
        assert (proposal.tau, proposal.verified_tokens) == (1, 1)
        assert proposal.speedup(AffinePass(), [1, 64], 1024, overhead_ms=3).tolist() == [1, 1]


def test_lookup_without_a_match_proposes_nothing():
    proposal = find("ngram").propose(Ngram(found_share=0.4, first_acceptance=0.5, num_speculative_tokens=5))
    assert (proposal.num_draft_tokens, proposal.verified_tokens) == (2, 3)
    assert proposal.acceptance.per_position_acceptance[0] == pytest.approx(0.2)
    assert find("ngram").propose(Ngram(found_share=0)).tau == 1


def test_later_drafts_of_a_lookup_are_likelier_than_the_first():
    for row in find("ngram").rows:
        accepted = find("ngram").choose(Task(), row=row).proposal.acceptance.conditional_acceptance
        assert accepted[1] > accepted[0]


def test_suffix_costs_the_host_more_with_every_sequence():
    proposal = find("suffix").propose(Suffix(num_draft_tokens=10, draft_token_ms=0.02))
    assert proposal.draft_ms(20.0, np.array([1, 64])) == pytest.approx([0.2, 12.8])


def test_suffix_checks_the_drafts_it_proposes():
    proposal = find("suffix").propose(Suffix(num_draft_tokens=4, draft_acceptance_rate=0.5, longest=32))
    assert proposal.verified_tokens == 5
    assert proposal.tau == pytest.approx(3) and proposal.num_wasted_draft_tokens == pytest.approx(2)
    assert proposal.acceptance.num_speculative_tokens == 32


@pytest.mark.parametrize("key", ["parallel", "block"])
def test_one_pass_costs_the_same_for_any_number_of_drafts(key):
    lengths = [find(key).choose(Task(), {"num_speculative_tokens": k, "draft_cost_ratio": 0.2}) for k in (1, 7, 32)]
    assert [float(each.proposal.draft_ms(20.0)) for each in lengths] == [4.0, 4.0, 4.0]
    assert [each.proposal.verified_tokens for each in lengths] == [2, 8, 33]


@pytest.mark.parametrize("key", ["draft_model", "mtp", "online", "measured"])
def test_one_after_another_costs_a_step_for_each(key):
    lengths = [find(key).choose(Task(), {"num_speculative_tokens": k, "draft_cost_ratio": 0.1}) for k in (1, 7)]
    assert [float(each.proposal.draft_ms(20.0)) for each in lengths] == pytest.approx([2.0, 14.0])


def test_one_module_stands_in_memory_once_and_a_chain_for_each():
    """The same drafts in the same time: what differs is the memory, whatever the number of drafts."""
    mtp = find("mtp")
    one, long, chain = (
        mtp.choose(Task("mixed"), changes)
        for changes in ({"num_speculative_tokens": 3}, {"num_speculative_tokens": 8}, {"modules": 3})
    )
    assert (one.weights_billions, one.cache_bytes_per_token) == (11.5, 1152)
    assert (long.weights_billions, long.cache_bytes_per_token) == (11.5, 1152)
    assert (chain.weights_billions, chain.cache_bytes_per_token) == (34.5, 3456)
    same = mtp.choose(Task("mixed"), {"num_speculative_tokens": 3, "modules": 3})
    assert same.proposal == one.proposal
    rows = compare([one, same], AffinePass(), batch_size=8, context_tokens=1024)
    assert [row.weights_billions for row in rows] == [11.5, 34.5]
    unknown = mtp.choose(Task("code", 0), {"modules": 3})
    assert unknown.weights_billions is None and unknown.cache_bytes_per_token is None
    with pytest.raises(OutOfDomain, match=r"modules = 0 .*\(Modules\)"):
        mtp.values(Task(), {"modules": 0})


def test_a_chance_that_falls_from_position_to_position():
    accepted = find("mtp").choose(Task("qa", 0)).proposal.acceptance.conditional_acceptance
    assert accepted == pytest.approx((0.92, 0.7391, 0.5588), abs=0.0005)  # GLM-4.5-Air: 0.68 / 0.92, 0.38 / 0.68


def test_adapting_raises_acceptance_up_to_one():
    chosen = [find("online").choose(Task(), {"alpha": 0.6, "gain": gain}) for gain in (0, 0.2, 0.65)]
    assert [each.proposal.acceptance.per_position_acceptance[0] for each in chosen] == pytest.approx([0.6, 0.8, 1])


def test_lookahead_checks_window_and_chains():
    proposal = find("lookahead").propose(Lookahead(ngram_tokens=5, chains=15, window=15))
    assert (proposal.verified_tokens, proposal.num_draft_tokens) == (120, 60)  # 120 for 7B, LMSYS blog 2023-11-21


def test_trees_verify_their_nodes_with_the_root():
    for key, nodes in (("eagle", 26), ("eagle2", 51), ("eagle3", 61), ("medusa", 64)):
        assert find(key).choose(Task("chat", 0)).proposal.verified_tokens == nodes


def test_as_many_drafts_as_levels_are_a_chain():
    proposal = tree_proposal(0.3, 0.2, 0.9, 3, 3, DraftCost(ratio=0.1))
    assert proposal.acceptance == two_chances(0.3, 0.2, 3)
    assert (proposal.verified_tokens, proposal.draft_steps) == (4, 3)


def test_eagle_pays_its_fixed_time_once():
    chosen = find("eagle").choose(Task("math", 0))
    assert chosen.proposal.draft_ms(7.0, 1) == pytest.approx(2.135)


def test_measured_takes_any_acceptance_and_shape():
    accepted = Acceptance.from_histogram([5, 3, 2])
    one_by_one = propose_measured(accepted, 0.1, 1.0)
    at_once = propose_measured(accepted, 0.1, 1.0, "parallel")
    assert one_by_one.acceptance is accepted
    assert (one_by_one.draft_ms(20.0), at_once.draft_ms(20.0)) == (pytest.approx(5.0), pytest.approx(3.0))
    values = find("measured").values(Task(), {"acceptance_shape": (0.5,), "num_speculative_tokens": 3})
    assert find("measured").propose(values).acceptance == Acceptance.shaped(0.6, 3, (0.5,))


def test_measured_tau_of_medusa_never_exceeds_its_heads():
    assert find("medusa").propose(Medusa(given_tau=3.5, heads=2)).tau == 3
    assert find("medusa").propose(Medusa(given_tau=0.5)).tau == find("medusa").propose(Medusa()).tau


chance = st.floats(0, 1)


@given(chance, chance, chance, st.integers(1, 40), st.integers(1, 8))
def test_any_tree_is_a_valid_round(first, later, next_candidate, drafts, depth):
    proposal = tree_proposal(first, later, next_candidate, drafts, depth, DraftCost(ratio=0.1))
    assert 1 <= proposal.tau <= depth + 1 + 1e-9
    assert proposal.verified_tokens <= drafts + 1
    chain = two_chances(first, later, min(drafts, depth)).mean_acceptance_length
    assert proposal.tau >= chain - 1e-9


@given(chance, chance, chance, st.integers(1, 8))
def test_candidates_are_chances(first, later, next_candidate, depth):
    by_rank = candidates(first, later, next_candidate, depth)
    assert by_rank.shape == (depth, 10) and np.all(by_rank >= 0) and np.all(by_rank.sum(axis=1) <= 1)


@given(chance, chance, st.floats(0, 2), st.integers(0, 64))
def test_factors_from_position_to_position(first, second, factor, k):
    accepted = falling_chances(first, second, factor, k)
    chances = [each for each in accepted.conditional_acceptance if each == each]  # nan after a chance of 0
    assert accepted.num_speculative_tokens == k and all(0 <= each <= 1 for each in chances)
    if factor <= 1:
        assert all(later <= before + 1e-9 for before, later in pairwise(chances[1:]))
    flat_from_two = falling_chances(first, second, 1, k)
    assert flat_from_two == two_chances(first, second, k)
    assert (accepted.mean_acceptance_length - flat_from_two.mean_acceptance_length) * (factor - 1) >= -1e-9


@given(chance, st.integers(1, 5))
def test_accuracies_are_chances(head_accuracy, heads):
    by_rank = accuracies(head_accuracy, heads)
    assert by_rank.shape == (heads, 5) and np.all(by_rank >= 0) and np.all(by_rank.sum(axis=1) <= 1)


@given(chance, chance, chance, st.integers(1, 20))
def test_a_lookup_that_goes_on_is_a_distribution(after_rejection, after_match, later, k):
    accepted = persistent_lookup(after_rejection, after_match, later, k)
    low, high = sorted((after_rejection, after_match))
    assert low - 1e-9 <= accepted.per_position_acceptance[0] <= high + 1e-9


@every_method
@given(data=st.data())
def test_no_value_inside_its_domain_breaks_a_method(method, data):
    changes = {}
    for name, declared in declarations(method.params).items():
        if name != "acceptance_shape":
            low, high = declared.low, min(declared.high, 128)
            drawn = st.integers(int(low), int(high)) if declared.integer else st.floats(low, high)
            changes[name] = data.draw(drawn, label=name)
    try:
        proposal = method.propose(method.params().replace(**changes))
    except SpecmodelError as error:
        pytest.fail(f"{changes} was refused: {error}")
    assert 1 <= proposal.tau <= proposal.num_draft_tokens + 1 + 1e-9
    assert np.isfinite(proposal.speedup(AffinePass(), [1, 64], 1024)).all()
