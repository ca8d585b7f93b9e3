"""What a class is told to try on the Learn pages: every button works and goes back, and every claim holds."""

import numpy as np
import pytest

from specmodel.dashboard.drift.values import DriftLesson
from specmodel.dashboard.exactness.values import ExactnessLesson
from specmodel.dashboard.live_text.run import LOOKUP, drafter_of
from specmodel.dashboard.live_text.values import TextLesson
from specmodel.dashboard.session.declaration import Experiment
from specmodel.dashboard.session.pages import lessons, pages
from specmodel.drift.adaptation import Adaptation, compare_adaptation
from specmodel.drift.boundary import failure_boundary
from specmodel.drift.policies import choice
from specmodel.drift.published import workload
from specmodel.drift.round_costs import round_costs
from specmodel.drift.run import simulate_drift
from specmodel.drift.workload_inputs import with_spread
from specmodel.model.scenario import Scenario
from specmodel.ngram import (
    KINDS,
    Measured,
    decode,
    language_models,
    measure,
    measure_rounds,
    speculate,
)
from specmodel.sampling.blocks import BlockModels
from specmodel.sampling.breaks import wrong_draft_output
from specmodel.sampling.temperature import acceptance_by_temperature, policy, toy_logits
from specmodel.sampling.verify import acceptance, verify
from tests.dashboard.conftest import Opener, alerts, numbers

LESSONS = lessons()
PLAN = {key: pages()[key].lesson for key in LESSONS}
ALL = [
    (page, part, number, each)
    for page, parts in PLAN.items()
    for part, planned in parts.items()
    for number, each in enumerate(planned.experiments)
]
NAMES = [f"{page}-{part}-{number}" for page, part, number, _ in ALL]


@pytest.mark.parametrize(("page", "part", "number", "experiment"), ALL, ids=NAMES)
def test_an_experiment_sets_what_it_says_and_goes_back(
    opened: Opener, links: list[dict[str, str]], page: str, part: str, number: int, experiment: Experiment
) -> None:
    app = opened(page, guess="0")
    before = links[-1]
    app.button(key=f"try:{page}.{part}.{experiment.label}").click().run()
    assert not app.exception
    assert experiment.look in alerts(app)
    assert links[-1] != before
    app.button(key=f"try:{page}.{part}.back").click().run()
    assert links[-1] == before
    assert experiment.look not in alerts(app)


def test_the_lessons_take_half_an_hour_together() -> None:
    assert LESSONS == ("one_round", "exactness", "live_text", "drift")
    assert sum(part.minutes for parts in PLAN.values() for part in parts.values()) == 30


@pytest.mark.parametrize("page", LESSONS)
def test_every_part_of_a_page_is_planned(opened: Opener, page: str) -> None:
    app = opened(page, guess="0", present="1", part="20")
    assert f"**{len(PLAN[page])} / {len(PLAN[page])}**" in " ".join(text.value for text in app.markdown)


def test_another_experiment_starts_from_what_the_reader_had(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("exactness", guess="0", skill="0.3")
    before = links[-1]
    app.button(key="try:exactness.one.A drafter that is the target").click().run()
    assert numbers(app)["Acceptance"] == "100.0%"
    app.button(key="try:exactness.breaks.Lenience 0.2").click().run()
    assert links[-1] == {**before, "lenience": "0.2"}
    app.button(key="try:exactness.breaks.back").click().run()
    assert links[-1] == before


def test_a_lesson_goes_on_with_the_next_and_back(opened: Opener) -> None:
    app = opened("one_round", guess="0", present="1", part="4")
    app.button(key="part_next").click().run()
    assert app.header[0].value == "Why is the output still the target model's?"
    assert [each.value for each in app.subheader] == ["One draft token"]
    app.button(key="part_back").click().run()
    assert [each.value for each in app.subheader] == ["The words of it"]


# One round


def kept(alpha: float, k: int) -> float:
    return Scenario(alpha=alpha, num_speculative_tokens=k).acceptance.mean_acceptance_length - 1


def test_more_drafts_and_a_better_drafter() -> None:
    assert round(kept(0.6, 5), 2) == 1.38
    assert round(kept(0.6, 10), 2) == 1.49
    assert round(kept(0.9, 5), 2) == 3.69
    every = Scenario(alpha=0.9).acceptance.per_position_acceptance
    counts = [1 - every[0], *-np.diff(every), every[-1]]
    assert counts[-1] > 3 * max(counts[:-1])
    assert round(0.87**5, 3) == 0.498


# Exactness


def pair(skill: float = 0.6, draft_temperature: float = 1.0):
    target, draft = (1.5 * scores for scores in toy_logits(6, skill, ExactnessLesson().seed))
    return target, draft, policy(target), policy(draft, draft_temperature)


def test_worse_and_perfect_drafters() -> None:
    *_, target, draft = pair()
    *_, same, worse = pair(0.0)
    *_, unsure = pair(0.0, 2.0)
    *_, perfect = pair(1.0)
    assert np.array_equal(target, same)
    assert max(acceptance(target, worse), acceptance(target, unsure)) < acceptance(target, draft) - 0.1
    assert acceptance(target, perfect) == pytest.approx(1)


def test_knowing_every_token_makes_three_rules_one() -> None:
    *_, target, draft = pair()
    found = [verify(target, draft, rule, shared=np.ones(6, bool)) for rule in ("rejection", "union", "tli")]
    for each in found[1:]:
        assert each.accepted == pytest.approx(found[0].accepted)
        assert each.recovered == pytest.approx(found[0].recovered)
    assert verify(target, draft, "lenient", lenience=1).accepted == pytest.approx(found[0].accepted)


def test_temperature_of_a_perfect_drafter_and_one_token_left() -> None:
    temperatures = np.linspace(0, 2, 21)
    target, draft, *_ = pair(1.0)
    assert acceptance_by_temperature(target, draft, temperatures) == pytest.approx(1)
    exact = acceptance_by_temperature(target, draft, temperatures, "exact_match")
    assert exact[0] == 1
    assert max(exact[1:]) < 1
    target, draft, *_ = pair()
    for rule in ("rejection", "exact_match"):
        for greedy in (False, True):
            found = acceptance_by_temperature(target, draft, temperatures, rule, greedy, top_k=1)
            assert set(found) in ({0.0}, {1.0})


def test_breaking_and_mending() -> None:
    _, draft_scores, target, draft = pair()
    told = wrong_draft_output(target, draft, policy(draft_scores, 1.0))
    assert told.total_variation < 1e-12
    wrong = wrong_draft_output(target, draft, policy(draft_scores, ExactnessLesson().told_temperature))
    assert wrong.total_variation > 0.1
    exact, usual, lenient = (verify(target, draft, "lenient", lenience=value) for value in (1, 0.5, 0.2))
    assert exact.acceptance < usual.acceptance < lenient.acceptance
    assert lenient.total_variation == pytest.approx(lenient.acceptance - exact.acceptance)


def test_another_pair_of_blocks() -> None:
    target, draft = (policy(1.5 * scores) for scores in toy_logits(6, ExactnessLesson().skill, 7))
    made = BlockModels.alike(target, draft, 4)
    assert made.by_block().mean_accepted > made.by_token().mean_accepted
    for each in (made.by_block(), made.by_token()):
        assert np.abs(each.output - made.target_output()).sum() < 1e-12


# Live text


def text(drafter_key: str = "model", **changes: float):
    lesson, models = TextLesson(**changes), language_models("english")  # type: ignore[arg-type]
    drafter = drafter_of(models, drafter_key, lesson.draft_order)
    opening, most, k = models.corpus.prompts[0], lesson.max_tokens, lesson.num_speculative_tokens
    made = speculate(models.target, drafter, opening, most, k, lesson.temperature, 1)
    plain = decode(models.target, opening, most, lesson.temperature, 1)
    return made, plain, measure_rounds(made.rounds, k, most)


def on_kind(kind: str, drafter_key: str, order: int = 3) -> Measured:
    models = language_models(kind)
    drafter = drafter_of(models, drafter_key, order)
    return measure(
        speculate(models.target, drafter, opening, 80, 4, 1.0, np.random.default_rng((1, number)))
        for number, opening in enumerate(models.corpus.prompts)
    )


def test_a_drafter_that_is_the_target_wastes_nothing() -> None:
    counted = text(draft_order=5)[2]
    assert counted.alpha == 1
    assert counted.num_wasted_draft_tokens == 0


def test_twelve_drafts_waste_far_more() -> None:
    usual, many = text()[2], text(num_speculative_tokens=12)[2]
    assert many.num_wasted_draft_tokens > 2 * usual.num_wasted_draft_tokens
    assert many.target_passes_saved - usual.target_passes_saved < 0.25 * TextLesson().max_tokens


@pytest.mark.parametrize("drafter", ["model", LOOKUP])
def test_at_temperature_0_both_texts_are_the_same(drafter: str) -> None:
    made, plain, _ = text(drafter, temperature=0)
    assert made.tokens == plain.tokens


@pytest.mark.parametrize("kind", KINDS)
def test_copying_and_frequencies_are_kept_less(kind: str) -> None:
    usual, copied, frequent = on_kind(kind, "model"), on_kind(kind, LOOKUP), on_kind(kind, "model", 1)
    assert usual.alpha and copied.alpha and frequent.alpha
    assert copied.alpha < 0.6 * usual.alpha
    assert frequent.alpha < 0.3
    assert frequent.reached[-1] < 0.1 * frequent.reached[0]


# Drift

SLOW = Scenario(num_speculative_tokens=5, target_ms=22, draft_ms=9)
RULES = ("fixed", "goodput", "heuristic", "threshold", "tiers")


def played(key: str, scenario: Scenario, switching_ms: float = 0.0):
    asked = with_spread(workload(key), DriftLesson().spread)
    return simulate_drift(asked, round_costs(scenario, 16, switching_ms), [choice(rule) for rule in RULES], 1)


def test_a_shift_is_sudden_and_the_rule_follows() -> None:
    run = played("shift", Scenario())
    means = [phase.alphas.mean() for phase in workload("shift").phases]
    assert means[1] < min(means[0], means[2]) - 0.2
    lengths = run.run("goodput").request_k
    assert lengths[22:40].mean() < 0.7 * min(lengths[2:20].mean(), lengths[42:].mean())


def test_a_slow_drafter_loses_three_phases_of_the_day() -> None:
    costs = round_costs(SLOW, 16)
    found = failure_boundary(costs, 5, with_spread(workload("day"), DriftLesson().spread))
    assert round(found.rho, 2) == 3.05
    assert found.alpha == pytest.approx(0.716, abs=5e-4)
    assert len(found.losing_phases) == 3


def test_a_fixed_length_pays_no_change() -> None:
    free, costly = played("day", Scenario()), played("day", Scenario(), 20)
    assert costly.speedup("fixed") == free.speedup("fixed")
    for rule in RULES[1:]:
        run = costly.run(rule)
        assert run.total_ms() - free.run(rule).total_ms() == pytest.approx(20 * run.num_switches)


def test_in_role_play_the_fixed_length_loses_and_the_best_rule_does_not() -> None:
    run = played("shift", SLOW)
    assert run.losing_phases("fixed") == ("Role play",)
    assert run.losing_phases("goodput") == ()


def test_training_that_costs_too_much_and_learning_that_is_fast() -> None:
    asked, costs = with_spread(workload("day"), DriftLesson().spread), round_costs(Scenario(), 16)
    usual, costly, fast = (
        compare_adaptation(asked, costs, ["fixed", "goodput"], Adaptation(**changes), 1)
        for changes in ({}, {"training_share": 0.3}, {"learning_rate": 0.02})
    )
    for rule in ("fixed", "goodput"):
        assert costly.gain(rule) < 1 < usual.gain(rule) < fast.gain(rule)
