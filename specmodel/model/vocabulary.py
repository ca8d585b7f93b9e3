"""A drafter that shares only part of the target's vocabulary: the article's rule, exact bounds, real tokenizers."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim
from specmodel.base.params import quantity

_DATA = Path(__file__).parents[1] / "data"


def effective_alpha(alpha: float, vocabulary_overlap: float) -> float:
    """The article's simplified rule: what is left of alpha when only part of the vocabulary is shared.

        alpha_effective = alpha · vocabulary_overlap

    It counts every token of the vocabulary as equally likely, so it leaves out that the shared tokens are nearly
    always the frequent ones: a third of the tokens can be 98 % of a text. It also leaves out the cost of translating
    between two tokenizers, and that the drafter may be better or worse on the shared tokens than elsewhere.

    Source: the article (its third simulation); see `alpha_ceiling` and `alpha_floor` for what must hold.

    >>> round(effective_alpha(0.6, 0.72), 3)
    0.432
    """
    return alpha * vocabulary_overlap


def alpha_ceiling(alpha: float, shared_mass: float) -> float:
    """The most that can be left of alpha when the target puts the probability `shared_mass` on shared tokens.

        Σ_shared min(target, draft) ≤ Σ_shared target = shared_mass
        Σ_shared min(target, draft) ≤ Σ min(target, draft) = alpha

    The first line holds for every drafter, so with alpha = 1 this is the ceiling of any drafter on that text. The
    second holds as long as the drafter's distribution stays as it is; a drafter that is renormalised over the shared
    tokens may pass it, never the first. `shared_mass` is a share of the text, not of the list of tokens. Derived here
    from Leviathan et al. 2023, corollary 3.6.

    >>> alpha_ceiling(0.6, 0.98), alpha_ceiling(1, 0.98)
    (0.6, 0.98)
    """
    return min(alpha, shared_mass)


def alpha_floor(alpha: float, shared_mass: float) -> float:
    """The least that can be left of alpha when the target puts the probability `shared_mass` on shared tokens.

        Σ_shared min(target, draft) = alpha − Σ_rest min(target, draft) ≥ alpha − (1 − shared_mass)

    since min(target, draft) is at most the target's probability. Reached when the drafter gave each lost token at
    least the target's probability. Derived here.

    >>> round(alpha_floor(0.6, 0.98), 3)
    0.58
    """
    return max(alpha - (1 - shared_mass), 0.0)


@dataclass(frozen=True)
class ArticlePairing:
    """One row of the article's table of vocabularies."""

    pairing: str
    vocabulary_overlap: float
    base_alpha: float
    effective_alpha: float
    usable: str


@dataclass(frozen=True)
class TokenizerPair:
    """How much of a target's vocabulary a drafter's tokenizer knows, measured by the project on real tokenizers.

    Two tokens are the same when they stand for the same bytes, however each tokenizer writes them down.
    Special tokens do not count. The two directions differ: swapping target and drafter gives another row.

    >>> pair = tokenizer_pair("llama3", "qwen3")
    >>> pair.overlap_of_target, pair.freq_overlap_code
    (0.85598, 0.97991)
    """

    target: str = quantity("Target", "The tokenizer of the target.", format="")
    draft: str = quantity("Drafter", "The tokenizer of the drafter.", format="")
    target_vocab: int = quantity(
        "Target vocabulary", "Tokens in the target's vocabulary, special ones included.", unit="tokens", format=",d"
    )
    draft_vocab: int = quantity(
        "Drafter vocabulary", "Tokens in the drafter's vocabulary, special ones included.", unit="tokens", format=",d"
    )
    shared_tokens: int = quantity(
        "Shared tokens", "Tokens that both vocabularies hold, compared by the bytes they stand for.",
        unit="tokens", format=",d",
    )  # fmt: skip
    shared_same_id: int = quantity(
        "Shared with the same id",
        "Shared tokens that also have the same number in both. Where it is small, the ids need a translation table.",
        unit="tokens", format=",d",
    )  # fmt: skip
    overlap_of_target: float = quantity(
        "Share of the target's tokens",
        "Shared tokens ÷ the target's tokens: the part of the target's vocabulary that the drafter can propose.",
        format=".1%",
    )
    overlap_of_draft: float = quantity(
        "Share of the drafter's tokens",
        "Shared tokens ÷ the drafter's tokens: the part of the drafter's vocabulary that the target can accept.",
        format=".1%",
    )
    jaccard: float = quantity(
        "Jaccard index", "Shared tokens ÷ tokens that at least one of the two vocabularies holds.", format=".1%"
    )
    freq_overlap_code: float = quantity(
        "Share of code",
        "Of the tokens in real code, as the target splits it, the share that the drafter knows.", format=".1%",
    )  # fmt: skip
    freq_overlap_prose_en: float = quantity(
        "Share of English prose",
        "Of the tokens in real English prose, as the target splits it, the share that the drafter knows.",
        format=".1%",
    )
    freq_overlap_japanese: float = quantity(
        "Share of Japanese text",
        "Of the tokens in real Japanese text, as the target splits it, the share that the drafter knows.",
        format=".1%",
    )


def _rows(name: str) -> Iterator[Mapping[str, str]]:
    with (_DATA / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


_PAIRING_TEXTS: Sequence[str] = (
    N_("same vocabulary"),
    N_("near vocabulary (other family; same size)"),
    N_("small vocabulary (light tokenizer)"),
    N_("as is"),
    N_("needs conversion"),
)

ARTICLE_PAIRINGS: tuple[ArticlePairing, ...] = tuple(
    ArticlePairing(
        row["pairing"],
        float(row["vocabulary_overlap"]),
        float(row["base_alpha"]),
        float(row["effective_alpha"]),
        row["usable"],
    )
    for row in _rows("article_vocabulary.csv")
)


@cache
def tokenizer_pairs() -> tuple[TokenizerPair, ...]:
    """All ordered pairs of the 15 tokenizers measured.

    >>> len(tokenizer_pairs())
    210
    """
    return tuple(TokenizerPair(**_typed(row)) for row in _rows("vocab_overlap.csv"))


def _typed(row: Mapping[str, str]) -> dict[str, Any]:
    kinds = TokenizerPair.__annotations__
    return {name: kinds[name](value) for name, value in row.items()}


def tokenizer_pair(target: str, draft: str) -> TokenizerPair:
    """The pair with these two names, or an error that lists the tokenizers known.

    >>> tokenizer_pair("qwen3", "llama3").freq_overlap_code
    1.0
    """
    for pair in tokenizer_pairs():
        if (pair.target, pair.draft) == (target, draft):
            return pair
    names = ", ".join(dict.fromkeys(pair.target for pair in tokenizer_pairs()))
    raise SpecmodelError(
        Message(
            "no pair of target {target} and drafter {draft} was measured; the tokenizers are {names}",
            {"target": Verbatim(target), "draft": Verbatim(draft), "names": Verbatim(names)},
        )
    )
