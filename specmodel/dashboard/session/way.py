"""The way of drafting that leads the pages: one of the Methods page, the visitor's measured one, or the sliders.

A link names it and holds what was changed of its published numbers, so that it is the same on every page. No Streamlit.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from specmodel.base import link
from specmodel.base.messages import N_
from specmodel.dashboard.session.chosen import Chosen
from specmodel.methods import Choice, Task, chain, find
from specmodel.model.scenario import Scenario
from specmodel.serving.load import Drafter

MEASURED = "measured"
CONFIGURED_AS = {"eagle2": "eagle", "parallel": "pard", "block": "dflash", "online": "draft_model"}
"""Way of drafting -> the key of it among those of engines, where that is another."""
OF_SLIDERS = replace(
    find(MEASURED),
    label=N_("The drafter of your sliders"),
    wins=N_("Nothing of it was measured: its numbers are those of the sliders on the Explore pages."),
)
"""What stands in the place of the measured one for links that look at it where nothing was measured."""


def task_of(chosen: Chosen) -> Task:
    """The kind of prompt and the temperature that are chosen."""
    return Task(chosen.option("kind"), float(chosen.option("sampling")))


def measured_scenario(chosen: Chosen) -> Scenario | None:
    """What was measured and taken over, as the link keeps it; None before anything was.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> measured_scenario(read_link({"mine": "alpha:0.8"})[0]).alpha, measured_scenario(read_link({})[0])
    (0.8, None)
    """
    text = str(chosen.option("mine"))
    return link.unpack(text, Scenario())[0] if text else None


def acceptance_is_measured(chosen: Chosen) -> bool:
    """Whether the acceptance of the sliders is still the one that was measured."""
    measured = measured_scenario(chosen)
    return measured is not None and _accepted(measured) == _accepted(chosen.scenario)


def _accepted(scenario: Scenario) -> tuple[float, float, tuple[float, ...]]:
    return scenario.alpha, scenario.vocabulary_overlap, scenario.acceptance_shape


def choice_of(key: str, chosen: Chosen) -> Choice:
    """A way of drafting with its published values and the visitor's changes.

    The measured one is what was measured; before anything was, it is named for what it is then, the sliders.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> choice_of("ngram", read_link({"ngram_found": "0.9"})[0]).values.found_share
    0.9
    >>> [choice_of("measured", read_link(query)[0]).method.label for query in ({}, {"mine": "alpha:0.8"})]
    ['The drafter of your sliders', 'Your measured one']
    """
    if key != MEASURED:
        return find(key).choose(task_of(chosen), chosen.method_changes.get(key))
    measured, task = measured_scenario(chosen), task_of(chosen)
    if measured is None:
        return OF_SLIDERS.choose(task, _measured_values(chosen.scenario))
    row = replace(find(key).published(task), kind=MEASURED, setup="your run", source="your run", notes=())
    return replace(find(key).choose(task, _measured_values(measured), row), matches=True)


def _measured_values(scenario: Scenario) -> Mapping[str, Any]:
    return {
        "alpha": scenario.effective_alpha,
        "acceptance_shape": scenario.acceptance_shape,
        "num_speculative_tokens": scenario.num_speculative_tokens,
        "draft_cost_ratio": min(scenario.draft_ms / scenario.target_ms, 100.0),
    }


def way_of(chosen: Chosen) -> Choice | None:
    """The way of drafting that leads the pages under load; None where the sliders do.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> way_of(read_link({"way": "eagle3"})[0]).method.key, way_of(read_link({})[0])
    ('eagle3', None)
    """
    key = str(chosen.option("way"))
    if not key or (key == MEASURED and measured_scenario(chosen) is None):
        return None
    return choice_of(key, chosen)


def as_scenario(choice: Choice, scenario: Scenario) -> Scenario:
    """The scenario with a way of drafting's chain: its own chance by position, draft length and cost of a draft.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> taken = as_scenario(choice_of("eagle3", read_link({"kind": "code"})[0]), Scenario())
    >>> taken.alpha == choice_of("eagle3", read_link({"kind": "code"})[0]).values.first_acceptance
    True
    """
    proposal = chain(choice)
    first, *later = proposal.acceptance.conditional_acceptance or (0.0,)
    shape = tuple(round(chance / first, 6) if first and chance == chance else 0.0 for chance in later)
    step = float(proposal.draft_ms(scenario.target_ms)) / max(proposal.acceptance.num_speculative_tokens, 1)
    return scenario.replace(
        alpha=round(first, 6),
        acceptance_shape=() if all(factor == 1 for factor in shape) else shape,
        num_speculative_tokens=proposal.acceptance.num_speculative_tokens,
        vocabulary_overlap=1,
        draft_ms=round(step, 4),
    )


def holds_chain(choice: Choice, scenario: Scenario) -> bool:
    """Whether the sliders still hold the chain of a way of drafting, whatever the output length and other costs."""
    taken = as_scenario(choice, scenario)
    return _accepted(taken) == _accepted(scenario) and taken.num_speculative_tokens == scenario.num_speculative_tokens


def drafter_values(choice: Choice) -> Mapping[str, Any]:
    """The values of the drafter under load that a way of drafting sets: cost and memory; 0 for unpublished memory."""
    draft = choice.proposal.draft
    return {
        "draft_cost_ratio": round(float(draft.ratio), 6),
        "draft_step_ms": round(draft.ms, 6),
        "weights_billions": choice.weights_billions or 0,
        "cache_bytes_per_token": round(choice.cache_bytes_per_token or 0),
    }


def drafter_of(choice: Choice) -> Drafter:
    """A way of drafting as the drafter that takes memory.

    >>> from specmodel.methods import find
    >>> drafter_of(find("eagle3").choose(Task("chat", 0))).weights_billions
    0.425
    """
    return Drafter().replace(**drafter_values(choice))
