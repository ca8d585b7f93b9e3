"""Loads at start what runs would load later: what is there before the collector is frozen costs no run anything."""

import importlib
import pkgutil

from specmodel import dashboard, figures, methods
from specmodel.choices import draft_lengths, speedup_map
from specmodel.curves import ALPHAS, speedup_curve
from specmodel.outcome import evaluate
from specmodel.scenario import Scenario
from specmodel.simulate import simulate


def warm() -> None:
    """Import every module of pages, figures and methods, and compute one scenario, which loads the parts of scipy.

    >>> warm()
    """
    for package in (dashboard, figures, methods):
        for module in pkgutil.iter_modules(package.__path__):
            if module.name != "frame":  # the script of a run
                importlib.import_module(f"{package.__name__}.{module.name}")
    scenario = Scenario()
    evaluate(scenario)
    draft_lengths(scenario)
    speedup_curve(scenario)
    speedup_map(scenario, ALPHAS)
    simulate(scenario, runs=2, seed=0)
