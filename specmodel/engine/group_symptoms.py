"""What may be wrong where groups of one run (temperatures, contexts, kinds of drafter) differ in their acceptance."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim
from specmodel.engine.symptoms import Symptom
from specmodel.measured.acceptance import measured_acceptance
from specmodel.measured.intervals import Estimate, proportion
from specmodel.measured.spec_stats import SpecStats

WORDS: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    (
        "cache",
        ("fp8", "q8", "q4", "int8", "int4", "nvfp4", "kv"),
        N_("A quantised cache lowers acceptance: compare with the cache in 16 bits."),
        "llama.cpp #25725, SGLang #32938, vLLM #55557",
    ),
    (
        "vocabulary",
        ("vocab", "tli", "hetero", "universal"),
        N_("A drafter with another vocabulary can only propose what both share."),
        "vLLM #38174",
    ),
)


def group_symptoms(groups: Sequence[SpecStats]) -> tuple[Symptom, ...]:
    """Acceptance that differs between groups by temperature, by context, or by what their names tell.

    >>> rates = {0.0: 900, 1.0: 300}
    >>> groups = [SpecStats("a", "b", temperature=t, num_draft_tokens=1000, num_accepted_draft_tokens=kept)
    ...           for t, kept in rates.items()]
    >>> [each.key for each in group_symptoms(groups)]
    ['falls_with_temperature']
    """
    return tuple(_by_group(groups))


def _by_group(groups: Sequence[SpecStats]) -> Iterator[Symptom]:
    rated = [each for each in groups if each.draft_acceptance_rate is not None]
    if len(rated) < 2:
        return
    yield from _ordered(rated, "temperature")
    yield from _ordered(rated, "context_tokens")
    worst = min(rated, key=_rate)
    others = [each for each in rated if each is not worst]
    for key, words, cause, seen in WORDS:
        named = [each for each in rated if any(word in each.label.lower() for word in words)]
        if named == [worst] and all(_clearly_lower(worst, each) for each in others):
            evidence = Message(
                "{label} has the lowest acceptance, {rate:.0%}.",
                {"label": Verbatim(worst.label), "rate": _rate(worst)},
            )
            yield Symptom(key, evidence, Message(cause), seen)


def _ordered(groups: Sequence[SpecStats], name: str) -> Iterator[Symptom]:
    known = sorted(
        (each for each in groups if getattr(each, name) is not None), key=lambda each: float(getattr(each, name))
    )
    rates = [_rate(each) for each in known]
    if len({getattr(each, name) for each in known}) < 2 or not _clearly_lower(known[-1], known[0]):
        return
    if any(later > earlier * 1.02 for earlier, later in pairwise(rates)):
        return
    causes = {
        "temperature": Message(
            "Acceptance falls with the temperature. Engines that draft greedily or keep only exact matches lose by "
            "design; probabilistic drafting loses less."
        ),
        "context_tokens": Message("Acceptance falls with the length of the context: the drafter sees less of it."),
    }
    evidence = {
        "temperature": Message(
            "Accepted ÷ drafted falls from {first:.0%} at temperature {low:g} to {last:.0%} at {high:g}.",
            {"first": rates[0], "last": rates[-1], "low": known[0].temperature, "high": known[-1].temperature},
        ),
        "context_tokens": Message(
            "Accepted ÷ drafted falls from {first:.0%} at {low:,.0f} tokens of context to {last:.0%} at {high:,.0f}.",
            {"first": rates[0], "last": rates[-1], "low": known[0].context_tokens, "high": known[-1].context_tokens},
        ),
    }
    seen = {"temperature": "vLLM #16899", "context_tokens": "vLLM #47602, speculators #684"}
    yield Symptom(f"falls_with_{name}", evidence[name], causes[name], seen[name])


def _clearly_lower(low: SpecStats, high: SpecStats) -> bool:
    """Below by a tenth or more and, where drafts were counted, by more than counting can explain."""
    if _rate(low) > 0.9 * _rate(high) or _rate(high) == 0:
        return False
    below, above = _interval(low), _interval(high)
    return below.high is None or above.low is None or below.high < above.low


def _interval(stats: SpecStats) -> Estimate:
    """Accepted ÷ drafted: by requests or rounds, which are what varies, else by single drafts; else without bounds."""
    try:
        found = measured_acceptance(stats).rate
    except SpecmodelError:
        found = Estimate(stats.draft_acceptance_rate, None, None)
    drafted, kept = stats.num_draft_tokens, stats.num_accepted_draft_tokens
    return proportion(min(kept, drafted), drafted) if found.low is None and drafted and kept is not None else found


def _rate(stats: SpecStats) -> float:
    return stats.draft_acceptance_rate or 0.0
