"""Sentences of the Validation page."""

from specmodel.base.messages import N_
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.dashboard.validation.chosen_points import Judged
from specmodel.dashboard.validation.declared import EVERY
from specmodel.validation.judged import Record, summary
from specmodel.validation.point import QUANTITIES, REACHES, RULES, Point

UNKNOWN = "–"
TUNED = N_(
    "Nothing was fitted to the published rows. The margins of the bands were set on one vLLM sweep (k = 1 to 7, two "
    "contexts, three seeds), which is not among them. Two things do come from rows here: the spread between prompts "
    "that is assumed where a file shows none lies between those of our own runs; and the rules were compared on the "
    "pairs of AdaEAGLE, the costs of MagicDec and our own runs before they were chosen. Take the sources apart where "
    "that matters."
)
COUNTED = N_(
    "One row of a source gives as many points as it allows rules and pairs: a sweep over six k gives thirty pairs. "
    "Points of one sweep resemble each other, and our own runs give most of the points."
)


def headline(judged: Judged, translate: Translator) -> str:
    """What the record of the chosen points comes to, a sentence for each quantity."""
    _, kinds = translate, summary(judged.shown, lambda point: point.quantity)
    if not kinds:
        return _("No point was judged by this rule and source.")
    name = _("All rules together") if judged.rule == EVERY else _(RULES[judged.rule].name)
    told = [_sentence(quantity, kinds[quantity], _) for quantity in QUANTITIES if quantity in kinds]
    return _.sentences(f"{name}{':' if _.language == 'en' else '：'}", *told)


def _sentence(quantity: str, found: Record, translate: Translator) -> str:
    _ = translate
    values = {"quantity": _(QUANTITIES[quantity]), "n": found.num_points, "error": found.median_error or 0.0}
    if found.coverage is None:
        return _("{quantity}: half of {n:,} predictions are within {error:.1%} of what was measured.").format(**values)
    return _(
        "{quantity}: half of {n:,} predictions are within {error:.1%} of what was measured, and the stated band holds "
        "{share:.0%}."
    ).format(**values, share=found.coverage)


def percent(value: float | None, pattern: str = ".0%") -> str:
    """A share or an error as text; a dash where it is unknown.

    >>> percent(0.125), percent(None), percent(-0.02, "+.1%")
    ('12%', '–', '-2.0%')
    """
    return UNKNOWN if value is None else format(value, pattern)


def held(found: Record, translate: Translator) -> str:
    """How often the stated band held, and of how many."""
    if found.coverage is None:
        return UNKNOWN
    return translate("{share:.0%} of {n:,}").format(share=found.coverage, n=found.num_banded)


def reach(point: Point) -> str:
    """The draft lengths that were given and predicted.

    >>> reach(Point("longer", "tokens", "a", "", 2, 2, k_from=3, k_to=5))
    'k 3 → 5'
    """
    if point.k_to is None:
        return UNKNOWN
    return f"k {point.k_to}" if point.k_from in (None, point.k_to) else f"k {point.k_from} → {point.k_to}"


def number(value: float | None) -> str:
    """A value with three digits.

    >>> number(2.3456), number(None)
    ('2.35', '–')
    """
    return UNKNOWN if value is None else f"{value:.3g}"


def band(point: Point) -> str:
    """The stated band, a dash where there is none."""
    return UNKNOWN if point.held is None else f"{number(point.low)}–{number(point.high)}"


def told(point: Point, translate: Translator) -> str:
    """What stands beside the pointer: source, setup, rule, and the numbers."""
    _ = translate
    numbers = _("{quantity}: predicted {predicted}, measured {measured}").format(
        quantity=_(QUANTITIES[point.quantity]), predicted=number(point.predicted), measured=number(point.measured)
    )
    if point.held is not None:
        numbers += f" ({band(point)})"
    rule = f"{_(RULES[point.rule].name)}, {reach(point)}" if point.k_to else _(RULES[point.rule].name)
    return "\n".join(filter(None, (point.source[:60], point.setup[:70], rule, numbers)))


def rule_explained(rule: str, translate: Translator) -> str:
    """What the rule was given, what it predicts, and the band it states, as Markdown."""
    _, declared = translate, RULES[rule]
    lines = [
        _("**Given:** {text}").format(text=escaped(_(declared.given))),
        _("**Predicted:** {text}").format(text=escaped(_(declared.predicts))),
        _("**Stated band:** {text}").format(text=escaped(_(declared.band) if declared.band else _("none"))),
    ]
    return "  \n".join(lines)


def reach_name(reach_key: str, translate: Translator) -> str:
    """Whether another draft length was predicted."""
    return translate(REACHES[reach_key])
