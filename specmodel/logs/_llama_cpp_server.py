"""One run of llama-server, read from the lines of its log; `llama_cpp` knows which lines are whose."""

import re
from dataclasses import dataclass, field

from specmodel.base.messages import Message
from specmodel.logs._checks import checked, count, number
from specmodel.logs._format import LogError, note
from specmodel.logs._llama_cpp import ENGINE, Answers
from specmodel.logs._llama_cpp_kinds import SOURCE, Kinds
from specmodel.logs._llama_cpp_lines import SETUP, STATISTICS, rates_of
from specmodel.logs._llama_cpp_request import Request, counted
from specmodel.logs._llama_cpp_statistics import since_start, with_statistics
from specmodel.logs._printed import agree
from specmodel.measured.spec_stats import Printed, SpecStats, total

Key = tuple[str, str]
NO_SLOT: Key = ("", "")
MAX_SLOTS = 256  # LLAMA_MAX_SEQ
MAX_DRAFTERS = 64
_SUMMED = ("num_rounds", "num_draft_tokens", "num_accepted_draft_tokens")


@dataclass
class Server:
    """One run of a server, from its start or from where the log starts to its end.

    >>> from specmodel.logs._llama_cpp_lines import DRAFT
    >>> server = Server()
    >>> line = "draft acceptance = 0.60000 (  180 accepted /   300 generated), mean len =  2.80"
    >>> server.draft(1, DRAFT.search(line), ("0", "0")), server.results()[0].num_rounds
    (True, 100)
    """

    port: str = ""
    requests: Kinds = field(default_factory=Kinds)
    open: dict[str, Request] = field(default_factory=dict)  # by slot
    statistics: dict[str, SpecStats] = field(default_factory=dict)
    before: tuple[float, float, float] = (0, 0, 0)
    fresh: bool = False
    implementations: int = 0
    lookup: bool = False
    limits: tuple[int, ...] = ()
    version: str | None = None
    width: int = 0
    slots: int | None = None
    seen: set[str] = field(default_factory=set)
    failed: Message | None = None
    unclear: int = 0

    def is_over(self, found: "re.Match[str]") -> bool:
        """Whether a line is from a later start: counters that fell, or a new setup."""
        if found.re is STATISTICS:
            old = self.statistics.get(found["name"])
            return old is not None and int(found["drafted"][:18]) < (old.num_draft_tokens or 0)
        return found.re is SETUP and found["slots"] is not None and bool(self.requests.count or self.open)

    def setup(self, line: int, found: "re.Match[str]", key: Key) -> bool:
        """What a server prints at its start."""
        if found["slots"]:
            self.slots = count(found["slots"], line, "n_slots")
        elif found["limit"]:
            self.limits = (*self.limits[-63:], count(found["limit"], line, "n_max"))
        elif found["failed"] is None:
            self.implementations += 1
            self.lookup = self.lookup or found["named"].startswith("ngram")
        else:
            self.failed = note(
                "line {line}: speculative decoding could not be started, and the server ran without it: {reason}",
                line=line,
                reason=found["failed"],
            )
        return True

    @property
    def limit(self) -> int | None:
        """The most draft tokens a round that the setup allows; None where not every way of drafting tells its own."""
        return max(self.limits, default=None) if len(self.limits) >= self.implementations else None

    def time(self, line: int, found: "re.Match[str]", key: Key) -> bool:
        """A timing line; the one of the prompt comes first."""
        self._match_statistics()
        if key is not NO_SLOT:
            self.seen.add(key[0])
        ms, tokens = number(found[2], line, "eval time"), count(found[3], line, "eval time")
        request = self._of_slot(key)
        if request is None or (request.prompt_ms if found[1] else request.tokens) is not None or request.drafted:
            request = self._opened(line, key)
        if found[1]:
            request.prompt_ms = ms
        else:
            request.decode_ms, request.tokens = ms, tokens
        return True

    def ended(self, line: int, found: "re.Match[str]", key: Key) -> bool:
        """The last of the timing lines."""
        if (request := self._of_slot(key)) is not None:
            request.ended = True
        return True

    def draft(self, line: int, found: "re.Match[str]", key: Key) -> bool:
        """The line of what was drafted and accepted."""
        self._match_statistics()
        request = self._of_slot(key) or self.open.get(NO_SLOT[0])
        if request is None or request.drafted:
            request = self._opened(line, key)
        request.line = line
        request.drafted, request.accepted = (count(found[name], line, name) for name in ("drafted", "accepted"))
        rate = number(found["rate"], line, "draft acceptance")
        if request.drafted:
            agree(rate, request.accepted / request.drafted, 0.000005, line, "draft acceptance")
        printed = [Printed(f"draft acceptance{found['old'] or ''}", rate, "accepted_per_drafted")]
        if found["length"]:
            request.length = number(found["length"], line, "mean len")
            printed.append(Printed(f"mean {found['long']}", request.length, "length_with_bonus"))
            request.version = "b10424+" if found["long"] == "len" else "b9692+"
        request.printed = tuple(printed)
        request.rates = rates_of(found["rates"], line)
        return True

    def positions(self, line: int, found: "re.Match[str]", key: Key) -> bool:
        """Acceptance by position, a line of its own at verbosity 4."""
        request = self._of_slot(key) or self.open.get(NO_SLOT[0])
        if request is None or not request.drafted or request.rates is not None:
            return False
        request.rates = rates_of(found["rates"], line)
        return True

    def counters(self, line: int, found: "re.Match[str]", key: Key) -> bool:
        """Counters of one way of drafting since the server started."""
        name, drafted = found["name"], count(found["drafted"], line, "#gen tokens")
        if name not in self.statistics and len(self.statistics) >= MAX_DRAFTERS:
            raise LogError("line {line}: more than {limit} drafters", line=line, limit=MAX_DRAFTERS)
        accepted, rates = count(found["accepted"], line, "#acc tokens"), rates_of(found["rates"], line)
        rounds = count(found["drafts"], line, "#gen drafts")
        if found["length"]:
            length, calls = number(found["length"], line, "#mean acc len"), count(found["calls"] or 0, line, "#calls")
            rounds = Request(line, drafted=drafted, accepted=accepted, length=length, rates=rates).verified(
                rounds, calls
            )
        stats = SpecStats(
            ENGINE,
            SOURCE,
            label=name,
            num_rounds=rounds,
            num_draft_tokens=drafted,
            num_accepted_draft_tokens=accepted,
            accepted_per_position=counted(rates, rounds, accepted, line) if rates and rounds else None,
            printed=(Printed("#acc drafts", count(found["hits"], line, "#acc drafts")),),
        )
        if found["ms"] and rounds:
            stats = stats.replace(draft_ms=number(found["ms"], line, "dur") / rounds)
        self.statistics[name] = checked(stats, line)
        self.lookup = self.lookup or name.startswith("ngram")
        self.fresh = True
        return True

    def _opened(self, line: int, key: Key) -> Request:
        """A new request; another one that the slot had is over."""
        slot, task = key
        if slot in self.open or len(self.open) >= MAX_SLOTS:
            self._close(slot if slot in self.open else next(iter(self.open)))
        request = self.open[slot] = Request(line, task)
        return request

    def _of_slot(self, key: Key) -> Request | None:
        """The request that a slot works on, if it is this task."""
        request = self.open.get(key[0])
        return request if request is not None and request.task == key[1] else None

    def _close(self, slot: str, exact: int | None = None, *, at_end: bool = False) -> None:
        request = self.open.pop(slot)
        self.width = max(self.width, len(request.rates or ()))
        answer = request.answer(exact, len(request.rates or ()) or self.limit)
        self.version = answer.version or self.version
        if answer.drafted and answer.rounds is None:
            self.unclear = self.unclear or request.line
        of_server = bool(request.task)
        self.requests.add(answer, request.line, of_server=of_server, may_go_on=at_end and not request.ended)

    def _sums(self) -> tuple[float, float, float]:
        rounds, drafted, accepted = (
            sum(getattr(each, name) or 0 for each in self.statistics.values()) for name in _SUMMED
        )
        return rounds, drafted, accepted

    def _match_statistics(self) -> None:
        """What the statistics rose by is the request just printed, unless other slots drafted meanwhile."""
        if not self.fresh:
            return
        self.fresh, now = False, self._sums()
        rounds, drafted, accepted = (new - old for new, old in zip(now, self.before, strict=True))
        self.before = now
        slots = [slot for slot, request in self.open.items() if request.drafted]
        for slot in slots:
            request = self.open[slot]
            same = len(slots) == 1 and (drafted, accepted) == (request.drafted, request.accepted)
            self._close(slot, int(rounds) if same and request.fits(rounds) else None)

    def results(self) -> list[SpecStats]:
        """All requests of it, and behind them those that are a run without drafts; else what its statistics tell."""
        self._match_statistics()
        for slot in list(self.open):
            self._close(slot, at_end=True)
        runs, parts = self.requests.runs(self.lookup), tuple(self.statistics.values())
        if not runs:
            return [total(parts).replace(label="", parts=parts if len(parts) > 1 else ())] if parts else []
        batch = 1.0 if self.slots == 1 else None
        totals = [each.total(version=self.version, batch_size=batch) for each in runs]
        first, *others = [each for each in totals if each is not None]
        return [self._run(runs[0], first), *others]

    def _run(self, answers: Answers, stats: SpecStats) -> SpecStats:
        """The requests of the run with what setup and statistics add to them."""
        rounds, drafted, accepted = self._sums()
        parts = tuple(self.statistics.values())
        whole = bool(drafted) and (drafted, accepted) == (answers.drafted, answers.accepted)
        if whole:
            stats = with_statistics(stats, rounds, parts, answers.decode_ms if len(self.seen) < 2 else None)
        elif drafted > answers.drafted and not self.lookup:
            stats = since_start(stats, parts)
        stats = stats.replace(
            speculation=stats.speculation or bool(self.implementations or self.failed or self.statistics),
            num_speculative_tokens=self._limit(stats),
            notes=(*stats.notes, *self._notes(stats)),
        )
        return stats.replace(parts=parts) if len(parts) > 1 or (drafted and not whole) else stats

    def _limit(self, stats: SpecStats) -> int | None:
        """Draft tokens a round: the number of positions, the limit of the setup, or drafted ÷ rounds if that fits."""
        drafted, rounds = stats.num_draft_tokens, stats.num_rounds
        if self.width or (self.limit and (not rounds or (drafted or 0) <= self.limit * rounds)):
            return self.width or self.limit
        fits = drafted and rounds and not stats.estimated and drafted % rounds == 0
        return int(drafted // rounds) if fits and drafted and rounds else None

    def _notes(self, stats: SpecStats) -> list[Message]:
        notes = [*([self.failed] if self.failed else []), *self.requests.notes(self.lookup)]
        if self.unclear and stats.num_rounds is None:
            notes.append(
                note("line {line}: rounds cannot be worked out from this line, so those of the log are unknown; "
                     "statistics lines (llama-server -lv 4) tell them", line=self.unclear)
            )  # fmt: skip
        if stats.estimated:
            notes.append(
                note("rounds were worked out from mean lengths of 2 decimals: they may be some too many or few")
            )
        return notes
