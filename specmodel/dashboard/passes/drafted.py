"""How the engine of the pages under load drafts: by the sliders, or as the way of drafting that leads here."""

from dataclasses import dataclass, replace

from specmodel.dashboard.parts.answer import Note
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.dashboard.session.way import MEASURED, drafter_of, way_of
from specmodel.methods import EVIDENCE, Choice, draft_length, is_tree, rounds_by_length
from specmodel.model.scenario import Scenario
from specmodel.serving.load import Drafter
from specmodel.serving.served_model import Serving

TREE = "num_draft_tokens"
"""The parameter that is the draft length of ways of drafting that make a tree of so many drafts."""


@dataclass(frozen=True)
class Drafted:
    """What drafts: a whole way of drafting, or None for the sliders; its draft length, and what it takes of memory."""

    choice: Choice | None
    num_speculative_tokens: int
    drafter: Drafter

    @property
    def is_tree(self) -> bool:
        """Whether k counts the drafts of a tree."""
        return self.choice is not None and self.choice.method.length == TREE and is_tree(self.choice)

    def serving(self, by_sliders: Serving) -> Serving:
        """The served model with these rounds in place of those of the sliders."""
        return by_sliders if self.choice is None else replace(by_sliders, rounds=rounds_by_length(self.choice))

    def name(self, translate: Translator) -> str:
        """What drafts and how much, as it stands within a sentence."""
        _, k = translate, self.num_speculative_tokens
        if self.choice is None:
            return f"k = {k}"
        text = _("{name}, a tree of {k}") if self.is_tree else _("{name}, k = {k}")
        drafts = round(self.choice.proposal.num_draft_tokens) if self.is_tree else k
        return text.format(name=_(self.choice.method.label), k=drafts)


def drafted(chosen: Chosen, scenario: Scenario | None = None) -> Drafted:
    """What drafts on the pages under load; a scenario that is given (the pinned one) is one of sliders.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> drafted(read_link({"way": "eagle3", "kind": "code"})[0]).num_speculative_tokens
    50
    >>> drafted(read_link({"k": "3"})[0]).choice is None
    True
    """
    choice = way_of(chosen) if scenario is None else None
    if choice is None:
        return Drafted(None, (scenario or chosen.scenario).num_speculative_tokens, chosen.group(Drafter))
    drafter = chosen.group(Drafter) if choice.method.key == MEASURED else drafter_of(choice)
    return Drafted(choice, draft_length(choice), drafter)


def way_note(found: Drafted, translate: Translator) -> Note | None:
    """What a round of the way of drafting is, and where its numbers come from; None where the sliders say it all."""
    _, choice = translate, found.choice
    if choice is None:
        return None
    proposal = choice.proposal
    values = {
        "name": _(choice.method.label),
        "drafts": proposal.num_draft_tokens,
        "levels": proposal.acceptance.num_speculative_tokens,
        "verified": proposal.verified_tokens,
        "tau": proposal.tau,
    }
    text = _("{name}: {drafts:,.1f} drafts a round, {verified:,.1f} tokens checked, {tau:.2f} emitted.")
    if found.is_tree:
        text = _(
            "{name}: a tree of {drafts:,.0f} drafts in {levels} levels, {verified:,.0f} tokens checked, {tau:.2f} "
            "emitted. Here k counts the drafts of the tree; other sizes are its best trees of so many drafts."
        )
    lines = [text.format(**values), _origin(choice, _)]
    if choice.weights_billions is None and choice.method.key != MEASURED:
        lines.append(_("What its drafter takes of memory was not published: nothing is counted for it."))
    return Note(escaped(_.sentences(*lines)))


def _origin(choice: Choice, translate: Translator) -> str:
    _ = translate
    if choice.method.key == MEASURED:
        return _("As you measured it.")
    text = _("Its numbers: {kind}, {setup} ({source}).")
    named = text.format(kind=_(EVIDENCE[choice.row.kind]), setup=choice.row.setup, source=choice.row.source)
    changed = _("Some were changed by you on the Methods page.") if choice.changed else ""
    return _.sentences(*filter(None, (named, changed)))
