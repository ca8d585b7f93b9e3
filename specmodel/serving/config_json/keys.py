"""The keys of a config.json, each read with its domain: what is missing or makes no sense is refused by its name."""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from specmodel.base.messages import Message, SpecmodelError, Verbatim

MOST_CHARACTERS = 200_000
"""A published config.json has 1 to 60 thousand characters, those with a list of quantized layers included."""
MOST_DEPTH = 16
LARGEST = 10_000_000
NESTED = ("text_config", "llm_config", "language_config")
"""Where models that see or hear keep the numbers of their language model."""
SHOWN = 60


def refuse(template: str, **values: object) -> NoReturn:
    """Refuse a config.json with a sentence; texts among the values come from outside and are cut and never translated.

    >>> refuse("{key} is missing", key="hidden_size")
    Traceback (most recent call last):
    specmodel.base.messages.SpecmodelError: hidden_size is missing
    """
    shown = {name: verbatim(value) if isinstance(value, str) else value for name, value in values.items()}
    raise SpecmodelError(Message(template, shown))


def verbatim(value: object) -> Verbatim:
    """A value as a sentence shows it: short, and never translated.

    >>> verbatim("x" * 100)[-3:]
    'xx…'
    """
    if isinstance(value, Verbatim):
        return value
    text = value if isinstance(value, str) else json.dumps(value)
    return Verbatim(text if len(text) <= SHOWN else text[:SHOWN] + "…")


class Keys:
    """The keys of a model's language part; what it lacks is looked up around it. `assumed` collects what was missing.

    >>> keys = Keys({"hidden_size": 4096}, {"dtype": "bfloat16"})
    >>> keys.whole("hidden_size"), keys.text("torch_dtype", "dtype"), keys.whole("head_dim", default=128)
    (4096, 'bfloat16', 128)
    """

    def __init__(self, own: Mapping[str, Any], around: Mapping[str, Any] | None = None):
        self.own = own
        self.around = around or {}
        self.assumed: list[Message] = []

    def get(self, *names: str) -> Any:
        """The value of the first of these keys that is there and not null; None if none is."""
        found = [part[name] for part in (self.own, self.around) for name in names if part.get(name) is not None]
        return found[0] if found else None

    def name_of(self, *names: str) -> str:
        """Which of these keys is there; the first where none is."""
        return next((name for name in names if self.get(name) is not None), names[0])

    def whole(self, *names: str, low: int = 1, high: int = LARGEST, default: int | None = None) -> int:
        """A whole number of a domain; a key that is missing takes the default, and is refused without one."""
        value = self.get(*names)
        if value is None:
            if default is None:
                refuse("{key} is missing: without it the model cannot be counted", key=names[0])
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value or value % 1:
            template = "{key} = {value}: a whole number from {low:,} to {high:,} is needed"
            refuse(template, key=self.name_of(*names), value=verbatim(value), low=low, high=high)
        if not low <= value <= high:
            template = "{key} = {value}: a whole number from {low:,} to {high:,} is needed"
            refuse(template, key=self.name_of(*names), value=verbatim(value), low=low, high=high)
        return int(value)

    def flag(self, name: str, default: bool) -> bool:
        """True or false; a key that is missing takes the default."""
        value = self.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            refuse("{key} = {value}: true or false is needed", key=name, value=verbatim(value))
        return value

    def text(self, *names: str) -> str:
        """A text; empty where the key is missing."""
        value = self.get(*names)
        if value is None:
            return ""
        if not isinstance(value, str):
            refuse("{key} = {value}: a text is needed", key=self.name_of(*names), value=verbatim(value))
        return value

    def listed(self, name: str, length: int) -> list[Any] | None:
        """A list with an entry for each layer, or None where the key is missing."""
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != length:
            count = len(value) if isinstance(value, list) else 0
            template = "{key} has {count} entries and the model {layers} layers: they have to be as many"
            refuse(template, key=name, count=count, layers=length)
        return value

    def part(self, name: str) -> Mapping[str, Any] | None:
        """An object within, or None where the key is missing."""
        value = self.get(name)
        if value is not None and not isinstance(value, dict):
            refuse("{key} = {value}: an object is needed", key=name, value=verbatim(value))
        return value

    def assume(self, template: str, **values: object) -> None:
        """Note what was assumed, once."""
        said = Message(template, values)
        if said not in self.assumed:
            self.assumed.append(said)


def keys_of(text: str) -> Keys:
    """The keys of the language model in the text of a config.json.

    Raises `SpecmodelError` where the text is empty, too long, nested too deeply, or no JSON object.

    >>> keys_of('{"model_type": "qwen3_5", "text_config": {"num_hidden_layers": 64}}').whole("num_hidden_layers")
    64
    """
    outer = _parsed(text)
    if outer.get("num_hidden_layers") is None:
        for name in NESTED:
            if isinstance(outer.get(name), dict):
                return Keys(outer[name], {key: value for key, value in outer.items() if key != "model_type"})
    return Keys(outer)


def _parsed(text: str) -> dict[str, Any]:
    if not text.strip():
        refuse("there is no text: paste the whole config.json of a model")
    if len(text) > MOST_CHARACTERS:
        template = "{count:,} characters are too many for a config.json: at most {most:,}"
        refuse(template, count=len(text), most=MOST_CHARACTERS)
    if _depth(text) > MOST_DEPTH:
        refuse("brackets are nested more than {most} deep: that is no config.json of a model", most=MOST_DEPTH)
    try:
        found = json.loads(text, parse_constant=_nothing)
    except json.JSONDecodeError as error:
        refuse("this is no JSON: line {line}, column {column} cannot be read", line=error.lineno, column=error.colno)
    except ValueError:
        refuse("a number in it is too long to be read")
    if not isinstance(found, dict):
        refuse("this is JSON, but no object with keys such as {key}", key="num_hidden_layers")
    return found


def _nothing(name: str) -> None:
    """Infinity and NaN, which some publish as limits of a layer: no number that is counted may be one."""


def _depth(text: str) -> int:
    """How deeply brackets are nested, those within strings aside."""
    deepest = depth = 0
    quoted = escaped = False
    for character in text:
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest
