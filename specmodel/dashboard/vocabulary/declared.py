"""What the Vocabulary page declares of itself."""

from specmodel.base.messages import N_
from specmodel.dashboard.parts.explore import scenario_panel
from specmodel.dashboard.session.declaration import Option, PageDeclaration
from specmodel.model.break_even import break_even_alpha
from specmodel.model.vocabulary import alpha_ceiling, alpha_floor, effective_alpha, tokenizer_pairs

MEASURES = ("overlap_of_target", "freq_overlap_code", "freq_overlap_prose_en", "freq_overlap_japanese")
TOKENIZERS = tuple(dict.fromkeys(pair.target for pair in tokenizer_pairs()))

DECLARED = PageDeclaration(
    key="vocabulary",
    title=N_("Vocabulary"),
    section=N_("Explore"),
    order=30,
    question=N_("Can a drafter with another tokenizer still pay?"),
    panel=scenario_panel,
    options=(
        Option("to", "llama3", TOKENIZERS),
        Option("from", "llama3_1", TOKENIZERS),
        Option("by", "overlap_of_target", MEASURES),
    ),
    explains=(
        effective_alpha,
        alpha_ceiling,
        alpha_floor,
        break_even_alpha,
    ),
)
