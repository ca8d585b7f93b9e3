"""The sliders of the Explore pages, which are those of the scenario."""

from specmodel.base.messages import N_
from specmodel.dashboard.session.declaration import Options, Panel, fields_of
from specmodel.model.presets import PRESETS
from specmodel.model.scenario import Scenario

SCENARIO = Panel(
    "scenario",
    fields_of(
        Scenario, "alpha", "num_speculative_tokens", "target_ms", "draft_ms", "vocabulary_overlap", "output_tokens"
    ),
    fields_of(Scenario, "verify_ms_per_token", "overhead_ms", "prompt_spread"),
    N_("More costs, prompts"),
    PRESETS,
)


def scenario_panel(options: Options) -> Panel:
    """The scenario, whatever is chosen.

    >>> scenario_panel({}).key
    'scenario'
    """
    return SCENARIO
