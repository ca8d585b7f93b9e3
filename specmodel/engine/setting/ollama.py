"""Ollama: a Modelfile, whose parameter a request may override.

`draft_num_predict`: `docs/modelfile.mdx` (commit 071c82b, 2026): separate drafters draft 4 tokens by default, heads
inside the model only where it is set, 0 switches drafting off. The instruction `DRAFT`: `parser/parser.go` (commit
00dc3af); it came with ollama#15980 (2026-05). A request's `options` override the model's, in `server/routes.go`.
"""

from specmodel.base.messages import Message, Verbatim
from specmodel.engine.setting import words
from specmodel.engine.setting.request import DraftingOption, EngineSetting, Request, Written

ENGINE = "Ollama"
FILE = "Modelfile"
REQUEST = Message(
    "For one request: `{options}` in the body of `/api/chat` or `/api/generate` switches drafting off, another number "
    "sets its length.",
    {"options": Verbatim('"options": {"draft_num_predict": 0}')},
)
INSIDE = Message("The model has to hold its prediction head (a tag with `mtp`): without one the number does nothing.")


def write(request: Request) -> Written:
    """The Modelfile and the command that makes a model of it.

    >>> write(Request(ENGINE, "mtp", 3)).files["Modelfile"].splitlines()
    ['FROM YOUR_MODEL', 'PARAMETER draft_num_predict 3']
    """
    k, method = request.num_speculative_tokens, SETTING.method(request.method)
    target = request.target if '"' not in request.target else "YOUR_MODEL"  # quotes have a meaning in a Modelfile
    lines = [f"FROM {target}"]
    lines += ["DRAFT YOUR_DRAFTER"] if method.needs_drafter and k else []
    lines.append(f"PARAMETER draft_num_predict {k}")
    command = ("ollama", "create", f"draft-{k}" if k else "no-draft", "-f", FILE)
    inside = (INSIDE,) if method.key == "mtp" and k else ()
    return Written(command, {FILE: "\n".join(lines)}, notes=(*inside, REQUEST, *words.no_schedule(request)))


SETTING = EngineSetting(
    ENGINE,
    "071c82b",
    "docs/modelfile.mdx, commit 071c82b; parser/parser.go",
    (
        DraftingOption("mtp", words.MTP, False, "draft_num_predict"),
        DraftingOption("draft_model", words.DRAFT_MODEL, True, "DRAFT"),
    ),
    write,
    has_request_switch=True,
    starts_server=False,
)
