"""What of speculation is recorded over time, as PromQL: one expression for each series, the same names for all engines.

Counters are summed over what an instance's model has beside these labels (ranks, positions) before anything is divided.
"""

from collections.abc import Mapping

from specmodel.logs.prometheus.engines import Metric
from specmodel.logs.prometheus.promql import Labels, selector
from specmodel.watch.levels import Levels

PREFIX = "speculation:"
LABELS = ("cluster", "namespace", "job", "instance", "model_name")
BY = ", ".join(LABELS)
RATE = "5m"
POSITION = "position"


def recorded(levels: Levels) -> dict[str, str]:
    """The series by their names: rounds, drafted, accepted and output tokens per second, tokens per round and per step,
    acceptance by position, drafts wasted per second, time of an output token, running requests, and what tokens per
    step are at most (`…:at_most5m`). Those that the engine has no metrics for are left out.

    At most: accepted drafts of a step lie between 0 and k, so their variance is at most k²/4 (Popoviciu's
    inequality) and the mean of n steps has a standard error of at most k / (2√n); added are 1.96 of them. Steps of one
    moment resemble each other, so an alert on it waits besides.

    >>> found = recorded(Levels("LMDeploy", 3))
    >>> print(found["speculation:rounds:rate5m"])
    sum by (cluster, namespace, job, instance, model_name) (rate(lmdeploy:spec_decode_num_drafts_total[5m]))
    >>> print(found["speculation:tokens_per_round:ratio5m"])
    1 + speculation:accepted:rate5m / (speculation:rounds:rate5m > 0)
    """
    names = levels.names
    labels: Labels = (("model_name", levels.model),) if levels.model else ()
    rate = {role: _summed(metrics, labels) for role, metrics in names.counters.items()}
    found = {"rounds:rate5m": rate["rounds"], "generated:rate5m": rate["generated"]}
    if "first_tokens" in rate:
        found["decoded:rate5m"] = f"{_name('generated')} - ({rate['first_tokens']} or 0 * {_name('generated')})"
    decoded = _name("decoded" if "first_tokens" in rate else "generated")
    found["accepted:rate5m"] = rate.get("accepted", f"clamp_min({decoded} - {_name('rounds')}, 0)")
    found["tokens_per_round:ratio5m"] = f"1 + {_name('accepted')} / ({_name('rounds')} > 0)"
    found |= _per_step(rate, decoded)
    if "drafted" in rate:
        found["drafted:rate5m"] = rate["drafted"]
        found["wasted:rate5m"] = f"clamp_min({_name('drafted')} - {_name('accepted')}, 0)"
    found |= _by_position(levels, labels)
    if time := _time(rate, decoded):
        found["tpot_seconds:mean5m"] = time
    if "running" in names.gauges:
        found["running:sum"] = f"sum by ({BY}) ({_plain(names.gauges['running'], labels)})"
    return {PREFIX + name: expression for name, expression in found.items()} | _at_most(levels)


def _per_step(rate: Mapping[str, str], decoded: str) -> dict[str, str]:
    """Tokens per decoding step, those without a draft included where the engine counts its steps."""
    if "steps" not in rate:
        return {"steps:rate5m": _name("rounds"), "tokens_per_step:ratio5m": f"{PREFIX}tokens_per_round:ratio5m"}
    return {"steps:rate5m": rate["steps"], "tokens_per_step:ratio5m": f"{decoded} / ({_name('steps')} > 0)"}


def _at_most(levels: Levels) -> dict[str, str]:
    half = f"{1.96 * levels.num_speculative_tokens / 2:g}"
    steps = f"({_name('steps')} * 300)"
    return {f"{PREFIX}tokens_per_step:at_most5m": f"{PREFIX}tokens_per_step:ratio5m + {half} / sqrt({steps})"}


def _by_position(levels: Levels, labels: Labels) -> dict[str, str]:
    """Acceptance of each position, under the label `position`: of all rounds, or of those that drafted it."""
    metrics = levels.names.counters.get("positions")
    if metrics is None:
        return {}
    by = f"{BY}, {metrics[0].by}"
    accepted = _over(metrics[0], labels, by)
    drafted = levels.names.counters.get("drafted_positions")
    if drafted is not None:
        expression = f"{accepted} / ({_over(drafted[0], labels, by)} > 0)"
    else:
        expression = f"{accepted} / ignoring ({metrics[0].by}) group_left () ({_name('rounds')} > 0)"
    if metrics[0].by != POSITION:
        expression = f'label_replace({expression}, "{POSITION}", "$1", "{metrics[0].by}", "(.*)")'
    return {"acceptance:ratio5m": expression}


def _time(rate: Mapping[str, str], decoded: str) -> str:
    """Seconds of an output token, as a request waits for it."""
    if "token_seconds" in rate:
        return f"{rate['token_seconds']} / ({rate['tokens']} > 0)"
    if "step_seconds" in rate:
        return f"{rate['step_seconds']} / ({decoded} > 0)"
    return ""


def _summed(metrics: tuple[Metric, ...], labels: Labels) -> str:
    parts = [_over(metric, labels, BY) for metric in metrics]
    return parts[0] if len(parts) == 1 else f"({' or '.join(parts)})"


def _over(metric: Metric, labels: Labels, by: str) -> str:
    return f"sum by ({by}) (rate({_plain(metric, labels)}[{RATE}]))"


def _plain(metric: Metric, labels: Labels) -> str:
    """A selector, without braces where nothing is selected."""
    return selector(metric, labels).removesuffix("{}")


def _name(what: str) -> str:
    return f"{PREFIX}{what}:rate5m"
