"""What speculation gives of a whole answer: its prompt is read no faster, so the gain is below that of decoding."""

from dataclasses import dataclass

from specmodel.serving.answer import LoadAnswer
from specmodel.serving.arrivals import EngineTable
from specmodel.serving.asked import served


@dataclass(frozen=True)
class WholeAnswer:
    """An answer from its request to its last token, beside its decoding alone.

    `gain` is time without ÷ time with speculation; None where one of the two engines cannot serve the rate once it
    reads the prompts too. `computed` says that `prefill_ms` is a pass over the prompt, and not what was set.
    """

    prompt_tokens: int
    prefill_ms: float
    computed: bool
    decoding: float
    gain: float | None


def whole_answer(answer: LoadAnswer) -> WholeAnswer | None:
    """The whole answer at the load that is asked for; None where nothing is drafted or the time of a prompt is unknown.

    A request of N tokens at batch b takes L(b) = N·tpot(b) + b·P (`EngineTable.latency_s`), with P the time to read a
    prompt, which is the same with and without drafts; so

        gain = (N·plain + b·P) / (N·tpot + b·P),   between 1 and plain/tpot where the same number run

    By request rate each engine runs the batch that the rate leads to; as prefills make more of them run together, and
    more so without drafts, the gain may then be above that of decoding. The context is the prompt and half the answer,
    so the prompt is context − N/2. Where no prefill was set, P is one pass over the prompt alone; unknown where passes
    were measured and none is so large.

    >>> from specmodel.serving.load import Load
    >>> from specmodel.serving.passes import AffinePass
    >>> from specmodel.serving.served_model import Serving
    >>> one = LoadAnswer(Serving(AffinePass(), alpha=0.7), Load(batch_size=8), 3, 500, most=64, plain_most=64)
    >>> found = whole_answer(one)
    >>> found.prompt_tokens, 1 < found.gain < found.decoding
    (1798, True)
    """
    prompt = round(answer.load.context_tokens - answer.output_tokens / 2)
    if not answer.num_speculative_tokens or prompt < 1:
        return None
    prefill, known = answer.load.prefill_ms, answer.serving.largest_tokens
    computed = not prefill
    if computed:
        if known is not None and prompt > known:
            return None
        prefill = float(answer.serving.pass_ms(prompt, 1, prompt / 2))
    sides = (answer.plain_engine, answer.fixed_engine)
    plain, ours = (_latency(answer, EngineTable(each.tpot_ms, each.output_tokens, prefill)) for each in sides)
    decoding_plain, decoding_ours = (_latency(answer, EngineTable(each.tpot_ms, each.output_tokens)) for each in sides)
    if decoding_plain is None or decoding_ours is None:
        return None
    gain = plain / ours if plain is not None and ours is not None else None
    return WholeAnswer(prompt, prefill, computed, decoding_plain / decoding_ours, gain)


def _latency(answer: LoadAnswer, engine: EngineTable) -> float | None:
    """Seconds of an answer at the batch by hand or at the rate; None where the engine cannot serve it."""
    if not answer.by_rate:
        return float(engine.latency_s(answer.batch))
    found = served(engine, answer.load.request_rate)
    return None if found.saturated else found.latency_s
