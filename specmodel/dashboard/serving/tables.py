"""Tables of the Serving load page: the schedule by tier, the bill, and what fits into memory."""

from collections.abc import Sequence
from typing import Any

from specmodel.dashboard.session.translation import Translator
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.bill import Bill, bill
from specmodel.serving.hardware import Accelerator
from specmodel.serving.memory import Capacity
from specmodel.serving.schedule import Tier

Columns = dict[str, list[Any]]


def tier_columns(tiers: Sequence[Tier], translate: Translator) -> Columns:
    """One row a tier: from batch to batch, the draft length, and the speedup inside over the plain engine."""
    _ = translate
    return {
        _("batch size"): [f"{tier.first}–{tier.last}" if tier.first < tier.last else str(tier.first) for tier in tiers],
        "k": [str(tier.num_speculative_tokens) if tier.num_speculative_tokens else _("off") for tier in tiers],
        _("speedup over the plain engine"): [_span(tier) for tier in tiers],
    }


def _span(tier: Tier) -> str:
    low, high = f"{tier.lowest_speedup:.2f}", f"{tier.highest_speedup:.2f}"
    return f"{low}×" if low == high else f"{low}–{high}×"


def tier_data(tiers: Sequence[Tier]) -> Columns:
    """The same as plain numbers."""
    names = ("first", "last", "num_speculative_tokens", "lowest_speedup", "highest_speedup")
    return {name: [getattr(tier, name) for tier in tiers] for name in names}


def bills(answer: LoadAnswer, hardware: Accelerator) -> dict[str, Bill]:
    """What a million tokens cost without speculation, with the chosen k, and with the best one, at this batch."""
    lengths = {"plain": 0, "k": answer.num_speculative_tokens, "best": answer.outcome.best_k}
    return {name: bill(answer, hardware, k) for name, k in lengths.items()}


def bill_columns(found: dict[str, Bill], answer: LoadAnswer, translate: Translator) -> Columns:
    """One column a way of decoding."""
    _ = translate
    rows = {
        _("tokens per second"): [f"{each.tokens_per_s:,.0f}" for each in found.values()],
        _("$ for a million tokens"): [f"{each.money:,.3f}" for each in found.values()],
        _("of it for rejected drafts"): [f"{each.money * each.wasted_share:,.3f}" for each in found.values()],
        _("MJ for a million tokens"): [f"{each.megajoules:,.3f}" for each in found.values()],
        _("of it for rejected drafts (MJ)"): [f"{each.megajoules * each.wasted_share:,.3f}" for each in found.values()],
    }
    names = (_("without"), f"k = {answer.num_speculative_tokens}", _("best k = {k}").format(k=answer.outcome.best_k))
    return {_("at this batch"): list(rows)} | {
        name: [values[index] for values in rows.values()] for index, name in enumerate(names)
    }


def bill_data(found: dict[str, Bill]) -> Columns:
    """The same as plain numbers."""
    names = ("tokens_per_s", "money", "megajoules", "wasted_share")
    return {"way": list(found)} | {name: [getattr(each, name) for each in found.values()] for name in names}


def memory_columns(plain: Capacity, drafted: Capacity, translate: Translator) -> Columns:
    """What fits, with and without the drafter."""
    _ = translate

    def row(room: Capacity) -> list[str]:
        fits = _("any number") if room.sequences is None else f"{room.sequences:,}"
        return [
            f"{room.usable_bytes / 1e9:,.1f} GB",
            f"{room.weight_bytes / 1e9:,.1f} GB",
            f"{room.sequence_bytes / 1e6:,.1f} MB",
            fits,
        ]

    names = [_("usable"), _("weights"), _("cache of one request"), _("requests that fit")]
    return {_("memory"): names, _("without drafter"): row(plain), _("with drafter"): row(drafted)}
