"""The part of the Draft length page on drafting that stops below a confidence (p-min)."""

from collections.abc import Mapping

from specmodel.dashboard.parts.answer import Chart, Code, Heading, Note, Part, Text
from specmodel.dashboard.parts.ranges import ranges
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.setting import LLAMA_CPP, SETTINGS
from specmodel.figures.draft_length import p_min_figure
from specmodel.model.confidence import GRID, StoppedRounds, Stopping, Thresholds, stopped_rounds, thresholds
from specmodel.model.scenario import Scenario


def p_min_parts(scenario: Scenario, stopping: Stopping, translate: Translator) -> Mapping[str, Part | None]:
    """What the threshold does, the best with its ties, the curve, what to give llama.cpp; nothing where k is 0."""
    _ = translate
    if not scenario.num_speculative_tokens:
        return {}
    found, here = thresholds(scenario, stopping.concentration), stopped_rounds(scenario, stopping)
    alt = _("Speedup against the confidence below which the drafter stops, with the best threshold marked.")
    note = _(
        "Exact for a calibrated drafter whose confidences are spread as assumed (“Sameness of confidences”): no file "
        "tells that spread, and tokens of a round are taken as independent. The token at which it stops is computed "
        "too, and its time is counted (older llama.cpp also checked it). Drafters that make all tokens in one pass "
        "save checking alone. A measurement with and without p-min replaces all of it; llama.cpp {version} names the "
        "options so."
    )
    return {
        "p_min_heading": Heading(_("Stop drafting below a confidence (p-min)")),
        "p_min_said": Text(_said(found, here, scenario, _)),
        "p_min": Chart(p_min_figure(found, here, _), _("What stopping below a confidence is worth"), alt, 280),
        "p_min_paste": Code(_options(found, scenario), "bash"),
        "p_min_note": Note(note.format(version=SETTINGS[LLAMA_CPP].version)),
    }


def _said(found: Thresholds, here: StoppedRounds, scenario: Scenario, translate: Translator) -> str:
    _, best, always = translate, found.best, found.rounds[0]
    said = []
    if best.p_min:
        text = _("**p-min {p:.2f}: {speedup:.2f}×** instead of {always:.2f}× without it.")
        said.append(text.format(p=best.p_min, speedup=best.speedup, always=always.speedup))
        text = _("A round then drafts {drafts:.2f} tokens instead of {k}, and {rate:.0%} of them are accepted.")
        rate = best.draft_acceptance_rate or 0.0
        said.append(text.format(drafts=best.drafts, k=scenario.num_speculative_tokens, rate=rate))
    else:
        said.append(_("**No p-min:** {speedup:.2f}×, and no threshold is faster.").format(speedup=always.speedup))
    if found.ties:
        steps = [round(p / GRID[1]) for p in found.ties]
        shown = ranges(steps, lambda step: f"{step * GRID[1]:.2f}")
        said.append(_("Less than 2 % slower: {ties}.").format(ties=shown))
    if here.p_min and here.p_min != best.p_min:
        said.append(_("The chosen {p:.2f} gives {speedup:.2f}×.").format(p=here.p_min, speedup=here.speedup))
    return _.sentences(*said)


def _options(found: Thresholds, scenario: Scenario) -> str:
    return f"--spec-draft-n-max {scenario.num_speculative_tokens} --spec-draft-p-min {found.best.p_min:.2f}"
