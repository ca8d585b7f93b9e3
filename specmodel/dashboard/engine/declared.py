"""What the Your engine page declares of itself."""

from specmodel.base.messages import N_
from specmodel.dashboard.engine.examples import EXAMPLES
from specmodel.dashboard.engine.typed_speeds import SPEEDS
from specmodel.dashboard.engine.watched import LEVEL, MODEL
from specmodel.dashboard.parts.paste import COMMAND, FORMS
from specmodel.dashboard.session.declaration import Option, PageDeclaration
from specmodel.engine.case import EngineCase
from specmodel.engine.groups import first_rejected, group_row
from specmodel.engine.how_long import how_long
from specmodel.engine.implied import implied_acceptance
from specmodel.engine.lengths import length_choices
from specmodel.engine.mix import mix
from specmodel.engine.next_setting import next_setting
from specmodel.engine.setting import ENGINES
from specmodel.engine.speed import speedup_ceiling
from specmodel.engine.sweep_lengths import setting_choices
from specmodel.engine.tried import tried_settings
from specmodel.engine.two_runs import compare_runs
from specmodel.measured.acceptance import measured_acceptance
from specmodel.measured.definitions import DEFINITIONS, translate_rate

DECLARED = PageDeclaration(
    key="engine",
    title=N_("Your engine"),
    section=N_("Measure"),
    order=60,
    question=N_("Should speculation be on in your engine?"),
    options=(
        Option("src", "example", ("example", "files", "paste", "hand", "link", "live")),
        Option("example", EXAMPLES[0].key, tuple(example.key for example in EXAMPLES)),
        Option("counts", "", None),
        Option("base", "", None),
        Option("other", "", None),
        Option("plain", "", None),
        Option("took", "", None),
        Option("loadedoff", "", None),
        Option("matters", "5 %", None),
        Option("perminute", "", None),
        Option("mix", "", None),
        Option("drafted", "", None),
        Option("reads", "accepted_per_drafted", (*DEFINITIONS, SPEEDS)),
        Option("rate", "60 %", None),
        Option("without", "", None),
        Option("with", "", None),
        Option("draftcost", "", None),
        Option("columns", "", None),
        Option("engine", "", ("", *ENGINES)),
        Option("method", "", None),
        Option("form", COMMAND, tuple(FORMS)),
        Option("tool", "", None),
        Option("model", "", None),
        Option(LEVEL, "", None),
        Option(MODEL, "", None),
        Option("window", "900", ("300", "900", "3600", "21600", "86400")),
    ),
    explains=(
        measured_acceptance,
        length_choices,
        setting_choices,
        tried_settings,
        next_setting,
        EngineCase,
        group_row,
        first_rejected,
        mix,
        speedup_ceiling,
        translate_rate,
        implied_acceptance,
        compare_runs,
        how_long,
    ),
)
