"""What a page declares of itself: its place, question and sliders, the options of its link, its lesson. No Streamlit.

A folder of the dashboard that has something to declare holds a file `declared.py` with `DECLARED`: a `PageDeclaration`
for a page, a `Declaration` for what several pages share. `session.pages` finds them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from specmodel.base.params import Declared, declarations
from specmodel.model.presets import Preset
from specmodel.serving.presets import LoadPreset

Options = Mapping[str, Any]
"""Key of an option -> the value that is chosen."""
Field = tuple[type[Declared], str]
"""A declared number: the group of values it belongs to, and its name there."""


@dataclass(frozen=True)
class Option:
    """One choice of the link: its key, its default, and the values it may take, which are free of language.

    The key is that of the link, of the session state, and of the widget that sets it. A range is for whole numbers;
    None for a value of a file's column, which the page that has the file checks.
    """

    key: str
    default: str | int
    values: tuple[str, ...] | range | None

    def read(self, text: str) -> str | int | None:
        """The value that a link gives, or None if it is none of the values.

        >>> Option("round", 1, range(1, 10)).read("7"), Option("show", "a", ("a", "b")).read("c")
        (7, None)
        """
        if isinstance(self.values, range):
            return int(text) if text.isascii() and text.isdigit() and int(text) in self.values else None
        return text if self.values is None or text in self.values else None


@dataclass(frozen=True)
class Panel:
    """The sliders beside a page: those always there, those in a group that can be folded, and what to start from."""

    key: str
    main: tuple[Field, ...]
    more: tuple[Field, ...] = ()
    more_label: str = ""
    presets: Sequence[Preset] | Sequence[LoadPreset] = ()

    def without(self, key: str, *names: str) -> "Panel":
        """The panel under another key, without the sliders of these names."""
        kept = tuple(each for each in self.main if each[1] not in names)
        return Panel(key, kept, self.more, self.more_label, self.presets)


def fields_of(kind: type[Declared], *names: str) -> tuple[Field, ...]:
    """Some declared numbers of a group of values.

    >>> from specmodel.model.scenario import Scenario
    >>> [name for _, name in fields_of(Scenario, "alpha", "draft_ms")]
    ['alpha', 'draft_ms']
    """
    return tuple((kind, name) for name in names)


@dataclass(frozen=True)
class Experiment:
    """One thing to try in a lesson: what is changed, in words and in values, and what to look at then.

    `values` are numbers by the group they belong to, `options` choices of the link. It is offered where the options in
    `needs` are chosen.
    """

    label: str
    look: str
    values: Mapping[type[Declared], Mapping[str, Any]] = field(default_factory=dict)
    options: Options = field(default_factory=dict)
    needs: Options = field(default_factory=dict)

    def offered(self, options: Options) -> bool:
        """Whether it makes sense with what is chosen."""
        return all(options[key] == value for key, value in self.needs.items())

    def settings(self, translate: Callable[[str], str]) -> list[str]:
        """The numbers that it sets, by name: for paper."""
        texts = []
        for kind, new in self.values.items():
            declared, usual = declarations(kind), kind()
            for name, value in new.items():
                if declared[name].symbol or getattr(usual, name) != value:
                    texts.append(f"{translate(declared[name].label)} {declared[name].show(value, translate)}")
        return texts


@dataclass(frozen=True)
class LessonPart:
    """A part of a lesson: about how many minutes it takes a class, its point in a sentence, and what to try in it."""

    minutes: int
    point: str
    experiments: tuple[Experiment, ...] = ()


def nothing(options: Options) -> tuple[Declared, ...]:
    """No groups of values beside the scenario."""
    return ()


def as_it_is(query: Mapping[str, str]) -> Mapping[str, str]:
    """A link whose values mean what they always meant."""
    return query


def nothing_more(query: Mapping[str, str], groups: Mapping[type[Declared], Declared]) -> Mapping[str, str]:
    """A link that says what differs from the defaults, and nothing more."""
    return query


def no_panel(options: Options) -> Panel | None:
    """No sliders beside the page: it has only controls of its own."""
    return None


@dataclass(frozen=True)
class Declaration:
    """Options of the link, and groups of values beside the scenario as the chosen options have them at first.

    `older` completes the query of a link made before a default changed; `written` adds what tells a new one from it.
    """

    options: tuple[Option, ...] = ()
    groups: Callable[[Options], tuple[Declared, ...]] = nothing
    older: Callable[[Mapping[str, str]], Mapping[str, str]] = as_it_is
    written: Callable[[Mapping[str, str], Mapping[type[Declared], Declared]], Mapping[str, str]] = nothing_more


@dataclass(frozen=True, kw_only=True)
class PageDeclaration(Declaration):
    """A page: `key` is the name of its file and address, `order` its place in the menus, `question` its heading.

    `panel` gives the sliders beside it, `explains` the functions whose docstrings its "why" shows, in their order;
    `lesson` the parts of a lesson by their keys.
    """

    key: str
    title: str
    section: str
    order: int
    question: str
    panel: Callable[[Options], Panel | None] = no_panel
    explains: tuple[Callable[..., Any], ...] = ()
    lesson: Mapping[str, LessonPart] = field(default_factory=dict)
