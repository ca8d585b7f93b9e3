"""Tables of the Serving load page: the schedule by tier, the bill, and what fits into memory."""

from specmodel.dashboard.parts.answer import Column, Table, table_of
from specmodel.dashboard.serving.band_words import range_text, tier_range
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.answer import LoadAnswer
from specmodel.serving.bill import Bill, bill
from specmodel.serving.hardware import Accelerator
from specmodel.serving.memory import Capacity
from specmodel.serving.schedule import Tier


def tier_table(at_load: LoadAnswer, translate: Translator) -> Table:
    """One row a tier: from batch to batch, the draft length, the speedup inside over the plain engine, and its band."""
    _, tiers = translate, at_load.tiers
    open_still = [tier_range(at_load, tier) for tier in tiers]
    batches = [f"{tier.first}–{tier.last}" if tier.first < tier.last else str(tier.first) for tier in tiers]
    lengths = [tier.num_speculative_tokens for tier in tiers]
    columns = [
        Column(_("batch size"), "first", [tier.first for tier in tiers], batches),
        Column("", "last", [tier.last for tier in tiers]),
        Column("k", "num_speculative_tokens", lengths, [str(k) if k else _("off") for k in lengths]),
        Column(
            _("speedup over the plain engine"),
            "lowest_speedup",
            [tier.lowest_speedup for tier in tiers],
            [_span(tier) for tier in tiers],
        ),
        Column("", "highest_speedup", [tier.highest_speedup for tier in tiers]),
    ]
    if any(open_still):
        texts = [range_text(*each) if each else "" for each in open_still]
        low, high = ([each[end] if each else None for each in open_still] for end in (0, 1))
        columns += [Column(_("by the band of the costs"), "band_low", low, texts), Column("", "band_high", high)]
    return table_of(_("By batch size"), columns)


def _span(tier: Tier) -> str:
    low, high = f"{tier.lowest_speedup:.2f}", f"{tier.highest_speedup:.2f}"
    return f"{low}×" if low == high else f"{low}–{high}×"


def bill_table(at_load: LoadAnswer, hardware: Accelerator, translate: Translator) -> Table:
    """What a million tokens cost without speculation, with the chosen k, and with the best one at a batch by hand."""
    _, k, best = translate, at_load.num_speculative_tokens, at_load.outcome.best_k
    ways = {"plain": (_("without"), 0), "k": (f"k = {k}", k), "best": (_("best k = {k}").format(k=best), best)}
    if at_load.by_rate:
        del ways["best"]
    bills = {way: bill(at_load, hardware, length) for way, (_name, length) in ways.items()}
    labels = (
        _("tokens per second"),
        _("$ for a million tokens"),
        _("of it for rejected drafts"),
        _("MJ for a million tokens"),
        _("of it for rejected drafts (MJ)"),
    )
    heading = _("at this rate") if at_load.by_rate else _("at this batch")
    columns = {heading: labels} | {ways[way][0]: _bill_texts(bills[way]) for way in ways}
    names = {
        "tokens_per_s": "tokens_per_s",
        "money": "usd_per_million_tokens",
        "megajoules": "megajoules_per_million_tokens",
        "wasted_share": "wasted_share",
    }
    data = {"way": list(ways)} | {told: [getattr(one, name) for one in bills.values()] for name, told in names.items()}
    return Table(_("Price and energy"), columns, data)


def _bill_texts(one: Bill) -> tuple[str, ...]:
    values = (one.money, one.money * one.wasted_share, one.megajoules, one.megajoules * one.wasted_share)
    return (f"{one.tokens_per_s:,.0f}", *(f"{value:,.3f}" for value in values))


def memory_table(plain: Capacity, drafted: Capacity, translate: Translator) -> Table:
    """What fits, with and without the drafter."""
    _ = translate

    def texts(room: Capacity) -> list[str]:
        fits = _("any number") if room.sequences is None else f"{room.sequences:,}"
        return [
            f"{room.usable_bytes / 1e9:,.1f} GB",
            f"{room.weight_bytes / 1e9:,.1f} GB",
            f"{room.sequence_bytes / 1e6:,.1f} MB",
            fits,
        ]

    def values(room: Capacity) -> list[float | None]:
        return [room.usable_bytes, room.weight_bytes, room.sequence_bytes, room.sequences]

    keys = ["usable_bytes", "weight_bytes", "sequence_bytes", "sequences"]
    names = [_("usable"), _("weights"), _("cache of one request"), _("requests that fit")]
    columns = [
        Column(_("memory"), "memory", keys, names),
        Column(_("without drafter"), "without_drafter", values(plain), texts(plain)),
        Column(_("with drafter"), "with_drafter", values(drafted), texts(drafted)),
    ]
    return table_of(_("Memory"), columns)
