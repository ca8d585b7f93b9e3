"""Rapid-MLX: its /metrics page.

Format read in raullenchai/Rapid-MLX (vllm_mlx/routes/metrics.py and its tests, 2026). `spec_decode_attempts_total` are
draft tokens, `…_accepts_total` those that were accepted, `…_verify_calls_total` rounds, and
`…_drafted_by_depth_total{depth}` with `…_accepted_by_depth_total{depth}` the same by position, from 1; the latter are
there only once something was drafted. Builds before `verify_calls` drafted one token a round, which a page does not
say of itself: their rounds stay unknown. The page counts 0 where nothing was drafted: that is a run without
speculation. `method` and `family` are labels; all of them are added up.
"""

from specmodel.base.messages import N_
from specmodel.logs._checks import checked
from specmodel.logs._format import Families, LogError, Metrics, note
from specmodel.logs._prometheus import counted, summed
from specmodel.measured.spec_stats import SpecStats

ENGINE = "Rapid-MLX"
_PREFIX = "rapid_mlx_spec_decode_"


def _by_depth(found: Families, name: str) -> tuple[float, ...] | None:
    """Counts by depth, from 1 without a gap; None where the family is not there."""
    sums: dict[int, float] = {}
    family = f"{_PREFIX}{name}_by_depth_total"
    for sample in found.get(family, ()):
        depth = sample.labels.get("depth", "")
        if not (depth.isascii() and depth.isdigit() and 0 < len(depth) <= 4):
            raise LogError("line {line}: the depths are {found}, expected 1, 2, 3, …", line=1, found=depth)
        sums[int(depth)] = sums.get(int(depth), 0.0) + counted(family, sample)
    if sums and sorted(sums) != list(range(1, len(sums) + 1)):
        shown = ", ".join(str(each) for each in sorted(sums)[:8])
        raise LogError("line {line}: the depths are {found}, expected 1, 2, 3, …", line=1, found=shown)
    return tuple(sums[depth] for depth in sorted(sums)) or None


def _metrics(found: Families) -> SpecStats | None:
    drafted, accepted = summed(found, f"{_PREFIX}attempts_total"), summed(found, f"{_PREFIX}accepts_total")
    if drafted is None:
        return None
    rounds = summed(found, f"{_PREFIX}verify_calls_total")
    if not drafted:
        off = note("the page has counted no draft: nothing was speculated")
        return SpecStats(ENGINE, METRICS.source, speculation=False, notes=(off,))
    proposed, kept = _by_depth(found, "drafted"), _by_depth(found, "accepted")
    if proposed is not None and abs(sum(proposed) - drafted) > 1e-6 * drafted:
        raise LogError(
            "line {line}: the depths add up to {sum:,.10g} draft tokens, but {drafted:,.10g} are given",
            line=1, sum=sum(proposed), drafted=drafted,
        )  # fmt: skip
    k = len(proposed) if proposed and rounds and set(proposed) == {rounds} else None
    untold = note("the page tells no rounds: in builds that draft one token a round, each draft is one")
    stats = SpecStats(
        ENGINE,
        METRICS.source,
        num_speculative_tokens=k,
        num_rounds=rounds,
        num_draft_tokens=drafted,
        num_accepted_draft_tokens=accepted,
        accepted_per_position=kept,
        drafted_per_position=None if k else proposed,
        notes=(untold,) if rounds is None else (),
    )
    return checked(stats, 1)


METRICS = Metrics(ENGINE, N_("/metrics page"), ("rapid_mlx_spec_decode_",), _metrics)
FORMATS = (METRICS,)
