"""What a page without trees says of the way of drafting that was taken to it. No Streamlit."""

from specmodel.base.params import declarations
from specmodel.dashboard.parts.answer import Note
from specmodel.dashboard.parts.explore import SCENARIO
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.declaration import PageDeclaration
from specmodel.dashboard.session.translation import Translator
from specmodel.dashboard.session.way import acceptance_is_measured, holds_chain, way_of
from specmodel.methods import Choice, chain, is_tree
from specmodel.model.scenario import Scenario

WAY = "way"
"""The name of the part that says so."""


def way_note(page: PageDeclaration, chosen: Chosen, translate: Translator) -> Note | None:
    """On a page with the sliders of a scenario: what they hold of the way of drafting that was taken along."""
    panel = page.panel(chosen.options)
    words = way_words(chosen, translate) if panel is not None and panel.main == SCENARIO.main else ""
    return Note(words) if words else None


def way_words(chosen: Chosen, translate: Translator) -> str:
    """What the sliders hold of the way of drafting that was taken, and what that loses; empty where none was.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> from specmodel.dashboard.session.translation import translator
    >>> way_words(read_link({})[0], translator("en"))
    ''
    """
    _, choice = translate, way_of(chosen)
    if choice is None:
        return ""
    name = _(choice.method.label)
    if not holds_chain(choice, chosen.scenario):
        text = _("{name} was taken along and leads the Serving load page; the sliders here say something else.")
        return text.format(name=name)
    return _.sentences(*_held(choice, name, _))


def _held(choice: Choice, name: str, translate: Translator) -> tuple[str, ...]:
    """That the sliders hold a way of drafting, and what its chain loses."""
    _, whole, row = translate, choice.proposal, chain(choice)
    values = {
        "name": name,
        "k": row.acceptance.num_speculative_tokens,
        "tau": row.tau,
        "whole": whole.tau,
        "drafts": whole.num_draft_tokens,
        "chance": _chances(row.acceptance.conditional_acceptance),
    }
    if is_tree(choice):
        text = _(
            "The sliders hold {name} as a chain, because this page holds no tree: of its {drafts:,.0f} drafts the "
            "likeliest {k} in a row, each with the method's own chance ({chance}). They give {tau:.2f} tokens a round "
            "instead of {whole:.2f}, and the cost of checking the others is gone too. The Serving load page computes "
            "with all of them."
        )
        return (text.format(**values),)
    held = _("The sliders hold {name}.").format(**values)
    if whole.num_draft_tokens < row.num_draft_tokens - 1e-9:
        text = _(
            "It drafts {drafts:.1f} tokens a round on average; this page takes {k} in each, so it counts more drafts "
            "as wasted."
        )
        return held, text.format(**values)
    return (held,)


def _chances(conditional: tuple[float, ...]) -> str:
    low, high = min(conditional, default=0.0), max(conditional, default=0.0)
    return f"{low:.2f}" if round(low, 2) == round(high, 2) else f"{low:.2f}–{high:.2f}"


def shape_words(chosen: Chosen, translate: Translator) -> str:
    """The acceptance by position beside the sliders, and where it comes from as far as that is known."""
    _, declared = translate, declarations(Scenario)["acceptance_shape"]
    shown, choice = declared.show(chosen.scenario.acceptance_shape, _), way_of(chosen)
    if acceptance_is_measured(chosen):
        return _("α by position, as measured: × {factors}").format(factors=shown)
    if choice is not None and holds_chain(choice, chosen.scenario):
        text = _("α by position of {name}: × {factors}")
        return text.format(factors=shown, name=_(choice.method.label))
    return _("α by position: × {factors}").format(factors=shown)
