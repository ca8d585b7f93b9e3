"""oMLX: the settings of a model in its `model_settings.json`.

Names and limits: `omlx/model_settings.py` of jundot/omlx (commit 0029d71): `mtp_fixed_draft_depth` is a length of 1 to
8 that the adaptive controller leaves alone; the two ways exclude each other. A DFlash drafter brings its block length
along: no option for it was found. Drafters of vision models (`vlm_mtp_…`) are not offered here: what their block size
counts differs between that file's words and its log.
"""

import json

from specmodel.base.messages import N_, Message
from specmodel.engine.setting import words
from specmodel.engine.setting.request import DraftingOption, EngineSetting, Request, Written

ENGINE = "oMLX"
MOST_MTP = 8
FILE = Message(
    "It belongs into `~/.omlx/model_settings.json`, beside what stands there; the key is the model's folder. The "
    "server reads the file when it starts."
)
TOO_LONG = N_("oMLX drafts at most {most} tokens with the model's own head: {k} became {most}.")
ITS_BLOCK = N_("A DFlash drafter drafts as many tokens as it was trained for: K = {k} cannot be set.")


def write(request: Request) -> Written:
    """The entry of the model in the file.

    >>> write(Request(ENGINE, "mtp", 3)).text.splitlines()[4].strip()
    '"mtp_enabled": true,'
    """
    k, method = request.num_speculative_tokens, SETTING.method(request.method)
    notes: list[Message] = [FILE]
    entry: dict[str, object]
    if k == 0:
        entry = {"mtp_enabled": False, "dflash_enabled": False}
    elif method.key == "mtp":
        entry = {"mtp_enabled": True, "mtp_fixed_draft_depth": min(k, MOST_MTP)}
        notes += [Message(TOO_LONG, {"most": MOST_MTP, "k": k})] if k > MOST_MTP else []
    else:
        entry = {"dflash_enabled": True, "dflash_draft_model": "YOUR_DRAFTER"}
        notes.append(Message(ITS_BLOCK, {"k": k}))
    text = json.dumps({"version": 1, "models": {request.target: entry}}, indent=2, ensure_ascii=False)
    return Written(text=text, language="json", notes=(*notes, *words.no_schedule(request)))


SETTING = EngineSetting(
    ENGINE,
    "0029d71",
    "omlx/model_settings.py, commit 0029d71",
    (
        DraftingOption("mtp", words.MTP, False, "mtp_enabled"),
        DraftingOption("dflash", words.DFLASH, True, "dflash_enabled"),
    ),
    write,
)
