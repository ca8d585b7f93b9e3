"""What the chosen target model is called: by its row, or by the name of one that a visitor brought. No Streamlit."""

from specmodel.dashboard.passes.declared import OWN_MODEL, machine
from specmodel.dashboard.session.chosen import Chosen
from specmodel.dashboard.session.translation import Translator
from specmodel.serving.hardware import target_models
from specmodel.serving.target_model import TargetModel

LONGEST = 80


def model_name(chosen: Chosen, translate: Translator) -> str:
    """The name of the model whose numbers count; a row whose numbers were changed is said to be that.

    >>> from specmodel.dashboard.session.chosen import read_link
    >>> from specmodel.dashboard.session.translation import translator
    >>> english = translator("en")
    >>> model_name(read_link({})[0], english), model_name(read_link({"llmname": "my-8B", "bytes": "1"})[0], english)
    ('Llama-3.1-8B', 'my-8B')
    >>> model_name(read_link({"bytes": "1"})[0], english)
    'Llama-3.1-8B, some numbers changed'
    """
    row = target_models()[chosen.option("llm")].name
    if chosen.group(TargetModel) == machine(chosen.options)[0]:
        return row
    own = "".join(filter(str.isprintable, str(chosen.option(OWN_MODEL)))).strip()[:LONGEST]
    return own or translate("{name}, some numbers changed").format(name=row)
