"""What a reader may choose beside the scenario: language, views, measured run, tokenizers, seed. One table.

Each option is a key of the link, of the session state, and of the widget that sets it. Values are language-free.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import get_args

from specmodel.base.messages import Message, Verbatim
from specmodel.dashboard.engine.files import EXAMPLES
from specmodel.dashboard.session.translation import LANGUAGES
from specmodel.drift.policies import policies
from specmodel.drift.published import workloads
from specmodel.engine.config_text import ENGINES
from specmodel.measured.bundled import bundled_runs
from specmodel.measured.definitions import DEFINITIONS
from specmodel.methods import PROMPT_KINDS, methods
from specmodel.model.costs import DraftShape
from specmodel.model.scenario import MAX_SPECULATIVE_TOKENS
from specmodel.model.vocabulary import tokenizer_pairs
from specmodel.ngram import KINDS as KINDS_OF_TEXT
from specmodel.ngram.corpora import PROMPTS
from specmodel.serving.hardware import accelerators, target_models
from specmodel.serving.pass_tables import pass_tables

VERIFIED = MAX_SPECULATIVE_TOKENS + 1
"""The stage of a round in which its drafts have been checked, whatever their number."""
TEXT_END = 99_999
"""The position in a text at which all of it is shown, whatever its length."""
MEASURES = ("overlap_of_target", "freq_overlap_code", "freq_overlap_prose_en", "freq_overlap_japanese")
TOKENIZERS = tuple(dict.fromkeys(pair.target for pair in tokenizer_pairs()))


SHOWN_ONLY = ("lossless", "untrained", "matching")
ONLY = tuple("_".join(chosen) for count in range(4) for chosen in combinations(SHOWN_ONLY, count))

GROUPS = "groups"
"""The workload of the groups on the engine page."""
OWN = "own"
"""The workload of the phases that a reader edits."""
DRIFT_RULES = tuple(each.key for each in policies() if each.key not in ("off", "oracle"))
SOME_RULES = tuple(
    "_".join(chosen) for count in range(len(DRIFT_RULES) + 1) for chosen in combinations(DRIFT_RULES, count)
)


@dataclass(frozen=True)
class Option:
    """One choice: its key, its default, and the values it may take.

    A range is for whole numbers; None for a value of a file's column, which the page that has the file checks.
    """

    key: str
    default: str | int
    values: tuple[str, ...] | range | None

    def read(self, text: str) -> str | int | None:
        """The value that a link gives, or None if it is none of the values."""
        if isinstance(self.values, range):
            return int(text) if text.isascii() and text.isdigit() and int(text) in self.values else None
        return text if self.values is None or text in self.values else None


OPTIONS = {
    option.key: option
    for option in (
        Option("lang", "", ("", *LANGUAGES)),
        Option("show", "speedup", ("speedup", "time_ratio")),
        Option("run", "none", ("none", *(run.key for run in bundled_runs()), "upload")),
        Option("text", "all", None),
        Option("drafts", "4", None),
        Option("temp", "all", None),
        Option("to", "llama3", TOKENIZERS),
        Option("from", "llama3_1", TOKENIZERS),
        Option("by", "overlap_of_target", MEASURES),
        Option("seed", 1, range(1_000_000)),
        Option("round", 1, range(1, 10_000)),
        Option("stage", VERIFIED, range(VERIFIED + 1)),
        Option("src", "example", ("example", "files", "paste", "hand", "link", "live")),
        Option("example", EXAMPLES[0].key, tuple(example.key for example in EXAMPLES)),
        Option("counts", "", None),
        Option("base", "", None),
        Option("plain", "", None),
        Option("took", "", None),
        Option("mix", "", None),
        Option("drafted", "", None),
        Option("reads", "accepted_per_drafted", tuple(DEFINITIONS)),
        Option("rate", "60 %", None),
        Option("engine", "", ("", *ENGINES)),
        Option("method", "", None),
        Option("model", "", None),
        Option("window", "900", ("300", "900", "3600", "21600", "86400")),
        Option("cost", "roofline", ("roofline", "fit", "points")),
        Option("llm", "llama31_8b", tuple(target_models())),
        Option("gpu", "h100_sxm", tuple(accelerators())),
        Option("passes", "deepseek_v4_flash", (*pass_tables(), "upload", "engine")),
        Option("sizes", "", None),
        Option("drafting", "sequential", get_args(DraftShape)),
        Option("kind", "chat", tuple(PROMPT_KINDS)),
        Option("sampling", "0", ("0", "1")),
        Option("sort", "load", ("load", "one", "tau", "waste", "order")),
        Option("only", "", ONLY),
        Option("look", "eagle3", tuple(each.key for each in methods())),
        Option("dists", "sliders", ("sliders", "edit", "text")),
        Option("probs", "6_4,3_3,1_3", None),
        Option("textkind", "english", tuple(KINDS_OF_TEXT)),
        Option("textdraft", "model", ("model", "lookup")),
        Option("distkind", "english", tuple(KINDS_OF_TEXT)),
        Option("distprompt", "0", tuple(map(str, range(PROMPTS)))),
        Option("textprompt", "0", (*map(str, range(PROMPTS)), "own")),
        Option("textat", TEXT_END, range(TEXT_END + 1)),
        Option("textwaste", "1", ("0", "1")),
        Option("workload", "day", (*(each.key for each in workloads()), GROUPS, OWN)),
        Option("phases", "", None),
        Option("rules", "_".join(DRIFT_RULES), SOME_RULES),
        Option("rule", "goodput", tuple(each.key for each in policies() if each.key != "off")),
        Option("tuned", "", None),
        Option("present", "0", ("0", "1")),
        Option("part", 1, range(1, 21)),
        Option("guess", "1", ("0", "1")),
        Option("nodes", 16, range(2, 129)),
        Option("levels", 5, range(2, 17)),
    )
}


def from_link(query: Mapping[str, str]) -> tuple[dict[str, str | int], tuple[Message, ...]]:
    """Every option's value, from the link where it is usable, and a message for each that is not.

    >>> from_link({"show": "time_ratio"})[0]["show"]
    'time_ratio'
    """
    values: dict[str, str | int] = {key: option.default for key, option in OPTIONS.items()}
    complaints = []
    for key in query.keys() & OPTIONS.keys():
        read = OPTIONS[key].read(query[key])
        if read is not None:
            values[key] = read
            continue
        allowed = OPTIONS[key].values or ()
        shown = f"{allowed[0]}–{allowed[-1]}" if isinstance(allowed, range) else ", ".join(filter(None, allowed))
        complaints.append(
            Message(
                "The link's {name} = {value} is none of {allowed}; the page shows its default.",
                {"name": Verbatim(key), "value": Verbatim(query[key][:40]), "allowed": Verbatim(shown)},
            )
        )
    return values, tuple(complaints)
