"""The cost of a pass of a chosen model and accelerator: measured operators where there are some, else a roofline."""

from dataclasses import dataclass

from specmodel.base.messages import N_
from specmodel.dashboard.passes.declared import machine
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.cost_band import Off, off_of_operators, off_of_roofline
from specmodel.serving.hardware import Accelerator, accelerators, target_models
from specmodel.serving.operator_passes import (
    ENGINES,
    SOURCE_VERSION,
    OperatorPass,
    Setup,
    measured_setups,
    operator_pass,
)
from specmodel.serving.precision import OWN, PRECISIONS
from specmodel.serving.roofline import RooflinePass, turning_tokens
from specmodel.serving.target_model import TargetModel

KERNELS_ONLY = N_(
    "Measured operators (NVIDIA's collector, {source}; {engine} {version}), summed and interpolated: kernels only, "
    "without scheduling, sampling and drafting."
)
FITTED = N_(
    "Estimated by a roofline from the numbers of model and accelerator; what it reaches of the peaks was fitted to "
    "served models on H100 to B300 and is assumed elsewhere."
)
CHANGED = N_("Estimated by a roofline from the numbers of model and accelerator, some of them changed.")


@dataclass(frozen=True)
class Computed:
    """A pass of the chosen machine, `operators` or `roofline`, what it is, and from how many tokens arithmetic counts.

    `turn` is None where no roofline was asked.
    """

    pass_ms: OperatorPass | RooflinePass
    kind: str
    note: str
    off: Off
    turn: float | None = None


def setup_of(chosen: Chosen) -> Setup:
    """The setup whose measured operators the choices ask for."""
    return Setup(
        chosen.option("llm"),
        chosen.option("gpu"),
        chosen.option("runs"),
        chosen.option("prec"),
        chosen.group(Accelerator).count,
    )


def offered_precisions(model: str, accelerator: str) -> list[str]:
    """Precisions that were measured for a model on an accelerator, with any engine; its own is always there.

    >>> offered_precisions("gpt_oss_20b", "rtx_3090"), "fp8" in offered_precisions("llama31_8b", "h100_sxm")
    (['own'], True)
    """
    measured = {each.precision for each in measured_setups() if (each.model, each.accelerator) == (model, accelerator)}
    return [key for key in PRECISIONS if key == OWN or key in measured]


def is_changed(chosen: Chosen) -> bool:
    """Whether model or accelerator have other numbers than the chosen ones; how many they are, memory and watts aside.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> is_changed(read_link({"gpus": "4"})[0]), is_changed(read_link({"bw": "4321"})[0])
    (False, True)
    """
    model, chip = machine(chosen.options)
    now = chosen.group(Accelerator)
    beside = {name: getattr(now, name) for name in ("count", "watts", "memory_gb", "memory_fraction")}
    return chosen.group(TargetModel) != model or now != chip.replace(**beside)


def computed(chosen: Chosen, translate: Translator) -> Computed:
    """The pass of the chosen model and accelerator.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> from specmodel.dashboard.session.translation import translator
    >>> [computed(read_link(query)[0], translator("en")).kind for query in ({}, {"gpu": "l4"}, {"bw": "4321"})]
    ['operators', 'roofline', 'roofline']
    """
    _, setup, changed = translate, setup_of(chosen), is_changed(chosen)
    if chosen.option("cost") == "operators" and not changed and setup in measured_setups():
        source = f"aiconfigurator-core {SOURCE_VERSION}"
        version = measured_setups()[setup]
        note = _(KERNELS_ONLY).format(source=source, engine=ENGINES[setup.engine], version=version)
        return Computed(operator_pass(setup), "operators", note, off_of_operators(setup.engine))
    model, chip = chosen.group(TargetModel), chosen.group(Accelerator)
    note = _(CHANGED if changed else FITTED)
    if chosen.option("cost") == "operators" and not changed:
        note = _.sentences(_why_none(setup, _), note)
    return Computed(RooflinePass(model, chip), "roofline", note, off_of_roofline(model), turning_tokens(model, chip))


def _why_none(setup: Setup, translate: Translator) -> str:
    _ = translate
    text = _("No measured operators for {model}, {precision}, on {count} × {accelerator} with {engine}.")
    return text.format(
        model=target_models()[setup.model].name,
        precision=_(PRECISIONS[setup.precision].label),
        count=setup.count,
        accelerator=accelerators()[setup.accelerator].name,
        engine=ENGINES[setup.engine],
    )
