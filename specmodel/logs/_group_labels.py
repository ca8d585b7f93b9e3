"""What kind of prompt a JSON line is about, where whoever wrote it has added that to the engine's answer."""

from collections.abc import Mapping
from typing import Any

KEYS = ("category", "prompt_type", "group", "model_pair")
MAX_LABEL = 60
_NAMED = tuple(f'"{key}"'.encode() for key in KEYS)


def group_label(found: Mapping[str, Any]) -> str:
    """The group that an object names, at its top or in `_meta`; with the temperature that stands beside it, if any.

    >>> group_label({"_meta": {"category": "code", "temperature": 0.0}}), group_label({"group": "chat"})
    ('code, T = 0', 'chat')
    """
    for place in (found.get("_meta"), found):
        if isinstance(place, Mapping):
            named = next((place[key] for key in KEYS if isinstance(place.get(key), str) and place[key].strip()), "")
            if named:
                return str(named).strip()[:MAX_LABEL] + _temperature(place.get("temperature"))
    return ""


def names_groups(block: bytes) -> bool:
    """Whether any object in a block of JSON lines can name a group.

    >>> names_groups(b'{"token": 3}\\n'), names_groups(b'{"token": 3, "group": "chat"}\\n')
    (False, True)
    """
    return b"\\u" in block or any(key in block for key in _NAMED)


def _temperature(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f", T = {value:g}" if is_number and 0 <= value < 100 else ""
