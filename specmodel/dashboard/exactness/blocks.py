"""The last step of the Exactness page: whole blocks of drafts, and several drafts for one position."""

from functools import lru_cache

import numpy as np

from specmodel.dashboard.exactness.pair import Pair
from specmodel.dashboard.parts.answer import Chart, Column, Note, Parts, Table, table_of
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.exactness import blocks_figure, several_figure
from specmodel.model.independent_drafts import recursive_rejection
from specmodel.sampling.blocks import MAX_BLOCKS, BlockModels, Verified

MOST_DRAFTS = 6
BLOCK_DRAFTS = 4
LISTED_BLOCKS = 10


def block_parts(pair: Pair, translate: Translator) -> Parts:
    """Block verification against token by token, and several independent drafts at one position."""
    _ = translate
    return {
        "blocks": lambda: _chart(pair, _),
        "blocks_table": lambda: _kept_and_emitted(pair, _),
        "blocks_note": lambda: _note(pair, _),
        "block_by_block": lambda: _block_by_block(pair, _),
        "block_by_block_note": lambda: _block_by_block_note(pair, _),
        "several": lambda: _several(pair, _),
        "several_note": Note(
            _("Exact: after each rejection the next draft meets what is left of the target, which it fits less.")
        ),
    }


def verified_blocks(pair: Pair) -> tuple[BlockModels, Verified, Verified]:
    """Blocks of the tokens that are shown by name, and both ways of verifying them: by token, by block."""
    target, draft = pair.named_probs()
    return _verified(tuple(target.tolist()), tuple(draft.tolist()))


@lru_cache(maxsize=64)
def _verified(target: tuple[float, ...], draft: tuple[float, ...]) -> tuple[BlockModels, Verified, Verified]:
    """Blocks of up to four drafts, as many as can be enumerated."""
    k = next(k for k in range(BLOCK_DRAFTS, 0, -1) if len(target) ** (k + 1) <= MAX_BLOCKS)
    models = BlockModels.alike(target, draft, k)
    return models, models.by_token(), models.by_block()


def _chart(pair: Pair, translate: Translator) -> Chart:
    """How many drafts of a block both ways keep."""
    _, (models, *ways) = translate, verified_blocks(pair)
    by_token, by_block = (way.acceptance.per_position_acceptance for way in ways)
    alt = _("Chance that at least one, two, … drafts of a block are kept, token by token and as a block.")
    figure = blocks_figure(by_token, by_block, _)
    return Chart(figure, _("A block of {k} drafts").format(k=models.num_speculative_tokens), alt, 300)


def _kept_and_emitted(pair: Pair, translate: Translator) -> Table:
    """How many drafts both ways keep, and that both emit the target's text."""
    _, (models, *ways) = translate, verified_blocks(pair)
    means, text = [way.mean_accepted for way in ways], models.target_output()
    distances = [float(np.abs(way.output - text).sum() / 2) for way in ways]
    kept = _("drafts kept of {k}").format(k=models.num_speculative_tokens)
    columns = [
        Column(_("verified"), "verified", ["token", "block"], [_("token by token"), _("as a block")]),
        Column(kept, "mean_accepted", means, [f"{mean:.3f}" for mean in means]),
        Column(_("distance of the text"), "total_variation", distances, [f"{value:.0e}" for value in distances]),
    ]
    return table_of(_("Kept and emitted"), columns, "blocks")


def _note(pair: Pair, translate: Translator) -> Note:
    _, (models, *_ways) = translate, verified_blocks(pair)
    text = _(
        "Exact, over all blocks: the pair above at every position, whatever came before. The heights of the bars "
        "add up to the drafts kept. Looking at the block as a whole never keeps less (Sun et al. 2024), and the "
        "next {n} tokens have the target's distribution in both."
    ).format(n=models.num_speculative_tokens + 1)
    if pair.has_others:
        text = _.sentences(text, _("Only the tokens shown by name are in these blocks."))
    return Note(text)


def _block_by_block(pair: Pair, translate: Translator) -> Table:
    """The blocks that are drafted most often, and what both ways keep of each."""
    _, models = translate, verified_blocks(pair)[0]
    likeliest = sorted(models.blocks(), key=lambda block: -block.chance)[:LISTED_BLOCKS]
    drafted = [block.chance for block in likeliest]
    by_token, by_block = [block.kept_by_token for block in likeliest], [block.kept_by_block for block in likeliest]
    columns = [
        Column(_("block"), "block", [" ".join(pair.names[token] for token in block.tokens) for block in likeliest]),
        Column(_("drafted"), "drafted", drafted, [f"{chance:.1%}" for chance in drafted]),
        Column(_("kept token by token"), "kept_by_token", by_token, [f"{kept:.2f}" for kept in by_token]),
        Column(_("kept as a block"), "kept_by_block", by_block, [f"{kept:.2f}" for kept in by_block]),
    ]
    return table_of("", columns)


def _block_by_block_note(pair: Pair, translate: Translator) -> Note:
    models = verified_blocks(pair)[0]
    text = translate("Mean drafts kept, given that the block was drafted; the {n} likeliest blocks. Exact.")
    return Note(text.format(n=min(LISTED_BLOCKS, np.count_nonzero(models.drafted()[-1]))))


def _several(pair: Pair, translate: Translator) -> Chart:
    """Several independent drafts at one position."""
    _, drafts = translate, np.arange(1.0, MOST_DRAFTS + 1)
    independent = np.cumsum(recursive_rejection(pair.target_probs, pair.draft_probs, MOST_DRAFTS))
    figure = several_figure(independent, 1 - np.power(1 - pair.test.acceptance, drafts), _)
    alt = _("Chance that one of K independent drafts is kept, beside 1 − (1 − α)^K, which is more.")
    return Chart(figure, _("Several drafts for one position"), alt, 300)
