"""The other of two runs that both speculate: chosen among the files, or pasted into the second box; the link has it."""

import re
from collections.abc import Sequence

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.measured.spec_stats import SpecStats
from specmodel.measured.stats_link import pack_stats

AGAINST_HELP = N_(
    "Two runs with speculation are compared: which is faster at like load, how sure, and whether acceptance or the "
    "time of a step makes the difference. Without a choice all of them are kinds of prompts and added up."
)


def without_other(page: Page, files: Sequence[SpecStats]) -> Sequence[SpecStats]:
    """The files but the one that a visitor compares with, which is kept; nothing to choose for fewer than two."""
    _ = page.translate
    speculating = [each for each in files if each.speculation]
    names = list(dict.fromkeys(each.label for each in speculating if each.label))
    if len(names) < 2:
        keep_other(None)
        return files
    chosen = st.selectbox(
        _("Compare with"),
        ["", *names],
        format_func=lambda name: name or _("nothing: add them up"),
        key="against",
        help=_(AGAINST_HELP),
        width=360,
    )
    other = next((each for each in speculating if chosen and each.label == chosen), None)
    keep_other(other)
    return [each for each in files if each is not other]


def keep_other(other: SpecStats | None) -> None:
    """Keep the counters of the other run for the page and its link, with its name; None for none."""
    packed = ""
    if other is not None:
        packed = pack_stats(other)
        name = re.sub(r"[,;:]+", " ", other.label)[:60].strip()
        if name and ";" not in packed and "name:" not in packed:
            packed = f"{packed},name:{name}"
    state.set_option("other", packed)
