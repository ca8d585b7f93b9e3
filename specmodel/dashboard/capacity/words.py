"""The verdict of the Capacity page: the sentence for a design review. No Streamlit."""

from specmodel.base.messages import N_
from specmodel.dashboard.parts.answer import Said
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.plan import FIXED, OFF, Plan, Traffic, Way

BINDS = {
    "ttft_ms": N_("time to first token"),
    "tpot_ms": N_("time per output token"),
    "answer_ms": N_("time of a whole answer"),
    "saturation": N_("what the engine can serve at all"),
}


SHORT = {"ttft_ms": N_("TTFT"), "tpot_ms": N_("TPOT"), "answer_ms": N_("whole answer"), "saturation": N_("saturation")}


def said_of_plan(found: Plan, traffic: Traffic, translate: Translator) -> Said:
    """Whether drafting saves accelerators at peak, with what binds and what a day costs."""
    _, off, fixed = translate, found.way(OFF), found.way(FIXED)
    if off.at_peak is None or fixed.at_peak is None:
        return _unkept(found, off, fixed, traffic, _)
    count = found.accelerators
    values = {"with": fixed.at_peak * count, "without": off.at_peak * count, "k": fixed.num_speculative_tokens}
    values["saved"] = abs(off.at_peak - fixed.at_peak) * count
    kind, text = _kind(found, off.at_peak - fixed.at_peak, _)
    return Said(
        kind, text.format(**values), _.sentences(asked(traffic, _), _money(found, off, fixed, _), _band(found, _))
    )


def _kind(found: Plan, saved: int, translate: Translator) -> tuple[str, str]:
    _, low, high = translate, found.saved[0], found.saved[-1]
    if low <= 0 < high or low < 0 <= high:
        return "too_close", _("Too close to call: {with} accelerators with k = {k} at peak, {without} without.")
    if saved > 0:
        return "pays", _("Yes: {with} accelerators with k = {k} at peak instead of {without}, {saved} fewer.")
    if saved < 0:
        return "does_not_pay", _("No: {with} accelerators with k = {k} at peak instead of {without}, {saved} more.")
    return "says", _("It saves no accelerator: {with} at peak with k = {k}, and {without} without.")


def _unkept(found: Plan, off: Way, fixed: Way, traffic: Traffic, translate: Translator) -> Said:
    """One of the two misses a level however many there are, or both do."""
    _, reason = translate, asked(traffic, translate)
    if off.at_peak is None and fixed.at_peak is None:
        text = _("No number of accelerators keeps these levels: one request alone misses the {level}.")
        return Said("does_not_fit", text.format(level=_(BINDS[off.most.binds])), reason)
    if off.at_peak is None:
        text = _("Yes, only with speculation: {count} accelerators with k = {k}; plain decoding misses the {level}.")
        count = (fixed.at_peak or 0) * found.accelerators
        shown = text.format(count=count, k=fixed.num_speculative_tokens, level=_(BINDS[off.most.binds]))
        return Said("pays", shown, reason)
    text = _("No: with drafts one request alone misses the {level}; {count} accelerators at peak without.")
    count = off.at_peak * found.accelerators
    return Said("does_not_pay", text.format(level=_(BINDS[fixed.most.binds]), count=count), reason)


def asked(traffic: Traffic, translate: Translator) -> str:
    """Traffic and levels in a sentence."""
    _ = translate
    levels = [
        text.format(value=value)
        for text, value in (
            (_("first token {value:,.0f} ms"), traffic.ttft_ms),
            (_("{value:g} ms a token"), traffic.tpot_ms),
            (_("answer {value:g} s"), traffic.answer_s),
        )
        if value
    ]
    text = _("{rate:,.1f} requests/s at peak, {prompt:,} tokens in and {answer:,} out; kept for {share:.0%}: {levels}.")
    return text.format(rate=traffic.peak_rate, prompt=traffic.prompt_tokens, answer=traffic.answer_tokens,
                       share=traffic.percentile, levels=_.listed(levels) or _("nothing"))  # fmt: skip


def _money(found: Plan, off: Way, fixed: Way, translate: Translator) -> str:
    text = translate("A day costs {with:,.0f} $ instead of {without:,.0f} $, if each hour runs what it needs.")
    return text.format(**{"with": found.money(fixed), "without": found.money(off)})


def _band(found: Plan, translate: Translator) -> str:
    low, high = (each * found.accelerators for each in (found.saved[0], found.saved[-1]))
    if low == high:
        return ""
    text = translate("By what costs may be it saves {low:,d} to {high:,d} accelerators.")
    return text.format(low=low, high=high)
