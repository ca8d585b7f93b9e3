"""Wrong numbers in the wild: each pair as it is computed from its example, and against an independent computation."""

import pytest

from specmodel.dashboard.reference.entries import entries
from specmodel.dashboard.reference.mistakes import mistakes
from specmodel.dashboard.reference.wrong_entries import example, wrong_cards, wrong_entry
from specmodel.dashboard.session.chosen import read_link
from specmodel.model.outcome import evaluate
from specmodel.serving.load import Load


@pytest.mark.parametrize(
    ("key", "wrong", "right", "stated"),
    [
        ("bonus_token", "1.687×", "2.401×", "α = 0.8, k = 4"),
        ("capped", "2.00", "2.71", "α = 0.9, k = 2"),
        ("rate_for_alpha", "0.538", "0.800", "k = 5"),
        ("rounds", "3.265", "3.840", "answers of 20 tokens"),
        ("averaged_ratios", "3.06", "2.19", "α = 0.9 and α = 0.3"),
        ("free_verification", "2.40×", "1.87×", "64 requests at once"),
        ("other_batch", "3.89×", "2.26×", "8 requests at once, the plain run at 64"),
    ],
)
def test_a_pair(key, wrong, right, stated):
    found = mistakes()[key]
    assert (found.show(found.pair.wrong), found.show(found.pair.right)) == (wrong, right)
    assert stated in example(found, str)
    text = entries("en")[wrong_entry(key)].text
    assert wrong in text and right in text and stated in text


def tau(alpha, k):
    return sum(alpha**i for i in range(k + 1))


def test_the_pairs_by_hand():
    found = {key: (each.pair.wrong, each.pair.right) for key, each in mistakes().items()}
    assert found["bonus_token"] == pytest.approx(((tau(0.8, 4) - 1) / 1.4, tau(0.8, 4) / 1.4))
    assert found["capped"] == pytest.approx((2, 1 + 0.9 + 0.81))
    assert found["rate_for_alpha"] == pytest.approx(((tau(0.8, 5) - 1) / 5, 0.8))
    assert found["rounds"] == pytest.approx((20 / tau(0.9, 8), rounds_by_recursion(0.9, 8, 20)))
    assert found["averaged_ratios"] == pytest.approx(
        ((tau(0.9, 5) + tau(0.3, 5)) / 2, 2 / (1 / tau(0.9, 5) + 1 / tau(0.3, 5)))
    )
    plain = {batch: pass_ms(1, batch) for batch in (8, 64)}
    checked = {batch: pass_ms(5, batch) + 0.4 * plain[batch] for batch in plain}
    length = tau(0.8, 4)
    assert found["free_verification"] == pytest.approx((length / 1.4, length * plain[64] / checked[64]))
    assert found["other_batch"] == pytest.approx((length * plain[64] / checked[8], length * plain[8] / checked[8]))


def pass_ms(tokens, batch, context=2048):
    """The published fit of SpecDecode-Bench, with the overhead of each step."""
    return 5.886 + 0.02101 * tokens * batch + 3.926e-5 * batch * context + 1.207


def rounds_by_recursion(alpha, k, tokens):
    """Mean rounds until the tokens are out: M(n) = 1 + Σ P(T = t)·M(n − t)."""
    chances = [alpha**j * (1 - alpha) for j in range(k)] + [alpha**k]
    mean = [0.0] * (tokens + 1)
    for n in range(1, tokens + 1):
        mean[n] = 1 + sum(chance * mean[max(n - j - 1, 0)] for j, chance in enumerate(chances))
    return mean[tokens]


@pytest.mark.parametrize("key", [key for key, each in mistakes().items() if each.page == "speedup"])
def test_the_link_of_an_example_opens_its_scenario(key):
    chosen, complaints = read_link(mistakes()[key].query)
    assert complaints == ()
    outcome, pair = evaluate(chosen.scenario), mistakes()[key].pair
    found = {"rate_for_alpha": chosen.scenario.alpha}.get(key, getattr(outcome, mistakes()[key].number.name, None))
    assert found == pytest.approx(pair.right)


@pytest.mark.parametrize("key", ["free_verification", "other_batch"])
def test_the_link_of_a_served_example_opens_its_load(key):
    chosen, complaints = read_link(mistakes()[key].query)
    assert complaints == ()
    assert chosen.group(Load).batch_size == (64 if key == "free_verification" else 8)
    assert (chosen.scenario.alpha, chosen.scenario.num_speculative_tokens) == (0.8, 4)
    assert chosen.option("cost") == "fit"


def test_the_cards_show_the_right_number_and_name_the_wrong_one():
    card = wrong_cards(str).cards[0]
    assert (card.value, card.below, card.entry) == ("2.401×", "not 1.687×: Speedup", "wrong-bonus-token")
