"""llama.cpp: options of llama-server.

Option names: `tools/server/README.md` (commit 00dc805, build b10573). Its list of what a request may carry has nothing
of speculation any more; older builds took `speculative.n_max`.
"""

from specmodel.base.messages import Message
from specmodel.engine.setting import words
from specmodel.engine.setting.request import DraftingOption, EngineSetting, Request, Written

ENGINE = "llama.cpp"
OFF = Message("Off: `--spec-type none` (the default).")
LENGTH = Message(
    "Without `--spec-draft-n-max` llama-server drafts 3 tokens. With `--spec-draft-p-min` or `--spec-draft-n-min` "
    "above their default of 0 the length of a draft varies."
)
NGRAM = Message(
    "ngram-simple drafts 48 tokens by default, after a match of 12 (`--spec-ngram-simple-size-n`): its length has an "
    "option of its own."
)


def write(request: Request) -> Written:
    """The command that starts the server; a name that is no GGUF file cannot be its model.

    >>> write(Request(ENGINE, "mtp", 3)).words[-2:]
    ('--spec-draft-n-max', '3')
    """
    k, method = request.num_speculative_tokens, SETTING.method(request.method)
    command = ["llama-server", "-m", request.target if request.target.endswith(".gguf") else "YOUR_MODEL.gguf"]
    if k == 0:
        return Written((*command, "--spec-type", "none"), notes=(OFF,))
    command += ["-md", "YOUR_DRAFTER.gguf"] if method.needs_drafter else []
    length = "--spec-ngram-simple-size-m" if method.key == "ngram" else "--spec-draft-n-max"
    command += ["--spec-type", method.name, length, str(k)]
    about = NGRAM if method.key == "ngram" else LENGTH
    notes = (about, *words.method_notes(method.key, k), *words.no_schedule(request))
    return Written(tuple(command), notes=notes)


SETTING = EngineSetting(
    ENGINE,
    "b10573",
    "tools/server/README.md, b10573",
    (
        DraftingOption("draft_model", words.DRAFT_MODEL, True, "draft-simple"),
        DraftingOption("eagle3", words.EAGLE3, True, "draft-eagle3"),
        DraftingOption("mtp", words.MTP, False, "draft-mtp"),
        DraftingOption("ngram", words.NGRAM, False, "ngram-simple"),
        DraftingOption("dflash", words.DFLASH, True, "draft-dflash"),
    ),
    write,
)
