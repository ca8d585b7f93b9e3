"""What a page under load was asked, by name: model, accelerators, where a pass's cost is from, load. No Streamlit."""

from collections.abc import Iterable

from specmodel.dashboard.parts.answer import Fact
from specmodel.dashboard.parts.asked import fact_of
from specmodel.dashboard.passes.model_name import model_name
from specmodel.dashboard.passes.pass_source import PassSource
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.hardware import Accelerator, accelerators
from specmodel.serving.load import Load
from specmodel.serving.precision import PRECISIONS


def asked_of_machine(chosen: Chosen, source: PassSource, translate: Translator) -> list[Fact]:
    """Model, precision and accelerators where a pass is computed from them; else what was measured.

    >>> from specmodel.dashboard.passes.pass_source import pass_source
    >>> from specmodel.dashboard.session.chosen import read_link
    >>> from specmodel.dashboard.session.translation import translator
    >>> chosen, english = read_link({})[0], translator("en")
    >>> [value for _, value, _ in asked_of_machine(chosen, pass_source(chosen, english), english)][:2]
    ['Llama-3.1-8B, as published', '1 × NVIDIA H100 SXM']
    """
    _ = translate
    passes = (_("Cost of a pass"), source.note, "pass")
    if source.model is None:
        return [passes]
    chip = accelerators()[chosen.option("gpu")]
    precision, count = PRECISIONS[chosen.option("prec")], chosen.group(Accelerator).count
    return [
        (_("Target model"), f"{model_name(chosen, _)}, {_(precision.label)}", "llm"),
        (_("Accelerators"), f"{count} × {chip.name}", "gpu"),
        passes,
    ]


def asked_of_load(chosen: Chosen, names: Iterable[str], translate: Translator) -> list[Fact]:
    """Some numbers of the load, by their names."""
    return [fact_of(chosen.group(Load), name, translate) for name in names]
