"""What the pages under load share: where the cost of a pass comes from, the load, the drafter, and the hardware."""

from collections.abc import Mapping
from typing import get_args

from specmodel.base.params import Declared, declarations
from specmodel.dashboard.session.declaration import Declaration, Option, Options
from specmodel.model.costs import DraftShape
from specmodel.serving.calibrate import Measured
from specmodel.serving.fixed_cost import FIXED_CHOICES, UNKNOWN
from specmodel.serving.hardware import Accelerator, accelerators, target_models
from specmodel.serving.load import USUAL_RATIOS, Drafter, Load
from specmodel.serving.operator_passes import ENGINES
from specmodel.serving.pass_tables import pass_tables
from specmodel.serving.passes import AffinePass
from specmodel.serving.precision import OWN, PRECISIONS, at_precision
from specmodel.serving.reached import as_reached
from specmodel.serving.target_model import TargetModel

OWN_MODEL = "llmname"
"""The link's key of what a model is called that a visitor brought."""
REACHED = ("compute_fraction", "bandwidth_fraction", "step_overhead_ms")
"""What of an accelerator was assumed alike for all models before it was fitted, with an overhead of each layer."""


def machine(options: Options) -> tuple[TargetModel, Accelerator]:
    """The chosen model in the chosen precision, and the accelerator with what such models reach of its peaks.

    >>> machine({"llm": "llama31_8b", "gpu": "h100_sxm", "prec": "fp8"})[0].dense_bytes
    1.0
    """
    model = at_precision(target_models()[options["llm"]].values, options["prec"])
    return model, as_reached(accelerators()[options["gpu"]].values, model)


def _groups(options: Options) -> tuple[Declared, ...]:
    fixed = FIXED_CHOICES[options["fixedfrom"]].value.few
    drafter = Drafter(draft_cost_ratio=USUAL_RATIOS[options["drafting"]], fixed_cost=fixed)
    return (Load(), drafter, Measured(), AffinePass(), *machine(options))


def older_shares(query: Mapping[str, str]) -> Mapping[str, str]:
    """A link that changed what is reached of the peaks before it was fitted means the other numbers of that time too.

    Links say the overhead of a layer beside such a change since it exists.

    >>> older_shares({"mfu": "1"})["mbu"], older_shares({"mfu": "1", "layer": "0.1"})
    ('0.8', {'mfu': '1', 'layer': '0.1'})
    """
    declared = declarations(Accelerator)
    keys = {declared[name].key: name for name in REACHED}
    if "layer" in query or not keys.keys() & query.keys():
        return query
    before = Accelerator()
    assumed = {declared[name].key: declared[name].text(getattr(before, name)) for name in (*REACHED, "layer_ms")}
    return {**assumed, **query}


def with_layer(query: Mapping[str, str], groups: Mapping[type[Declared], Declared]) -> Mapping[str, str]:
    """The query of a link that changes what is reached of the peaks, with all that is: see `older_shares`.

    >>> dict(with_layer({"mfu": "1"}, {Accelerator: Accelerator(compute_fraction=1, layer_ms=0.1)}))
    {'mfu': '1.0', 'mbu': '0.8', 'step': '1.207', 'layer': '0.1'}
    """
    declared, chip = declarations(Accelerator), groups[Accelerator]
    if not {declared[name].key for name in REACHED} & query.keys():
        return query
    return {
        **query,
        **{declared[name].key: declared[name].text(getattr(chip, name)) for name in (*REACHED, "layer_ms")},
    }


DECLARED = Declaration(
    options=(
        Option("cost", "operators", ("operators", "roofline", "fit", "points")),
        Option("llm", "llama31_8b", tuple(target_models())),
        Option(OWN_MODEL, "", None),
        Option("gpu", "h100_sxm", tuple(accelerators())),
        Option("runs", "vllm", tuple(ENGINES)),
        Option("prec", OWN, tuple(PRECISIONS)),
        Option("passes", "deepseek_v4_flash", (*pass_tables(), "upload", "engine")),
        Option("sizes", "", None),
        Option("drafting", "sequential", get_args(DraftShape)),
        Option("fixedfrom", UNKNOWN, tuple(FIXED_CHOICES)),
    ),
    groups=_groups,
    older=older_shares,
    written=with_layer,
)
