"""A model of speculative decoding: when it pays, how many tokens to draft, and what it wastes.

>>> import specmodel as sm
>>> round(sm.evaluate(sm.Scenario()).time_ratio, 3)
0.706
"""

from specmodel import drift, engine, logs, measured, methods, ngram, sampling, serving
from specmodel.base.version import VERSION as __version__
from specmodel.model.acceptance import Acceptance
from specmodel.model.break_even import break_even_alpha
from specmodel.model.draft_lengths import best_num_speculative_tokens, draft_lengths, speedup_map, sweep
from specmodel.model.outcome import Outcome, Verdict, evaluate
from specmodel.model.scenario import Scenario, cost_ratio, rounds_to_emit
from specmodel.model.simulate import simulate, trace

__all__ = [
    "Acceptance",
    "Outcome",
    "Scenario",
    "Verdict",
    "__version__",
    "best_num_speculative_tokens",
    "break_even_alpha",
    "cost_ratio",
    "draft_lengths",
    "drift",
    "engine",
    "evaluate",
    "logs",
    "measured",
    "methods",
    "ngram",
    "rounds_to_emit",
    "sampling",
    "serving",
    "simulate",
    "speedup_map",
    "sweep",
    "trace",
]
