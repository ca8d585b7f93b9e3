"""The numbers that a decision rests on: what has to stay so, and what is expected."""

from dataclasses import dataclass

from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.engine.answer import EngineAnswer
from specmodel.logs.prometheus.engines import ENGINES, NAMINGS, VLLM, Engine
from specmodel.model.outcome import CLOSE

LONGEST_MODEL = 200
MOST_BREAK_EVEN = 1000.0
MOST_TPOT_MS = 1e6


@dataclass(frozen=True)
class Levels:
    """What to watch of one engine, and the levels that it is held to; None where a level is not known.

    `break_even` are the tokens per decoding step at which speculation takes as long as plain decoding: the cost of a
    step with speculation in plain steps. `expected` are the tokens per step that were measured or computed,
    `num_speculative_tokens` the longest draft, `tpot_ms` the most that a service level allows for an output token,
    `off_beyond` the largest batch that drafts at all. `model` is the value of the label `model_name`, empty for every
    model of the engine; `prefix` how the names of its metrics begin on this Prometheus; `link` leads back to the page.

    >>> Levels("vLLM", 3, break_even=1.28).breaks_even_below
    1.2549019607843137
    >>> Levels("vLLM", 3, break_even=-1)
    Traceback (most recent call last):
    specmodel.base.messages.SpecmodelError: break-even of -1 tokens per step: expected more than 0 and at most 1,000
    """

    engine: str
    num_speculative_tokens: int
    break_even: float | None = None
    expected: float | None = None
    tpot_ms: float | None = None
    off_beyond: int | None = None
    model: str = ""
    prefix: str = ""
    link: str = ""

    def __post_init__(self) -> None:
        even, tpot = self.break_even, self.tpot_ms
        if self.engine not in ENGINES:
            raise SpecmodelError(Message("{name} has no metrics that are known here", {"name": Verbatim(self.engine)}))
        if self.prefix not in ("", *NAMINGS):
            raise SpecmodelError(Message("no engine's metrics begin with {name}", {"name": Verbatim(self.prefix)}))
        if even is not None and not 0 < even <= MOST_BREAK_EVEN:
            text = "break-even of {value:g} tokens per step: expected more than 0 and at most {most:,.0f}"
            raise SpecmodelError(Message(text, {"value": even, "most": MOST_BREAK_EVEN}))
        if tpot is not None and not 0 < tpot <= MOST_TPOT_MS:
            text = "{value:g} ms per output token: expected more than 0 and at most {most:,.0f}"
            raise SpecmodelError(Message(text, {"value": tpot, "most": MOST_TPOT_MS}))
        if len(self.model) > LONGEST_MODEL or not self.model.isprintable():
            text = "the name of a model has at most {most} characters, all of them printable"
            raise SpecmodelError(Message(text, {"most": LONGEST_MODEL}))

    @property
    def names(self) -> Engine:
        """The names of the engine's metrics."""
        return NAMINGS[self.prefix] if self.prefix else ENGINES[self.engine]

    @property
    def breaks_even_below(self) -> float | None:
        """Tokens per step below which it is said to lose: 2 % under break-even, since no two runs tell less apart."""
        return None if self.break_even is None else self.break_even / (1 + CLOSE)


def levels_of(answer: EngineAnswer, **more: object) -> Levels:
    """The levels that a measured engine is held to; `more` are those that no measurement tells.

    An engine whose metrics are not known here is watched as vLLM: name it with `engine=`.

    >>> from specmodel import engine
    >>> from specmodel.measured.spec_stats import SpecStats
    >>> stats = SpecStats("SGLang", "log", num_speculative_tokens=3, printed_length=2.0, step_ms=12.8)
    >>> found = levels_of(engine.answer(stats, plain_ms=10.0), tpot_ms=20.0)
    >>> found.engine, found.break_even, found.expected, found.tpot_ms
    ('SGLang', 1.28, 2.0, 20.0)
    """
    case, to_paste = answer.case, answer.to_paste
    drafted = [last for last, k in to_paste.schedule if k > 0] if to_paste is not None else []
    off = to_paste is not None and any(k == 0 for _, k in to_paste.schedule)
    tokens = answer.tokens_per_step
    known: dict[str, object] = {
        "engine": case.stats.engine if case.stats.engine in ENGINES else VLLM.name,
        "num_speculative_tokens": max(case.num_speculative_tokens or 1, 1),
        "break_even": case.rho,
        "expected": tokens.value if tokens is not None else None,
        "off_beyond": max(drafted) if drafted and off else None,
    }
    return Levels(**{**known, **more})  # type: ignore[arg-type]
