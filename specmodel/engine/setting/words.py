"""What the configurations of several engines say: ways of drafting, placeholders, and notes beside a snippet.

What only one engine says stands in the file of that engine.
"""

from collections.abc import Mapping

from specmodel.base.messages import N_, Message, Verbatim
from specmodel.engine.setting.request import Request
from specmodel.model.acceptance import Acceptance

DRAFT_MODEL = N_("Draft model")
EAGLE = N_("EAGLE head")
EAGLE3 = N_("EAGLE-3 head")
MTP = N_("Multi-token prediction (MTP) of the model itself")
NGRAM = N_("n-gram lookup in the prompt and the answer")
SUFFIX = N_("Suffix decoding")
SUFFIX_AUTOMATON = N_("Suffix automaton")
PARD = N_("Parallel draft model (PARD)")
DFLASH = N_("Block drafter (DFlash)")

PLACEHOLDERS: Mapping[str, str] = {
    "YOUR_MODEL": N_("the target model, as you name it today"),
    "YOUR_DRAFTER": N_("the drafter: its path or its name on the Hugging Face Hub"),
    "YOUR_DRAFTER.gguf": N_("the drafter: its GGUF file"),
    "YOUR_MODEL.gguf": N_("the target model: its GGUF file"),
    "YOUR_PROMPT": N_("a prompt of your traffic"),
    "YOUR_PROMPTS.jsonl": N_("prompts of your traffic, one JSON object a line"),
    "YOUR_SERVER": N_("the address of the server, http:// and port included"),
    "YOUR_CONCURRENCY": N_("how many requests run at once in your traffic"),
    "YOUR_PROMPT_TOKENS": N_("the length of a prompt in tokens"),
    "YOUR_OUTPUT_TOKENS": N_("the length of an answer in tokens"),
}

# Off.
OFF_LEFT_OUT = Message("Off: the option is left out. The server then is the plain one, with no drafter in memory.")

# The model.
AS_MEASURED = Message(
    "The model is named as in the measurement. Where the server gave it a name of its own, put that of the weights."
)

# One request.
NO_REQUEST_SWITCH = N_(
    "No switch for a single request was found in {engine} {version}: the server drafts for all, or for none."
)

# A schedule by batch size.
RISING = Message("K rises with the batch size in this schedule. That is rare: make sure that it is not noise.")
NO_SCHEDULE = N_(
    "{engine} takes no schedule by batch size here: the snippet has the longest K, which suits small batches."
)

# Methods.
SAME_LAYER = Message(
    "With more than one token the same MTP layer runs again where the model has only one: acceptance may fall behind "
    "the first position."
)
OWN_HEAD = Message("Where the model ships its MTP head as a file of its own, name it as the drafter as well.")
VARIABLE = N_("This method drafts up to {k} tokens, fewer or none without a match: the length of a draft may vary.")
BLOCK = Message("A block drafter is trained for one block length: a K above it lets every position collapse.")

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


def method_notes(method: str, k: int, *, own_head: bool = True) -> tuple[Message, ...]:
    """What to know about a way of drafting, whatever else is configured; `own_head` where an MTP head may be a file.

    >>> len(method_notes("mtp", 1)), len(method_notes("mtp", 2)), len(method_notes("eagle3", 2))
    (1, 2, 0)
    """
    if method == "mtp":
        head = (OWN_HEAD,) if own_head else ()
        return (*head, SAME_LAYER) if k > 1 else head
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


def no_schedule(request: Request) -> tuple[Message, ...]:
    """That a schedule was asked for which the engine does not take; nothing where none was.

    >>> print(no_schedule(Request("Ollama", "mtp", 3, ((8, 3), (64, 1))))[0])
    Ollama takes no schedule by batch size here: the snippet has the longest K, which suits small batches.
    """
    return (Message(NO_SCHEDULE, {"engine": Verbatim(request.engine)}),) if request.schedule else ()
