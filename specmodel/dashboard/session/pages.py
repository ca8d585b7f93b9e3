"""The pages of the app and everything that they declare, found by the `declared.py` in their folders. No Streamlit."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from specmodel.base.params import Declared
from specmodel.dashboard.session.declaration import Declaration, Option, Options, PageDeclaration

DASHBOARD = Path(__file__).parents[1]
SCRIPTS = DASHBOARD.parents[1] / "pages"


def script(key: str) -> str:
    """The script of a page, by which Streamlit changes to it.

    >>> script("speedup").endswith("speedup.py")
    True
    """
    return str(SCRIPTS / f"{key}.py")


@cache
def all_declared() -> tuple[Declaration, ...]:
    """What the folders of the dashboard declare: the shared ones first, then pages in the order of the menus.

    >>> [each.key for each in all_declared() if isinstance(each, PageDeclaration)][:2]
    ['speedup', 'draft_length']
    """
    folders = sorted(each.name for each in pkgutil.iter_modules([str(DASHBOARD)]) if each.ispkg)
    named = [name for name in folders if (DASHBOARD / name / "declared.py").exists()]
    every = [importlib.import_module(f"specmodel.dashboard.{name}.declared").DECLARED for name in named]
    return tuple(sorted(every, key=lambda each: each.order if isinstance(each, PageDeclaration) else 0))


@cache
def pages() -> Mapping[str, PageDeclaration]:
    """Every page by its key, in the order of the menus.

    >>> pages()["draft_length"].title
    'Draft length'
    """
    return {each.key: each for each in all_declared() if isinstance(each, PageDeclaration)}


def lessons() -> tuple[str, ...]:
    """The keys of the pages that are lessons, in their order.

    >>> lessons()
    ('one_round', 'exactness', 'live_text', 'drift')
    """
    return tuple(key for key, page in pages().items() if page.lesson)


@cache
def options() -> Mapping[str, Option]:
    """Every option of the link by its key.

    >>> options()["show"].default
    'speedup'
    """
    return {option.key: option for each in all_declared() for option in each.options}


def groups(chosen: Options) -> tuple[Declared, ...]:
    """Every group of values beside the scenario, as the chosen options have it: a link holds what differs from them.

    >>> [type(each).__name__ for each in groups({key: each.default for key, each in options().items()})][:3]
    ['LessonSeed', 'Load', 'Drafter']
    """
    return tuple(group for each in all_declared() for group in each.groups(chosen))


@cache
def group_kinds() -> tuple[type[Declared], ...]:
    """The kinds of those groups: options decide their values, not which there are.

    >>> [each.__name__ for each in group_kinds()][:3]
    ['LessonSeed', 'Load', 'Drafter']
    """
    return tuple(type(each) for each in groups({key: each.default for key, each in options().items()}))
