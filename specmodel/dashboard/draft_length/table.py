"""Words and table of the Draft length page."""

from collections.abc import Sequence
from typing import Any

from specmodel.base.params import Quantity, declarations
from specmodel.dashboard.session.translation import Translator
from specmodel.model.draft_lengths import BEST_LENGTH, DraftLengths, marginal_gain_ms
from specmodel.model.outcome import Outcome, evaluate
from specmodel.model.scenario import Scenario


def ranges(numbers: Sequence[int]) -> str:
    """Whole numbers as a person writes them.

    >>> ranges([1, 2, 3, 7])
    '1–3, 7'
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def advice(table: DraftLengths, scenario: Scenario, translate: Translator) -> str:
    """The answer of the page in one sentence, ties and the current draft length named."""
    seconds, k = table.total_ms / 1000, scenario.num_speculative_tokens
    if table.best == 0:
        text = translate("**Draft nothing.** At this acceptance no draft length beats plain decoding ({plain:,.1f} s).")
    else:
        text = translate.plural(
            "**Draft {best} token.** One answer then takes {time:,.1f} s; plain decoding takes {plain:,.1f} s.",
            "**Draft {best} tokens.** One answer then takes {time:,.1f} s; plain decoding takes {plain:,.1f} s.",
            table.best,
        )
    parts = [text.format(best=table.best, time=seconds[table.best], plain=seconds[0])]
    if table.ties:
        tied = translate("Within the spread of a single answer, {ties} cannot be told apart from it.")
        parts.append(tied.format(ties=ranges(table.ties)))
    if k != table.best and k not in table.ties and k < seconds.size:
        worse = translate("The chosen k = {k} takes {more:,.1f} s longer than the best.")
        parts.append(worse.format(k=k, more=seconds[k] - seconds[table.best]))
    return translate.sentences(*parts)


def draft_length_cards(
    table: DraftLengths, scenario: Scenario, ghost: DraftLengths | None, pinned: Scenario | None
) -> list[tuple[Quantity, Any, Any]]:
    """Cards of the best draft length and what it comes to."""
    best = evaluate(scenario.replace(num_speculative_tokens=table.best))
    before = evaluate(pinned.replace(num_speculative_tokens=ghost.best)) if pinned and ghost else None
    declared = declarations(Outcome)
    names = ("speedup", "total_ms", "baseline_ms", "num_rounds", "num_wasted_draft_tokens")
    cards = [(declared[name], getattr(best, name), getattr(before, name, None)) for name in names]
    return [(BEST_LENGTH, table.best, ghost.best if ghost else None), *cards]


def draft_length_columns(table: DraftLengths, scenario: Scenario, translate: Translator) -> dict[str, Sequence[Any]]:
    """The article's second table for the current scenario: one row a draft length."""
    gain = ("–", *(f"{value / 1000:+,.2f}" for value in marginal_gain_ms(table)))
    return {
        "k": [str(k) for k in table.num_speculative_tokens],
        translate("tokens per round"): [f"{value:.3f}" for value in table.mean_acceptance_length],
        translate("rounds"): [f"{value:,.1f}" for value in table.num_rounds],
        translate("time (s)"): [f"{value / 1000:,.2f}" for value in table.total_ms],
        translate("time ratio"): [f"{value / table.total_ms[0]:.3f}" for value in table.total_ms],
        translate("wasted drafts"): [f"{value:,.0f}" for value in table.num_wasted_draft_tokens],
        translate("saved by this draft (s)"): gain,
        translate("verdict"): [_mark(table, int(k), translate) for k in table.num_speculative_tokens],
    }


def draft_length_data(table: DraftLengths) -> dict[str, Sequence[Any]]:
    """The same as plain numbers under the names of the package, for the CSV."""
    return {
        "num_speculative_tokens": table.num_speculative_tokens,
        "mean_acceptance_length": table.mean_acceptance_length,
        "num_rounds": table.num_rounds,
        "total_ms": table.total_ms,
        "total_ms_ratio": table.total_ms / table.total_ms[0],
        "num_wasted_draft_tokens": table.num_wasted_draft_tokens,
        "saved_by_this_draft_ms": [None, *marginal_gain_ms(table)],
        "verdict": [
            "best" if k == table.best else "tie" if k in table.ties else "" for k in table.num_speculative_tokens
        ],
    }


def _mark(table: DraftLengths, k: int, translate: Translator) -> str:
    if k == table.best:
        return translate("best")
    return translate("ties with the best") if k in table.ties else ""
