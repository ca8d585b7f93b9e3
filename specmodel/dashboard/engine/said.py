"""The answer of the engine page in one sentence and its reason; no Streamlit."""

from specmodel.dashboard.parts.answer import Said
from specmodel.dashboard.session.translation import Translator, escaped
from specmodel.engine.answer import EngineAnswer
from specmodel.engine.sentences import listed
from specmodel.engine.server_gives import measure_phrase, server_gives, why_no_pair
from specmodel.engine.speed import contradicting
from specmodel.engine.verdict import compared_measures
from specmodel.model.outcome import CLOSE


def engine_said(measured: EngineAnswer, translate: Translator) -> Said:
    """Yes or no with the factor and the reason; of two runs that are no pair, what the server gives in each."""
    _, verdict, pair = translate, measured.verdict, measured.case.comparability
    if verdict.kind == "not_comparable" and pair is not None:
        gives = server_gives(measured.case)
        headline = _.message(gives) if gives is not None else _("These two runs are no pair.")
        return Said(verdict.kind, headline, escaped(_.message(why_no_pair(pair))))
    return Said(verdict.kind, _headline(measured, _), escaped(_.message(verdict.reason)))


def _headline(measured: EngineAnswer, translate: Translator) -> str:
    """Yes or no in a few words, with the factor."""
    _, kind, speedup = translate, measured.verdict.kind, measured.speedup
    if speedup is None or speedup.value is None:
        return _("Acceptance alone decides nothing.")
    if kind == "off":
        return _("Nothing was drafted.")
    against = contradicting(compared_measures(measured.case), speedup.value, CLOSE)
    if kind == "too_close" and against:
        text = _("It depends on what counts: decoding {speedup:.2f}× as fast, but {list}.")
        phrases = _.message(listed([measure_phrase(each) for each in against]))
        return text.format(speedup=speedup.value, list=phrases)
    if kind == "too_close":
        return _("Too close to call: decoding {speedup:.2f}× as fast.").format(speedup=speedup.value)
    pair = measured.case.comparability
    if kind == "pays" and pair is not None and pair.offered_rate is not None and measured.case.plain_ms_typed is None:
        return _("Yes, it pays at this request rate: decoding {speedup:.2f}× as fast.").format(speedup=speedup.value)
    if kind == "pays":
        return _("Yes, it pays: decoding {speedup:.2f}× as fast.").format(speedup=speedup.value)
    text = _("No, speculation loses here: decoding takes {ratio:.2f}× as long ({speedup:.2f}× as fast).")
    return text.format(ratio=1 / speedup.value, speedup=speedup.value)
