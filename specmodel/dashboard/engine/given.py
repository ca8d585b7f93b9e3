"""Files and pasted text on the engine page: what each of them is taken for, and what happened between two scrapes."""

from collections.abc import Sequence

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.engine.against import keep_other, without_other
from specmodel.dashboard.engine.columns import TABLE_HELP, with_columns
from specmodel.dashboard.engine.files import EngineFile, ScrapePair, between, pasted, scrape_pairs, uploaded
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.engine.comparable import no_baseline
from specmodel.measured.spec_stats import SpecStats


def files_given(page: Page) -> Sequence[SpecStats]:
    """What the uploaded files hold."""
    _ = page.translate
    files = uploaded(_)
    if not files:
        st.caption(_.sentences(_(FILES_HELP), _(TABLE_HELP)))
    return without_other(page, _used(page, files))


FILES_HELP = N_(
    "vLLM, SGLang, llama.cpp, TensorRT-LLM, LMDeploy, MLC-LLM, TGI, mlx-lm, Ollama, LM Studio, ExLlama, Spec-Bench, "
    "EAGLE, aiperf, speculators, or a CSV of rounds. A file of the same format without speculation gives a measured "
    "speedup, a second scrape of /metrics the time between them, several files a comparison of kinds of prompts. At "
    "most 64 MB each, also as gzip; larger ones: python -m specmodel.logs FILE. Files stay in this session."
)


def _used(page: Page, files: Sequence[EngineFile]) -> Sequence[SpecStats]:
    """What the files hold; a refused one is named with its reason, two scrapes become the time between them.

    What was given beside two scrapes stays: a scrape of another server, one without speculation, any other file.
    """
    _ = page.translate
    files = with_columns(page, files)
    for each in files:
        if each.error is not None:
            st.error(f"**{escaped(each.name)}**: {escaped(_.message(each.error))}")
    pairs = scrape_pairs(files)
    if pairs and st.checkbox(_("Two scrapes of one server: take what happened between them"), value=True, key="pair"):
        scraped = {id(each) for pair in pairs for each in pair.files}
        others = [each.stats for each in files if id(each) not in scraped and each.stats is not None]
        return [*(stats for pair in pairs for stats in _between(page, pair)), *others]
    return [each.stats for each in files if each.stats is not None]


def _between(page: Page, pair: ScrapePair) -> Sequence[SpecStats]:
    """What happened between two scrapes; the visitor may say that the one that counted less is the later one."""
    _, first, last = page.translate, pair.first, pair.last
    label = _("The engine was started anew in between: {name} is the later one").format(name=escaped(first.name))
    if st.checkbox(label, key="restarted" if pair.speculation else "restarted_plain"):
        first, last = last, first
    said = [_("From {first} to {last}.").format(first=first.name, last=last.name)]
    if pair.between:
        names = _.listed(each.name for each in pair.between)
        said.append(_("Between them, and so not needed: {names}.").format(names=names))
    st.caption(escaped(_.sentences(*said)))
    found = between(first, last, _)
    if found.error is not None:
        st.error(escaped(_.message(found.error)))
    return () if found.stats is None else (found.stats,)


def text_given(page: Page) -> Sequence[SpecStats]:
    """What the pasted text holds, and that of a run without speculation beside it."""
    _ = page.translate
    text = st.text_area(
        _("Log lines, a /metrics page, JSON: with speculation"), key="pasted", height=120, persist_state="session"
    )
    plain = st.text_area(
        _("The same without speculation, or another run to compare with, if you have it"),
        key="pasted_plain",
        height=68,
        persist_state="session",
    )
    files = [pasted(_("pasted"), text, _)] if text and text.strip() else []
    if not files:
        st.caption(_(TABLE_HELP))
    other = None
    if plain and plain.strip():
        second = pasted(_("pasted, without speculation"), plain, _)
        other = second.stats if second.stats is not None and no_baseline(second.stats) is not None else None
        files += [second] if other is None else []
    if other is not None:
        st.info(_(COMPARED))
    keep_other(other.replace(label="") if other is not None and files else None)
    return _used(page, files)


COMPARED = N_("The second text speculates itself, so it is no baseline: the two runs are compared.")
