import numpy as np
import plotly.graph_objects as go
import pytest

from specmodel.figures import style
from specmodel.figures.tree import LARGEST, PLOT_HEIGHT, PLOT_WIDTH, SMALLEST, tree_figure
from specmodel.model.best_tree import best_tree, path_probabilities
from specmodel.model.draft_tree import DraftTree

RATES = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001]
TREES = {
    "the root alone": DraftTree.chain(0),
    "one draft": DraftTree.chain(1),
    "a chain": DraftTree.chain(5),
    "a long chain": DraftTree.chain(63),
    "two levels": DraftTree.full([4, 2, 1]),
    "wide": DraftTree.full([8, 7]),
    "best of 16": best_tree(16, 4, RATES),
    "best of 64": best_tree(64, 12, RATES),
}
every_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES)


def english(text):
    return text


def named(figure, name):
    [found] = [each for each in figure["data"] if each["name"] == name]
    return found


def drafts_of(figure):
    return named(figure, "draft tokens, larger = accepted more often")


@every_tree
def test_plotly_accepts_it(tree):
    go.Figure(tree_figure(tree, RATES, english))


@every_tree
def test_every_node_and_edge_is_drawn_once(tree):
    figure = tree_figure(tree, RATES, english)
    edges = figure["data"][0]
    ends = list(zip(edges["x"], edges["y"], strict=True))
    assert ends[2::3] == [(None, None)] * tree.num_draft_tokens
    root = named(figure, "last token so far")
    places = set(zip(root["x"], root["y"], strict=True))
    if tree.num_draft_tokens:
        drafts = drafts_of(figure)
        places |= set(zip(drafts["x"], drafts["y"], strict=True))
        assert set(ends[1::3]) == places - {(root["x"][0], 0)}
    assert len(places) == tree.num_nodes
    assert set(ends) - {(None, None)} <= places


@every_tree
def test_nodes_do_not_touch_on_a_narrow_chart(tree):
    figure = tree_figure(tree, RATES, english)
    root = named(figure, "last token so far")
    x, y, size = [*root["x"]], [*root["y"]], [root["marker"]["size"]]
    if tree.num_draft_tokens:
        drafts = drafts_of(figure)
        x, y, size = [*x, *drafts["x"]], [*y, *drafts["y"]], [*size, *drafts["marker"]["size"]]
    assert min(size) >= SMALLEST and max(size) <= LARGEST
    across = np.array(x) * PLOT_WIDTH / (max(x) + 1)
    down = np.array(y) * PLOT_HEIGHT / (tree.depth + 1)
    apart = np.hypot(np.subtract.outer(across, across), np.subtract.outer(down, down))
    radii = np.add.outer(size, size) / 2
    smallest = np.array(size) == SMALLEST  # of a chain of 63 drafts the beads do touch
    assert np.all((apart >= radii) | np.eye(tree.num_nodes, dtype=bool)) or smallest.all()
    assert smallest.all() == (tree is TREES["a long chain"])


def test_size_follows_the_share_and_hover_says_it():
    tree = DraftTree.full([2, 1])
    drafts = drafts_of(tree_figure(tree, [0.5, 0.12], english))
    assert drafts["hovertext"] == [
        "Depth 1, rank 1: accepted in 50% of rounds",
        "Depth 1, rank 2: accepted in 12% of rounds",
        "Depth 2, rank 1: accepted in 25% of rounds",
        "Depth 2, rank 1: accepted in 6.0% of rounds",
    ]
    assert drafts["text"] == ["50%", "12%", "25%", "6.0%"]
    area = (np.array(drafts["marker"]["size"]) - SMALLEST) ** 2
    shares = path_probabilities(tree, [0.5, 0.12])[1:]
    assert area / area[0] == pytest.approx(shares / shares[0], rel=0.05)


def test_a_crowded_tree_has_no_labels_between_its_nodes():
    assert "text" not in drafts_of(tree_figure(TREES["best of 64"], RATES, english))


@every_tree
def test_depths_stand_on_the_axis_with_the_root_on_top(tree):
    layout = tree_figure(tree, RATES, english)["layout"]
    ticks = layout["yaxis"]["tickvals"]
    assert layout["yaxis"]["autorange"] == "reversed" and layout["yaxis"]["title"]["text"] == "Depth"
    assert ticks[0] == 0 and ticks[-1] <= tree.depth and len(ticks) <= 12
    assert not layout["xaxis"]["showticklabels"]


def test_colours_mean_what_they_mean_elsewhere():
    figure = tree_figure(TREES["a chain"], RATES, english)
    assert drafts_of(figure)["marker"]["color"] == style.ACCEPTED
    assert named(figure, "last token so far")["marker"]["color"] == style.BONUS


def test_its_words_are_translated_before_numbers_are_put_in():
    seen = []

    def listening(text):
        seen.append(text)
        return text

    tree_figure(TREES["a chain"], RATES, listening)
    assert "Depth {depth}, rank {rank}: accepted in {share} of rounds" in seen
    assert not any(any(letter.isdigit() for letter in text.replace("Depth 0", "")) for text in seen)
