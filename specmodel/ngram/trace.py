"""What happened in speculative sampling, round by round and token by token, and what a page can count in it."""

from dataclasses import dataclass
from functools import cached_property

from specmodel.base.messages import N_
from specmodel.ngram.vocabulary import Vocabulary

# What becomes of a token, and its label.
FATES = {
    "accepted": N_("accepted draft"),
    "rejected": N_("rejected draft"),
    "unread": N_("draft after a rejection: never looked at"),
    "recovered": N_("recovered: the target's token in place of a rejected draft"),
    "bonus": N_("bonus: the target's own token"),
}


@dataclass(frozen=True)
class Round:
    """One round: the drafted tokens, how many were accepted, and the token that the target added.

    The last three hold a value for each position that was looked at, the rejected one included: the probability of the
    drafted token for target and draft, and the overlap Σ min(target, draft) over all tokens, which is the probability
    that the draft of this position is accepted, whichever token is drawn.
    """

    drafted: tuple[int, ...]
    num_accepted: int
    bonus_token: int
    target_probs: tuple[float, ...]
    draft_probs: tuple[float, ...]
    overlaps: tuple[float, ...]

    @property
    def recovered(self) -> bool:
        """Whether the target's token replaces a rejected draft."""
        return self.num_accepted < len(self.drafted)

    @property
    def emitted(self) -> tuple[int, ...]:
        """The tokens that the round adds to the text."""
        return (*self.drafted[: self.num_accepted], self.bonus_token)


@dataclass(frozen=True)
class Event:
    """One token on the way: its number, its fate (a key of `FATES`), its round and place in it, both from 0.

    `in_text` says whether it is part of the text; rejected and unread drafts are not.
    """

    token: int
    fate: str
    round: int
    position: int

    @property
    def in_text(self) -> bool:
        """Whether the token stays."""
        return self.fate in ("accepted", "recovered", "bonus")


@dataclass(frozen=True, eq=False)
class Trace:
    """A continuation and how it came about; plain decoding is a trace whose rounds have no drafts."""

    vocabulary: Vocabulary
    prompt: tuple[int, ...]
    rounds: tuple[Round, ...]
    max_tokens: int
    num_speculative_tokens: int

    @cached_property
    def tokens(self) -> tuple[int, ...]:
        """The generated tokens without the prompt: `max_tokens` of them, so the last round may lose some."""
        return tuple(token for each in self.rounds for token in each.emitted)[: self.max_tokens]

    @cached_property
    def text(self) -> str:
        """The generated text without the prompt."""
        return self.vocabulary.decode(self.tokens)

    @property
    def target_passes_saved(self) -> int:
        """Passes of the target that plain decoding would need on top: tokens − rounds."""
        return len(self.tokens) - len(self.rounds)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Every token in the order in which it is shown: the drafts of a round, then the target's token.

        What lies beyond `max_tokens` is left out, so the tokens in the text are exactly `tokens`.
        """
        shown: list[Event] = []
        room = self.max_tokens
        for number, each in enumerate(self.rounds):
            for position, token in enumerate(each.drafted[:room]):
                shown.append(Event(token, _fate(position - each.num_accepted), number, position))
            if each.num_accepted < room:
                fate = "recovered" if each.recovered else "bonus"
                shown.append(Event(each.bonus_token, fate, number, len(each.drafted)))
            room = max(room - len(each.emitted), 0)
        return tuple(shown)


def _fate(beyond_accepted: int) -> str:
    if beyond_accepted < 0:
        return "accepted"
    return "unread" if beyond_accepted else "rejected"
