"""The figure of a draft tree: which candidates it offers, and how often each of them is accepted."""

import math
from itertools import pairwise

import numpy as np

from specmodel.base.arrays import Floats, Ints
from specmodel.figures import style
from specmodel.figures.style import Figure, Translate
from specmodel.model.best_tree import AcceptanceByRank, path_probabilities
from specmodel.model.draft_tree import DraftTree, layout

PLOT_WIDTH, PLOT_HEIGHT = 400, 250  # pixels that a narrow chart leaves for the nodes
SMALLEST, LARGEST = 5.0, 24.0  # diameters of a node in pixels
MOST_LABELS = 6  # leaves side by side that leave room for a share beside each node
MOST_LEVELS = 12  # levels with a number on the axis


def tree_figure(tree: DraftTree, acceptance_by_rank: AcceptanceByRank, translate: Translate) -> Figure:
    """The tree from the root down; the more often a node is accepted, the larger it is."""
    x, depth = layout(tree)
    shares = path_probabilities(tree, acceptance_by_rank)
    sizes = _sizes(tree, x, shares)
    data = [_edges(tree, x, depth), _root(float(x[0]), float(sizes[0]), translate)]
    if tree.num_draft_tokens:
        data.insert(1, _drafts(tree, x, shares, sizes, translate))
    step = math.ceil((tree.depth + 1) / MOST_LEVELS)
    axes = {
        "xaxis": {"showticklabels": False, "showgrid": False, "zeroline": False},
        "yaxis": {"autorange": "reversed", "tickvals": list(range(0, tree.depth + 1, step)), "zeroline": False},
    }
    whole = style.layout(translate("Candidates of the drafter, the likeliest on the left"), translate("Depth"), **axes)
    whole["legend"]["itemsizing"] = "constant"
    return {"data": data, "layout": whole}


def _sizes(tree: DraftTree, x: Floats, shares: Floats) -> Floats:
    """Diameters in pixels: area by share, as large as they can be without a node touching its neighbours."""
    row = np.lexsort((x, np.array(tree.depths)))
    beside = [(a, b) for a, b in pairwise(row.tolist()) if tree.depths[a] == tree.depths[b]]
    above = [(tree.parents[node], node) for node in range(1, tree.num_nodes)]
    gaps = [(x[b] - x[a]) * PLOT_WIDTH / (x.max() + 1) for a, b in beside]
    gaps += [PLOT_HEIGHT / (tree.depth + 1)] * len(above)
    root = np.sqrt(shares)
    largest = LARGEST
    for (a, b), gap in zip(beside + above, gaps, strict=True):
        together = float(root[a] + root[b])
        if together > 0:
            largest = min(largest, SMALLEST + max(0.8 * float(gap) - SMALLEST, 0) * 2 / together)
    return np.round(SMALLEST + (largest - SMALLEST) * root, 1)


def _edges(tree: DraftTree, x: Floats, depth: Ints) -> Figure:
    """Every edge of the tree in one line with gaps."""
    across: list[float | None] = []
    down: list[int | None] = []
    for node in range(1, tree.num_nodes):
        ends = [tree.parents[node], node]
        across += [*x[ends].tolist(), None]
        down += [*depth[ends].tolist(), None]
    return style.line(across, down, "", style.BASELINE, width=1.2, hoverinfo="skip", showlegend=False)


def _root(x: float, size: float, translate: Translate) -> Figure:
    text = translate("Depth 0: the text so far. Every round adds one token of the target itself.")
    return style.points(
        [x],
        [0],
        translate("last token so far"),
        style.BONUS,
        symbol="square",
        size=size,
        hovertext=[text],
        hovertemplate="%{hovertext}<extra></extra>",
        cliponaxis=False,
    )


def _drafts(tree: DraftTree, x: Floats, shares: Floats, sizes: Floats, translate: Translate) -> Figure:
    hover = translate("Depth {depth}, rank {rank}: accepted in {share} of rounds")
    nodes = range(1, tree.num_nodes)
    drafts = style.points(
        x[1:],
        tree.depths[1:],
        translate("draft tokens, larger = accepted more often"),
        style.ACCEPTED,
        size=sizes[1:],
        hovertext=[
            hover.format(depth=tree.depths[node], rank=tree.ranks[node], share=_share(shares[node])) for node in nodes
        ],
        hovertemplate="%{hovertext}<extra></extra>",
        cliponaxis=False,
    )
    drafts["marker"]["opacity"] = 1  # or plotly lets the edges shine through
    if x.max() < MOST_LABELS and tree.depth < MOST_LEVELS:
        font = {"size": 12, "color": style.ACCEPTED}
        texts = [_share(share) for share in shares[1:]]
        drafts |= {"mode": "markers+text", "text": texts, "textposition": "middle right", "textfont": font}
    return drafts


def _share(value: float) -> str:
    """A share in per cent with a digit that tells small ones apart."""
    return f"{value:.0%}" if value >= 0.0995 else f"{value:.1%}" if value >= 0.00995 else f"{value:.2%}"
