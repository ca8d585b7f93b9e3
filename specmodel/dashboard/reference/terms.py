"""The words of the field: ours and what each of them means.

Those of rates and of ways of drafting stand where they are used: `measured.definitions`, `methods`.
"""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.model.outcome import Outcome
from specmodel.model.scenario import Scenario
from specmodel.model.vocabulary import TokenizerPair
from specmodel.serving.load_outcome import LoadOutcome


@dataclass(frozen=True)
class Term:
    """One word: its key, label, meaning, a formula, and the declared numbers that it is the name of."""

    key: str
    label: str
    meaning: str
    formula: str = ""
    numbers: tuple[tuple[type, str], ...] = ()


TERMS = (
    Term(
        "round",
        N_("Round"),
        N_(
            "One cycle of drafting and checking: the drafter proposes k tokens, the target checks all of them in one "
            "pass, and 1 to k + 1 tokens come out."
        ),
        numbers=((Outcome, "round_ms"), (Outcome, "num_rounds")),
    ),
    Term(
        "target",
        N_("Target model"),
        N_("The large model whose output is wanted. With an exact rule the output is distributed as if it were alone."),
        numbers=((Scenario, "target_ms"), (TokenizerPair, "target")),
    ),
    Term(
        "drafter",
        N_("Drafter, what proposes tokens"),
        N_("A small model, heads on the target, or a lookup in the text: anything that guesses the next tokens fast."),
        numbers=((Scenario, "draft_ms"), (TokenizerPair, "draft")),
    ),
    Term(
        "num_speculative_tokens",
        N_("k, the draft length"),
        N_(
            "Draft tokens in a round; 0 is off. In a tree it is not the number of tokens that are checked: the nodes "
            "are more than its levels."
        ),
        numbers=((Scenario, "num_speculative_tokens"),),
    ),
    Term(
        "draft_token",
        N_("Draft token"),
        N_("A token that the drafter proposed, whether or not the target kept it."),
        numbers=((Outcome, "num_draft_tokens"),),
    ),
    Term(
        "accepted_draft",
        N_("Accepted draft"),
        N_("A draft token that became part of the output. The bonus token is never counted among them."),
        numbers=((Outcome, "num_accepted_draft_tokens"),),
    ),
    Term(
        "wasted_draft",
        N_("Wasted draft"),
        N_("A draft token that was thrown away: rejected, or behind a rejected one and never looked at."),
        "k − (τ − 1)",
        ((Outcome, "num_wasted_draft_tokens"), (Outcome, "wasted_per_token")),
    ),
    Term(
        "bonus_token",
        N_("Bonus token"),
        N_(
            "The one token that every round yields from the target itself. Where a draft was rejected it takes that "
            "one's place and is called recovered; where all were kept it comes on top."
        ),
    ),
    Term(
        "alpha",
        N_("α, the acceptance probability"),
        N_(
            "Chance that a draft is accepted, given that all drafts before it in its round were. For one token it is "
            "the overlap of both distributions. It is not accepted ÷ drafted, which is lower: drafts behind a "
            "rejection were never tried."
        ),
        "α = Σ min(target_probs, draft_probs)",
        ((Scenario, "alpha"), (Outcome, "effective_alpha")),
    ),
    Term(
        "break_even",
        N_("Break-even acceptance"),
        N_("The acceptance at which speculation takes exactly as long as plain decoding; below it, it costs time."),
        "τ(α*) = ρ",
        ((Outcome, "alpha_needed"), (Outcome, "break_even_alpha")),
    ),
    Term(
        "target_ms",
        N_("Plain decoding step"),
        N_("One pass of the target over one new token of each request: what a token costs without speculation."),
        numbers=((Scenario, "target_ms"), (LoadOutcome, "plain_ms")),
    ),
    Term(
        "draft_ms",
        N_("Draft step, the drafter's time"),
        N_("Time in which the drafter proposes one token, or all of them where it proposes them at once."),
        numbers=((Scenario, "draft_ms"),),
    ),
    Term(
        "verify_ms",
        N_("Verification pass"),
        N_("The target's pass over the k drafts and one token more. Each costs time once arithmetic binds it."),
        numbers=((Scenario, "verify_ms_per_token"),),
    ),
    Term(
        "cost_of_a_draft",
        N_("c, the cost of a draft"),
        N_("One step of the drafter in plain steps of the target."),
        "c = t_d ÷ t_t",
    ),
    Term(
        "rho",
        N_("ρ, the cost of a round in plain steps"),
        N_("Time of a whole round ÷ time of one plain decoding step at the same batch and context."),
        "ρ = (draft + verify + overhead) ÷ t_t",
        ((Outcome, "cost_ratio"),),
    ),
    Term(
        "speedup",
        N_("Speedup and time ratio"),
        N_(
            "Time without ÷ time with speculation, for the same tokens at the same load; the time ratio is its inverse."
        ),
        "speedup = τ ÷ ρ",
        ((Outcome, "speedup"), (Outcome, "time_ratio")),
    ),
    Term(
        "tpot",
        N_("Time per output token (TPOT)"),
        N_("Decoding time of an answer ÷ its tokens. Under speculation it is less than the gap between two chunks."),
        "TPOT = round ÷ τ",
        ((Outcome, "tpot_ms"),),
    ),
    Term(
        "itl",
        N_("Gap between chunks (inter-token latency)"),
        N_(
            "What a streaming client sees between two chunks. Under speculation a chunk holds all tokens of a round, "
            "so the gap is the time of a round and not of a token."
        ),
    ),
    Term(
        "goodput",
        N_("Goodput of a draft length"),
        N_("Expected tokens of a round ÷ its time: a rule that drafts for the most of it adapts to load and text."),
    ),
    Term(
        "draft_tree",
        N_("Draft tree"),
        N_(
            "Several candidates for each position, checked in one pass. Its accepted ÷ drafted says nothing of one "
            "draft: at most one path can be kept."
        ),
    ),
    Term(
        "exact",
        N_("Exact rule (lossless)"),
        N_(
            "A test of drafts that leaves the target's distribution as it is, such as rejection sampling, or greedy "
            "decoding with the same likeliest token. It changes when tokens come, not which."
        ),
    ),
    Term(
        "typical",
        N_("Typical acceptance"),
        N_("Keeps a draft that the target finds likely enough. It keeps more on most pairs, and the output changes."),
    ),
    Term(
        "lenience",
        N_("Lenience of the test"),
        N_("Keeps drafts as if the drafter had been less sure of them. Anything but 1 changes what comes out."),
    ),
    Term(
        "captured_sizes",
        N_("Captured sizes"),
        N_(
            "Numbers of tokens for which an engine has recorded its kernels as a graph. A pass is padded to the next "
            "one, so its time rises in steps, and jumps beyond the largest."
        ),
    ),
    Term(
        "prompt",
        N_("Opening of a text"),
        N_("The tokens that both models start from. How well they go on alike depends on what they are asked."),
    ),
)
