"""LMDeploy: options of its API server, for the PyTorch engine only.

Option names and methods: `lmdeploy/cli/utils.py` and `lmdeploy/cli/serve.py` of the wheel 0.18.0 (2026-09-28). There
`--speculative-num-draft-tokens` are the drafted tokens, without the one that the target adds
(`docs/en/advance/spec_decoding.md`, commit 298c365, whose examples these commands follow).
"""

from specmodel.base.messages import Message
from specmodel.engine.setting import words
from specmodel.engine.setting.request import DraftingOption, EngineSetting, Request, Written

ENGINE = "LMDeploy"
EXPERIMENTAL = Message("LMDeploy calls this experimental; only its PyTorch engine drafts.")
WHICH_MTP = Message(
    "`deepseek_mtp` is the head of DeepSeek models; the others that LMDeploy knows are `qwen3_5_mtp` and `hy3_mtp`."
)


def write(request: Request) -> Written:
    """The command that starts the server.

    >>> write(Request(ENGINE, "mtp", 3)).words[-2:]
    ('--speculative-num-draft-tokens', '3')
    """
    k, method = request.num_speculative_tokens, SETTING.method(request.method)
    command = ["lmdeploy", "serve", "api_server", request.target, "--backend", "pytorch"]
    if k == 0:
        return Written(tuple(command), notes=(words.OFF_LEFT_OUT,))
    command += ["--speculative-algorithm", method.name]
    command += ["--speculative-draft-model", "YOUR_DRAFTER"] if method.needs_drafter else []
    command += ["--speculative-num-draft-tokens", str(k)]
    heads = (WHICH_MTP,) if method.key == "mtp" else ()
    about = words.method_notes(method.key, k, own_head=False)
    return Written(tuple(command), notes=(EXPERIMENTAL, *heads, *about, *words.no_schedule(request)))


SETTING = EngineSetting(
    ENGINE,
    "0.18.0",
    "lmdeploy/cli/utils.py (0.18.0), docs/en/advance/spec_decoding.md",
    (
        DraftingOption("eagle3", words.EAGLE3, True, "eagle3"),
        DraftingOption("eagle", words.EAGLE, True, "eagle"),
        DraftingOption("mtp", words.MTP, False, "deepseek_mtp"),
        DraftingOption("dflash", words.DFLASH, True, "dflash"),
    ),
    write,
)
