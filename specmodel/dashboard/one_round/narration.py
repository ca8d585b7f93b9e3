"""What has just happened in a round, in a sentence."""

from specmodel.dashboard.session.translation import Translator
from specmodel.figures.one_round import Moment
from specmodel.model.simulate import Trace


def narration(run: Trace, moment: Moment, translate: Translator) -> str:
    """What has just happened, in a sentence."""
    _, k = translate, run.scenario.num_speculative_tokens
    kept = int(run.accepted[moment.number - 1])
    if k == 0:
        text = _("Round {number}: speculation is off, so it is one plain decoding step and emits one token.")
        return text.format(number=moment.number)
    if moment.stage <= k:
        text = _("Round {number}: {stage} of {k} drafted. The target has not looked yet.")
        return text.format(number=moment.number, stage=moment.stage, k=k)
    emitted = _.plural("The round emits {n} token.", "The round emits {n} tokens.", kept + 1).format(n=kept + 1)
    if kept == k:
        text = _("Round {number}: every draft was accepted, and the same pass gives one bonus token.")
        return _.sentences(text.format(number=moment.number), emitted)
    text = _(
        "Round {number}: {kept} of {k} accepted. Draft {next} was rejected; the target replaces it with a "
        "recovered token."
    )
    lines = [text.format(number=moment.number, kept=kept, k=k, next=kept + 1)]
    if kept + 1 < k:
        lines.append(_("What was drafted after it is thrown away."))
    return _.sentences(*lines, emitted)
