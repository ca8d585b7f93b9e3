"""The requests of a llama-server by what its log shows of them: with a draft, without one, or cut off.

A drafter that is a model proposes something in every round. A request of some length without a draft, of no known slot
and task, is then from another run that was pasted beside it. With a lookup of n-grams it is one in which nothing was
found, and a server may be told for a single request to draft nothing.
"""

from dataclasses import dataclass, field, replace

from specmodel.base.messages import N_, Message
from specmodel.logs._format import note
from specmodel.logs._llama_cpp import Answer, Answers

SOURCE = N_("server log")
FEW_TOKENS = 16
"""A shorter answer may end before anything is drafted."""


@dataclass
class Kinds:
    """All requests of one server, sorted.

    >>> kinds = Kinds()
    >>> for drafted in (300, 0): kinds.add(Answer(281, 2525.0, 10.0, drafted, drafted // 2, drafted // 3, None), 1)
    >>> [each.count for each in kinds.runs(lookup=False)], [each.count for each in kinds.runs(lookup=True)]
    ([1, 1], [2])
    """

    drafted: Answers = field(default_factory=lambda: Answers(SOURCE))
    plain: Answers = field(default_factory=lambda: Answers(SOURCE))
    cut: Answers = field(default_factory=lambda: Answers(SOURCE))
    unended: int = 0
    silent: int = 0

    @property
    def count(self) -> int:
        """All of them."""
        return self.drafted.count + self.plain.count + self.cut.count + self.unended

    def add(self, answer: Answer, line: int, *, of_server: bool = False, may_go_on: bool = False) -> None:
        """One more; `of_server` where slot and task show that it is of the same server as those before it, `may_go_on`
        where the file ends before what would tell of its drafts."""
        known = replace(answer, version=None)
        if answer.tokens is None:
            self.cut.add(known, line)
        elif may_go_on and not answer.drafted and self.drafted.drafted:
            self.unended += 1
        elif answer.drafted or of_server or answer.tokens < FEW_TOKENS:
            self.drafted.add(known, line)
            self.silent += not answer.drafted
        else:
            self.plain.add(known, line)

    def runs(self, lookup: bool) -> list[Answers]:
        """The requests that are one run; behind them those without a draft, where they are another."""
        if not self.drafted.count and not self.plain.count:
            return [self.cut] if self.cut.count else []
        if self.drafted.drafted and self.plain.count and not lookup:
            return [self.drafted, self.plain]
        return [self.drafted.joined(self.plain)]

    def notes(self, lookup: bool) -> list[Message]:
        """What was left out, and what was told apart."""
        found = []
        whole = self.drafted.count + self.plain.count
        if whole and self.cut.count:
            found.append(
                note("requests of which the log holds no time were left out, it is cut: {count:,}",
                     count=self.cut.count)
            )  # fmt: skip
        if self.unended:
            found.append(note("the log ends before it tells of the drafts of its last request, which was left out"))
        if self.drafted.drafted and self.plain.count and not lookup:
            found.append(
                note("{count:,} of {all:,} requests drafted nothing: they are shown as a run of their own, without "
                     "speculation", count=self.plain.count, all=whole)
            )  # fmt: skip
        elif self.drafted.drafted and self.silent + self.plain.count:
            found.append(
                note("{count:,} of {all:,} requests drafted nothing; they are counted in the tokens per step",
                     count=self.silent + self.plain.count, all=whole)
            )  # fmt: skip
        return found
