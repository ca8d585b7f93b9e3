"""What a column of a table holds, by its name in the words of engines, benchmarks and the people who use them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.measured.definitions import DEFINITIONS


@dataclass(frozen=True)
class Role:
    """What a column may be taken for: a key for the link, and a name on the screen."""

    key: str
    label: str


ROLES: Mapping[str, Role] = {
    each.key: each
    for each in (
        Role("k", N_("Draft tokens per round k")),
        Role("p_min", N_("p-min: least confidence to draft on")),
        Role("top_k", N_("Branches of a draft tree (top-k)")),
        Role("name", N_("Name of the setting")),
        Role("kind", N_("Kind of work, model or hardware")),
        Role("batch", N_("Batch or concurrency")),
        Role("context", N_("Context (tokens)")),
        Role("request_rate", N_("Requests per second")),
        Role("temperature", N_("Temperature")),
        Role("tokens_per_s", N_("Output tokens per second")),
        Role("tokens_per_s_each", N_("Output tokens per second of each request")),
        Role("tpot_ms", N_("Time per output token (ms)")),
        Role("step_ms", N_("Time of a decoding step (ms)")),
        Role("draft_ms", N_("Time of drafting in a round (ms)")),
        Role("verify_ms", N_("Time of verification in a round (ms)")),
        Role("ttft_ms", N_("Time to first token (ms)")),
        Role("request_ms", N_("Time of a request (ms)")),
        Role("plain_tokens_per_s", N_("Tokens per second without speculation")),
        Role("plain_tpot_ms", N_("Time per output token without speculation (ms)")),
        Role("speedup", N_("Speedup, as printed")),
        Role("rounds", N_("Rounds, counted")),
        Role("drafted", N_("Drafted tokens, counted")),
        Role("accepted", N_("Accepted drafts, counted")),
        *(Role(key, DEFINITIONS[key].label) for key in ("accepted_per_drafted", "length_with_bonus")),
        *(Role(key, DEFINITIONS[key].label) for key in ("length_without_bonus", "sglang_old_rate")),
        Role("alpha", N_("α: one chance for every draft")),
        *(Role(key, DEFINITIONS[key].label) for key in ("per_position", "conditional")),
        Role("ignore", N_("not used")),
    )
}
ACCEPTANCE = (
    "accepted_per_drafted", "length_with_bonus", "length_without_bonus", "sglang_old_rate", "alpha", "per_position",
    "conditional",
)  # fmt: skip
SPEEDS = ("tokens_per_s", "tokens_per_s_each", "tpot_ms", "step_ms")
ACCEPTANCE_UNSURE, TIME_UNSURE, DRAFTS_UNSURE = "acceptance?", "time?", "drafts?"
"""Names that leave it to the values: which acceptance, which time, a draft length or a count."""

_PLAIN = (
    r"\b(?:baseline|base(?= (?:t|tok|speed|tps|ms|tpot))|without|vanilla|plain|no spec\w*|"
    r"non spec\w*|spec off|off|autoregressive|target only)\b"
)
_SPEED = (
    r"(?:tok(?:en)?s?(?:/| per | )s(?:ec(?:ond)?)?\b|\bt/s|\btps\b|throughput|\bspeed\b|^(?:eval|"
    r"tg|decode|gen(?:eration)?)(?: rate| \d+)?$)"
)
_PER_TOKEN = r"tpot|(?:ms|s|time|latency) ?(?:/|per) ?(?:output )?t(?:ok(?:en)?)?\b"
_LENGTH = r"\blen(?:gth)?\b|\btau\b|τ|\bm?al\b|\bmat\b|block eff"
# in this order: the first that a name fits is what it is
_WORDS: tuple[tuple[str, str], ...] = (
    ("ignore",
        r"prefill|prompt (?:eval|t/s|tok/s|tps|tokens/s|speed|proc)|^pp\b|\bpp ?\d+|^(?:runs?|seed|"
        r"trial|repeats?|reps?|#|no|id)$|date|notes?|comment|draft ?min|draft n min|vram|memory|"
        r"\bram\b|\bgb\b|\bmib\b|power|watts?|energy|change|delta|^Δ|std|stdev|± ?$|\bp9\d\b"),
    ("speedup", r"speed ?up|\bgain\b|\bvs\.?\b|relative|improvement|^[x×]$|accelerat"),
    ("ttft_ms", r"ttft|first token"),
    ("plain_tpot_ms", rf"(?=.*(?:{_PLAIN}))(?:.*(?:{_PER_TOKEN}|\bms\b))"),
    ("plain_tokens_per_s", rf"(?=.*(?:{_PLAIN}))(?:.*(?:{_SPEED}))"),
    ("conditional", r"\b(?:n )?alpha ?\d+$|^α ?\d+$|^a ?\d+$|conditional"),
    ("per_position",
        r"^(?:acc\w*\.?(?: rate)? ?)?(?:@|at )?(?:pos(?:ition)?|p|s) ?[#@]?\d+$|^acc\w* ?[@#]? ?\d+$|"
        r"(?:per|by)[ -]pos|position"),
    ("tokens_per_s_each",
        rf"(?=.*(?:{_SPEED}))(?=.*(?:/ ?(?:user|req\w*|stream|seq\w*|slot)|per (?:user|req\w*|stream|"
        rf"seq\w*|slot)|each))"),
    ("alpha", r"^(?:α|alpha)(?: \(.*\))?$"),
    ("length_with_bonus",
        r"(?:tok(?:en)?s|emitted)(?: emitted| generated)? ?(?:/|per) ?(?:round|step|pass|iter\w*|"
        r"forward|verif\w*|call|cycle)|\btau\b|τ|^mean (?:acc\w* )?len|^m?al$|^mat$|block eff|"
        r"(?:acceptance|accept) len(?:gth)?"),
    (ACCEPTANCE_UNSURE, r"accept|\bacc\b|acc\.|\bar\b|hit rate"),
    ("tokens_per_s", _SPEED),
    ("tpot_ms", _PER_TOKEN),
    ("draft_ms", r"draft(?:ing|er)? (?:time|ms|latency|\(ms\))|^t d(?:raft)?\b"),
    ("verify_ms", r"verif\w* (?:time|ms|latency|\(ms\))|^t v(?:erify)?\b|target (?:time|ms)"),
    ("step_ms",
        r"(?:step|round|iter\w*|cycle|itl|inter token)(?: time| latency| ms| \(ms\))|\bitl\b|ms ?(?:/|"
        r"per) ?(?:step|round|iter)"),
    ("request_ms", r"e2e|(?:request|total|wall|elapsed|end to end)(?: time| latency)|\bduration\b"),
    (TIME_UNSURE, r"^(?:ms|time|latency)\b"),
    ("p_min", r"p ?min\b|min(?:imum)? p(?:rob\w*)?\b|confidence|threshold"),
    ("top_k", r"(?:eagle )?top ?k$|branch"),
    ("request_rate", r"request rate|\brps\b|\bqps\b|req(?:uest)?s?/s"),
    ("batch",
        r"^b(?:atch(?:[ -]?size)?|s)?$|batch|concurren|parallel|users|clients|^np$|slots|max num seqs|"
        r"num seqs"),
    ("context",
        r"context|\bctx\b|^prompt(?: len\w*| tokens)|^input(?: len\w*| tokens)|^isl$|seq\w* len|"
        r"^n d(?:epth)?$"),
    ("temperature", r"^temp(?:erature)?\b"),
    ("rounds", r"^(?:n(?:um)? |total |# ?)?(?:rounds|verify ct|iterations|spec steps|verif\w*)$"),
    ("drafted", r"^(?:n |num |total |# ?)?(?:drafted|proposed)(?: tokens)?$|^n drafted$|draft(?:ed)? total|draft n$"),
    ("k",
        r"^(?:k|γ|gamma|kmax|k max|(?:spec )?draft (?:n )?max|n max|draft len(?:gth)?|"
        r"max draft(?: len\w*| tokens)?|(?:num |n )?spec(?:ulative|ulation)? (?:tokens|len(?:gth)?|n|"
        r"depth|k)|spec(?:ulative)? num (?:draft tokens|steps)|draft(?:ing)? (?:size|depth|window|"
        r"count|k|n|steps)|num steps|(?:mtp|eagle|ngram|nextn) (?:tokens|depth|k|n|steps|layers|max)|"
        r"mtp|lookahead|num assistant tokens|(?:draft )?block(?: size)?|depth|steps|spec steps)$"),
    (DRAFTS_UNSURE, r"^(?:n |num |# ?)?drafts?(?: tokens)?$"),
    ("kind",
        r"task|dataset|workload|prompt|categor|^domain|target|^model$|hardware|gpu|device|machine|"
        r"^engine$|quant|^host$"),
    ("name",
        r"method|drafter|draft model|speculat|algo|^type$|config|setting|setup|mode|variant|name|"
        r"backend|build|version|^test$|case|label|^spec(?: type)?$|^run\b|^$|commit|branch|strategy"),
)  # fmt: skip
_COMPILED = tuple((role, re.compile(words)) for role, words in _WORDS)
_PARENTHESES = re.compile(r"\s*[(\[][^)\]]*[)\]]")


def role_of(header: str) -> str:
    """The role that a name stands for, one of the unsure ones, or "" where it is not known.

    >>> role_of("--draft-max"), role_of("tok/s"), role_of("Acceptance length (τ)"), role_of("accept"), role_of("foo")
    ('k', 'tokens_per_s', 'length_with_bonus', 'acceptance?', '')
    >>> role_of("Baseline t/s"), role_of("num_speculative_tokens"), role_of("acc@pos1"), role_of("ms/token")
    ('plain_tokens_per_s', 'k', 'per_position', 'tpot_ms')
    """
    plain = normal(header)
    without = _PARENTHESES.sub("", plain).strip()
    for text in dict.fromkeys((without, plain)):
        for role, words in _COMPILED:
            if (text or role == "name") and words.search(text):
                return role
    return ""


def normal(header: str) -> str:
    """A name in small letters, with spaces for its other dividers.

    >>> normal("--draft-max"), normal("Tokens/Round")
    ('draft max', 'tokens/round')
    """
    return " ".join(re.sub(r"[_\-:]+", " ", header.lower()).split())


def acceptance_readings(header: str, tells_of_sglang: bool) -> tuple[str, ...]:
    """The definitions that a name with “accept” in it leaves open, the likeliest first; its values then decide.

    >>> acceptance_readings("acceptance rate", False), acceptance_readings("accepted tokens/round", False)
    (('accepted_per_drafted',), ('length_with_bonus', 'length_without_bonus'))
    """
    name = normal(header)
    rates = ("accepted_per_drafted", *(("sglang_old_rate",) if tells_of_sglang and "draft" not in name else ()))
    if "%" in name or re.search(r"rate|ratio|pct|percent|\bar\b|prob|accepted ?(?:/|÷|per) ?draft", name):
        return rates
    lengths = ("length_with_bonus", "length_without_bonus")
    if re.search(rf"{_LENGTH}|(?:/|per) ?(?:round|step|pass|iter|forward|verif|cycle)|avg|average|mean|tokens", name):
        return lengths
    return (*rates, *lengths)
