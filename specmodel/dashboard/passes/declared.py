"""What the pages under load share: where the cost of a pass comes from, the load, the drafter, and the hardware."""

from typing import get_args

from specmodel.base.params import Declared
from specmodel.dashboard.session.declaration import Declaration, Option, Options
from specmodel.model.costs import DraftShape
from specmodel.serving.hardware import accelerators, target_models
from specmodel.serving.load import USUAL_RATIOS, Drafter, Load
from specmodel.serving.pass_tables import pass_tables
from specmodel.serving.passes import AffinePass


def _groups(options: Options) -> tuple[Declared, ...]:
    chosen = (accelerators()[options["gpu"]].values, target_models()[options["llm"]].values)
    return (Load(), Drafter(draft_cost_ratio=USUAL_RATIOS[options["drafting"]]), AffinePass(), *chosen)


DECLARED = Declaration(
    options=(
        Option("cost", "roofline", ("roofline", "fit", "points")),
        Option("llm", "llama31_8b", tuple(target_models())),
        Option("gpu", "h100_sxm", tuple(accelerators())),
        Option("passes", "deepseek_v4_flash", (*pass_tables(), "upload", "engine")),
        Option("sizes", "", None),
        Option("drafting", "sequential", get_args(DraftShape)),
    ),
    groups=_groups,
)
