"""Rules that choose the draft length of each round, one file each.

A module in this folder that defines POLICY is known; those with a leading underscore are the machinery.

>>> [each.key for each in policies()]
['off', 'fixed', 'heuristic', 'threshold', 'tiers', 'goodput', 'oracle']
"""

import importlib
import pkgutil
from functools import cache
from typing import Any

from specmodel.base.messages import N_
from specmodel.base.numbers import one_of
from specmodel.drift.policies._policy import Case, Controller, Policy, PolicyChoice, State

__all__ = ["Case", "Controller", "Policy", "PolicyChoice", "State", "choice", "find", "policies"]


@cache
def policies() -> tuple[Policy, ...]:
    """Every policy in this folder, by its `order`.

    >>> policies()[0].key
    'off'
    """
    names = sorted(each.name for each in pkgutil.iter_modules(__path__) if not each.name.startswith("_"))
    found = [importlib.import_module(f"{__name__}.{name}").POLICY for name in names]
    return tuple(sorted(found, key=lambda policy: (policy.order, policy.key)))


def find(key: str) -> Policy:
    """The policy with this key.

    >>> find("oracle").label
    'Oracle'
    """
    policy: Policy = one_of(key, {policy.key: policy for policy in policies()}, N_("policy"))
    return policy


def choice(key: str, name: str = "", **values: Any) -> PolicyChoice:
    """A policy with some of its parameters changed; `name` tells it from another choice of the same policy.

    >>> choice("fixed", num_speculative_tokens=3).values.num_speculative_tokens
    3
    """
    policy = find(key)
    return PolicyChoice(policy, policy.params().replace(**values), name or key)
