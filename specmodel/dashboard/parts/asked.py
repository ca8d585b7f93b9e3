"""What a page was asked, in a few lines: the sliders beside it and what else is not as usual. No Streamlit."""

from collections.abc import Iterable

from specmodel.base.params import Declared, Param, declarations
from specmodel.dashboard.parts.answer import Fact, Translate
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.declaration import Panel
from specmodel.model.scenario import Scenario


def fact_of(values: Declared, name: str, translate: Translate) -> Fact:
    """One declared number as label, value with its unit, and name.

    >>> fact_of(Scenario(), "alpha", str)
    ('Acceptance probability α', '0.60', 'alpha')
    """
    declared = declarations(type(values))[name]
    return label_of(declared, translate), declared.show(getattr(values, name), translate), name


def label_of(declared: Param, translate: Translate) -> str:
    """The label of a number with its letter.

    >>> label_of(declarations(Scenario)["alpha"], str)
    'Acceptance probability α'
    """
    return f"{translate(declared.label)} {declared.letter}".strip()


def asked_of_sliders(chosen: Chosen, panel: Panel | None, translate: Translate) -> tuple[Fact, ...]:
    """The values of the sliders beside a page, then those of the folded ones that are not at their default.

    >>> from specmodel.dashboard.parts.explore import SCENARIO
    >>> from specmodel.dashboard.session.chosen import read_link
    >>> [name for _, _, name in asked_of_sliders(read_link({"overhead": "2"})[0], SCENARIO, str)][-2:]
    ['output_tokens', 'overhead_ms']
    """
    if panel is None:
        return ()
    main = [fact_of(_values(chosen, kind), name, translate) for kind, name in panel.main]
    return (*main, *unusual((_values(chosen, kind) for kind, _ in panel.more), panel, translate))


def unusual(groups: Iterable[Declared], panel: Panel, translate: Translate) -> list[Fact]:
    """What of the folded sliders is not at its default, and acceptance by position where a measurement brought it."""
    found = {}
    for values in groups:
        names = [name for kind, name in panel.more if kind is type(values)]
        names += ["acceptance_shape"] if isinstance(values, Scenario) else []
        for name in names:
            if getattr(values, name) != declarations(type(values))[name].default:
                found[name] = fact_of(values, name, translate)
    return list(found.values())


def _values(chosen: Chosen, kind: type[Declared]) -> Declared:
    return chosen.scenario if kind is Scenario else chosen.group(kind)
