"""The answer of the Draft length page in words."""

from specmodel.dashboard.parts.ranges import ranges
from specmodel.dashboard.session.translation import Translator
from specmodel.model.draft_lengths import DraftLengths
from specmodel.model.scenario import Scenario


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
