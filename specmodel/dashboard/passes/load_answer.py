"""The answer of the pages under load: what the chosen engine, drafting as chosen, gives at a load. No Streamlit."""

from specmodel.dashboard.passes.drafted import Drafted
from specmodel.dashboard.passes.pass_source import PassSource
from specmodel.dashboard.session.chosen import Chosen
from specmodel.model.scenario import Scenario
from specmodel.serving.answer import LoadAnswer, answer_for
from specmodel.serving.load import Load


def load_answer(source: PassSource, chosen: Chosen, scenario: Scenario, what: Drafted) -> LoadAnswer:
    """The answer at the chosen load for what drafts; the scenario says how long an answer is."""
    load, costs = chosen.group(Load), source.banded(chosen, scenario)
    return answer_for(
        what.serving(costs.value),
        load,
        scenario,
        source.room(load, None),
        source.room(load, what.drafter),
        tuple(map(what.serving, costs.ends)),
        by_rate=chosen.option("load_by") == "rate",
        num_speculative_tokens=what.num_speculative_tokens,
    )
