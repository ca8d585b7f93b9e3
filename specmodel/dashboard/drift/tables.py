"""Tables of the Drift page: phases with their sources, the boundary, the rules, speedup by phase, learning."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specmodel.base.messages import N_
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.drift.adaptation import AdaptationOutcome
from specmodel.drift.boundary import Boundary, PhaseAtLength
from specmodel.drift.phases import Phase, Workload
from specmodel.drift.policies import find
from specmodel.drift.run import DriftRun
from specmodel.drift.workload_inputs import MEASURED
from specmodel.methods import EVIDENCE

Floats = NDArray[np.float64]
Columns = dict[str, list[Any]]
Labels = Mapping[str, str]
KIND_LABELS = {**EVIDENCE, MEASURED: N_("measured"), "assumed": N_("assumed")}
LOSES = "▼"
MOST_DIGITS = 4


def numbered(workload: Workload, translate: Translator) -> list[str]:
    """The phases with their place, since a workload may come back to one; as markdown."""
    return [f"{at} · {escaped(translate(phase.label))}" for at, phase in enumerate(workload.phases, 1)]


def phase_columns(workload: Workload, translate: Translator) -> Columns:
    """One row a phase: its acceptance, how sure that is, and where it comes from."""
    _ = translate
    phases = workload.phases
    columns = {
        _("phase"): [f"{at} · {_(phase.label)}" for at, phase in enumerate(phases, 1)],
        "α": [_alpha(phase) for phase in phases],
        _("temperature"): [f"{phase.temperature:g}" if phase.temperature is not None else "–" for phase in phases],
        _("requests"): [f"{phase.requests} × {phase.output_tokens}" for phase in phases],
        _("kind of number"): [_(KIND_LABELS[phase.kind]) for phase in phases],
        _("measured with"): [_measured_with(phase, _) for phase in phases],
    }
    return {name: values for name, values in columns.items() if set(values) != {"–"}}


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


def phase_data(workload: Workload) -> Columns:
    """The same as plain numbers."""
    names = ("label", "alpha", "change", "acceptance_shape", "temperature", "requests", "output_tokens", "persistence")
    return {name: [getattr(phase, name) for phase in workload.phases] for name in (*names, "kind", "source")}


def boundary_columns(boundary: Boundary, workload: Workload, speedups: Floats, translate: Translator) -> Columns:
    """One row a phase: its acceptance, what such a phase needs at this k, its long-run speedup, and the best k.

    `speedups` has shape (phases, max + 1), by draft length.
    """
    _ = translate
    best = speedups.argmax(axis=1).tolist()
    verdicts = [f"{LOSES} {_('loses')}" if phase.loses else _("pays") for phase in boundary.phases]
    return {
        _("phase"): numbered(workload, _),
        "α": [_digits(phase.alpha, phase) for phase in boundary.phases],
        _("pays above α*"): [_digits(phase.break_even_alpha, phase) or _("never") for phase in boundary.phases],
        _("speedup at k = {k}").format(k=boundary.num_speculative_tokens): [
            _factor(phase.speedup) for phase in boundary.phases
        ],
        _("verdict"): verdicts,
        _("best k"): [str(k) if k else _("off") for k in best],
        _("speedup there"): [f"{row[k]:.2f}×" for row, k in zip(speedups.tolist(), best, strict=True)],
    }


def _digits(alpha: float | None, phase: PhaseAtLength) -> str:
    """An acceptance with as many digits as tell that of the phase from the one it needs; empty where there is none."""
    both = (phase.alpha, phase.break_even_alpha)
    digits = 2
    while digits < MOST_DIGITS and None not in both and len({f"{each:.{digits}f}" for each in both}) == 1:
        digits += 1
    return "" if alpha is None else f"{alpha:.{digits}f}"


def rule_columns(labels: Labels, translate: Translator) -> Columns:
    """What each rule does, and where it comes from."""
    _ = translate
    found = [find(key) for key in labels]
    return {
        _("rule"): list(labels.values()),
        _("what it does"): [_(policy.rule) for policy in found],
        _("source"): [policy.source or "–" for policy in found],
    }


def total_columns(run: DriftRun, labels: Labels, translate: Translator) -> Columns:
    """One row a rule over the whole workload."""
    _ = translate
    shares = [run.saved_share(key) for key in labels]
    runs = [run.run(key) for key in labels]
    return {
        _("rule"): list(labels.values()),
        _("speedup"): [f"{run.speedup(key):.2f}×" for key in labels],
        _("saved"): [f"{run.saved_ms(key)[-1] / 1000:,.1f} s" for key in labels],
        _("of the oracle's saving"): ["–" if share is None else f"{share:.0%}" for share in shares],
        _("mean k"): [f"{each.num_speculative_tokens.mean():.1f}" for each in runs],
        _("wasted drafts"): [f"{each.num_wasted_draft_tokens:,}" for each in runs],
        _("changes of k"): [f"{each.num_switches:,}" for each in runs],
    }


def total_data(run: DriftRun, labels: Labels) -> Columns:
    """The same as plain numbers."""
    runs = [run.run(key) for key in labels]
    return {
        "policy": list(labels),
        "speedup": [run.speedup(key) for key in labels],
        "saved_ms": [run.saved_ms(key)[-1] for key in labels],
        "regret_ms": [run.regret_ms(key)[-1] for key in labels],
        "num_rounds": [each.num_rounds for each in runs],
        "num_wasted_draft_tokens": [each.num_wasted_draft_tokens for each in runs],
        "num_switches": [each.num_switches for each in runs],
    }


def speedup_columns(run: DriftRun, labels: Labels, translate: Translator) -> Columns:
    """Speedup by rule and phase; where a rule is slower than plain decoding it is marked."""
    by_rule = {key: run.by_phase(key) for key in labels}
    columns: Columns = {translate("rule"): list(labels.values())}
    for at, name in enumerate(numbered(run.rounds.workload, translate)):
        found = [by_rule[key][at] for key in labels]
        columns[name] = [f"{LOSES} {_factor(each.speedup)}" if each.loses else _factor(each.speedup) for each in found]
    return columns


def _factor(speedup: float) -> str:
    """A speedup with as many digits as tell a loss from none."""
    return f"{speedup:.3f}×" if 0.995 <= speedup < 1 else f"{speedup:.2f}×"


def speedup_data(run: DriftRun, labels: Labels) -> Columns:
    """One row a rule and phase, as plain numbers."""
    rows = [(key, at, phase) for key in labels for at, phase in enumerate(run.by_phase(key), 1)]
    names = ("label", "num_rounds", "num_draft_tokens", "num_wasted_draft_tokens", "num_switches", "ms", "speedup")
    return {
        "policy": [key for key, _at, _phase in rows],
        "phase": [at for _key, at, _phase in rows],
        **{name: [getattr(phase, name) for _key, _at, phase in rows] for name in (*names, "regret_ms")},
    }


def learning_columns(outcome: AdaptationOutcome, labels: Labels, translate: Translator) -> Columns:
    """For each rule its speedup without and with learning, and what training may cost at most."""
    _ = translate
    return {
        _("rule"): list(labels.values()),
        _("speedup, draft as it came"): [f"{outcome.static.speedup(key):.2f}×" for key in labels],
        _("speedup, learning and training"): [f"{outcome.speedup(key):.2f}×" for key in labels],
        _("gain"): [f"{outcome.gain(key):.2f}×" for key in labels],
        _("training may take at most"): [f"{outcome.break_even_share(key):.0%}" for key in labels],
        _("or per round"): [f"{outcome.break_even_ms(key):.2f} ms" for key in labels],
    }
