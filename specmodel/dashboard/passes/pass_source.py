"""The chosen cost of a pass with what is known of the machine behind it, and the served model that follows from it."""

from dataclasses import dataclass

import numpy as np

from specmodel.dashboard.session import state
from specmodel.model.costs import DraftCost
from specmodel.serving.hardware import Accelerator
from specmodel.serving.load import Drafter, Load
from specmodel.serving.memory import Capacity, capacity
from specmodel.serving.passes import MeasuredPass, PassMs
from specmodel.serving.served_model import Serving
from specmodel.serving.target_model import TargetModel


@dataclass(frozen=True)
class PassSource:
    """The chosen cost of a pass, what it is in a sentence, and what is known of the machine behind it."""

    pass_ms: PassMs
    kind: str
    note: str
    model: TargetModel | None
    hardware: Accelerator
    step_ms: MeasuredPass | None = None
    turn: float | None = None
    largest: float | None = None

    def room(self, load: Load, drafter: Drafter | None) -> Capacity | None:
        """Memory with this drafter, or without one; None where the model is not known."""
        if self.model is None:
            return None
        if drafter is None:
            return capacity(self.model, self.hardware, load.context_tokens)
        return capacity(
            self.model,
            self.hardware,
            load.context_tokens,
            drafter_billions=drafter.weights_billions,
            drafter_cache_bytes=drafter.cache_bytes_per_token,
        )


def serving_of(source: PassSource, alpha: float, shape: tuple[float, ...], overhead_ms: float) -> Serving:
    """The served model with the reader's drafter."""
    drafter, load = state.group(Drafter), state.group(Load)
    cost = drafter.cost(state.option("drafting"))
    if source.step_ms is not None:
        cost = DraftCost("parallel", step_ms=source.step_ms.of_one_token)
    return Serving(source.pass_ms, alpha, cost, shape, overhead_ms, load.standing_cost, source.largest or np.inf)
