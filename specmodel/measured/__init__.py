"""Counters of a measured run: how they add up, what they say of acceptance, and how sure that is."""
