"""Snippets to paste: valid in their language, with option names that have a source, and refused where impossible."""

import json
import re
import shlex
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError, Verbatim
from specmodel.engine import config_text as snippets_text
from specmodel.engine.config import MAX_K, Request, SnippetError, methods, snippet, synthetic_snippet
from specmodel.model.acceptance import Acceptance

ENGINES = ("vLLM", "SGLang", "llama.cpp", "TensorRT-LLM")
EVERY = [(engine, method.key) for engine in ENGINES for method in methods(engine)]
WITH_SCHEDULE = ("vLLM", "TensorRT-LLM")

# Where an option name was read. `wheel` and `master` are what the reference of the engines' formats was written from.
VLLM_CONFIG = "vllm/config/speculative.py, wheel 0.33.0"
VLLM_CLI = "docs/features/speculative_decoding/dynamic_speculative_decoding.md, commit 015a47e"
SGLANG_WHEEL = "sglang 0.5.23, wheel"
SGLANG_DOCS = "docs_new/docs/advanced_features/speculative_decoding.mdx, commit 16974b8"
LLAMA = "tools/server/README.md, commit 00dc805"
TRT_DOCS = "docs/source/features/speculative-decoding.md, commit 04c8822"
TRT_ARGS = "tensorrt_llm/llmapi/llm_args.py; API reference 1.4.0rc4"
OPTIONS = {
    "vLLM": {
        "--speculative-config": VLLM_CLI,
        "method": VLLM_CONFIG,
        "model": VLLM_CONFIG,
        "num_speculative_tokens": VLLM_CONFIG,
        "num_speculative_tokens_per_batch_size": VLLM_CONFIG,
        "parallel_drafting": VLLM_CONFIG,
        "prompt_lookup_max": VLLM_CONFIG,
        "rejection_sample_method": VLLM_CONFIG,
        "synthetic_acceptance_rates": VLLM_CONFIG,
    },
    "SGLang": {
        "-m": "python",
        "--model-path": SGLANG_DOCS,
        "--speculative-algorithm": SGLANG_DOCS,
        "--speculative-draft-model-path": SGLANG_DOCS,
        "--speculative-num-steps": SGLANG_WHEEL,
        "--speculative-eagle-topk": SGLANG_WHEEL,
        "--speculative-num-draft-tokens": SGLANG_WHEEL,
        "--speculative-ngram-max-bfs-breadth": SGLANG_DOCS,
    },
    "llama.cpp": {
        "-m": LLAMA,
        "-md": LLAMA,
        "--spec-type": LLAMA,
        "--spec-draft-n-max": LLAMA,
        "--spec-ngram-simple-size-m": LLAMA,
    },
    "TensorRT-LLM": {
        "speculative_config": TRT_DOCS,
        "decoding_type": TRT_DOCS,
        "max_draft_len": TRT_DOCS,
        "speculative_model": TRT_DOCS,
        "disable_overlap_scheduler": TRT_DOCS,
        "draft_len_schedule": TRT_ARGS,
    },
}
NAMES = {
    "vLLM": {"ngram", "suffix", "draft_model", "eagle", "eagle3", "dflash", "mtp"},
    "SGLang": {"EAGLE", "EAGLE3", "NEXTN", "STANDALONE", "NGRAM", "DFLASH", "DSPARK", "UNO"},
    "llama.cpp": {"none", "draft-simple", "draft-eagle3", "draft-mtp", "ngram-simple"},
    "TensorRT-LLM": {"MTP", "Eagle3", "NGram", "DraftTarget", "PARD", "DFlash", "SA"},
}


def vllm_config(text: str) -> dict:
    words = shlex.split(text)
    assert words[:3] == ["vllm", "serve", "YOUR_MODEL"]
    assert "\n" not in text
    config: dict = json.loads(words[words.index("--speculative-config") + 1])
    return config


def flags(text: str) -> dict[str, str]:
    words = shlex.split(text)
    return {word: value for word, value in pairwise(words) if word.startswith("-")}


def yaml_keys(text: str) -> dict[str, str]:
    """Keys of the plain block mappings that these files consist of, with their values ("" above a mapping)."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = [re.fullmatch(r"(?:  ){0,2}(\w+):(?: (\S+))?", line) for line in lines]
    assert all(found), text
    return {match[1]: match[2] or "" for match in found if match}


def said(found) -> str:
    return " ".join(map(str, found.notes))


def option_names(engine: str, text: str) -> set[str]:
    if engine == "TensorRT-LLM":
        return {key for key in yaml_keys(text) if not key.isdigit()}
    names = set(flags(text))
    return names | (set(vllm_config(text)) if "--speculative-config" in names else set())


@pytest.mark.parametrize(("engine", "method"), EVERY)
@pytest.mark.parametrize("k", [0, 1, 5, MAX_K])
def test_every_option_name_has_a_source(engine, method, k):
    schedule = ((8, k), (64, k // 2), (512, 0)) if k and engine in WITH_SCHEDULE else ()
    found = snippet(Request(engine, method, k, schedule))
    assert option_names(engine, found.text) <= OPTIONS[engine].keys()
    assert (found.engine, found.language) == (engine, "yaml" if engine == "TensorRT-LLM" else "shell")
    assert found.version and found.source
    assert found.notes or k
    assert all(str(note) for note in found.notes)


@pytest.mark.parametrize(("engine", "method"), EVERY)
def test_placeholders_are_what_the_text_holds(engine, method):
    found = snippet(Request(engine, method, 3))
    assert set(found.placeholders) == set(re.findall(r"YOUR_[A-Z]+(?:\.gguf)?", found.text))
    assert set(found.placeholders) <= snippets_text.PLACEHOLDERS.keys()
    needs = next(each.needs_drafter for each in methods(engine) if each.key == method)
    assert any("DRAFTER" in name for name in found.placeholders) == needs


@pytest.mark.parametrize("engine", ENGINES)
def test_methods_have_the_engines_own_names(engine):
    assert {method.name for method in methods(engine)} <= NAMES[engine]
    assert len({method.key for method in methods(engine)}) == len(methods(engine))


def test_vllm_schedule_is_contiguous_and_bounded_by_the_startup_maximum():
    config = vllm_config(snippet(Request("vLLM", "eagle3", 5, ((16, 5), (128, 1), (512, 0)))).text)
    assert config == {
        "method": "eagle3",
        "model": "YOUR_DRAFTER",
        "num_speculative_tokens": 5,
        "num_speculative_tokens_per_batch_size": [[1, 16, 5], [17, 128, 1], [129, 512, 0]],
    }


def test_vllm_says_what_a_schedule_costs():
    notes = said(snippet(Request("vLLM", "eagle3", 3, ((16, 3), (512, 0)))))
    assert "444.6 tokens/s" in notes and "548.6" in notes and "−19 %" in notes
    assert "data parallelism" in notes
    assert "Beyond batch size 512 vLLM goes on with the last K, 0" in notes
    assert "444.6" not in said(snippet(Request("vLLM", "eagle3", 3, ((16, 3), (512, 1)))))


def test_vllm_takes_a_schedule_that_rises_and_doubts_it():
    assert "rises with the batch size" in said(snippet(Request("vLLM", "eagle3", 3, ((16, 1), (512, 3)))))


def test_vllm_says_which_methods_schedules_were_tested_with():
    assert "EAGLE-3 and DFlash only" in said(snippet(Request("vLLM", "mtp", 3, ((16, 3), (512, 1)))))
    assert "DFlash only" not in said(snippet(Request("vLLM", "eagle3", 3, ((16, 3), (512, 1)))))


def test_vllm_methods_with_a_need_of_their_own():
    assert vllm_config(snippet(Request("vLLM", "ngram", 3)).text)["prompt_lookup_max"] == 4
    pard = vllm_config(snippet(Request("vLLM", "pard", 3)).text)
    assert (pard["method"], pard["parallel_drafting"]) == ("draft_model", True)


def test_vllm_off_leaves_the_option_out():
    found = snippet(Request("vLLM", "eagle3", 0))
    assert found.text == "vllm serve YOUR_MODEL"
    assert "left out" in said(found)
    assert snippet(Request("vLLM", "eagle3", 0, ((512, 0),))).text == found.text


@given(st.lists(st.floats(0, 1), min_size=1, max_size=MAX_K))
def test_synthetic_rates_pass_what_vllm_checks(rates):
    """Length k, each in [0, 1], never rising: `_resolve_synthetic_acceptance_rates` of vllm/config/speculative.py."""
    measured = Acceptance.from_per_position(sorted(rates, reverse=True))
    config = vllm_config(synthetic_snippet(measured).text)
    written = config["synthetic_acceptance_rates"]
    assert config["rejection_sample_method"] == "synthetic"
    assert len(written) == config["num_speculative_tokens"] == len(rates)
    assert all(0 <= rate <= 1 for rate in written)
    assert all(later <= earlier for earlier, later in pairwise(written))
    assert written == pytest.approx(measured.per_position_acceptance, abs=5.1e-5)


def test_synthetic_names_the_length_to_expect():
    notes = said(synthetic_snippet(Acceptance.from_per_position([0.76, 0.59, 0.45]), "mtp"))
    assert "mean acceptance length of 2.80" in notes and "measuring" in notes


@pytest.mark.parametrize("k", [0, MAX_K + 1])
def test_synthetic_needs_a_length_that_can_be_configured(k):
    with pytest.raises(SnippetError):
        synthetic_snippet(Acceptance.iid(0.5, k))


@pytest.mark.parametrize("method", ["draft_model", "eagle", "eagle3", "mtp"])
def test_sglang_counts_the_root(method):
    found = snippet(Request("SGLang", method, 3))
    given_flags = flags(found.text)
    assert given_flags["--speculative-num-steps"] == "3"
    assert given_flags["--speculative-eagle-topk"] == "1"
    assert given_flags["--speculative-num-draft-tokens"] == "4"
    assert "counts the root: 4 there means 3" in said(found)


def test_sglang_lookup_is_a_chain():
    given_flags = flags(snippet(Request("SGLang", "ngram", 3)).text)
    assert given_flags["--speculative-algorithm"] == "NGRAM"
    assert given_flags["--speculative-num-draft-tokens"] == "4"
    assert given_flags["--speculative-ngram-max-bfs-breadth"] == "1"
    assert "--speculative-num-steps" not in given_flags


def test_llama_cpp():
    found = snippet(Request("llama.cpp", "draft_model", 5))
    assert (
        found.text
        == "llama-server -m YOUR_MODEL.gguf -md YOUR_DRAFTER.gguf --spec-type draft-simple --spec-draft-n-max 5"
    )
    assert "drafts 3 tokens" in said(found) and "--spec-draft-p-min" in said(found)
    assert flags(snippet(Request("llama.cpp", "draft_model", 0)).text)["--spec-type"] == "none"
    assert flags(snippet(Request("llama.cpp", "ngram", 5)).text)["--spec-ngram-simple-size-m"] == "5"


@pytest.mark.parametrize("engine", ["SGLang", "llama.cpp"])
def test_engines_without_a_schedule_say_so(engine):
    found = snippet(Request(engine, "eagle3", 5, ((16, 5), (512, 0))))
    assert f"{engine} takes no schedule" in said(found)
    assert found.text == snippet(Request(engine, "eagle3", 5)).text


def test_tensorrt_llm():
    found = snippet(Request("TensorRT-LLM", "draft_model", 4, ((4, 4), (8, 2), (32, 1))))
    assert found.text.splitlines()[1:] == [
        "speculative_config:",
        "  decoding_type: DraftTarget",
        "  max_draft_len: 4",
        "  speculative_model: YOUR_DRAFTER",
        "  draft_len_schedule:",
        "    4: 4",
        "    8: 2",
        "    32: 1",
        "disable_overlap_scheduler: true",
    ]
    assert found.text.startswith("# Option names: NVIDIA/TensorRT-LLM")
    assert "Beyond batch size 32 TensorRT-LLM switches speculation off" in said(found)
    assert not yaml_keys(snippet(Request("TensorRT-LLM", "eagle3", 0)).text)


def test_tensorrt_llm_wants_the_longest_draft_first():
    with pytest.raises(SnippetError, match="in the first tier"):
        snippet(Request("TensorRT-LLM", "eagle3", 4, ((4, 2), (8, 4))))


def test_measured_acceptance_is_told():
    measured = Acceptance.from_per_position([0.76, 0.59, 0.45])
    assert "promises 2.35 tokens per round" in said(snippet(Request("vLLM", "eagle3", 2, acceptance=measured)))
    assert "only up to 3" in said(snippet(Request("vLLM", "eagle3", 5, acceptance=measured)))


def test_numbers_of_numpy_are_whole_numbers_too():
    three: Any = np.int64(3)
    wanted = Request("vLLM", "eagle3", three, ((three + 5, three),))
    assert wanted == Request("vLLM", "eagle3", 3, ((8, 3),))
    assert vllm_config(snippet(wanted).text)["num_speculative_tokens_per_batch_size"] == [[1, 8, 3]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Ollama", "draft_model", 3), "Ollama.*vLLM, SGLang"),
        (("vLLM", "medusa", 3), "medusa.*draft_model, eagle"),
        (("SGLang", "suffix", 3), "SGLang has no method suffix"),
        (("vLLM", "eagle3", -1), "-1 .*from 0 to 64"),
        (("vLLM", "eagle3", 65), "65 .*from 0 to 64"),
        (("vLLM", "eagle3", 2.5), "2.5 .*whole number"),
        (("vLLM", "eagle3", float("nan")), "nan .*whole number"),
        (("vLLM", "eagle3", 3, ((64, 3), (16, 1))), r"rise.*\[64, 16\]"),
        (("vLLM", "eagle3", 3, ((16, 3), (16, 1))), r"rise.*\[16, 16\]"),
        (("vLLM", "eagle3", 3, ((0, 3),)), r"rise from 1.*\[0\]"),
        (("vLLM", "eagle3", 3, ((1.5, 3),)), r"whole numbers.*\[1.5\]"),
        (("vLLM", "eagle3", 3, ((16, 3), (64, -1))), "-1 "),
        (("vLLM", "eagle3", 3, ((16, 5),)), r"3; got \[5\]"),
        (("vLLM", "eagle3", 3, ((16, 2),)), r"3; got \[2\]"),
    ],
)
def test_impossible_requests_are_refused(arguments, said):
    with pytest.raises(SnippetError, match=said) as refused:
        snippet(Request(*arguments))
    assert isinstance(refused.value, SpecmodelError)


def test_names_from_outside_are_never_translated():
    with pytest.raises(SnippetError) as refused:
        methods("vllm")
    assert isinstance(refused.value.message.values["engine"], Verbatim)
