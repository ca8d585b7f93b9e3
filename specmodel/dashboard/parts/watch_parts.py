"""Prometheus rules and what they watch, as parts of an answer. No Streamlit."""

from specmodel.dashboard.parts.answer import Code, Heading, Note, Part, Text
from specmodel.dashboard.session.translation import Translator, with_code
from specmodel.watch import Levels, rules_yaml

APP = "APP_URL"
"""Stands in links where nobody knows yet where the app runs."""


def watch_parts(levels: Levels, translate: Translator) -> dict[str, Part | None]:
    """What is watched with which level (`watch_levels`), the rules (`watch`), and what they rest on (`watch_note`).

    >>> from specmodel.dashboard.session.translation import translator
    >>> found = watch_parts(Levels("vLLM", 3, break_even=1.28), translator("en"))
    >>> print(found["watch_levels"].markdown.split("fewer than ")[1].split(",")[0])
    1.25 tokens per decoding step
    """
    _ = translate
    note = _(
        "An alert waits ten minutes and, for the break-even, until so few tokens per step cannot be chance. The levels "
        "are those of this page: a new engine, drafter, model, accelerator or load has others."
    )
    return {
        "watch_heading": Heading(_("Watch it: Prometheus rules and a Grafana dashboard")),
        "watch_levels": Text("\n".join(f"- {with_code(line)}" for line in _levels(levels, _))),
        "watch": Code(rules_yaml(levels), "yaml"),
        "watch_note": Note(note),
    }


def _levels(levels: Levels, translate: Translator) -> list[str]:
    _ = translate
    lines = []
    if levels.breaks_even_below is None:
        lines.append(_("`SpeculationLoses` is left out: without the time of a plain step no break-even is known."))
    else:
        text = _("`SpeculationLoses`: fewer than {least:.2f} tokens per decoding step, 2 % under the break-even of "
                 "{even:.2f}.")  # fmt: skip
        lines.append(text.format(least=levels.breaks_even_below, even=levels.break_even))
    if levels.tpot_ms is None:
        lines.append(_("`SlowTokensWhileSpeculating` is left out until a service level is given."))
    else:
        text = _("`SlowTokensWhileSpeculating`: more than {tpot:g} ms for an output token while drafts run.")
        lines.append(text.format(tpot=levels.tpot_ms))
    if levels.off_beyond is None:
        lines.append(_("`DraftingBeyondOffPoint` is left out: no batch size is known from which off is faster."))
    else:
        text = _("`DraftingBeyondOffPoint`: drafts while more than {batch} requests decode at once.")
        lines.append(text.format(batch=levels.off_beyond))
    lines.append(
        _("`SpeculationStopped`: tokens come out and for ten minutes no round has run, though some ran today.")
    )
    return lines
