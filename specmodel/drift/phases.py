"""A workload whose acceptance changes: a sequence of phases, each a number of requests of one kind of text."""

from dataclasses import dataclass

import numpy as np

from specmodel.base.arrays import Floats
from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.base.params import Declared, declarations, like, param
from specmodel.model.scenario import Scenario

MAX_TOKENS = 50_000
"""The most tokens of a workload, so that a run ends."""
NO_PERSISTENCE = 1e-6
"""Below this the spread of the answers is not drawn: it would be under a thousandth."""
_QUANTILES = 64


@dataclass(frozen=True)
class Phase(Declared):
    """A stretch of a workload in which one kind of text is asked for.

    Each request draws its own acceptance from a Beta distribution whose mean is that of the phase at that request and
    whose two parameters add up to 1/persistence − 1. Two drafts of one request then are correlated by `persistence`
    (the correlation within a class of a Beta-binomial distribution); 0 gives every request the acceptance of the
    phase. `kind` is a key of `specmodel.methods.EVIDENCE`: how sure the acceptance is.

    >>> Phase("Chat", alpha=0.8, change=-0.2, requests=3).alphas.round(2).tolist()
    [0.8, 0.7, 0.6]
    """

    label: str
    alpha: float = like(declarations(Scenario)["alpha"], key="")
    requests: int = param(
        "Requests in the phase",
        "How many answers are asked for, one after another, before the workload changes.",
        default=12,
        low=1,
        high=10_000,
        format=",d",
        integer=True,
    )
    output_tokens: int = param(
        "Tokens of an answer",
        "Length of each answer of the phase. A round that would go past the end is paid for in full.",
        default=150,
        low=1,
        high=MAX_TOKENS,
        format=",d",
        unit="tokens",
        integer=True,
    )
    persistence: float = param(
        "Persistence within a request",
        "How much the drafts of one answer have in common: the correlation between two of them. 0: every answer of the "
        "phase has the same acceptance; near 1: an answer is accepted almost whole or not at all.",
        default=0.05,
        low=0,
        high=0.99,
        format=".2f",
    )
    change: float = param(
        "Change over the phase",
        "What the acceptance of the last request has more than that of the first; in between it changes evenly.",
        default=0,
        low=-1,
        high=1,
        format="+.2f",
    )
    acceptance_shape: tuple[float, ...] = like(declarations(Scenario)["acceptance_shape"], key="")
    temperature: float | None = None
    source: str = ""
    kind: str = "assumed"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.label:
            raise SpecmodelError(Message("a phase needs a name: its label is empty"))
        if not -1e-12 <= self.alpha + self.change <= 1 + 1e-12:
            message = "phase {label}: acceptance {alpha} with a change of {change} ends outside 0 to 1"
            values = {"label": self.label, "alpha": self.alpha, "change": self.change}
            raise SpecmodelError(Message(message, values))

    @property
    def alphas(self) -> Floats:
        """Mean acceptance at each request of the phase, shape (requests,)."""
        along = np.arange(self.requests) / max(self.requests - 1, 1)
        return np.clip(self.alpha + self.change * along, 0.0, 1.0)

    @property
    def num_tokens(self) -> int:
        """Tokens of all answers of the phase."""
        return self.requests * self.output_tokens

    def request_alphas(self, quantiles: Floats) -> Floats:
        """The acceptance of a request at a quantile of the phase's Beta distribution.

        `quantiles` has shape (requests, …), and so has the result. Equal quantiles move smoothly when a parameter
        does, and a higher mean never gives a lower acceptance.

        >>> Phase("Chat", alpha=0.5, requests=1).request_alphas(np.array([0.5])).round(3).tolist()
        [0.5]
        """
        mean = np.broadcast_to(self.alphas.reshape(-1, *[1] * (quantiles.ndim - 1)), quantiles.shape)
        if self.persistence < NO_PERSISTENCE:
            return mean.astype(float)
        from scipy.special import betaincinv  # slow to load, and not needed to read logs

        weight = 1 / self.persistence - 1
        inside = np.clip(mean, 1e-9, 1 - 1e-9)
        drawn = betaincinv(inside * weight, (1 - inside) * weight, quantiles)
        drawn = np.where(np.isnan(drawn), quantiles > 1 - mean, drawn)  # so wide that it is 0 or 1 to rounding
        return np.where((mean <= 0) | (mean >= 1), mean, np.clip(drawn, 0.0, 1.0))

    def typical_alphas(self) -> Floats:
        """The acceptances of each request at 64 evenly spaced quantiles, shape (requests, 64): for means."""
        middle = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
        return self.request_alphas(np.broadcast_to(middle, (self.requests, _QUANTILES)))


@dataclass(frozen=True)
class Workload:
    """Phases in their order; `key` names it in a link, `label` and `description` for visitors.

    >>> Workload("own", "Own", (Phase("Chat"), Phase("Code", alpha=0.9, requests=2))).num_requests
    14
    """

    key: str
    label: str
    phases: tuple[Phase, ...]
    description: str = ""

    def __post_init__(self) -> None:
        if not self.phases:
            raise SpecmodelError(Message("workload {label} has no phase: expected at least one", {"label": self.label}))
        labels = [phase.label for phase in self.phases]
        if self.num_tokens > MAX_TOKENS:
            message = "workload {label} has {tokens} tokens: at most {most} can be simulated"
            values = {"label": self.label, "tokens": self.num_tokens, "most": MAX_TOKENS}
            raise SpecmodelError(Message(message, values))
        for label in labels:
            if labels.count(label) > 1 and len({phase for phase in self.phases if phase.label == label}) > 1:
                message = "workload {workload} has two different phases named {label}: give each its own name"
                raise SpecmodelError(Message(message, {"workload": self.label, "label": Verbatim(label)}))

    @property
    def num_requests(self) -> int:
        """Requests of all phases."""
        return sum(phase.requests for phase in self.phases)

    @property
    def num_tokens(self) -> int:
        """Tokens of all answers."""
        return sum(phase.num_tokens for phase in self.phases)
