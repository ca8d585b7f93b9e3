"""Loads at start what runs would load later: what is there before the collector is frozen costs no run anything."""

import importlib
import pkgutil

from specmodel import dashboard, figures, methods
from specmodel.model.draft_lengths import draft_lengths, speedup_map
from specmodel.model.outcome import evaluate
from specmodel.model.scenario import Scenario
from specmodel.model.simulate import simulate
from specmodel.model.speedup_curve import ALPHAS, speedup_curve

SCRIPT = "specmodel.dashboard.frame.frame"  # of a run


def warm() -> None:
    """Import every module of pages, figures and methods, and compute one scenario, which loads the parts of scipy.

    >>> warm()
    """
    for package in (dashboard, figures, methods):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name != SCRIPT:
                importlib.import_module(module.name)
    scenario = Scenario()
    evaluate(scenario)
    draft_lengths(scenario)
    speedup_curve(scenario)
    speedup_map(scenario, ALPHAS)
    simulate(scenario, runs=2, seed=0)
