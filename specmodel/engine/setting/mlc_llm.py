"""MLC-LLM: options of `mlc_llm serve`; the length of a draft is one of its overrides.

Option names: `python/mlc_llm/cli/serve.py` (commit 01ced33) and `python/mlc_llm/interface/help.py` (commit 00c2292),
whose default of `spec_draft_length` is 4. `medusa` is a mode there too; what its draft length means was not found, so
it is not offered here.
"""

from specmodel.base.messages import Message
from specmodel.engine.setting import words
from specmodel.engine.setting.request import DraftingOption, EngineSetting, Request, Written

ENGINE = "MLC-LLM"
OFF = Message("Off: `--speculative-mode disable` (the default).")
COMPILED = Message("Both models are MLC models: folders with an `mlc-chat-config.json`, or repositories with one.")


def write(request: Request) -> Written:
    """The command that starts the server.

    >>> write(Request(ENGINE, "eagle", 3)).words[-2:]
    ('--overrides', 'spec_draft_length=3')
    """
    k, method = request.num_speculative_tokens, SETTING.method(request.method)
    command = ["mlc_llm", "serve", request.target]
    if k == 0:
        return Written((*command, "--speculative-mode", "disable"), notes=(OFF, COMPILED))
    command += ["--speculative-mode", method.name, "--additional-models", "YOUR_DRAFTER"]
    command += ["--overrides", f"spec_draft_length={k}"]
    return Written(tuple(command), notes=(COMPILED, *words.method_notes(method.key, k), *words.no_schedule(request)))


SETTING = EngineSetting(
    ENGINE,
    "01ced33",
    "python/mlc_llm/cli/serve.py, commit 01ced33",
    (
        DraftingOption("draft_model", words.DRAFT_MODEL, True, "small_draft"),
        DraftingOption("eagle", words.EAGLE, True, "eagle"),
    ),
    write,
)
