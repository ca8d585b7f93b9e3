"""TensorRT-LLM: a YAML file that trtllm-serve and trtllm-bench are given.

Option names: `docs/source/features/speculative-decoding.md` (commit 04c8822) for the decoding types, `max_draft_len`,
`speculative_model` and `disable_overlap_scheduler`; the API reference 1.4.0rc4 (MTPDecodingConfig) and
`tensorrt_llm/llmapi/llm_args.py` for `draft_len_schedule` (since pull request 10860, merged 2026-03-13, a key is the
last batch size of its tier; before it was the first).
"""

from specmodel.base.messages import N_, Message
from specmodel.engine.setting import words
from specmodel.engine.setting.request import DraftingOption, EngineSetting, Request, SnippetError, Written

ENGINE = "TensorRT-LLM"
FILE = "speculation.yaml"
PAST_LAST = N_("Beyond batch size {end} TensorRT-LLM switches speculation off.")
OLD_KEYS = Message(
    "The key of `draft_len_schedule` is the last batch size of its tier. Releases before March 2026 read it as the "
    "first: check yours."
)
BENCH_TOO = Message("`trtllm-bench` takes the same file with `--config`.")
OVERLAP = Message("The overlap scheduler is off because the documentation switches it off for this method.")


def write(request: Request) -> Written:
    """The file and the command that is given it.

    >>> write(Request(ENGINE, "mtp", 3)).words
    ('trtllm-serve', 'YOUR_MODEL', '--config', 'speculation.yaml')
    """
    k, method = request.num_speculative_tokens, SETTING.method(request.method)
    command = ("trtllm-serve", request.target)
    if k == 0:
        return Written(command, notes=(words.OFF_LEFT_OUT,))
    lines = ["speculative_config:", f"  decoding_type: {method.name}", f"  max_draft_len: {k}"]
    notes = [BENCH_TOO, *words.method_notes(method.key, k, own_head=False)]
    if method.needs_drafter:
        lines.append("  speculative_model: YOUR_DRAFTER")
    if request.schedule:
        lines += ["  draft_len_schedule:", *(f"    {end}: {tier}" for end, tier in request.schedule)]
        notes += _schedule_notes(request)
    if method.key in ("draft_model", "ngram"):
        lines.append("disable_overlap_scheduler: true")
        notes.append(OVERLAP)
    return Written((*command, "--config", FILE), {FILE: "\n".join(lines)}, notes=tuple(notes))


def _schedule_notes(request: Request) -> list[Message]:
    if request.schedule[0][1] != request.num_speculative_tokens:
        message = "TensorRT-LLM wants the longest K, {k}, in the first tier of a schedule; got {first}"
        values = {"k": request.num_speculative_tokens, "first": request.schedule[0][1]}
        raise SnippetError(Message(message, values))
    return [Message(PAST_LAST, {"end": request.schedule[-1][0]}), OLD_KEYS]


SETTING = EngineSetting(
    ENGINE,
    "1.4.0rc4",
    "docs/source/features/speculative-decoding.md, tensorrt_llm/llmapi/llm_args.py (1.4.0rc4)",
    (
        DraftingOption("draft_model", words.DRAFT_MODEL, True, "DraftTarget"),
        DraftingOption("eagle3", words.EAGLE3, True, "Eagle3"),
        DraftingOption("mtp", words.MTP, False, "MTP"),
        DraftingOption("ngram", words.NGRAM, False, "NGram"),
        DraftingOption("suffix", words.SUFFIX_AUTOMATON, False, "SA"),
        DraftingOption("pard", words.PARD, True, "PARD"),
        DraftingOption("dflash", words.DFLASH, True, "DFlash"),
    ),
    write,
)
