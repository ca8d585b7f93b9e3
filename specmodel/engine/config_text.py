"""What the snippets of `engine.config` are made of: each engine's methods, its version, notes and placeholders.

Where the option names come from:
- vLLM 0.33.0: `vllm/config/speculative.py` of the wheel (2026-11-01). The form of
  `num_speculative_tokens_per_batch_size` (vllm#32374, merged 2026-06-14) is that of
  `docs/features/speculative_decoding/dynamic_speculative_decoding.md` (commit 015a47e) and of
  `vllm/v1/spec_decode/dynamic/utils.py` (commit 14b450c): both ends count, the first range starts at 1, and beyond the
  last one its K goes on. `prompt_lookup_max` 4 is the example of `docs/features/speculative_decoding/n_gram.md`.
- SGLang 0.5.23: its wheel (2026-10-30); `--speculative-draft-model-path` and `--speculative-ngram-max-bfs-breadth` from
  `docs_new/docs/advanced_features/speculative_decoding.mdx` (commit 16974b8).
- llama.cpp b10573: `tools/server/README.md` (commit 00dc805).
- TensorRT-LLM 1.4.0rc4: `docs/source/features/speculative-decoding.md` (commit 04c8822) for the decoding types,
  `max_draft_len`, `speculative_model` and `disable_overlap_scheduler`; the API reference 1.4.0rc4 (MTPDecodingConfig)
  and `tensorrt_llm/llmapi/llm_args.py` for `draft_len_schedule` (since pull request 10860, merged 2026-03-13, a key is
  the last batch size of its tier; before it was the first).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim
from specmodel.model.acceptance import Acceptance


class SnippetError(SpecmodelError):
    """A request that no configuration of the engine can express."""


@dataclass(frozen=True)
class DraftingOption:
    """A way of drafting that an engine offers: our key, what to call it, and the engine's own name for it."""

    key: str
    label: str
    needs_drafter: bool
    name: str


VLLM, SGLANG, LLAMA_CPP, TENSORRT_LLM = "vLLM", "SGLang", "llama.cpp", "TensorRT-LLM"

DRAFT_MODEL = N_("Draft model")
EAGLE = N_("EAGLE head")
EAGLE3 = N_("EAGLE-3 head")
MTP = N_("Multi-token prediction (MTP) of the model itself")
NGRAM = N_("n-gram lookup in the prompt and the answer")
SUFFIX = N_("Suffix decoding")
SUFFIX_AUTOMATON = N_("Suffix automaton")
PARD = N_("Parallel draft model (PARD)")
DFLASH = N_("Block drafter (DFlash)")

ENGINES = (VLLM, SGLANG, LLAMA_CPP, TENSORRT_LLM)

OPTIONS_BY_ENGINE: Mapping[str, tuple[DraftingOption, ...]] = {
    VLLM: (
        DraftingOption("draft_model", DRAFT_MODEL, True, "draft_model"),
        DraftingOption("eagle", EAGLE, True, "eagle"),
        DraftingOption("eagle3", EAGLE3, True, "eagle3"),
        DraftingOption("mtp", MTP, False, "mtp"),
        DraftingOption("ngram", NGRAM, False, "ngram"),
        DraftingOption("suffix", SUFFIX, False, "suffix"),
        DraftingOption("pard", PARD, True, "draft_model"),
        DraftingOption("dflash", DFLASH, True, "dflash"),
    ),
    SGLANG: (
        DraftingOption("draft_model", DRAFT_MODEL, True, "STANDALONE"),
        DraftingOption("eagle", EAGLE, True, "EAGLE"),
        DraftingOption("eagle3", EAGLE3, True, "EAGLE3"),
        DraftingOption("mtp", MTP, False, "NEXTN"),
        DraftingOption("ngram", NGRAM, False, "NGRAM"),
    ),
    LLAMA_CPP: (
        DraftingOption("draft_model", DRAFT_MODEL, True, "draft-simple"),
        DraftingOption("eagle3", EAGLE3, True, "draft-eagle3"),
        DraftingOption("mtp", MTP, False, "draft-mtp"),
        DraftingOption("ngram", NGRAM, False, "ngram-simple"),
    ),
    TENSORRT_LLM: (
        DraftingOption("draft_model", DRAFT_MODEL, True, "DraftTarget"),
        DraftingOption("eagle3", EAGLE3, True, "Eagle3"),
        DraftingOption("mtp", MTP, False, "MTP"),
        DraftingOption("ngram", NGRAM, False, "NGram"),
        DraftingOption("suffix", SUFFIX_AUTOMATON, False, "SA"),
        DraftingOption("pard", PARD, True, "PARD"),
        DraftingOption("dflash", DFLASH, True, "DFlash"),
    ),
}

VERSIONS: Mapping[str, str] = {VLLM: "0.33.0", SGLANG: "0.5.23", LLAMA_CPP: "b10573", TENSORRT_LLM: "1.4.0rc4"}

SOURCES: Mapping[str, str] = {
    VLLM: "vllm/config/speculative.py (0.33.0), docs/features/speculative_decoding/dynamic_speculative_decoding.md",
    SGLANG: "sglang 0.5.23, docs_new/docs/advanced_features/speculative_decoding.mdx",
    LLAMA_CPP: "tools/server/README.md, b10573",
    TENSORRT_LLM: "docs/source/features/speculative-decoding.md, tensorrt_llm/llmapi/llm_args.py (1.4.0rc4)",
}

PLACEHOLDERS: Mapping[str, str] = {
    "YOUR_MODEL": N_("the target model, as you name it today"),
    "YOUR_DRAFTER": N_("the drafter: its path or its name on the Hugging Face Hub"),
    "YOUR_DRAFTER.gguf": N_("the drafter: its GGUF file"),
    "YOUR_MODEL.gguf": N_("the target model: its GGUF file"),
}

# Off.
OFF_LEFT_OUT = Message("Off: the option is left out. The server then is the plain one, with no drafter in memory.")
OFF_LLAMA = Message("Off: `--spec-type none` (the default).")

# A schedule by batch size.
ZERO_TIER = Message(
    "A tier with K = 0 is not the plain server: in one sweep it reached {slow} tokens/s where the server without "
    "speculation reached {plain} (−19 %). If most of your traffic falls in that tier, leave speculation out instead.",
    {"slow": 444.6, "plain": 548.6},
)
NOT_WITH_DP = Message("Not with data parallelism: there vLLM drops the schedule and keeps the fixed number.")
PAST_LAST_VLLM = N_("Beyond batch size {end} vLLM goes on with the last K, {k}.")
PAST_LAST_TRT = N_("Beyond batch size {end} TensorRT-LLM switches speculation off.")
UNTESTED = Message("vLLM tested schedules with EAGLE, EAGLE-3 and DFlash only: watch the first run.")
RISING = Message("K rises with the batch size in this schedule. That is rare: make sure that it is not noise.")
THRESHOLD = Message(
    "Measure with a load that crosses a tier's end: one report (vllm#49548) saw throughput collapse there, and full "
    "CUDA graphs need Model Runner V2."
)
NO_SCHEDULE = N_(
    "{engine} takes no schedule by batch size here: the snippet has the longest K, which suits small batches."
)
SGLANG_ADAPTIVE = Message(
    "`--speculative-adaptive` lets SGLang choose the number of steps by itself (EAGLE and EAGLE-3, top-k 1)."
)
OLD_KEYS = Message(
    "The key of `draft_len_schedule` is the last batch size of its tier. Releases before March 2026 read it as the "
    "first: check yours."
)

# Methods and engines.
SAME_LAYER = Message(
    "With more than one token the same MTP layer runs again where the model has only one: acceptance may fall behind "
    "the first position."
)
OWN_HEAD = Message("Where the model ships its MTP head as a file of its own, name it as the drafter as well.")
VARIABLE = N_("This method drafts up to {k} tokens, fewer or none without a match: the length of a draft may vary.")
BLOCK = Message("A block drafter is trained for one block length: a K above it lets every position collapse.")
LOOKUP = Message("`prompt_lookup_max` is required; 4 is the value of vLLM's own example.")
ROOT = N_(
    "`--speculative-num-draft-tokens` counts the root: {tokens} there means {k} drafted tokens. Top-k 1 makes a chain."
)
NGRAM_CHAIN = N_(
    "`--speculative-num-draft-tokens` counts the root: {tokens} there means {k} drafted tokens. A breadth of 1 makes a "
    "chain; the default of 10 makes a tree."
)
LLAMA_LENGTH = Message(
    "Without `--spec-draft-n-max` llama-server drafts 3 tokens. With `--spec-draft-p-min` or `--spec-draft-n-min` "
    "above their default of 0 the length of a draft varies."
)
LLAMA_NGRAM = Message(
    "ngram-simple drafts 48 tokens by default, after a match of 12 (`--spec-ngram-simple-size-n`): its length has an "
    "option of its own."
)
TRT_FILE = Message("Give this file to `trtllm-serve` or `trtllm-bench` with `--config`.")
TRT_OVERLAP = Message("The overlap scheduler is off because the documentation switches it off for this method.")

# Measured acceptance.
EXPECTED = N_(
    "The acceptance you gave promises {tau:.2f} tokens per round at K = {k}: compare it with what the engine "
    "prints then."
)
BEYOND = N_("Rounds of {k} drafts were not measured, only up to {measured}: measure again before you trust this K.")
SYNTHETIC = Message(
    "For measuring the time of a step only: tokens are accepted by lot, so the answers are worthless. Any drafter of "
    "the right size will do, however bad."
)
SYNTHETIC_LENGTH = N_(
    "Expect a mean acceptance length of {tau:.2f}; a different one means that the setting did not take."
)


def methods(engine: str) -> tuple[DraftingOption, ...]:
    """The ways of drafting that snippets exist for.

    >>> [method.key for method in methods("llama.cpp")]
    ['draft_model', 'eagle3', 'mtp', 'ngram']
    """
    if engine not in OPTIONS_BY_ENGINE:
        message = "there is no snippet for the engine {engine}: expected one of {engines}"
        values = {"engine": Verbatim(engine), "engines": Verbatim(", ".join(OPTIONS_BY_ENGINE))}
        raise SnippetError(Message(message, values))
    return OPTIONS_BY_ENGINE[engine]


def find_method(engine: str, key: str) -> DraftingOption:
    """One way of drafting, or an error that names what there is.

    >>> find_method("SGLang", "draft_model").name
    'STANDALONE'
    """
    for method in methods(engine):
        if method.key == key:
            return method
    message = "{engine} has no method {method} here: expected one of {allowed}"
    allowed = Verbatim(", ".join(method.key for method in OPTIONS_BY_ENGINE[engine]))
    raise SnippetError(Message(message, {"engine": Verbatim(engine), "method": Verbatim(key), "allowed": allowed}))


def method_notes(engine: str, method: str, k: int) -> tuple[Message, ...]:
    """What to know about a way of drafting, whatever else is configured.

    >>> len(method_notes("vLLM", "mtp", 1)), len(method_notes("vLLM", "mtp", 2)), len(method_notes("vLLM", "eagle3", 2))
    (1, 2, 0)
    """
    if method == "mtp":
        own_head = () if engine == TENSORRT_LLM else (OWN_HEAD,)
        return (*own_head, SAME_LAYER) if k > 1 else own_head
    if method in ("ngram", "suffix"):
        return (Message(VARIABLE, {"k": k}),)
    return (BLOCK,) if method == "dflash" else ()


def acceptance_notes(measured: Acceptance | None, k: int) -> tuple[Message, ...]:
    """What a measured acceptance says about rounds of k drafts.

    >>> print(acceptance_notes(Acceptance.iid(0.5, 3), 4)[0])
    Rounds of 4 drafts were not measured, only up to 3: measure again before you trust this K.
    """
    if measured is None or k == 0:
        return ()
    if k > measured.num_speculative_tokens:
        return (Message(BEYOND, {"k": k, "measured": measured.num_speculative_tokens}),)
    return (Message(EXPECTED, {"k": k, "tau": measured.truncate(k).mean_acceptance_length}),)
