"""What is asked of an engine's configuration, and what an engine writes: a command line, files beside it, or a text."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Integral

from specmodel.base.messages import Message, SpecmodelError, Verbatim
from specmodel.model.acceptance import Acceptance

MAX_K = 64
MOST_CHARACTERS = 200
"""Longer than any name of a model, and short enough for a command line."""


class SnippetError(SpecmodelError):
    """A request that no configuration of the engine can express."""


@dataclass(frozen=True)
class DraftingOption:
    """A way of drafting that an engine offers: our key, what to call it, and the engine's own name for it."""

    key: str
    label: str
    needs_drafter: bool
    name: str


@dataclass(frozen=True)
class Request:
    """What is to be configured. `num_speculative_tokens` = 0 is off.

    `schedule` holds tiers (last batch size, k), the first from batch size 1, each following one from where the one
    before ends; the longest k in it is `num_speculative_tokens`. `acceptance`, if measured, is told in the notes;
    `model` is what the measurement names the target model, where that name can stand in a command.

    >>> Request("vLLM", "eagle3", 5, ((32, 5), (128, 2), (512, 0))).ranges
    ((1, 32, 5), (33, 128, 2), (129, 512, 0))
    >>> Request("vLLM", "mtp", 1, model="Qwen/Qwen3.5-4B").target, Request("vLLM", "mtp", 1, model="-rf").target
    ('Qwen/Qwen3.5-4B', 'YOUR_MODEL')
    """

    engine: str
    method: str
    num_speculative_tokens: int
    schedule: tuple[tuple[int, int], ...] = ()
    acceptance: Acceptance | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "num_speculative_tokens", _whole(self.num_speculative_tokens))
        object.__setattr__(self, "schedule", tuple((_whole(end), _whole(k)) for end, k in self.schedule))
        _check_k(self.num_speculative_tokens)
        _check_schedule(self.schedule, self.num_speculative_tokens)

    @property
    def ranges(self) -> tuple[tuple[int, int, int], ...]:
        """The tiers as (first batch size, last batch size, k): contiguous, both ends included."""
        ends = (0, *(end for end, _ in self.schedule))
        return tuple((before + 1, end, k) for before, (end, k) in zip(ends, self.schedule, strict=False))

    @property
    def target(self) -> str:
        """The name of the target model, or the placeholder for it."""
        return usable_name(self.model) or "YOUR_MODEL"


@dataclass(frozen=True)
class Written:
    """What an engine wrote: the words of a command line and the files that it names, or a `text` that is no command.

    `language` is that of the text; `notes` are what to know of it.
    """

    words: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    language: str = "bash"
    notes: tuple[Message, ...] = ()


def usable_name(name: str | None) -> str | None:
    """A model's name as a file gave it, where it can stand in a command; None for one that could not be a name.

    A name that starts with a hyphen would be read as an option, one with a control character would break a line.

    >>> usable_name("meta-llama/Llama-3.3-70B"), usable_name("--help"), usable_name("a\\nb"), usable_name("")
    ('meta-llama/Llama-3.3-70B', None, None, None)
    """
    found = (name or "").strip()
    fits = 0 < len(found) <= MOST_CHARACTERS and found.isprintable() and not found.startswith("-")
    return found if fits else None


def _whole(value: int) -> int:
    return int(value) if isinstance(value, Integral) else value


def _check_k(k: int) -> None:
    if type(k) is not int or not 0 <= k <= MAX_K:
        message = "{k} drafted tokens cannot be configured: expected a whole number from 0 to {most}"
        raise SnippetError(Message(message, {"k": Verbatim(k), "most": MAX_K}))


def _check_schedule(schedule: tuple[tuple[int, int], ...], k: int) -> None:
    ends, lengths = [end for end, _ in schedule], [length for _, length in schedule]
    for length in lengths:
        _check_k(length)
    if any(type(end) is not int for end in ends) or any(end <= before for before, end in pairwise([0, *ends])):
        message = "the last batch sizes of a schedule must be whole numbers that rise from 1 on; got {ends}"
        raise SnippetError(Message(message, {"ends": Verbatim(ends)}))
    if schedule and max(lengths) != k:
        message = "the longest K of a schedule must be the number of drafted tokens, {k}; got {lengths}"
        raise SnippetError(Message(message, {"k": k, "lengths": Verbatim(lengths)}))


@dataclass(frozen=True)
class EngineSetting:
    """One engine: its `methods`, how it `writes` a request, and the `version` and `source` its option names are from.

    `has_request_switch` says that the notes tell how one request drafts otherwise than the server does,
    `starts_server` that the command is that of the server, so that a container can run it.
    """

    engine: str
    version: str
    source: str
    methods: tuple[DraftingOption, ...]
    write: Callable[[Request], Written]
    has_request_switch: bool = False
    starts_server: bool = True

    def method(self, key: str) -> DraftingOption:
        """One way of drafting, or an error that names what there is."""
        for method in self.methods:
            if method.key == key:
                return method
        message = "{engine} has no method {method} here: expected one of {allowed}"
        allowed = Verbatim(", ".join(method.key for method in self.methods))
        raise SnippetError(
            Message(message, {"engine": Verbatim(self.engine), "method": Verbatim(key), "allowed": allowed})
        )
