"""What tests of a page's answer share: its texts and numbers by name, as a visitor sees them."""

from collections.abc import Mapping

from specmodel.dashboard.parts.answer import Answer, Card, Cards, Note, Notice, Said, Text
from specmodel.dashboard.session.translation import plain


def cards(answer: Answer) -> Mapping[str, Card]:
    """The cards by their labels."""
    return {card.label: card for part in answer.values() if isinstance(part, Cards) for card in part.cards}


def numbers(answer: Answer) -> Mapping[str, str]:
    """What the cards say: label -> value."""
    return {label: card.value for label, card in cards(answer).items()}


def below(answer: Answer) -> Mapping[str, str]:
    """The line below each card: label -> text."""
    return {label: card.below for label, card in cards(answer).items()}


def texts(answer: Answer) -> str:
    """Verdict, small print, paragraphs and coloured boxes."""
    lines = []
    for part in answer.values():
        if isinstance(part, Said):
            lines.append(f"{part.headline} {part.reason}")
        elif isinstance(part, Note):
            lines.append(part.text)
        elif isinstance(part, Text | Notice):
            lines.append(part.markdown)
    return plain("\n".join(lines))


def warnings(answer: Answer) -> str:
    """What the answer warns of."""
    return plain("\n".join(part.markdown for part in answer.values() if isinstance(part, Notice)))
