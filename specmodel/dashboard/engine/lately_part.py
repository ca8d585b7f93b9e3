"""The last minutes of a live engine beside the whole window: said first where they tell another story. No Streamlit."""

from collections.abc import Mapping
from datetime import UTC, datetime

from specmodel.dashboard.engine.said import engine_said
from specmodel.dashboard.parts.answer import Note, Part, Said
from specmodel.dashboard.session.translation import Translator
from specmodel.engine.answer import EngineAnswer
from specmodel.logs.prometheus import LiveSeries

LATELY_S = 180


def lately_parts(
    measured: EngineAnswer, lately: EngineAnswer | None, series: LiveSeries | None, translate: Translator
) -> Mapping[str, Part | None]:
    """A verdict on the last minutes where it is another than that of the window; else a note that they agree.

    Nothing where the last minutes are not known, or where neither has a verdict.
    """
    _ = translate
    if lately is None or "off" in (measured.verdict.kind, lately.verdict.kind):
        return {}
    minutes = LATELY_S // 60
    if lately.verdict.kind == measured.verdict.kind:
        text = _("The last {n} min say the same: {speedup}.")
        return {"lately_note": Note(text.format(n=minutes, speedup=_speedup(lately)))} if lately.speedup else {}
    now = engine_said(lately, _)
    headline = _("In the last {n} min: {said}").format(n=minutes, said=now.headline)
    window = _("The whole window says otherwise, see below.")
    return {"lately": Said(now.kind, headline, _.sentences(now.reason, _since(measured, series, _), window))}


def _since(measured: EngineAnswer, series: LiveSeries | None, translate: Translator) -> str:
    """Since when it has been losing, where the curve shows it."""
    plain = measured.case.plain_ms
    since = series.losing_since(plain) if series is not None and plain else None
    if since is None:
        return ""
    at = datetime.fromtimestamp(since, UTC).strftime("%H:%M")
    return translate("It has been losing since {time} UTC.").format(time=at)


def _speedup(lately: EngineAnswer) -> str:
    found = lately.speedup
    if found is None or found.value is None:
        return ""
    if found.low is None or found.high is None:
        return f"{found.value:.2f}×"
    return f"{found.value:.2f}× ({found.low:.2f}–{found.high:.2f})"
