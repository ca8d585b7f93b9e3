"""A visitor's own phases as an option of the link writes them: the text read, with what is wrong in it, and written."""

from collections.abc import Sequence
from dataclasses import replace

from specmodel.base.messages import N_, Message, SpecmodelError, Verbatim
from specmodel.dashboard.drift.declared import OWN
from specmodel.dashboard.session.translation import Translator
from specmodel.drift.phases import MAX_TOKENS, Phase, Workload
from specmodel.drift.published import DOMAINS, PublishedPhase, published_phase, published_phases
from specmodel.drift.workload_inputs import MEASURED

OWN_LABEL = N_("My own phases")
MOST_PHASES = 12
LONGEST_NAME = 60
_SHOWN = 40
_ESCAPES = {"%": "%25", "_": "%5F", ",": "%2C"}


def read_phases(text: str) -> tuple[tuple[Phase, ...], tuple[Message, ...]]:
    """The phases of an option, and a message for each part that cannot be used.

    A part is kind_α_requests_tokens; α may be a row of the published table, @ and its key with - for _, may end in m
    where it was measured, and may be two values, first~last, where it changes evenly. A row's kind may be empty.

    >>> phases, wrong = read_phases("My chat_0.6~0.4_12_150,_@minimax-code_6_150,junk")
    >>> [(phase.label, round(phase.alpha, 3), round(phase.change, 3), phase.kind) for phase in phases]
    [('My chat', 0.6, -0.2, 'assumed'), ('Code', 0.877, 0.0, 'derived')]
    >>> str(wrong[0])
    "The link's values were left out: junk is no phase: expected kind_α_requests_tokens."
    """
    phases: list[Phase] = []
    wrong: list[Message] = []
    for part in filter(None, text.split(",")):
        try:
            phase = _phase(part)
            check_phases([*phases, phase])
        except SpecmodelError as error:
            wrong.append(Message("The link's values were left out: {error}.", {"error": error.message}))
        else:
            phases.append(phase)
    return tuple(phases), tuple(wrong)


def write_phases(phases: Sequence[Phase]) -> str:
    """Phases as the option writes them; a published acceptance by the key of its row.

    >>> write_phases([published_phase("minimax_code").phase(requests=6), Phase("A, b", alpha=0.5)])
    '_@minimax-code_6_150,A%2C b_0.5_12_150'
    >>> write_phases(read_phases("A%2C b_0.5~0.25_12_150")[0])
    'A%2C b_0.5~0.25_12_150'
    """
    return ",".join(_part(phase) for phase in phases)


def check_phases(phases: Sequence[Phase]) -> None:
    """Raise an error that names the phase with which they are too many, or their tokens are.

    >>> check_phases([Phase("A", requests=300), Phase("B", requests=300)])
    Traceback (most recent call last):
    specmodel.base.messages.SpecmodelError: with phase B the workload has 90,000 tokens: at most 50,000 can be simulated
    """
    tokens = 0
    for count, phase in enumerate(phases, 1):
        tokens += phase.num_tokens
        label = Verbatim(phase.label)
        if count > MOST_PHASES:
            message = "phase {label} is one too many: a workload has at most {most} phases"
            raise SpecmodelError(Message(message, {"label": label, "most": MOST_PHASES}))
        if tokens > MAX_TOKENS:
            message = "with phase {label} the workload has {tokens:,} tokens: at most {most:,} can be simulated"
            raise SpecmodelError(Message(message, {"label": label, "tokens": tokens, "most": MAX_TOKENS}))


def _phase(part: str) -> Phase:
    """One part as a phase."""
    try:
        label, alpha, requests, tokens = part.split("_")
        return _made(name(_unescaped(label)), alpha, int(requests), int(tokens))
    except SpecmodelError:
        raise
    except ValueError:
        message = "{part} is no phase: expected kind_α_requests_tokens"
        raise SpecmodelError(Message(message, {"part": Verbatim(part[:_SHOWN])})) from None


def _made(label: str, alpha: str, requests: int, tokens: int) -> Phase:
    ends = alpha.removesuffix("m").split("~")
    if len(ends) > 2:
        raise ValueError(alpha)
    (first, row), (last, last_row) = _alpha(ends[0]), _alpha(ends[-1])
    if row and last_row:
        return row.phase(label, change=last - first, requests=requests, output_tokens=tokens)
    kind = MEASURED if alpha.endswith("m") else "assumed"
    return Phase(label, alpha=first, change=last - first, requests=requests, output_tokens=tokens, kind=kind)


def _alpha(text: str) -> tuple[float, PublishedPhase | None]:
    """An acceptance, and the published row that it is from."""
    if not text.startswith("@"):
        return float(text), None
    row = published_phase(text[1:].replace("-", "_"))
    return row.alpha, row


def name(text: str) -> str:
    """A name as it is kept: on one line, and not too long.

    >>> name(" my  chat ")
    'my chat'
    """
    return " ".join(text.split())[:LONGEST_NAME]


def _unescaped(text: str) -> str:
    for plain, written in reversed(_ESCAPES.items()):
        text = text.replace(written, plain)
    return text


def _part(phase: Phase) -> str:
    row = published_row(phase)
    label = "" if row and phase.label == DOMAINS[row.domain] else phase.label
    for plain, written in _ESCAPES.items():
        label = label.replace(plain, written)
    return f"{label}_{_alpha_text(phase, row)}_{phase.requests}_{phase.output_tokens}"


def _alpha_text(phase: Phase, row: PublishedPhase | None) -> str:
    values = [phase.alpha, phase.alpha + phase.change] if phase.change else [phase.alpha]
    rows = [row, _last_row(phase, row)][: len(values)] if row else []
    if all(rows) and row:
        return "~".join("@" + each.key.replace("_", "-") for each in rows if each)
    return "~".join(f"{value:.6g}" for value in values) + "m" * (phase.kind == MEASURED)


def published_row(phase: Phase) -> PublishedPhase | None:
    """The row of the published table that a phase has its acceptance from; None where it is from elsewhere.

    >>> published_row(published_phase("kimi_code").phase("Mine")).key
    'kimi_code'
    >>> published_row(Phase("Code"))
    """
    plain = replace(phase, label="–", change=0)
    length = {"requests": phase.requests, "output_tokens": phase.output_tokens, "persistence": phase.persistence}
    return next((row for row in published_phases() if row.phase("–", **length) == plain), None)


def _last_row(phase: Phase, row: PublishedPhase) -> PublishedPhase | None:
    """The row of the same publication whose acceptance a drifting phase ends at."""
    last = phase.alpha + phase.change
    same = (each for each in published_phases() if each.source == row.source and not each.shape)
    return next((each for each in same if abs(each.alpha - last) < 1e-9), None)


def own_workload(phases: Sequence[Phase], translate: Translator) -> Workload:
    """The workload of a visitor's phases; different ones of one name are told apart by a number behind it.

    >>> from specmodel.dashboard.session.translation import translator
    >>> two = own_workload([Phase("Chat"), Phase("Chat", alpha=0.9), Phase("Chat")], translator("en"))
    >>> [phase.label for phase in two.phases]
    ['Chat', 'Chat (2)', 'Chat']
    """
    named: dict[Phase, str] = {}
    for phase in phases:
        if phase not in named:
            taken = {*named.values(), *(each.label for each in phases if each.label != phase.label)}
            named[phase] = _free(phase.label, taken, translate)
    description = N_("Phases of your own, one after another; requests and tokens are what you set.")
    return Workload(OWN, OWN_LABEL, tuple(replace(phase, label=named[phase]) for phase in phases), description)


def _free(label: str, taken: set[str], translate: Translator) -> str:
    """The label, or the first with a number behind it that is not taken."""
    if label not in taken:
        return label
    number = 2
    while (numbered := f"{translate(label)} ({number})") in taken:
        number += 1
    return numbered
