"""One way of drafting of the Methods page, closer: when it wins and loses, what it needs, its sources."""

from specmodel.base.params import declarations
from specmodel.dashboard.parts.answer import Note, Parts, Text
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.dashboard.session.way import MEASURED, measured_scenario
from specmodel.methods import EVIDENCE, MethodRow, is_tree


def closer_parts(row: MethodRow, chosen: Chosen, translate: Translator) -> Parts:
    """Its paragraphs, and what is to be known of its numbers."""
    _, measured = translate, row.method.key == MEASURED
    sliders = _("Its numbers are those of the sliders on the Explore pages: nothing was measured yet.")
    if measured_scenario(chosen) is not None:
        sliders = _("Its numbers are those that were measured and taken over, whatever the sliders say now.")
    chain = _(
        "It goes to the Serving load page as the tree that it is. The Explore pages hold no tree: there it becomes the "
        "chain of its likeliest drafts."
    )
    return {
        "paragraphs": Text(_paragraphs(row, _)),
        "of_sliders": Note(sliders) if measured else None,
        "source": None if measured else Note(_source_words(row, chosen, _)),
        "as_chain": Note(chain) if is_tree(row.choice) and not measured else None,
    }


def _paragraphs(row: MethodRow, translate: Translator) -> str:
    _, method = translate, row.method
    texts = {
        _("Wins"): _(method.wins),
        _("Loses"): _(method.loses),
        _("Needs"): _(method.needs),
        _("Is the output the target’s?"): _(method.lossless_note),
        _("Source"): method.citation,
    }
    return "\n\n".join(f"**{title}** {escaped(text)}" for title, text in texts.items())


def _source_words(row: MethodRow, chosen: Chosen, translate: Translator) -> str:
    _, published = translate, row.row
    changed = chosen.method_changes.get(row.method.key, {})
    if changed:
        labels = _.listed([_(declarations(row.method.params)[name].label) for name in changed])
        text = _("Changed by you: {labels}. The others: {setup} ({source}).")
        return escaped(text.format(labels=labels, setup=published.setup, source=published.source))
    text = _("{kind}: {setup} ({source}).")
    lines = [text.format(kind=_(EVIDENCE[published.kind]), setup=published.setup, source=published.source)]
    if not row.matches:
        lines.append(_("Nothing was published for exactly this work: this is the nearest."))
    return escaped(_.sentences(*lines, *(_(note) for note in published.notes)))
