"""A text as HTML, each token marked by what became of it: by a line or a box as well as by its colour."""

from functools import lru_cache
from html import escape

from specmodel.base.messages import N_
from specmodel.dashboard.session.translation import Translator
from specmodel.figures import style
from specmodel.ngram import FATES, Event, Trace

DRAFTED = "drafted"
LABELS = {DRAFTED: N_("draft, not yet checked"), **FATES}
WASTED = ("rejected", "unread")
MOST_WASTED = 1200
"""Thrown-away drafts before the last so many are not drawn: a page of them helps nobody."""

_LOOKS = {
    DRAFTED: f"border-bottom:2px dashed {style.SPECULATION};background:{style.faded(style.SPECULATION, 0.16)}",
    "accepted": f"border-bottom:2px solid {style.ACCEPTED};background:{style.faded(style.ACCEPTED, 0.2)}",
    "rejected": f"text-decoration:line-through 2px {style.WASTED};background:{style.faded(style.WASTED, 0.2)}",
    "unread": f"text-decoration:line-through 1px;border:1px dotted {style.BASELINE};opacity:.75",
    "recovered": f"border:2px solid {style.BONUS};background:{style.faded(style.BONUS, 0.16)}",
    "bonus": f"border-bottom:4px double {style.BONUS};background:{style.faded(style.BONUS, 0.16)}",
}
CSS = "".join(
    [
        ".lt{white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.95;margin:0}",
        ".lt.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.9em}",
        ".lt span,.lt del{border-radius:3px;padding:1px 0}",
        ".lt del{text-decoration-skip-ink:none}",
        f".lt .w{{background:radial-gradient(circle,{style.faded(style.BASELINE, 0.9)} 1px,transparent 1.4px)}}",
        f".lt .n{{color:{style.BASELINE};text-decoration:none}}",
        ".lt .later{opacity:.72}",
        f".lt .here{{border-left:3px solid {style.BASELINE};margin:0 1px}}",
        ".lt-legend{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;font-size:.875rem;line-height:1.9}",
        *(f".lt .{fate},.lt-legend .{fate}{{{look}}}" for fate, look in _LOOKS.items()),
        ".lt-legend b{font-weight:400;border-radius:3px;padding:1px 5px;margin-right:.4em}",
    ]
)


def _visible(text: str, breaks: bool) -> str:
    """A text with its spaces and line ends to be seen; a thrown-away token breaks no line."""
    marks = {" ": '<span class="w"> </span>', "\n": '<span class="n">↵</span>' + ("\n" if breaks else ""), "\t": "⇥"}
    return "".join(marks.get(char, escape(char)) for char in text)


_visible_token = lru_cache(maxsize=16_384)(_visible)  # of tokens only: a typed text is kept in its session alone


def html_text(trace: Trace, num_events: int, waste: bool, kind: str, translate: Translator) -> str:
    """The text with speculation after so many events: drafts of a round that is not yet checked are only drafted."""
    events = trace.events[:num_events]
    checked = checked_rounds(trace, num_events)
    thrown = [number for number, event in enumerate(events) if event.round < checked and event.fate in WASTED]
    first = thrown[-MOST_WASTED] if waste and len(thrown) >= MOST_WASTED else 0
    parts = []
    for number, event in enumerate(events):
        fate = event.fate if event.round < checked else DRAFTED
        if fate not in WASTED or (waste and number >= first):
            parts.append(_token(trace, event, fate, translate))
    return _block(trace, "".join(parts), kind, translate("The text with speculation"))


def _token(trace: Trace, event: Event, fate: str, translate: Translator) -> str:
    tag = "del" if fate in WASTED else "span"
    text = _visible_token(trace.vocabulary.label(event.token), tag == "span" and fate != DRAFTED)
    title = escape(_title(trace, event, fate, translate), quote=True)
    return f'<{tag} class="{fate}" title="{title}">{text}</{tag}>'


def _title(trace: Trace, event: Event, fate: str, translate: Translator) -> str:
    played = trace.rounds[event.round]
    if fate not in ("accepted", "rejected"):
        return translate(LABELS[fate])
    target, draft = played.target_probs[event.position], played.draft_probs[event.position]
    text = translate("{fate}: target {target}, drafter {draft}")
    return text.format(fate=translate(LABELS[fate]), target=percent(target), draft=percent(draft))


def percent(value: float) -> str:
    """A probability with two digits that count, however small.

    >>> percent(0.5), percent(0.00042), percent(1.0)
    ('50%', '0.042%', '100%')
    """
    return f"{100 * value:.0f}%" if value >= 0.0995 else f"{100 * value:.2g}%"


def html_plain(trace: Trace, passes: int, kind: str, translate: Translator) -> str:
    """The text of the target alone: what it has after so many passes, a mark, and pale what comes later."""
    labels = [_visible_token(trace.vocabulary.label(token), True) for token in trace.tokens]
    parts = ["".join(labels[:passes])]
    if passes < len(labels):
        mark = f'<span class="here" title="{escape(translate(HERE), quote=True)}"></span>'
        parts += [mark, f'<span class="later">{"".join(labels[passes:])}</span>']
    return _block(trace, "".join(parts), kind, translate("The text of the target alone"))


HERE = N_("as far as the target alone has come after the same number of passes")


def _block(trace: Trace, tokens: str, kind: str, label: str) -> str:
    start = _visible(trace.vocabulary.decode(trace.prompt), True)
    language = "ja" if kind == "japanese" else "en"
    look = "lt code" if kind == "code" else "lt"
    name = escape(label, quote=True)
    inside = f'<span class="start">{start}</span>{tokens}'
    return f'<style>{CSS}</style><div class="{look}" lang="{language}" role="group" aria-label="{name}">{inside}</div>'


def html_legend(translate: Translator) -> str:
    """What each look means."""
    sample = escape(translate(SAMPLE))
    items = "".join(
        f'<span><b class="{fate}">{sample}</b>{escape(translate(label))}</span>' for fate, label in LABELS.items()
    )
    return f'<style>{CSS}</style><div class="lt-legend">{items}</div>'


SAMPLE = N_("token")


def checked_rounds(trace: Trace, num_events: int) -> int:
    """How many rounds have been checked by the target after `num_events` events.

    A round is checked when its last event is there: until then its drafts are only drafted.
    """
    events = trace.events
    if num_events >= len(events):
        return len(trace.rounds)
    return events[num_events].round


def end_of_round(trace: Trace, num_events: int) -> int:
    """How many events there are at the end of the round that goes on after `num_events` events."""
    events = trace.events
    if num_events >= len(events):
        return len(events)
    current = events[num_events].round
    following = (number for number in range(num_events, len(events)) if events[number].round > current)
    return next(following, len(events))
