"""The parts of the Methods page: the answer, the table, one method with its numbers, and the draft tree."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from specmodel.base.messages import N_
from specmodel.base.params import Param, Quantity, declarations
from specmodel.dashboard.engine.files import ROOT
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.passes.pass_source import PassSource
from specmodel.dashboard.session import state
from specmodel.dashboard.session.translation import Translator
from specmodel.methods import EVIDENCE, LOSSLESS_LABELS, Choice, MethodRow, Task, find, methods
from specmodel.serving.hardware import Accelerator
from specmodel.serving.load import Drafter, Load

CARDS = {
    "best": Quantity(
        "best",
        N_("Fastest at this batch"),
        N_("The way of drafting with the highest speedup at the chosen batch and context."),
        format="",
    ),
    "best_alone": Quantity(
        "best_alone", N_("Fastest for one request"), N_("The same with one request at a time."), format=""
    ),
    "best_untrained": Quantity(
        "best_untrained",
        N_("Fastest without training"),
        N_("The fastest at this batch of those that need no trained drafter."),
        format="",
    ),
    "paying": Quantity(
        "paying",
        N_("Methods that pay here"),
        N_("How many of those shown are faster than plain decoding at this batch."),
        format="",
    ),
}

PASS_KINDS = {"roofline": N_("computed"), "fit": N_("fitted"), "points": N_("measured")}

Rows = Sequence[tuple[int, MethodRow]]


def answer_words(rows: Rows, load: Load, translate: Translator) -> str:
    """Which method fits, in a sentence."""
    _ = translate
    if not rows:
        return _("No way of drafting passes these filters.")
    known = [row for _place, row in rows if not row.extrapolated]
    if not known:
        return _("At this batch every way of drafting needs a larger pass than any measured one: all are extrapolated.")
    best = max(known, key=lambda row: row.speedup)
    values = {"name": _(best.method.label), "speedup": best.speedup, "batch": load.batch_size}
    if best.speedup <= 1:
        return _("At batch {batch} no way of drafting pays: the fastest is {name} with {speedup:.2f}×.").format(
            **values
        )
    return _("At batch {batch} **{name}** is the fastest: {speedup:.2f}× plain decoding.").format(**values)


def method_cards(rows: Rows, translate: Translator) -> list[tuple[Quantity, str, str]]:
    """The fastest here, for one request, and without training."""
    _ = translate
    found = [row for _place, row in rows if not row.extrapolated]
    untrained = [row for row in found if not row.method.trained]
    asked = (
        ("best", found, "speedup"),
        ("best_alone", found, "speedup_at_one"),
        ("best_untrained", untrained, "speedup"),
    )
    cards = [(CARDS[key], *_fastest(among, at, translate)) for key, among, at in asked]
    pays = sum(row.speedup > 1 for row in found)
    return [*cards, (CARDS["paying"], f"{pays}", _("of {count} shown").format(count=len(found)))]


def _fastest(rows: Sequence[MethodRow], at: str, translate: Translator) -> tuple[str, str]:
    """The highest speedup among the rows, and whose it is."""
    if not rows:
        return "–", ""
    best = max(rows, key=lambda row: float(getattr(row, at)))
    return f"{getattr(best, at):.2f}×", translate(best.method.label)


def method_columns(rows: Rows, source: PassSource, translate: Translator) -> dict[str, list[Any]]:
    """One row a method: what it wins here and alone, what a round gives and costs, waste, memory, needs, sources."""
    _ = translate
    found = [row for _place, row in rows]
    passes = [_("extrapolated") if row.extrapolated else _(PASS_KINDS[source.kind]) for row in found]
    return {
        _("method"): [_(row.method.label) + ("" if row.matches else " *") for row in found],
        **({_("passes"): passes} if any(row.extrapolated for row in found) else {}),
        _("speedup here"): [round(row.speedup, 2) for row in found],
        _("one request"): [round(row.speedup_at_one, 2) for row in found],
        _("the target's output"): [_(LOSSLESS_LABELS[row.lossless]) for row in found],
        _("to train"): [_("yes") if row.method.trained else _("nothing") for row in found],
        _("tokens per round"): [round(row.tau, 2) for row in found],
        _("cost of a round"): [round(row.rho, 2) for row in found],
        _("tokens checked"): [round(row.verified_tokens, 1) for row in found],
        _("wasted per token"): [round(row.wasted_per_token, 2) for row in found],
        _("to host (B weights)"): [_or_dash(row.weights_billions, ",.2f") for row in found],
        _("requests lost to it"): [_lost(row, source) for row in found],
        _("numbers"): [_(EVIDENCE[row.row.kind]) for row in found],
    }


def _or_dash(value: float | None, pattern: str) -> str:
    return "–" if value is None else format(value, pattern)


def _lost(row: MethodRow, source: PassSource) -> str:
    """Requests of this context that the drafter takes the room of; at least so many where its cache is not known."""
    load = state.group(Load)
    if row.weights_billions is None:
        return "–"
    drafter = Drafter(
        weights_billions=row.weights_billions, cache_bytes_per_token=round(row.cache_bytes_per_token or 0)
    )
    with_it, without = source.room(load, drafter), source.room(load, None)
    if with_it is None or without is None or with_it.sequences is None or without.sequences is None:
        return "–"
    lost = f"{without.sequences - with_it.sequences:,}"
    return f"≥ {lost}" if row.cache_bytes_per_token is None else lost


def method_data(rows: Rows) -> dict[str, list[Any]]:
    """The same as plain numbers, with the source of each row."""
    found = [row for _place, row in rows]
    names = [name for name in declarations(MethodRow)]
    return {
        "method": [row.method.key for row in found],
        **{name: [getattr(row, name) for row in found] for name in names},
        "lossless": [row.lossless for row in found],
        "kind": [row.row.kind for row in found],
        "prompt_kind": [row.row.prompt_kind for row in found],
        "temperature": [row.row.temperature for row in found],
        "setup": [row.row.setup for row in found],
        "source": [row.row.source for row in found],
    }


def one_method(page: Page, rows: Sequence[MethodRow], workload: Task) -> None:
    """One method: when it wins and loses, what it needs, where its numbers come from, and changing them."""
    _ = page.translate
    st.subheader(_("One of them, closer"), anchor=False)
    st.selectbox(
        _("Way of drafting"),
        [each.key for each in methods()],
        format_func=lambda key: _(find(key).label),
        key="look",
        persist_state="session",
        width=330,
    )
    row = next(each for each in rows if each.method.key == state.option("look"))
    method = row.method
    left, right = st.columns(2, gap="medium")
    with left:
        lines = [
            f"**{_('Wins')}** {escaped(_(method.wins))}",
            f"**{_('Loses')}** {escaped(_(method.loses))}",
            f"**{_('Needs')}** {escaped(_(method.needs))}",
            f"**{_('Is the output the target’s?')}** {escaped(_(method.lossless_note))}",
            f"**{_('Source')}** {escaped(method.citation)}",
        ]
        st.markdown("\n\n".join(lines))
        page.shown.notes += [line.replace("**", "") for line in lines]
    with right:
        _numbers(page, row, workload)


def _numbers(page: Page, row: MethodRow, workload: Task) -> None:
    """The values in use, each with its box; where they come from; and the way to the other pages."""
    _ = page.translate
    method, values = row.method, row.choice.values
    if method.key == "measured":
        st.caption(_("Its numbers are those of the sliders on the Explore pages, which a measured engine sets."))
    else:
        columns = st.columns(2, gap="small")
        for index, (name, declared) in enumerate(declarations(method.params).items()):
            with columns[index % 2]:
                _box(page, row, name, declared, getattr(values, name))
        changed = state.method_changes().get(method.key)
        if changed:
            label = _("Back to the published numbers")
            st.button(label, key="reset_method", on_click=state.reset_method, args=(method.key,))
    page.note(_source_words(row, workload, _))
    if method.key != "measured":
        if row.verified_tokens > row.choice.proposal.acceptance.num_speculative_tokens + 1:
            st.caption(_("The other pages draft chains: a tree goes there as a chain of its levels, checked for less."))
        if st.button(_("Take it to the Explore pages"), key="take_method"):
            _take(row.choice)


def _box(page: Page, row: MethodRow, name: str, declared: Param, value: Any) -> None:
    _ = page.translate
    key = f"method:{row.method.key}.{name}"
    st.session_state[key] = int(value) if declared.integer else float(value)
    unit = declared.unit_in(_)
    st.number_input(
        f"{_(declared.label)} ({unit})" if unit else _(declared.label),
        step=1 if declared.integer else None,
        format="%d" if declared.integer else "%.6g",
        key=key,
        help=_(declared.help),
        on_change=lambda: state.change_method(row.method, name, st.session_state[key]),
    )


def _source_words(row: MethodRow, workload: Task, translate: Translator) -> str:
    _, found = translate, row.row
    changed = state.method_changes().get(row.method.key, {})
    if changed:
        labels = _.listed([_(declarations(row.method.params)[name].label) for name in changed])
        text = _("Changed by you: {labels}. The others: {setup} ({source}).")
        return escaped(text.format(labels=labels, setup=found.setup, source=found.source))
    lines = [
        _("{kind}: {setup} ({source}).").format(kind=_(EVIDENCE[found.kind]), setup=found.setup, source=found.source)
    ]
    if not row.matches:
        lines.append(_("Nothing was published for exactly this work: this is the nearest."))
    lines += [_(note) for note in found.notes]
    return escaped(_.sentences(*lines))


def _take(choice: Choice) -> None:
    """Its acceptance by position, draft length and cost as the scenario and the drafter of the other pages."""
    proposal = choice.proposal
    first, *later = proposal.acceptance.conditional_acceptance or (0.0,)
    shape = tuple(round(each / first, 6) if first and each == each else 0.0 for each in later)
    same = state.scenario()
    plain = same.target_ms
    step = float(proposal.draft_ms(plain)) / max(proposal.acceptance.num_speculative_tokens, 1)
    state.start_from(
        same.replace(
            alpha=round(first, 6),
            acceptance_shape=() if all(factor == 1 for factor in shape) else shape,
            num_speculative_tokens=proposal.acceptance.num_speculative_tokens,
            vocabulary_overlap=1,
            draft_ms=round(step, 4),
        )
    )
    state.set_option("drafting", proposal.draft.shape)
    state.change(
        Drafter,
        draft_cost_ratio=round(_step_ratio(choice), 6),
        draft_step_ms=round(proposal.draft.ms, 6),
        weights_billions=choice.weights_billions or 0,
        cache_bytes_per_token=round(choice.cache_bytes_per_token or 0),
    )
    st.switch_page(str(ROOT / "pages" / "speedup.py"))


def _step_ratio(choice: Choice) -> float:
    """What a step of its drafter costs in plain steps."""
    return float(choice.proposal.draft.ratio)


def facts(page: Page, source: PassSource, workload: Task) -> list[tuple[str, str, str]]:
    """What the page rests on, for its downloads."""
    _ = page.translate
    load = state.group(Load)
    declared = declarations(Load)
    hardware = state.group(Accelerator)
    named = ("batch_size", "context_tokens")
    rows = [(_(declared[name].label), declared[name].show(getattr(load, name), _), name) for name in named]
    rows.append((_("kind of prompt"), workload.prompt_kind, "prompt_kind"))
    rows.append((_("temperature"), f"{workload.temperature:g}", "temperature"))
    rows += [(_("accelerators"), str(hardware.count), "count")] if source.model is not None else []
    return [*rows, (_("cost of a pass"), source.note, "pass")]
