"""Counters of a measured run: how they add up, what they say of acceptance, and how sure that is."""

from specmodel.measured.intervals import Estimate
from specmodel.measured.spec_stats import SpecStats

__all__ = ["Estimate", "SpecStats"]
