"""What a measurement says to configure: the draft length, the schedule by batch, and the engine to write it for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from specmodel.base.messages import Message, SpecmodelError
from specmodel.engine.case import EngineCase
from specmodel.engine.lengths import LengthChoice, best_choice, off_is_as_good
from specmodel.engine.repeats import same_batch
from specmodel.engine.setting import ENGINES, MAX_K, VLLM, Request, Snippet, methods, snippet, synthetic_snippet
from specmodel.engine.sweep import MeasuredSetting
from specmodel.engine.unused import Unused
from specmodel.measured.acceptance import MeasuredAcceptance
from specmodel.model.acceptance import Acceptance

SELDOM = 0.5
"""A drafter that drafts in fewer than half of the steps is a lookup: only a lookup finds nothing so often."""
ANY_DRAFTER = "eagle3"
BY_HUB_NAME = ("vLLM", "SGLang", "TensorRT-LLM", "LMDeploy")
"""Engines that all take a model by its name on the Hugging Face Hub."""


@dataclass(frozen=True)
class Pasted:
    """The configuration as text, why a schedule had to be left out of it, and one that accepts drafts by lot."""

    snippet: Snippet
    without_schedule: Message | None = None
    rehearsal: Snippet | None = None


@dataclass(frozen=True)
class ToPaste:
    """What to configure. `num_speculative_tokens` = 0 is off; `engine` is the one that was measured, or vLLM.

    `schedule` holds tiers (last batch size, k) where the fastest length differs by batch, `acceptance` what was
    measured, and `is_lookup` says that the drafts were looked up rather than computed; `model` is the name in the file.
    """

    num_speculative_tokens: int
    schedule: tuple[tuple[int, int], ...]
    engine: str
    is_lookup: bool
    acceptance: Acceptance | None
    model: str | None = None

    def named(self, engine: str) -> str | None:
        """The measured name of the model, where an engine would call it so too.

        >>> found = ToPaste(3, (), "vLLM", False, None, "Qwen/Qwen3-8B")
        >>> found.named("SGLang"), found.named("Ollama")
        ('Qwen/Qwen3-8B', None)
        """
        same = engine == self.engine or {engine, self.engine} <= set(BY_HUB_NAME)
        return self.model if same else None

    def method(self, engine: str | None = None) -> str:
        """The way of drafting to start from in an engine: lookup if that was measured, else the engine's first one.

        >>> ToPaste(3, (), "vLLM", False, None).method("llama.cpp")
        'draft_model'
        """
        offered = [each.key for each in methods(engine or self.engine)]
        return "ngram" if self.is_lookup and "ngram" in offered else offered[0]

    def pasted(self, engine: str | None = None, method: str | None = None) -> Pasted:
        """The configuration of an engine and a way of drafting, by default the measured ones.

        A schedule that the engine cannot take is left out with the reason; the fixed draft length then stands alone.

        >>> ToPaste(2, (), "SGLang", False, None).pasted(method="eagle3").snippet.text.split()[-1]
        '3'
        """
        engine, method = engine or self.engine, method or self.method(engine)
        longest = max((k for _, k in self.schedule), default=self.num_speculative_tokens)
        rehearsal = self._rehearsal(method) if engine == VLLM else None
        model = self.named(engine)
        try:
            request = Request(engine, method, min(longest, MAX_K), self.schedule, self.acceptance, model)
            return Pasted(snippet(request), None, rehearsal)
        except SpecmodelError as error:
            if not self.schedule:
                raise
            fixed = Request(engine, method, min(self.num_speculative_tokens, MAX_K), (), self.acceptance, model)
            return Pasted(snippet(fixed), error.message, rehearsal)

    def _rehearsal(self, method: str) -> Snippet | None:
        measured = self.acceptance
        if measured is None or not 0 < measured.num_speculative_tokens <= MAX_K:
            return None
        return synthetic_snippet(measured, method if method != "ngram" else ANY_DRAFTER, self.named(VLLM))


def to_paste(
    case: EngineCase,
    acceptance: MeasuredAcceptance | None,
    lengths: Sequence[LengthChoice],
    best_by_batch: Mapping[float, MeasuredSetting],
    unused: Unused | None = None,
) -> ToPaste | None:
    """What to configure after a measurement; None where no draft length is known.

    >>> from specmodel.measured.spec_stats import SpecStats
    >>> case = EngineCase(SpecStats("SGLang", "log", num_speculative_tokens=3, printed_length=2.0))
    >>> found = to_paste(case, None, (), {})
    >>> found.num_speculative_tokens, found.engine, found.schedule
    (3, 'SGLang', ())
    """
    k = _draft_length(case, lengths, best_by_batch, unused)
    if k is None:
        return None
    engine = case.stats.engine if case.stats.engine in ENGINES else VLLM
    measured = acceptance.acceptance if acceptance else None
    named = case.stats.model if case.stats.engine in ENGINES else None
    return ToPaste(k, _schedule(best_by_batch), engine, case.share_with_draft < SELDOM, measured, named)


def _draft_length(
    case: EngineCase,
    lengths: Sequence[LengthChoice],
    best_by_batch: Mapping[float, MeasuredSetting],
    unused: Unused | None,
) -> int | None:
    """The draft length to configure: of the best measured setting, the best predicted, or as it ran; 0 is off.

    Without times, as it ran but for the positions that were never accepted.
    """
    if best_by_batch:
        own = next((each for batch, each in best_by_batch.items() if same_batch(batch, case.stats.batch_size)), None)
        return (own or next(iter(best_by_batch.values()))).num_speculative_tokens
    best = best_choice(lengths)
    if case.stats.num_draft_tokens == 0 or off_is_as_good(lengths):
        return 0  # nothing is drafted, or off cannot be told from the best: the simplest of equals
    if best is None and case.decode_speedup is not None and case.decode_speedup < 1:
        return 0  # it lost as it ran, and no other length is known
    ran = unused.num_speculative_tokens if unused is not None else case.num_speculative_tokens
    return best.num_speculative_tokens if best is not None else ran


def _schedule(best_by_batch: Mapping[float, MeasuredSetting]) -> tuple[tuple[int, int], ...]:
    """Tiers (last batch size, k) where the best differs between the batch sizes that the file tells of."""
    tiers = [(round(batch), each.num_speculative_tokens) for batch, each in best_by_batch.items()]
    return tuple(tiers) if len({k for _, k in tiers}) > 1 else ()
