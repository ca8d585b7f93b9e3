"""Whether speculation should be on in a measured engine, and why, in one sentence."""

from collections.abc import Sequence

from specmodel.base.messages import Message, Verbatim
from specmodel.engine.case import EngineCase
from specmodel.engine.sentences import listed, number, sentences
from specmodel.engine.server_gives import is_unlike, measure_phrase, server_gives, why_no_pair
from specmodel.engine.speed import Ratio, contradicting, disagreeing, measures
from specmodel.measured.assumed_spread import rates_only
from specmodel.measured.spec_stats import SpecStats
from specmodel.model.outcome import CLOSE, Verdict


def engine_verdict(case: EngineCase) -> Verdict:
    """The verdict on a run: it pays or not where the whole interval of its decode speedup lies on one side of 1.

    Within 2 % it is too close whatever the interval says: no two runs of an engine are told apart by less.

    `off` where there is nothing to judge: no time of a plain step is known, or nothing was drafted. `not_comparable`
    where the baseline was measured at another load, or speculates itself. Measures of the whole run (throughput, time
    of a request) that contradict the decode speedup leave it open: `too_close`, with what each of them says.

    >>> case = EngineCase(SpecStats("a", "b", printed_length=2.0, step_ms=12.0), plain_ms_typed=10.0)
    >>> engine_verdict(case).kind, str(engine_verdict(case).reason)
    ('pays', 'A step emits 2.00 tokens and costs 1.20 plain steps.')
    """
    if is_unlike(case) and case.comparability is not None:
        return Verdict("not_comparable", sentences(server_gives(case), why_no_pair(case.comparability)))
    speedup = case.speedup
    if speedup is None or speedup.value is None:
        return Verdict("off", no_time(case))
    low = min(speedup.low if speedup.low is not None else speedup.value, speedup.value / (1 + CLOSE))
    high = max(speedup.high if speedup.high is not None else speedup.value, speedup.value * (1 + CLOSE))
    if case.stats.num_draft_tokens == 0:
        reason = (
            "Speculation did nothing for this run, which decoded {speedup:.2f}× as fast as the plain one; rejected "
            "drafts are not the reason."
        )
        return Verdict("off", Message(reason, {"speedup": speedup.value}))
    ratios = compared_measures(case)
    more = more_measures(case, ratios, speedup.value)
    if low <= 1 <= high:
        return Verdict("too_close", sentences(_reason(case, "too_close"), more))
    pays = speedup.value > 1
    why = sentences(_reason(case, "pays" if pays else "does_not_pay"), more)
    if contradicting(ratios, speedup.value, CLOSE):
        return Verdict("too_close", why)
    return Verdict("pays" if pays else "does_not_pay", why)


def compared_measures(case: EngineCase) -> tuple[Ratio, ...]:
    """The measures of speed that the verdict holds beside the decode speedup: those of the two files that gave it.

    Where both runs were sent the same requests a second, the throughput is the rate that was offered, and says nothing.

    >>> compared_measures(EngineCase(SpecStats("a", "b", tpot_ms=5.0)))
    ()
    """
    if case.plain_run is None or case.plain_ms_typed is not None or case.round_ms_typed is not None:
        return ()
    offered = case.comparability is not None and case.comparability.offered_rate is not None
    return tuple(each for each in measures(case) if not (offered and each.key == "output_tokens_per_s"))


def more_measures(case: EngineCase, ratios: Sequence[Ratio], speedup: float) -> Message | None:
    """What the other measures say where they tell another story, and that equal throughput was the offered load.

    >>> print(more_measures(EngineCase(SpecStats("a", "b")), [Ratio("ttft_ms", "", "", 100.0, 150.0, "ms")], 2.0))
    Prefill and waiting count too: the first token after 150 ms instead of 100 ms (1.50×).
    """
    told = []
    found = case.comparability
    if found is not None and found.offered_rate is not None and case.plain_run is not None:
        text = "Both runs were sent {rate} requests/s and answered them, so their throughput is that rate."
        told.append(Message(text, {"rate": Verbatim(number(found.offered_rate))}))
        load = found.condition("requests_in_decode")
        if load is not None and not load.alike:
            text = "{with} requests decoded at once instead of {without}: a part of the gain is that smaller batch."
            if load.with_speculation > load.without:
                text = "{with} requests decoded at once instead of {without}: a part of the loss is that larger batch."
            both = {"with": Verbatim(number(load.with_speculation)), "without": Verbatim(number(load.without))}
            told.append(Message(text, both))
    if apart := [measure_phrase(each) for each in disagreeing(ratios, speedup)]:
        told.append(Message("Prefill and waiting count too: {list}.", {"list": listed(apart)}))
    return sentences(*told) if told else None


def no_time(case: EngineCase) -> Message:
    """What is missing for a verdict, and what it would have to be: break-even needs no draft length.

    >>> str(no_time(EngineCase(SpecStats("a", "b", printed_length=2.6))))[:74]
    'A step emits 2.60 tokens. It pays while a step with speculation takes less'
    """
    tokens, plain = case.tokens_per_step, case.plain_ms
    if tokens is None:
        return _unknown_tokens(case.stats)
    numbers = {"tokens": tokens, "most": tokens * (plain or 0.0)}
    if plain is not None:
        text = (
            "A step emits {tokens:.2f} tokens. It pays while a step with speculation takes less than {most:.2f} ms, "
            "and these numbers do not hold its time."
        )
        return Message(text, numbers)
    text = (
        "A step emits {tokens:.2f} tokens. It pays while a step with speculation takes less than {tokens:.2f} "
        "plain steps, and these numbers do not hold the time of a plain step."
    )
    return Message(text, numbers)


def _unknown_tokens(stats: SpecStats) -> Message:
    drafted, rate = stats.num_draft_tokens, stats.draft_acceptance_rate
    if drafted == 0:
        return Message("Not one token was drafted, and these numbers do not hold the times of two steps to compare.")
    if rate is not None and drafted:
        text = (
            "{accepted:,.0f} of {drafted:,.0f} drafts were accepted ({rate:.0%}), but not in how many rounds: tokens "
            "per step are unknown, and with them what a step may cost."
        )
        return Message(text, {"accepted": rate * drafted, "drafted": drafted, "rate": rate})
    return Message("Tokens per step are unknown here, and with them what a step with speculation may cost.")


def _reason(case: EngineCase, kind: str) -> Message:
    if case.rho is None or case.tokens_per_step is None:
        plain, spent = case.ms_per_token
        text = "An output token takes {spent:.2f} ms with speculation and {plain:.2f} ms without."
        return Message(text, {"plain": plain or 0.0, "spent": spent or 0.0})
    numbers = {"tokens": case.tokens_per_step, "rho": case.rho}
    if kind == "too_close" and case.stats.num_rounds is not None and not rates_only(case.stats):
        text = "A step emits {tokens:.2f} tokens and costs {rho:.2f} plain steps: the counts cannot tell them apart."
        return Message(text, numbers)
    if kind == "too_close":
        text = "A step emits {tokens:.2f} tokens and costs {rho:.2f} plain steps: too close to tell two runs apart."
        return Message(text, numbers)
    if kind == "pays":
        return Message("A step emits {tokens:.2f} tokens and costs {rho:.2f} plain steps.", numbers)
    return Message("A step emits {tokens:.2f} tokens but costs {rho:.2f} plain steps.", numbers)
