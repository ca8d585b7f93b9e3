"""LM Studio: each request names its drafter; its SDKs set the length of a draft too.

`draftModel`: the documentation of the Python SDK (“Speculative Decoding”, since 1.2.0); the length,
`speculativeDecodingNumDraftTokensExact` (1 or more), in the models of the SDK 1.5.0. Over REST `draft_model` names the
drafter since LM Studio 0.3.10 (2025-02-18, API changelog); a length was not found there.
"""

import json

from specmodel.base.messages import Message
from specmodel.engine.setting import words
from specmodel.engine.setting.request import DraftingOption, EngineSetting, Request, Written

ENGINE = "LM Studio"
OFF = Message("Off: the request names no drafter.")
REQUEST = Message("For one request: each names its drafter or none, so leaving `draftModel` out switches it off.")
REST = Message('Over REST `"draft_model"` in the body names the drafter; no option for the length was found there.')


def write(request: Request) -> Written:
    """A request in Python.

    >>> write(Request(ENGINE, "draft_model", 0)).text.splitlines()[3]
    'answer = model.respond('
    """
    k = request.num_speculative_tokens
    SETTING.method(request.method)
    asked = '    "YOUR_PROMPT",'
    config = {"draftModel": "YOUR_DRAFTER", "speculativeDecodingNumDraftTokensExact": k} if k else {}
    lines = [
        "import lmstudio",
        "",
        f"model = lmstudio.llm({json.dumps(request.target, ensure_ascii=False)})",
        "answer = model.respond(",
        asked,
        *([f"    config={json.dumps(config)},"] if config else []),
        ")",
        "print(answer.stats)",
    ]
    notes = (REQUEST, REST) if k else (OFF,)
    return Written(text="\n".join(lines), language="python", notes=(*notes, *words.no_schedule(request)))


SETTING = EngineSetting(
    ENGINE,
    "SDK 1.5.0",
    "lmstudio 1.5.0 (Python), lmstudio.ai/docs/python/llm-prediction/speculative-decoding",
    (DraftingOption("draft_model", words.DRAFT_MODEL, True, "draftModel"),),
    write,
    has_request_switch=True,
)
