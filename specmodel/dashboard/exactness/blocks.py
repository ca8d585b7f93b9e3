"""The last step of the Exactness page: whole blocks of drafts, and several drafts for one position."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import streamlit as st

from specmodel.dashboard.exactness.more import Shown
from specmodel.dashboard.session.translation import Translator
from specmodel.figures.exactness import blocks_figure, several_figure
from specmodel.model.independent_drafts import recursive_rejection
from specmodel.sampling.blocks import MAX_BLOCKS, BlockModels, Verified

MOST_DRAFTS = 6
BLOCK_DRAFTS = 4
SHOWN_BLOCKS = 10


def blocks(shown: Shown) -> None:
    """Block verification against token by token, and several independent drafts at one position."""
    left, right = st.columns(2, gap="medium")
    with left:
        target, draft = shown.pair.named()
        _whole_blocks(shown, *_verified(tuple(target.tolist()), tuple(draft.tolist())))
    with right:
        _several(shown)


@lru_cache(maxsize=64)
def _verified(target: tuple[float, ...], draft: tuple[float, ...]) -> tuple[BlockModels, Verified, Verified]:
    """Blocks of up to four drafts, as many as can be enumerated, and both ways of verifying them."""
    k = next(k for k in range(BLOCK_DRAFTS, 0, -1) if len(target) ** (k + 1) <= MAX_BLOCKS)
    models = BlockModels.alike(target, draft, k)
    return models, models.by_token(), models.by_block()


def _whole_blocks(shown: Shown, made: BlockModels, by_token: Verified, by_block: Verified) -> None:
    """How many drafts of a block both ways keep, and that both emit the target's text."""
    page, _, k = shown.page, shown.page.translate, made.num_speculative_tokens
    kept_by_token, kept_by_block = (each.acceptance.per_position_acceptance for each in (by_token, by_block))
    alt = _("Chance that at least one, two, … drafts of a block are kept, token by token and as a block.")
    title = _("A block of {k} drafts").format(k=k)
    page.chart(blocks_figure(kept_by_token, kept_by_block, _), "blocks", title, alt, height=300)
    target = made.target_output()
    off = [float(np.abs(each.output - target).sum() / 2) for each in (by_token, by_block)]
    means = [each.mean_accepted for each in (by_token, by_block)]
    columns = {
        _("verified"): [_("token by token"), _("as a block")],
        _("drafts kept of {k}").format(k=k): [f"{each:.3f}" for each in means],
        _("distance of the text"): [f"{each:.0e}" for each in off],
    }
    data: dict[str, list[object]] = {
        "verified": ["token", "block"],
        "mean_accepted": [*means],
        "total_variation": [*off],
    }
    page.table("blocks", _("Kept and emitted"), columns, data=data)
    lines = [
        _(
            "Exact, over all blocks: the pair above at every position, whatever came before. The heights of the bars "
            "add up to the drafts kept. Looking at the block as a whole never keeps less (Sun et al. 2024), and the "
            "next {n} tokens have the target's distribution in both."
        ).format(n=k + 1)
    ]
    if len(shown.pair.names) > shown.pair.shown:
        lines.append(_("Only the tokens shown by name are in these blocks."))
    page.note(_.sentences(*lines))
    with st.expander(_("Block by block"), key="exactness:blocks", on_change="rerun") as opened:
        if opened.open:
            _block_by_block(made, shown.names, _)


def _block_by_block(made: BlockModels, names: Sequence[str], translate: Translator) -> None:
    """The blocks that are drafted most often, and what both ways keep of each."""
    _ = translate
    likeliest = sorted(made.blocks(), key=lambda block: -block.chance)[:SHOWN_BLOCKS]
    st.table(
        {
            _("block"): [" ".join(names[token] for token in block.tokens) for block in likeliest],
            _("drafted"): [f"{block.chance:.1%}" for block in likeliest],
            _("kept token by token"): [f"{block.kept_by_token:.2f}" for block in likeliest],
            _("kept as a block"): [f"{block.kept_by_block:.2f}" for block in likeliest],
        }
    )
    note = _("Mean drafts kept, given that the block was drafted; the {n} likeliest blocks. Exact.")
    st.caption(note.format(n=len(likeliest)))


def _several(shown: Shown) -> None:
    """Several independent drafts at one position."""
    page, _ = shown.page, shown.page.translate
    pair, drafts = shown.pair, np.arange(1.0, MOST_DRAFTS + 1)
    independent = np.cumsum(recursive_rejection(pair.target_probs, pair.draft_probs, MOST_DRAFTS))
    figure = several_figure(independent, 1 - np.power(1 - shown.step.acceptance, drafts), _)
    alt = _("Chance that one of K independent drafts is kept, beside 1 − (1 − α)^K, which is more.")
    page.chart(figure, "several", _("Several drafts for one position"), alt, height=300)
    page.note(_("Exact: after each rejection the next draft meets what is left of the target, which it fits less."))
