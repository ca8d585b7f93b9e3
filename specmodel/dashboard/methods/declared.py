"""What the Methods page declares of itself."""

from itertools import combinations

from specmodel.base.messages import N_
from specmodel.dashboard.session.declaration import Option, Options, PageDeclaration, Panel, fields_of
from specmodel.methods import PROMPT_KINDS, compare, methods
from specmodel.model.best_tree import best_tree, expected_tokens
from specmodel.model.independent_drafts import lookahead_acceptance, recursive_rejection_acceptance
from specmodel.model.scenario import Scenario
from specmodel.serving.load import Load

SHOWN_ONLY = ("lossless", "untrained", "matching")
ONLY = tuple("_".join(chosen) for count in range(len(SHOWN_ONLY) + 1) for chosen in combinations(SHOWN_ONLY, count))


def _panel(options: Options) -> Panel:
    load = fields_of(Load, "batch_size", "context_tokens")
    return Panel("methods", load, fields_of(Scenario, "overhead_ms"), N_("More costs of a round"))


DECLARED = PageDeclaration(
    key="methods",
    title=N_("Methods"),
    section=N_("Serve"),
    order=50,
    question=N_("Which way of drafting fits?"),
    panel=_panel,
    options=(
        Option("kind", "chat", tuple(PROMPT_KINDS)),
        Option("sampling", "0", ("0", "1")),
        Option("sort", "load", ("load", "one", "tau", "waste", "order")),
        Option("only", "", ONLY),
        Option("look", "eagle3", tuple(each.key for each in methods())),
        Option("nodes", 16, range(2, 129)),
        Option("levels", 5, range(2, 17)),
    ),
    explains=(
        compare,
        expected_tokens,
        best_tree,
        lookahead_acceptance,
        recursive_rejection_acceptance,
    ),
)
