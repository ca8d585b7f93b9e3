"""Every declared number of the app: found by its declaration, and grouped under the label that it goes by."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import specmodel
from specmodel.base.params import Declared, Param, Quantity, declarations
from specmodel.dashboard.parts.entries import number_entry
from specmodel.dashboard.session.declaration import Options, PageDeclaration
from specmodel.dashboard.session.pages import options, pages

ROOMS = ("model", "serving", "measured", "engine", "methods", "drift", "sampling", "ngram")
"""The rooms whose numbers are listed, in this order; those of the pages follow."""
FIRST = "specmodel.model.scenario"
FILES = ("declared", "values", "words", "cards", "tables", "measured", "blocks", "answer")
"""The files of a page's folder that may declare numbers: none of them loads Streamlit."""
DASHBOARD = Path(__file__).parents[1]


@dataclass(frozen=True)
class Use:
    """One declaration of a number: in a group of values or results (`owner`), or by itself in a module."""

    declared: Quantity
    owner: type | None
    module: str

    @property
    def in_code(self) -> str:
        """How code calls it: the field of its class, or its own name.

        >>> next(iter(uses())).in_code
        'Scenario.alpha'
        """
        return f"{self.owner.__name__}.{self.declared.name}" if self.owner else self.declared.name


@cache
def uses() -> tuple[Use, ...]:
    """Every declared number, each once.

    >>> {use.declared.name for use in uses()} >= {"alpha", "speedup", "batch_size", "skill"}
    True
    """
    found: dict[tuple[Any, ...], Use] = {}
    for name in _modules():
        module = importlib.import_module(name)
        for value in vars(module).values():
            for use in _declared_by(value, name):
                found.setdefault((use.owner, use.declared), use)
    owned = {declared for owner, declared in found if owner}
    return tuple(use for use in found.values() if use.owner or use.declared not in owned)


def _modules() -> Iterator[str]:
    yield FIRST
    for room in ROOMS:
        path = str(Path(specmodel.__file__).parent / room)
        yield from (each.name for each in pkgutil.walk_packages([path], f"specmodel.{room}."))
    folders = [each.name for each in pkgutil.iter_modules([str(DASHBOARD)]) if each.ispkg]
    for folder in sorted(folders, key=lambda name: [*pages()].index(name) if name in pages() else -1):
        names = [name for name in FILES if (DASHBOARD / folder / f"{name}.py").exists()]
        yield from (f"specmodel.dashboard.{folder}.{name}" for name in names)


def _declared_by(value: Any, module: str) -> Iterator[Use]:
    if isinstance(value, type) and is_dataclass(value) and value.__module__ == module:
        yield from (Use(declared, value, module) for declared in declarations(value).values())
    several = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else (value,)
    yield from (Use(each, None, module) for each in several if isinstance(each, Quantity))


@cache
def by_entry() -> Mapping[str, tuple[Use, ...]]:
    """The declarations of each entry: those that share a label, in the order in which they were found.

    >>> [use.in_code for use in by_entry()["batch-size"]]
    ['Load.batch_size']
    """
    grouped: dict[str, list[Use]] = {}
    for use in uses():
        grouped.setdefault(number_entry(use.declared), []).append(use)
    return {entry: tuple(found) for entry, found in grouped.items()}


def is_parameter(found: tuple[Use, ...]) -> bool:
    """Whether anything of an entry is an input."""
    return any(isinstance(use.declared, Param) for use in found)


@cache
def panels() -> Mapping[tuple[type[Declared], str], tuple[str, ...]]:
    """On which pages a number has a slider, whatever is chosen there: (group of values, name) -> keys of the pages.

    >>> from specmodel.model.scenario import Scenario
    >>> panels()[Scenario, "vocabulary_overlap"][:3]
    ('speedup', 'draft_length', 'vocabulary')
    """
    found: dict[tuple[type[Declared], str], dict[str, None]] = {}
    for page in pages().values():
        for chosen in _settings(page):
            panel = page.panel(chosen)
            for field in (*panel.main, *panel.more) if panel else ():
                found.setdefault(field, {})[page.key] = None
    return {field: tuple(keys) for field, keys in found.items()}


class _Asked(dict[str, Any]):
    """Options that remember which of them were asked for."""

    def __init__(self, values: Options) -> None:
        super().__init__(values)
        self.keys_asked: dict[str, None] = {}

    def __getitem__(self, key: str) -> Any:
        self.keys_asked[key] = None
        return super().__getitem__(key)


def _settings(page: PageDeclaration) -> Iterator[Options]:
    """The choices as they open, and each that the page's panel asks for changed."""
    usual = _Asked({key: option.default for key, option in options().items()})
    page.panel(usual)
    yield usual
    for key in usual.keys_asked:
        yield from (dict(usual) | {key: value} for value in options()[key].values or ())
