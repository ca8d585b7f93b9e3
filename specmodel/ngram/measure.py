"""Counts over traces: how many drafts were accepted, position by position, and what that saved."""

from collections.abc import Iterable
from dataclasses import dataclass

from specmodel.base.messages import N_, Message, SpecmodelError
from specmodel.base.numbers import whole_number
from specmodel.model.acceptance import Acceptance
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS
from specmodel.ngram.trace import Round, Trace

Counts = tuple[int, ...]


@dataclass(frozen=True)
class Measured:
    """Counts over rounds of up to k drafts; adds up over traces with the same k.

    `histogram[j]` are rounds that accepted exactly j drafts, j = 0 … k; a round without a proposal accepted none.
    By position 1 … k: `drafted`, `reached` (looked at, as all drafts before were accepted) and `overlap`, the sum of
    Σ min(target, draft) over the reached ones. `num_tokens` are the tokens of the texts.
    """

    histogram: Counts
    drafted: Counts
    reached: Counts
    overlap: tuple[float, ...]
    num_tokens: int

    @property
    def num_speculative_tokens(self) -> int:
        """k: the most drafts of a round."""
        return len(self.drafted)

    @property
    def num_rounds(self) -> int:
        """Rounds, and so passes of the target."""
        return sum(self.histogram)

    @property
    def num_draft_tokens(self) -> int:
        """Drafts proposed."""
        return sum(self.drafted)

    @property
    def accepted(self) -> Counts:
        """Rounds in which the draft at position 1 … k was accepted."""
        return tuple(sum(self.histogram[i:]) for i in range(1, len(self.histogram)))

    @property
    def num_accepted_draft_tokens(self) -> int:
        """Drafts kept; the target's own tokens never count."""
        return sum(self.accepted)

    @property
    def num_wasted_draft_tokens(self) -> int:
        """Drafts thrown away: rejected, or behind a rejected one."""
        return self.num_draft_tokens - self.num_accepted_draft_tokens

    @property
    def acceptance(self) -> Acceptance:
        """The measured distribution of accepted drafts a round: what the Explore pages take.

        Where a lookup finds nothing to propose, the round counts as one that accepted nothing.
        """
        return Acceptance.from_histogram(self.histogram)

    @property
    def conditional_acceptance(self) -> tuple[float | None, ...]:
        """By position: accepted ÷ reached; None where no round came that far."""
        return tuple(got / n if n else None for got, n in zip(self.accepted, self.reached, strict=True))

    @property
    def expected_acceptance(self) -> tuple[float | None, ...]:
        """By position: the mean of Σ min(target, draft) where it was reached; conditional acceptance scatters about it.

        Each draft that is looked at is accepted with this probability (Leviathan et al. 2023, theorem 3.5), so
        accepted − Σ overlap is a sum of terms of mean 0.
        """
        return tuple(total / n if n else None for total, n in zip(self.overlap, self.reached, strict=True))

    @property
    def alpha(self) -> float | None:
        """Accepted ÷ looked at over all positions: one acceptance for the Explore pages; None without any draft."""
        looked_at = sum(self.reached)
        return self.num_accepted_draft_tokens / looked_at if looked_at else None

    @property
    def target_passes_saved(self) -> int:
        """Passes of the target that plain decoding of the same tokens would need on top: tokens − rounds."""
        return self.num_tokens - self.num_rounds

    def __add__(self, other: "Measured") -> "Measured":
        if self.num_speculative_tokens != other.num_speculative_tokens:
            raise _unequal(self.num_speculative_tokens, other.num_speculative_tokens)
        return Measured(
            _sum(self.histogram, other.histogram),
            _sum(self.drafted, other.drafted),
            _sum(self.reached, other.reached),
            tuple(a + b for a, b in zip(self.overlap, other.overlap, strict=True)),
            self.num_tokens + other.num_tokens,
        )


def _unequal(one: int, other: int) -> SpecmodelError:
    message = "rounds of {one} and of {other} drafts do not add up"
    return SpecmodelError(Message(message, {"one": one, "other": other}))


def _sum(one: Counts, other: Counts) -> Counts:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def measure_rounds(rounds: Iterable[Round], num_speculative_tokens: int, max_tokens: int | None = None) -> Measured:
    """Counts over some rounds of one text, such as those played so far; its tokens end at `max_tokens`.

    >>> measure_rounds([Round((7, 8), 1, 9, (0.5, 0.1), (0.6, 0.4), (0.8, 0.3))], 2).conditional_acceptance
    (1.0, 0.0)
    """
    k = whole_number(num_speculative_tokens, N_("drafts a round"), 0, MAX_SPECULATIVE_TOKENS)
    histogram, drafted, reached, overlap = [0] * (k + 1), [0] * k, [0] * k, [0.0] * k
    tokens = 0
    for each in rounds:
        if (longest := max(len(each.drafted), len(each.overlaps), each.num_accepted)) > k:
            raise _unequal(k, longest)
        histogram[each.num_accepted] += 1
        tokens += len(each.emitted)
        for i in range(len(each.drafted)):
            drafted[i] += 1
        for i, value in enumerate(each.overlaps):
            reached[i] += 1
            overlap[i] += value
    in_text = tokens if max_tokens is None else min(tokens, max_tokens)
    return Measured(tuple(histogram), tuple(drafted), tuple(reached), tuple(overlap), in_text)


def measure(traces: Iterable[Trace]) -> Measured:
    """Counts over one trace or more, all with the same number of drafts a round.

    >>> from specmodel.ngram import language_models, speculate
    >>> pair = language_models("english")
    >>> counted = measure([speculate(pair.target, pair.draft, prompt, 30) for prompt in pair.corpus.prompts])
    >>> counted.num_tokens, counted.num_rounds + counted.target_passes_saved
    (180, 180)
    """
    found = [measure_rounds(each.rounds, each.num_speculative_tokens, each.max_tokens) for each in traces]
    if not found:
        raise SpecmodelError(Message("there is no trace to measure"))
    total = found[0]
    for each in found[1:]:
        total += each
    return total
