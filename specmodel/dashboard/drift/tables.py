"""Tables of the Drift page: phases with their sources, the boundary, the rules, speedup by phase, learning."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.base.messages import N_
from specmodel.dashboard.parts.answer import Column, Table, table_of
from specmodel.dashboard.session.translation import Translator, escaped, plain
from specmodel.drift.adaptation import AdaptationOutcome
from specmodel.drift.boundary import Boundary, PhaseAtLength
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.policies import find
from specmodel.drift.run import DriftRun
from specmodel.drift.workload_inputs import MEASURED
from specmodel.methods import EVIDENCE

Floats = NDArray[np.float64]
Labels = Mapping[str, str]
KIND_LABELS = {**EVIDENCE, MEASURED: N_("measured"), "assumed": N_("assumed")}
LOSES = "▼"
MOST_DIGITS = 4


def numbered(workload: Workload, translate: Translator) -> list[str]:
    """The phases with their place, since a workload may come back to one; as markdown."""
    return [f"{at} · {escaped(translate(phase.label))}" for at, phase in enumerate(workload.phases, 1)]


def phase_table(workload: Workload, translate: Translator) -> Table:
    """One row a phase: its acceptance, how sure that is, and where it comes from; what no phase tells is not shown."""
    _, phases = translate, workload.phases

    def column(header: str, name: str, texts: Sequence[str] = ()) -> Column:
        tells = header if set(texts) != {"–"} else ""
        return Column(tells, name, [getattr(phase, name) for phase in phases], texts)

    columns = [
        column(_("phase"), "label", [f"{at} · {_(phase.label)}" for at, phase in enumerate(phases, 1)]),
        column("α", "alpha", [_alpha(phase) for phase in phases]),
        column("", "change"),
        column("", "acceptance_shape"),
        column(_("temperature"), "temperature", [_temperature(phase) for phase in phases]),
        column(_("requests"), "requests", [f"{phase.requests} × {phase.output_tokens}" for phase in phases]),
        column("", "output_tokens"),
        column("", "persistence"),
        column(_("kind of number"), "kind", [_(KIND_LABELS[phase.kind]) for phase in phases]),
        column(_("measured with"), "source", [_measured_with(phase, _) for phase in phases]),
    ]
    return table_of(_("The phases"), columns, "phases")


def _temperature(phase: Phase) -> str:
    return f"{phase.temperature:g}" if phase.temperature is not None else "–"


def publications(workload: Workload) -> list[str]:
    """Where the acceptances were published, each place once."""
    return list(dict.fromkeys(filter(None, (_parts(phase)[0] for phase in workload.phases))))


def _parts(phase: Phase) -> tuple[str, str]:
    """The publication, and what was measured in it."""
    publication, _semicolon, setup = phase.source.partition("; ")
    return publication, setup


def _measured_with(phase: Phase, translate: Translator) -> str:
    return translate("the engine page") if phase.kind == MEASURED else _parts(phase)[1] or "–"


def models(phase: Phase) -> str:
    """Target and drafter of a published phase, as its setup starts with them; empty where it is from elsewhere."""
    return ", ".join(_parts(phase)[1].split(", ")[:2])


def _alpha(phase: Phase) -> str:
    first = f"{phase.alphas[0]:.2f}"
    if phase.change:
        return f"{first} → {phase.alphas[-1]:.2f}"
    return f"{first} *" if phase.acceptance_shape else first


def boundary_table(boundary: Boundary, workload: Workload, speedups: Floats, translate: Translator) -> Table:
    """One row a phase: its acceptance, what such a phase needs at this k, its long-run speedup, and the best k.

    `speedups` has shape (phases, max + 1), by draft length.
    """
    _ = translate
    best = speedups.argmax(axis=1).tolist()
    phases, at_k = boundary.phases, _("speedup at k = {k}").format(k=boundary.num_speculative_tokens)
    verdicts = [f"{LOSES} {_('loses')}" if phase.loses else _("pays") for phase in phases]
    needed = [_digits(phase.break_even_alpha, phase) or _("never") for phase in phases]
    there = [row[k] for row, k in zip(speedups.tolist(), best, strict=True)]
    columns = [
        Column(_("phase"), "phase", list(map(plain, numbered(workload, _))), numbered(workload, _)),
        Column("α", "alpha", [phase.alpha for phase in phases], [_digits(phase.alpha, phase) for phase in phases]),
        Column(_("pays above α*"), "break_even_alpha", [phase.break_even_alpha for phase in phases], needed),
        Column(at_k, "speedup", [phase.speedup for phase in phases], [_factor(phase.speedup) for phase in phases]),
        Column(_("verdict"), "loses", [phase.loses for phase in phases], verdicts),
        Column(_("best k"), "best_k", best, [str(k) if k else _("off") for k in best]),
        Column(_("speedup there"), "speedup_at_best_k", there, [f"{speedup:.2f}×" for speedup in there]),
    ]
    return table_of(_("Phase by phase"), columns, name="boundary")


def _digits(alpha: float | None, phase: PhaseAtLength) -> str:
    """An acceptance with as many digits as tell that of the phase from the one it needs; empty where there is none."""
    both = (phase.alpha, phase.break_even_alpha)
    digits = 2
    while digits < MOST_DIGITS and None not in both and len({f"{each:.{digits}f}" for each in both}) == 1:
        digits += 1
    return "" if alpha is None else f"{alpha:.{digits}f}"


def rule_table(labels: Labels, translate: Translator) -> Table:
    """What each rule does, and where it comes from."""
    _ = translate
    rules = [find(key) for key in labels]
    columns = {
        _("rule"): list(labels.values()),
        _("what it does"): [_(rule.rule) for rule in rules],
        _("source"): [rule.source or "–" for rule in rules],
    }
    return Table(_("What each rule does"), columns)


def total_table(run: DriftRun, labels: Labels, translate: Translator) -> Table:
    """One row a rule over the whole workload."""
    _, runs = translate, [run.run(key) for key in labels]
    speedups = [run.speedup(key) for key in labels]
    saved = [run.saved_ms(key)[-1] for key in labels]
    shares = [run.saved_share(key) for key in labels]
    means = [each.num_speculative_tokens.mean() for each in runs]
    wasted = [each.num_wasted_draft_tokens for each in runs]
    changes = [each.num_switches for each in runs]
    columns = [
        Column(_("rule"), "policy", list(labels), list(labels.values())),
        Column(_("speedup"), "speedup", speedups, [f"{speedup:.2f}×" for speedup in speedups]),
        Column(_("saved"), "saved_ms", saved, [f"{ms / 1000:,.1f} s" for ms in saved]),
        Column("", "regret_ms", [run.regret_ms(key)[-1] for key in labels]),
        Column(_("of the oracle's saving"), "", shares, ["–" if share is None else f"{share:.0%}" for share in shares]),
        Column(_("mean k"), "", means, [f"{mean:.1f}" for mean in means]),
        Column("", "num_rounds", [each.num_rounds for each in runs]),
        Column(_("wasted drafts"), "num_wasted_draft_tokens", wasted, [f"{count:,}" for count in wasted]),
        Column(_("changes of k"), "num_switches", changes, [f"{count:,}" for count in changes]),
    ]
    return table_of(_("The whole workload"), columns, "rules")


def speedup_table(run: DriftRun, labels: Labels, translate: Translator) -> Table:
    """Speedup by rule and phase, marked where a rule is slower than plain decoding; its CSV has a row for each."""
    by_rule = {key: run.by_phase(key) for key in labels}
    columns: dict[str, list[Any]] = {translate("rule"): list(labels.values())}
    for at, name in enumerate(numbered(run.rounds.workload, translate)):
        phases = [by_rule[key][at] for key in labels]
        columns[name] = [f"{LOSES} {_factor(each.speedup)}" if each.loses else _factor(each.speedup) for each in phases]
    rows = [(key, at, phase) for key in labels for at, phase in enumerate(by_rule[key], 1)]
    names = ("label", "num_rounds", "num_draft_tokens", "num_wasted_draft_tokens", "num_switches", "ms", "speedup")
    data: dict[str, list[Any]] = {
        "policy": [key for key, _at, _phase in rows],
        "phase": [at for _key, at, _phase in rows],
        **{name: [getattr(phase, name) for _key, _at, phase in rows] for name in (*names, "regret_ms")},
    }
    return Table(translate("Speedup by rule and phase"), columns, data, "by_phase")


def _factor(speedup: float) -> str:
    """A speedup with as many digits as tell a loss from none."""
    return f"{speedup:.3f}×" if 0.995 <= speedup < 1 else f"{speedup:.2f}×"


def learning_table(outcome: AdaptationOutcome, labels: Labels, translate: Translator) -> Table:
    """For each rule its speedup without and with learning, and what training may cost at most."""
    _ = translate

    def column(header: str, name: str, value: Callable[[str], float], pattern: str, unit: str = "") -> Column:
        values = [value(key) for key in labels]
        return Column(header, name, values, [format(each, pattern) + unit for each in values])

    columns = [
        Column(_("rule"), "rule", list(labels), list(labels.values())),
        column(_("speedup, draft as it came"), "speedup_static", outcome.static.speedup, ".2f", "×"),
        column(_("speedup, learning and training"), "speedup_learning", outcome.speedup, ".2f", "×"),
        column(_("gain"), "gain", outcome.gain, ".2f", "×"),
        column(_("training may take at most"), "break_even_share", outcome.break_even_share, ".0%"),
        column(_("or per round"), "break_even_ms", outcome.break_even_ms, ".2f", " ms"),
    ]
    return table_of(_("What learning gains"), columns, name="learning")
