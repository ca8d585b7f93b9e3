"""What the Drift page says: the answer, the numbers above its figures, the boundary, and what to predict."""

from collections.abc import Mapping, Sequence

from specmodel.dashboard.language import Translator, escaped
from specmodel.dashboard.lesson import Question
from specmodel.drift.adaptation import AdaptationOutcome
from specmodel.drift.boundary import Boundary
from specmodel.drift.phases import Workload
from specmodel.drift.policies import find
from specmodel.drift.run import ORACLE, DriftRun
from specmodel.messages import N_
from specmodel.params import Quantity

FIXED = "fixed"
CARDS = {
    "fixed": Quantity(
        "fixed",
        N_("Fixed length"),
        N_("Time without speculation ÷ time with the same draft length in every round, on the same draws."),
        format="",
    ),
    "best": Quantity(
        "best",
        N_("Best rule shown"),
        N_("The fastest of the rules that know only what they have seen."),
        format="",
    ),
    "oracle": Quantity(
        "oracle",
        N_("Oracle"),
        N_("Knows the acceptance of every answer, but not the draws: no rule without that does better on average."),
        format="",
    ),
    "wasted": Quantity(
        "wasted",
        N_("Wasted by the fixed length"),
        N_("Share of its drafts that became no token of an answer: rejected, or behind its end."),
        format="",
    ),
}


def rule_labels(keys: Sequence[str], k: int, translate: Translator) -> dict[str, str]:
    """The rules by key with the names they go by; the fixed length with its k."""
    return {key: f"k = {k}" if key == FIXED else translate(find(key).label) for key in keys}


def answer(run: DriftRun, labels: Mapping[str, str], k: int, seed: int, translate: Translator) -> str:
    """The page's answer in a few sentences."""
    _ = translate
    lines = [
        _range(run.rounds.workload, _),
        _("k = {k} in every round is **{speedup:.2f}×** as fast as plain decoding.").format(
            k=k, speedup=run.speedup(FIXED)
        ),
    ]
    lost = run.losing_phases(FIXED)
    if lost:
        text = _("It loses time in: {phases}.")
        lines.append(text.format(phases=named(lost, _)))
    best = best_rule(run, labels)
    if best:
        text = _(
            "The best rule that sees only what happened, **{rule}**, reaches {speedup:.2f}×, the oracle {oracle:.2f}×."
        )
        lines.append(text.format(rule=labels[best], speedup=run.speedup(best), oracle=run.speedup(ORACLE)))
    lines.append(_("Simulated, seed {seed}.").format(seed=seed))
    return _.sentences(*lines)


def named(labels: Sequence[str], translate: Translator) -> str:
    """Phases in a row; a reader's own name may hold a comma."""
    return translate.listed(translate("“{name}”").format(name=escaped(translate(label))) for label in labels)


def _range(workload: Workload, translate: Translator) -> str:
    """Between which acceptances the workload moves."""
    low = min(workload.phases, key=lambda phase: float(phase.alphas.min()))
    high = max(workload.phases, key=lambda phase: float(phase.alphas.max()))
    values = {"low": float(low.alphas.min()), "high": float(high.alphas.max())}
    if low.label == high.label:
        return translate("Acceptance moves between {low:.2f} and {high:.2f}.").format(**values)
    text = translate("The same models: acceptance {low:.2f} in “{least}”, {high:.2f} in “{most}”.")
    return text.format(least=escaped(translate(low.label)), most=escaped(translate(high.label)), **values)


def best_rule(run: DriftRun, labels: Mapping[str, str]) -> str:
    """The fastest of the rules shown that know nothing of the future; empty where none is shown."""
    rules = [key for key in labels if key not in ("off", FIXED, ORACLE)]
    return max(rules, key=run.speedup) if rules else ""


def cards(run: DriftRun, labels: Mapping[str, str], k: int, translate: Translator) -> list[tuple[Quantity, str, str]]:
    """Speedups over the whole workload, and the waste."""
    _ = translate
    best = best_rule(run, labels)
    drafted = int(run.run(FIXED).num_speculative_tokens.sum())
    share = run.run(FIXED).num_wasted_draft_tokens / drafted
    known = (CARDS["best"], f"{run.speedup(best):.2f}×", labels[best]) if best else (CARDS["best"], "–", "")
    simulated = _("simulated")
    return [
        (CARDS["fixed"], f"{run.speedup(FIXED):.2f}×", f"k = {k}"),
        known,
        (CARDS["oracle"], f"{run.speedup(ORACLE):.2f}×", simulated),
        (CARDS["wasted"], f"{share:.0%}", _("of {count:,} drafts").format(count=drafted)),
    ]


def boundary_words(boundary: Boundary, translate: Translator) -> str:
    """Where draft and verification cost what plain decoding does, and which phases lie beyond."""
    _, k = translate, boundary.num_speculative_tokens
    if boundary.alpha is None:
        text = _("A round of k = {k} costs {rho:.2f} plain steps and yields at most {most} tokens: it never pays here.")
        return text.format(k=k, rho=boundary.rho, most=k + 1)
    text = _(
        "The boundary: a round of k = {k} costs {rho:.2f} plain steps, which takes an acceptance of **{alpha:.3f}**."
    )
    first = text.format(k=k, rho=boundary.rho, alpha=boundary.alpha)
    if boundary.losing_phases:
        text = _("Beyond it, slower than plain decoding: {phases}.")
        return _.sentences(first, text.format(phases=named(boundary.losing_phases, _)))
    worst = min(boundary.phases, key=lambda phase: phase.speedup)
    text = _("No phase lies beyond it. The first that would is “{phase}”, once a round costs {rho:.2f} plain steps.")
    return _.sentences(first, text.format(phase=escaped(_(worst.label)), rho=worst.speedup * boundary.rho))


def boundary_question(boundary: Boundary, translate: Translator) -> Question | None:
    """At which acceptance k stops paying; None where it never pays."""
    _ = translate
    if boundary.alpha is None:
        return None
    text = _(
        "A round with k = {k} takes {rho:.2f} times as long as a plain step. "
        "At which acceptance does k = {k} stop paying here?"
    )
    return Question(
        text.format(k=boundary.num_speculative_tokens, rho=boundary.rho), 0, 1, 0.01, boundary.alpha,
        _("There a round yields as many tokens, 1 + α + … + α^k, as the plain steps that it costs."),
    )  # fmt: skip


def share_question(run: DriftRun, k: int, translate: Translator) -> Question | None:
    """Which share of the oracle's saving the fixed length reaches; None where there is nothing to save."""
    _, share = translate, run.saved_share(FIXED)
    if share is None:
        return None
    why = _(
        "It saves {fixed:,.1f} s and the oracle {oracle:,.1f} s of {plain:,.1f} s: where little is accepted it "
        "drafts too much, where much is accepted too little."
    )
    why = why.format(
        fixed=run.saved_ms(FIXED)[-1] / 1000, oracle=run.saved_ms(ORACLE)[-1] / 1000, plain=run.plain_ms / 1000
    )
    text = _(
        "An oracle knows the acceptance of every answer. Which share of the time that it saves "
        "does k = {k} in every round save? Below 0 it loses time."
    )
    return Question(text.format(k=k), -100, 100, 1, 100 * share, why, unit="%", format=".0f")


def learning_question(outcome: AdaptationOutcome, k: int, translate: Translator) -> Question:
    """What training may cost at most."""
    _ = translate
    share = 100 * outcome.break_even_share(FIXED)
    why = _(
        "Learning makes decoding {gain:.2f} times as fast before training is paid; "
        "what is above 1 is what training may take."
    )
    gain = outcome.break_even_share(FIXED) + 1
    text = _(
        "The draft learns while it serves, with k = {k} in every round. How much may its training "
        "take at most, as a share of the decoding time, before it no longer pays?"
    )
    return Question(text.format(k=k), 0, 100, 1, share, why.format(gain=gain), unit="%", format=".0f")
