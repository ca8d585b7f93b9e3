"""What a class should take away from each part of the Learn pages, in a sentence that holds for every setting."""

from collections.abc import Mapping

from specmodel.base.messages import N_

POINTS: Mapping[str, Mapping[str, str]] = {
    "one_round": {
        "play": N_("The drafter proposes tokens, one pass of the target checks them all, the first mistake ends it."),
        "kept": N_("A draft only counts if all before it were right, so no further one brings more than the last."),
        "whole": N_("Chances multiply: five drafts with a chance of 0.6 each are all right in 8 of 100 rounds."),
        "symbols": N_("Two numbers decide: τ, the tokens of a round, and ρ, its cost. It pays if τ is above ρ."),
    },
    "exactness": {
        "one": N_("What counts is how much of the two distributions overlaps: that part of the drafts is kept."),
        "output": N_("Rejected drafts are replaced from exactly what is missing: the output is the target's."),
        "rules": N_("Several rules lose nothing. They differ in how many drafts they keep."),
        "temperature": N_("How many drafts are kept depends on temperature and rule; whose text it is does not."),
        "breaks": N_("Whatever keeps more than the overlap is not exact; the distance says how far off it is."),
        "blocks": N_("Looking at more than one draft at once can keep more of them, and the text stays the target's."),
    },
    "live_text": {
        "text": N_("A pass yields the drafts that were right and one token of the target; the rest was for nothing."),
        "same": N_("The words may differ; how often which words come does not."),
        "kinds": N_("Acceptance belongs to two models and a kind of text: measure it where you use it."),
        "positions": N_("Later drafts are looked at less often, since all before them have to be right."),
    },
    "drift": {
        "workload": N_("Acceptance is no constant of two models: it changes with what they are asked."),
        "boundary": N_(
            "Below its break-even acceptance speculation is slower than none, however good it is elsewhere."
        ),
        "rules": N_("No rule sees what comes; it can watch what is accepted, and know what a round costs."),
        "phases": N_("Sums hide losses: look at the worst phase too."),
        "learning": N_("A draft that learns wins acceptance back; it pays if its training costs less than that saves."),
    },
}
"""Page -> part -> the point of it."""
