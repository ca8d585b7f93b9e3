"""Files and texts that a visitor gives to the engine page: read once, and kept in this session only.

What is not small is read in another process, which the visitor can cancel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import streamlit as st

from specmodel import logs
from specmodel.base.messages import N_, Message
from specmodel.dashboard.engine.reading import Result, in_another_process, is_small
from specmodel.dashboard.session.run_queue import waiting
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.logs import is_scrape
from specmodel.measured.spec_stats import SpecStats

MOST_TEXTS = 4
CANCELLED = Message(N_("reading was cancelled"))


@dataclass(frozen=True)
class EngineFile:
    """One file: its counters, or why it was refused; `scrape` is the text of a /metrics page, for comparing two,
    `table` that of a table of settings, whose columns the visitor may name."""

    name: str
    stats: SpecStats | None = None
    error: Message | None = None
    scrape: str | None = None
    table: str | None = None


def uploaded(translate: Translator) -> tuple[EngineFile, ...]:
    """The files that stand in the uploader, each read once.

    Leaving the page empties the uploader, but only a visitor who takes files out of it forgets them.
    """
    given = st.file_uploader(
        translate("Logs, /metrics pages, benchmark files, JSON answers"),
        accept_multiple_files=True,
        key="engine_upload",
        on_change=lambda: st.session_state.update(engine_files_changed=True),
    )
    kept: dict[str, EngineFile] = st.session_state.setdefault("engine_files", {})
    now = {file.file_id: file for file in given or ()}
    changed = st.session_state.pop("engine_files_changed", False)
    if now or changed:
        for gone in kept.keys() - now.keys():
            del kept[gone]
    for file_id, file in now.items():
        if file_id not in kept:
            kept[file_id] = _read(kept, file_id, file.name, [file.getvalue()], translate)
        _offer_again(kept, file_id, translate)
    if kept and not now:
        _still_here(kept, translate)
    return tuple(kept.values())


def _still_here(kept: dict[str, EngineFile], translate: Translator) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        names = translate.listed(file.name for file in kept.values())
        st.caption(translate("Still here: {names}").format(names=escaped(names)), width="content")
        st.button(translate("Forget these files"), key="forget_engine_files", on_click=kept.clear, type="tertiary")


def pasted(name: str, text: str, translate: Translator) -> EngineFile:
    """Text that was pasted; read once, until another takes its place."""
    return _once(name, [text.encode("utf-8", "replace")], translate)


def between(first: EngineFile, last: EngineFile, translate: Translator) -> EngineFile:
    """What happened between two scrapes; read once."""
    return _once(last.name, [(each.scrape or "").encode("utf-8", "replace") for each in (first, last)], translate)


def _once(name: str, texts: Sequence[bytes], translate: Translator) -> EngineFile:
    """The same as it was read in the run before, if the texts still are what they were."""
    kept: dict[str, EngineFile] = st.session_state.setdefault("engine_texts", {})
    key = f"{name} {sha256(b''.join(texts)).hexdigest()} {len(texts[0])}"
    if key not in kept:
        kept[key] = _read(kept, key, name, texts, translate)
    _offer_again(kept, key, translate)
    kept[key] = kept.pop(key)  # the oldest stand first
    while len(kept) > MOST_TEXTS:
        del kept[next(iter(kept))]
    return kept[key]


def read_small(name: str, *texts: bytes) -> EngineFile:
    """A file, or what happened between two scrapes, read in this process."""
    try:
        if len(texts) == 2:
            return EngineFile(name, logs.parse_scrapes(*texts, name))
        stats = logs.parse(texts[0], name)
    except logs.LogError as error:
        return EngineFile(name, error=error.message, table=_refused_table(texts[0]))
    text = logs.text_of(texts[0]) if is_scrape(stats) or stats.source == logs.TABLE else None
    return EngineFile(name, stats, scrape=text if is_scrape(stats) else None, table=None if is_scrape(stats) else text)


def _refused_table(data: bytes) -> str | None:
    """The text of a table that was refused, since another name of a column may make it one that can be used."""
    try:
        text = logs.text_of(data)
    except logs.LogError:
        return None
    return text if logs.read_table(text) is not None else None


def _read(
    kept: dict[str, EngineFile], key: str, name: str, texts: Sequence[bytes], translate: Translator
) -> EngineFile:
    """A file or two scrapes; a visitor who cancels finds that under the key in the next run."""
    if all(map(is_small, texts)):
        return read_small(name, *texts)
    text = translate("Reading {name}").format(name=escaped(name))
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text=text)
        cancelled = {key: EngineFile(name, error=CANCELLED)}
        st.button(translate("Cancel"), key=f"cancel {key}", on_click=lambda: kept.update(cancelled))
    with waiting():
        result = in_another_process(name, texts, lambda share: bar.progress(share, text=text))
    place.empty()
    return _file(name, result)


def _offer_again(kept: dict[str, EngineFile], key: str, translate: Translator) -> None:
    if kept[key].error == CANCELLED:
        label = translate("Read {name} after all").format(name=escaped(kept[key].name))
        st.button(label, key=f"again {key}", on_click=kept.__delitem__, args=(key,), type="tertiary")


def _file(name: str, result: Result) -> EngineFile:
    if isinstance(result, Message):
        return EngineFile(name, error=result)
    stats, scrape = result
    return EngineFile(name, stats, scrape=scrape)


@dataclass(frozen=True)
class ScrapePair:
    """The first and the last scrape of one server by what they have counted, and those that lie between them."""

    first: EngineFile
    last: EngineFile
    between: tuple[EngineFile, ...] = ()

    @property
    def speculation(self) -> bool:
        """Whether the server speculates; of one that does not, two scrapes are a baseline."""
        return self.last.stats is not None and self.last.stats.speculation

    @property
    def files(self) -> tuple[EngineFile, ...]:
        """All of them in their order."""
        return (self.first, *self.between, self.last)


def scrape_pairs(files: Sequence[EngineFile]) -> tuple[ScrapePair, ...]:
    """Scrapes of one server that differ, of each server that there are several of; those that speculate first.

    A server is known by its engine, whether it speculates, and its draft length. An engine that was started anew in
    between has counted less afterwards: a reader has to say so.
    """
    servers: dict[tuple[object, ...], list[EngineFile]] = {}
    for each in files:
        if each.scrape and each.stats:
            stats = each.stats
            servers.setdefault((stats.engine, stats.speculation, stats.num_speculative_tokens), []).append(each)
    pairs = []
    for scrapes in servers.values():
        ordered = sorted(scrapes, key=_counted)
        if _counted(ordered[0]) < _counted(ordered[-1]):
            pairs.append(ScrapePair(ordered[0], ordered[-1], tuple(ordered[1:-1])))
    return tuple(sorted(pairs, key=lambda each: not each.speculation))


def _counted(file: EngineFile) -> float:
    return (file.stats.num_rounds or file.stats.generated_tokens or file.stats.num_steps or 0) if file.stats else 0
