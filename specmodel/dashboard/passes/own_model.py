"""A target model that a visitor brings as a config.json: it is read here, and its numbers go into the link."""

import json

import streamlit as st

from specmodel.base.messages import N_, Message, SpecmodelError
from specmodel.dashboard.parts.page import Page, escaped
from specmodel.dashboard.passes.declared import OWN_MODEL
from specmodel.dashboard.session import state
from specmodel.serving.config_json import ReadModel, read_config
from specmodel.serving.precision import OWN

TEXT, SAID = "config_json", "config_json:said"
PASTE_HELP = N_(
    "The whole file, as the model's page on Hugging Face has it. Parameters, cache and arithmetic are counted from it; "
    "they go into the link, the text does not."
)


def paste_model(page: Page) -> None:
    """The box for a config.json, and what was read from the last one."""
    _ = page.translate
    st.text_area(_("A model of your own: its config.json"), key=TEXT, height=120, help=_(PASTE_HELP))
    st.button(_("Use this model"), key="use_config", on_click=_use)
    said: ReadModel | Message | None = st.session_state.get(SAID)
    if isinstance(said, Message):
        st.error(escaped(_.message(said)))
    elif said is not None:
        text = _("{name}: {total:,.2f} billion parameters, {active:,.2f} of them for a token (counted).")
        st.success(escaped(text.format(name=state.option(OWN_MODEL), total=said.model.total_billions,
                                       active=said.model.active_billions)))  # fmt: skip
        for each in said.assumed:
            st.caption(escaped(_.message(each)))


def _use() -> None:
    """Take the model over; what cannot be read leaves the one before, with the reason."""
    text = str(st.session_state.get(TEXT, ""))
    try:
        found = read_config(text)
    except SpecmodelError as error:
        st.session_state[SAID] = error.message
        return
    st.session_state[SAID] = found
    state.set_option("prec", OWN)
    state.set_option(OWN_MODEL, name_of(text, found))
    state.set_group(found.model)


def name_of(text: str, found: ReadModel) -> str:
    """The name that the file gives itself, else its architecture and size.

    >>> name_of('{"_name_or_path": "org/some-7B"}', read_config(EXAMPLE))
    'some-7B'
    >>> name_of("{}", read_config(EXAMPLE))
    'llama 8.03B'
    """
    given = json.loads(text).get("_name_or_path")
    name = str(given).rstrip("/").rpartition("/")[2].strip() if isinstance(given, str) else ""
    return name[:60] or f"{found.architecture} {found.model.total_billions:.3g}B"


EXAMPLE = """{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
"num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "torch_dtype": "bfloat16"}"""
"""The numbers of Llama-3.1-8B."""
