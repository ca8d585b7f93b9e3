"""SGLang: options of its server, and a JSON file for the number of steps by batch size.

Option names: the wheel 0.5.23 (2026-10-30) and `docs_new/docs/advanced_features/speculative_decoding.mdx` (commit
16974b8). The file of `--speculative-adaptive-config` as `sglang/srt/speculative/adaptive_spec_params.py` of the wheel
reads it: keys are batch sizes, `candidate_steps` the numbers of steps to choose from, and a batch takes the entry of
the largest key that is not above it, after being padded to the next captured CUDA graph. An entry with one candidate
leaves nothing to choose, so a schedule can be written; it works for EAGLE and EAGLE-3 with top-k 1 only. A switch for
one request was proposed (sglang#30264, 2026-07-06) and closed without being merged.
"""

import json

from specmodel.base.messages import N_, Message
from specmodel.engine.setting import words
from specmodel.engine.setting.request import DraftingOption, EngineSetting, Request, Written

ENGINE = "SGLang"
STEPS_FILE = "speculative-steps.json"
ROOT = N_(
    "`--speculative-num-draft-tokens` counts the root: {tokens} there means {k} drafted tokens. Top-k 1 makes a chain."
)
NGRAM_CHAIN = N_(
    "`--speculative-num-draft-tokens` counts the root: {tokens} there means {k} drafted tokens. A breadth of 1 makes a "
    "chain; the default of 10 makes a tree."
)
STEPS = Message(
    "Each entry of the file has one number of steps, from its batch size on. SGLang first pads a batch to the next "
    "size with a CUDA graph, so a tier may end a little earlier."
)
CHOOSES = Message("With several numbers in an entry, or without the file, SGLang chooses among them while it runs.")
NOT_WITH_DP = Message("Not with data-parallel attention: SGLang then keeps the fixed number.")


def write(request: Request) -> Written:
    """The command that starts the server, and the file of steps where a schedule can be expressed.

    >>> write(Request(ENGINE, "eagle", 3)).words[-2:]
    ('--speculative-num-draft-tokens', '4')
    """
    k, method = request.num_speculative_tokens, SETTING.method(request.method)
    command = ["python3", "-m", "sglang.launch_server", "--model-path", request.target]
    if k == 0:
        return Written(tuple(command), notes=(words.OFF_LEFT_OUT,))
    command += ["--speculative-algorithm", method.name]
    if method.needs_drafter:
        command += ["--speculative-draft-model-path", "YOUR_DRAFTER"]
    if method.key == "ngram":
        command += ["--speculative-num-draft-tokens", str(k + 1), "--speculative-ngram-max-bfs-breadth", "1"]
    else:
        command += ["--speculative-num-steps", str(k), "--speculative-eagle-topk", "1"]
        command += ["--speculative-num-draft-tokens", str(k + 1)]
    counts = Message(NGRAM_CHAIN if method.key == "ngram" else ROOT, {"k": k, "tokens": k + 1})
    notes = (counts, *words.method_notes(method.key, k))
    if request.schedule and method.key in ("eagle", "eagle3"):
        command += ["--speculative-adaptive", "--speculative-adaptive-config", STEPS_FILE]
        return Written(tuple(command), {STEPS_FILE: _steps(request)}, notes=(*notes, STEPS, CHOOSES, NOT_WITH_DP))
    return Written(tuple(command), notes=(*notes, *words.no_schedule(request)))


def _steps(request: Request) -> str:
    entries = (f'  "{first}": {json.dumps({"candidate_steps": [k]})}' for first, _, k in request.ranges)
    return "{\n" + ",\n".join(entries) + "\n}"


SETTING = EngineSetting(
    ENGINE,
    "0.5.23",
    "sglang 0.5.23 (adaptive_spec_params.py), docs_new/docs/advanced_features/speculative_decoding.mdx",
    (
        DraftingOption("draft_model", words.DRAFT_MODEL, True, "STANDALONE"),
        DraftingOption("eagle", words.EAGLE, True, "EAGLE"),
        DraftingOption("eagle3", words.EAGLE3, True, "EAGLE3"),
        DraftingOption("mtp", words.MTP, False, "NEXTN"),
        DraftingOption("ngram", words.NGRAM, False, "NGRAM"),
    ),
    write,
)
