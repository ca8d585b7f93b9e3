"""PromQL that is made here and nowhere else: selectors with escaped labels, and many expressions in one question.

Counters are summed before anything is divided: a ratio of sums, never a mean of ratios.
"""

import math
import re
from collections.abc import Iterable, Mapping

from specmodel.base.messages import Message
from specmodel.logs.prometheus.engines import Engine, Metric
from specmodel.logs.prometheus.errors import LiveError

LabelValue = str | tuple[str, ...]
Labels = Iterable[tuple[str, LabelValue]]
ROLE = "specmodel_role"
MAX_SECONDS = 366 * 86400.0


def escaped(value: str) -> str:
    """A label value between double quotes in PromQL: backslash, quote and line end are escaped.

    >>> print(escaped('evil"}) or vector(1)'))
    evil\\"}) or vector(1)
    """
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")


def selector(metric: Metric, labels: Labels) -> str:
    """The series of a metric that have exactly these labels; of several values of a label, one of them.

    >>> print(selector(Metric("up"), [("job", "engines")]), selector(Metric("up"), [("instance", ("a.b:1", "c:1"))]))
    up{job="engines"} up{instance=~"a\\\\.b:1|c:1"}
    """
    pairs = ",".join(_matcher(name, value) for name, value in (*labels, *metric.labels))
    return f"{metric.name}{{{pairs}}}"


def _matcher(name: str, value: LabelValue) -> str:
    if isinstance(value, str):
        return f'{name}="{escaped(value)}"'
    either = "|".join(re.sub(r"([^\w\s:/@-])", r"\\\1", each, flags=re.ASCII) for each in value)
    return f'{name}=~"{escaped(either)}"'


def duration(seconds: float) -> str:
    """A range in PromQL, to the millisecond.

    >>> duration(300), duration(2.5)
    ('300s', '2500ms')
    """
    if not 0.001 <= seconds <= MAX_SECONDS:
        values = {"seconds": float(seconds)}
        raise LiveError(
            Message("a window of {seconds:g} s: expected more than 0 s and at most a year", values), "config"
        )
    milliseconds = math.ceil(round(seconds * 1000, 6))
    return f"{milliseconds // 1000}s" if milliseconds % 1000 == 0 else f"{milliseconds}ms"


def summed(metrics: Iterable[Metric], labels: Labels, function: str, window: str) -> str:
    """`function` (rate, increase, resets) of a counter over a window, summed over engines and instances, by position
    where the metric has one; of several metrics the first one that has samples.

    >>> summed([Metric("a_total", by="position")], [("m", "x")], "rate", "60s")
    'sum by (position) (rate(a_total{m="x"}[60s]))'
    """
    labels = tuple(labels)
    parts = []
    for metric in metrics:
        by = f" by ({metric.by}) " if metric.by else ""
        parts.append(f"sum{by}({function}({selector(metric, labels)}[{window}]))")
    return parts[0] if len(parts) == 1 else f"({' or '.join(parts)})"


def together(expressions: Mapping[str, str]) -> str:
    """One expression that gives the values of all, each with its role as a label: one question, one moment.

    >>> together({"one": "vector(1)"})
    'label_replace(vector(1), "specmodel_role", "one", "", "")'
    """
    return " or ".join(
        f'label_replace({expression}, "{ROLE}", "{role}", "", "")' for role, expression in expressions.items()
    )


def ratios(engine: Engine, labels: Labels, rate_window_s: float) -> dict[str, str]:
    """What is shown over time, as expressions that can be pasted into Grafana: rates summed, then divided, and nothing
    where no round ran. Those that an engine has no counters for are left out.

    >>> from specmodel.logs.prometheus.engines import LMDEPLOY
    >>> print(ratios(LMDEPLOY, [], 60)["accepted_per_s"])
    sum(rate(lmdeploy:spec_decode_num_accepted_tokens_total{}[60s]))
    """
    labels, window = tuple(labels), duration(rate_window_s)
    rate = {role: summed(metrics, labels, "rate", window) for role, metrics in engine.counters.items()}
    gauge = {role: selector(metric, labels) for role, metric in engine.gauges.items()}
    accepted, drafted = _accepted(rate), _drafted(rate, gauge)
    busy = f"and on() ({rate['rounds']} > 0)"
    found = {
        "acceptance_length": f"(1 + {accepted} / {rate['rounds']}) {busy}",
        "accepted_per_s": accepted,
    }
    if drafted:
        found["wasted_per_s"] = f"clamp_min({drafted} - {accepted}, 0)"
    if "positions" in rate:
        found["per_position"] = f"({rate['positions']} / scalar({rate['rounds']})) {busy}"
    if "steps" in rate:
        found["step_ms"] = f"1000 * {rate['step_seconds']} / {rate['steps']}"
    if time := _token_ms(rate):
        found["tpot_ms"] = time
    if "running" in gauge:
        found["running"] = f"sum({gauge['running']})"
    return found


def _token_ms(rate: Mapping[str, str]) -> str:
    """Milliseconds that a request waits for an output token, where the engine tells times."""
    if "token_seconds" in rate:
        return f"1000 * {rate['token_seconds']} / ({rate['tokens']} > 0)"
    if "step_seconds" in rate:
        return f"1000 * {rate['step_seconds']} / ({rate['generated']} - ({rate['first_tokens']} or vector(0)) > 0)"
    return ""


def _accepted(rate: Mapping[str, str]) -> str:
    """Accepted drafts; where they are not counted, output tokens less rounds and first tokens."""
    if "accepted" in rate:
        return rate["accepted"]
    return f"clamp_min({rate['generated']} - ({rate['first_tokens']} or vector(0)) - {rate['rounds']}, 0)"


def _drafted(rate: Mapping[str, str], gauge: Mapping[str, str]) -> str:
    """Drafted tokens; where they are not counted, rounds × k if every engine drafts a chain of the same k."""
    if "drafted" in rate:
        return rate["drafted"]
    if "draft_steps" not in gauge:
        return ""
    same = f"max({gauge['draft_steps']}) == min({gauge['draft_steps']}) == max({gauge['verified']}) - 1"
    return f"{rate['rounds']} * ({same})"


def position_label(engine: Engine) -> str:
    """The label in which an engine keeps the position; empty if it has none.

    >>> from specmodel.logs.prometheus.engines import TENSORRT_LLM
    >>> position_label(TENSORRT_LLM)
    'token_position'
    """
    return next((metric.by for metric in engine.counters.get("positions", ())), "")
