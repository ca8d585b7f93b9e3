"""vLLM: `--speculative-config`, a JSON object on the command line.

Option names: `vllm/config/speculative.py` of the wheel 0.33.0 (2026-11-01). The form of
`num_speculative_tokens_per_batch_size` (vllm#32374, merged 2026-06-14) is that of
`docs/features/speculative_decoding/dynamic_speculative_decoding.md` (commit 015a47e) and of
`vllm/v1/spec_decode/dynamic/utils.py` (commit 14b450c): both ends count, the first range starts at 1, and beyond the
last one its K goes on. `prompt_lookup_max` 4 is the example of `docs/features/speculative_decoding/n_gram.md`. A switch
for one request was proposed (vllm#55412, 2026-09-04) and closed without being merged.
"""

import json
from collections.abc import Mapping
from itertools import accumulate, pairwise

from specmodel.base.messages import N_, Message
from specmodel.engine.setting import words
from specmodel.engine.setting.request import DraftingOption, EngineSetting, Request, SnippetError, Written
from specmodel.model.acceptance import Acceptance

ENGINE = "vLLM"
ZERO_TIER = Message(
    "A tier with K = 0 is not the plain server: in one sweep it reached {slow} tokens/s where the server without "
    "speculation reached {plain} (−19 %). If most of your traffic falls in that tier, leave speculation out instead.",
    {"slow": 444.6, "plain": 548.6},
)
NOT_WITH_DP = Message("Not with data parallelism: there vLLM drops the schedule and keeps the fixed number.")
PAST_LAST = N_("Beyond batch size {end} vLLM goes on with the last K, {k}.")
UNTESTED = Message("vLLM tested schedules with EAGLE, EAGLE-3 and DFlash only: watch the first run.")
THRESHOLD = Message(
    "Measure with a load that crosses a tier's end: one report (vllm#49548) saw throughput collapse there, and full "
    "CUDA graphs need Model Runner V2."
)
LOOKUP = Message("`prompt_lookup_max` is required; 4 is the value of vLLM's own example.")


def write(request: Request) -> Written:
    """The command that starts the server.

    >>> write(Request(ENGINE, "mtp", 0)).words
    ('vllm', 'serve', 'YOUR_MODEL')
    """
    if request.num_speculative_tokens == 0:
        return Written(("vllm", "serve", request.target), notes=(words.OFF_LEFT_OUT,))
    config = _config(request)
    if request.schedule:
        config["num_speculative_tokens_per_batch_size"] = [list(tier) for tier in request.ranges]
    return Written(_command(request, config), notes=_notes(request))


def write_synthetic(acceptance: Acceptance, method: str, model: str | None = None) -> Written:
    """The command of a server that accepts drafts by lot, as often as was measured.

    `synthetic_acceptance_rates` are the unconditional S_1 … S_k, rounded to 4 decimals without ever rising.

    >>> write_synthetic(Acceptance.iid(0.5, 1), "mtp").words[-1]
    '{"method": "mtp", "num_speculative_tokens": 1, "rejection_sample_method": "synthetic",
    "synthetic_acceptance_rates": [0.5]}'
    """
    k = acceptance.num_speculative_tokens
    if k == 0:
        raise SnippetError(Message("synthetic acceptance needs at least one drafted token"))
    request = Request(ENGINE, method, k, model=model)
    rates = list(accumulate((round(rate, 4) for rate in acceptance.per_position_acceptance), min))
    config = {**_config(request), "rejection_sample_method": "synthetic", "synthetic_acceptance_rates": rates}
    notes = (words.SYNTHETIC, Message(words.SYNTHETIC_LENGTH, {"tau": 1 + sum(rates)}))
    return Written(_command(request, config), notes=(*notes, *_notes(request)))


def _command(request: Request, config: Mapping[str, object]) -> tuple[str, ...]:
    return ("vllm", "serve", request.target, "--speculative-config", json.dumps(config))


def _config(request: Request) -> dict[str, object]:
    method = SETTING.method(request.method)
    config: dict[str, object] = {"method": method.name}
    if method.needs_drafter:
        config["model"] = "YOUR_DRAFTER"
    config["num_speculative_tokens"] = request.num_speculative_tokens
    if method.key == "ngram":
        config["prompt_lookup_max"] = 4
    if method.key == "pard":
        config["parallel_drafting"] = True
    return config


def _notes(request: Request) -> tuple[Message, ...]:
    notes = [*words.method_notes(request.method, request.num_speculative_tokens)]
    notes += [LOOKUP] if request.method == "ngram" else []
    if request.schedule:
        end, k = request.schedule[-1]
        notes.append(Message(PAST_LAST, {"end": end, "k": k}))
        notes += [NOT_WITH_DP, THRESHOLD]
        notes += [] if request.method in ("eagle", "eagle3", "dflash") else [UNTESTED]
        notes += [ZERO_TIER] if any(k == 0 for _, k in request.schedule) else []
        notes += [words.RISING] if any(b[1] > a[1] for a, b in pairwise(request.schedule)) else []
    return tuple(notes)


SETTING = EngineSetting(
    ENGINE,
    "0.33.0",
    "vllm/config/speculative.py (0.33.0), docs/features/speculative_decoding/dynamic_speculative_decoding.md",
    (
        DraftingOption("draft_model", words.DRAFT_MODEL, True, "draft_model"),
        DraftingOption("eagle", words.EAGLE, True, "eagle"),
        DraftingOption("eagle3", words.EAGLE3, True, "eagle3"),
        DraftingOption("mtp", words.MTP, False, "mtp"),
        DraftingOption("ngram", words.NGRAM, False, "ngram"),
        DraftingOption("suffix", words.SUFFIX, False, "suffix"),
        DraftingOption("pard", words.PARD, True, "draft_model"),
        DraftingOption("dflash", words.DFLASH, True, "dflash"),
    ),
    write,
)
