"""What kind of prompt a JSON line is about, where whoever wrote it has added that to the engine's answer."""

from collections.abc import Mapping
from typing import Any

KEYS = ("category", "prompt_type", "group", "model_pair")
MAX_LABEL = 60


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


def _temperature(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f", T = {value:g}" if is_number and 0 <= value < 100 else ""
