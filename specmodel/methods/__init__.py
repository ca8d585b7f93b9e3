"""Ways of drafting, one file each: what a round of it proposes, what it costs, and what was published of it.

A module in this folder that defines METHOD is known; those with a leading underscore are the machinery.

>>> find("eagle").choose(Task("chat", 0)).proposal.verified_tokens
26
"""

import importlib
import pkgutil
from functools import cache

from specmodel.base.messages import N_
from specmodel.base.numbers import one_of
from specmodel.methods._by_length import chain, draft_length, is_tree, rounds_by_length
from specmodel.methods._compare import MethodRow, compare
from specmodel.methods._drawn import drawn_tree
from specmodel.methods._method import LOSSLESS_LABELS, Choice, Method
from specmodel.methods._published import EVIDENCE, PROMPT_KINDS, Published, Task, published_rows
from specmodel.serving.proposal import Proposal

__all__ = [
    "EVIDENCE",
    "LOSSLESS_LABELS",
    "PROMPT_KINDS",
    "Choice",
    "Method",
    "MethodRow",
    "Proposal",
    "Published",
    "Task",
    "chain",
    "compare",
    "draft_length",
    "drawn_tree",
    "find",
    "is_tree",
    "methods",
    "published_rows",
    "rounds_by_length",
]


@cache
def methods() -> tuple[Method, ...]:
    """Every way of drafting in this folder, by its `order`.

    >>> [each.key for each in methods()][:2]
    ['draft_model', 'ngram']
    """
    names = sorted(each.name for each in pkgutil.iter_modules(__path__) if not each.name.startswith("_"))
    found = [importlib.import_module(f"{__name__}.{name}").METHOD for name in names]
    return tuple(sorted(found, key=lambda method: (method.order, method.key)))


def find(key: str) -> Method:
    """The way of drafting with this key.

    >>> find("mtp").key
    'mtp'
    """
    method: Method = one_of(key, {method.key: method for method in methods()}, N_("way of drafting"))
    return method
