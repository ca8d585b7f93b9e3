"""Snippets to paste: valid in their language, with option names that have a source, and refused where impossible."""

import ast
import json
import re
import shlex
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError, Verbatim
from specmodel.engine.setting import (
    ENGINES,
    MAX_K,
    PLACEHOLDERS,
    Request,
    SnippetError,
    methods,
    snippet,
    synthetic_snippet,
    usable_name,
)
from specmodel.model.acceptance import Acceptance

EVERY = [(engine, method.key) for engine in ENGINES for method in methods(engine)]
WITH_SCHEDULE = ("vLLM", "TensorRT-LLM", "SGLang")

# Where an option name was read. `wheel` and `master` are what the reference of the engines' formats was written from.
VLLM_CONFIG = "vllm/config/speculative.py, wheel 0.33.0"
VLLM_CLI = "docs/features/speculative_decoding/dynamic_speculative_decoding.md, commit 015a47e"
SGLANG_WHEEL = "sglang 0.5.23, wheel"
SGLANG_DOCS = "docs_new/docs/advanced_features/speculative_decoding.mdx, commit 16974b8"
LLAMA = "tools/server/README.md, commit 00dc805"
TRT_DOCS = "docs/source/features/speculative-decoding.md, commit 04c8822"
SGLANG_ADAPTIVE = "sglang/srt/speculative/adaptive_spec_params.py, wheel 0.5.23"
LMDEPLOY = "lmdeploy/cli/utils.py and serve.py, wheel 0.18.0 of 2026-09-28"
MLC = "python/mlc_llm/cli/serve.py, commit 01ced33"
OLLAMA = "docs/modelfile.mdx, commit 071c82b; parser/parser.go, commit 00dc3af"
LM_STUDIO = "lmstudio 1.5.0, wheel: the prediction config of its SDK models"
OMLX = "omlx/model_settings.py, commit 0029d71"
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
        "--speculative-adaptive": SGLANG_WHEEL,
        "--speculative-adaptive-config": SGLANG_ADAPTIVE,
        "candidate_steps": SGLANG_ADAPTIVE,
    },
    "llama.cpp": {
        "-m": LLAMA,
        "-md": LLAMA,
        "--spec-type": LLAMA,
        "--spec-draft-n-max": LLAMA,
        "--spec-ngram-simple-size-m": LLAMA,
    },
    "TensorRT-LLM": {
        "--config": TRT_DOCS,
        "speculative_config": TRT_DOCS,
        "decoding_type": TRT_DOCS,
        "max_draft_len": TRT_DOCS,
        "speculative_model": TRT_DOCS,
        "disable_overlap_scheduler": TRT_DOCS,
        "draft_len_schedule": TRT_ARGS,
    },
    "LMDeploy": {
        "--backend": LMDEPLOY,
        "--speculative-algorithm": LMDEPLOY,
        "--speculative-draft-model": LMDEPLOY,
        "--speculative-num-draft-tokens": LMDEPLOY,
    },
    "MLC-LLM": {"--speculative-mode": MLC, "--additional-models": MLC, "--overrides": MLC, "spec_draft_length": MLC},
    "Ollama": {"-f": "ollama create", "FROM": OLLAMA, "DRAFT": OLLAMA, "draft_num_predict": OLLAMA},
    "LM Studio": {"draftModel": LM_STUDIO, "speculativeDecodingNumDraftTokensExact": LM_STUDIO},
    "oMLX": {
        "mtp_enabled": OMLX,
        "mtp_fixed_draft_depth": OMLX,
        "dflash_enabled": OMLX,
        "dflash_draft_model": OMLX,
    },
}
NAMES = {
    "vLLM": {"ngram", "suffix", "draft_model", "eagle", "eagle3", "dflash", "mtp"},
    "SGLang": {"EAGLE", "EAGLE3", "NEXTN", "STANDALONE", "NGRAM", "DFLASH", "DSPARK", "UNO"},
    "llama.cpp": {"none", "draft-simple", "draft-eagle3", "draft-mtp", "ngram-simple", "draft-dflash"},
    "TensorRT-LLM": {"MTP", "Eagle3", "NGram", "DraftTarget", "PARD", "DFlash", "SA"},
    "LMDeploy": {"eagle", "eagle3", "deepseek_mtp", "hy3_mtp", "qwen3_5_mtp", "dflash"},
    "MLC-LLM": {"disable", "small_draft", "eagle", "medusa"},
    "Ollama": {"DRAFT", "draft_num_predict"},
    "LM Studio": {"draftModel"},
    "oMLX": {"mtp_enabled", "dflash_enabled"},
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


def parts(text: str) -> tuple[dict[str, str], list[str]]:
    """The files that a snippet writes, by name, and the words of its last command, as a shell reads them."""
    files = dict(re.findall(r"^cat > (\S+) <<'EOF'\n(.*?)\nEOF$", text, re.S | re.M))
    return files, shlex.split(re.sub(r"^cat > .*?\nEOF$", "", text, flags=re.S | re.M))


def keys_of(value: Any) -> set[str]:
    """The names in nested mappings, those of numbers left out."""
    if not isinstance(value, dict):
        return set()
    return {str(key) for key in value if not str(key).isdigit()}.union(*map(keys_of, value.values()))


def said(found) -> str:
    return " ".join(map(str, found.notes))


def option_names(engine: str, text: str) -> set[str]:
    if engine == "LM Studio":
        configs = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Dict)]
        return {str(key.value) for found in configs for key in found.keys if isinstance(key, ast.Constant)}
    if engine == "oMLX":
        (entry,) = json.loads(text)["models"].values()
        return set(entry)
    files, words = parts(text)
    names = {word for word in words if word.startswith("-")}
    if engine == "Ollama":
        lines = [line.split() for line in files["Modelfile"].splitlines()]
        return names | {line[1] if line[0] == "PARAMETER" else line[0] for line in lines}
    if engine == "MLC-LLM":
        return names | {word.split("=")[0] for word in words if "=" in word}
    found = keys_of(json.loads(words[-1])) if "--speculative-config" in names else set()
    return names | found.union(*(keys_of(yaml.safe_load(content)) for content in files.values()))


@pytest.mark.parametrize(("engine", "method"), EVERY)
@pytest.mark.parametrize("k", [0, 1, 5, MAX_K])
def test_every_option_name_has_a_source(engine, method, k):
    schedule = ((8, k), (64, k // 2), (512, 0)) if k and engine in WITH_SCHEDULE else ()
    found = snippet(Request(engine, method, k, schedule))
    assert option_names(engine, found.text) <= OPTIONS[engine].keys()
    assert found.engine == engine and found.text
    assert found.version and found.source
    assert found.notes or k
    assert all(str(note) for note in found.notes)


@pytest.mark.parametrize(("engine", "method"), EVERY)
def test_placeholders_are_what_the_text_holds(engine, method):
    found = snippet(Request(engine, method, 3))
    assert set(found.placeholders) == set(re.findall(r"YOUR_[A-Z_]+(?:\.gguf)?", found.text))
    assert set(found.placeholders) <= PLACEHOLDERS.keys()
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


@pytest.mark.parametrize("engine", ["llama.cpp", "LMDeploy"])
def test_engines_without_a_schedule_say_so(engine):
    found = snippet(Request(engine, "eagle3", 5, ((16, 5), (512, 0))))
    assert f"{engine} takes no schedule" in said(found)
    assert found.text == snippet(Request(engine, "eagle3", 5)).text


def test_tensorrt_llm():
    found = snippet(Request("TensorRT-LLM", "draft_model", 4, ((4, 4), (8, 2), (32, 1))))
    files, words = parts(found.text)
    assert words == ["trtllm-serve", "YOUR_MODEL", "--config", "speculation.yaml"]
    assert yaml.safe_load(files["speculation.yaml"]) == {
        "speculative_config": {
            "decoding_type": "DraftTarget",
            "max_draft_len": 4,
            "speculative_model": "YOUR_DRAFTER",
            "draft_len_schedule": {4: 4, 8: 2, 32: 1},
        },
        "disable_overlap_scheduler": True,
    }
    assert "Beyond batch size 32 TensorRT-LLM switches speculation off" in said(found)
    assert snippet(Request("TensorRT-LLM", "eagle3", 0)).text == "trtllm-serve YOUR_MODEL"


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
        (("Ollamas", "draft_model", 3), "Ollamas.*vLLM, SGLang"),
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


def test_sglang_takes_a_schedule_as_one_candidate_per_batch_size():
    """As `_load_adaptive_config` reads it: keys of digits, lists of whole numbers, the fixed steps among them."""
    found = snippet(Request("SGLang", "eagle3", 5, ((16, 5), (128, 2), (512, 0))))
    files, words = parts(found.text)
    config = json.loads(files[words[words.index("--speculative-adaptive-config") + 1]])
    assert config == {"1": {"candidate_steps": [5]}, "17": {"candidate_steps": [2]}, "129": {"candidate_steps": [0]}}
    assert "--speculative-adaptive" in words and words[words.index("--speculative-num-steps") + 1] == "5"
    assert "takes no schedule" in said(snippet(Request("SGLang", "mtp", 5, ((16, 5), (128, 2)))))


def test_what_a_request_may_switch_off_is_told():
    assert '"draft_num_predict": 0' in said(snippet(Request("Ollama", "mtp", 3)))
    assert "leaving `draftModel` out" in said(snippet(Request("LM Studio", "draft_model", 3)))
    assert "No switch for a single request was found in vLLM 0.33.0" in said(snippet(Request("vLLM", "mtp", 3)))


def test_omlx_says_what_it_cannot_set():
    longer = snippet(Request("oMLX", "mtp", 12))
    assert json.loads(longer.text)["models"]["YOUR_MODEL"]["mtp_fixed_draft_depth"] == 8
    assert "12 became 8" in said(longer)
    assert "cannot be set" in said(snippet(Request("oMLX", "dflash", 5)))
    off = json.loads(snippet(Request("oMLX", "mtp", 0)).text)["models"]["YOUR_MODEL"]
    assert not any(off.values())


HOSTILE = ["a b", "a'b", 'a"b', "$(reboot)", "`id`", "a;b", "a\\b", "a: b", "# x", "日本語", "a${HOME}b", "*", "%s{0}"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_measured_name_stays_one_word_whatever_is_in_it(engine, name):
    method = methods(engine)[0].key
    found = snippet(Request(engine, method, 3, model=name))
    plain = snippet(Request(engine, method, 3))
    if engine == "LM Studio":
        calls = [node.value for node in ast.walk(ast.parse(found.text)) if isinstance(node, ast.Constant)]
        assert name in calls
    elif engine == "oMLX":
        assert list(json.loads(found.text)["models"]) == [name]
    else:
        files, words = parts(found.text)
        expected, command = parts(plain.text)
        assert words == [name if word == "YOUR_MODEL" else word for word in command]
        shown = name if '"' not in name else "YOUR_MODEL"
        assert files == {key: text.replace("YOUR_MODEL", shown) for key, text in expected.items()}


@pytest.mark.parametrize("name", ["", " ", "-m", "--help", "a\nb", "a\x00b", "\u202eabc", "x" * 201, None])
def test_what_cannot_be_a_name_leaves_the_placeholder(name):
    assert usable_name(name) is None
    assert snippet(Request("vLLM", "mtp", 3, model=name)).text == snippet(Request("vLLM", "mtp", 3)).text


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", [None, *HOSTILE])
def test_the_kubernetes_form_says_what_the_command_line_says(engine, name):
    for method in methods(engine):
        for k, schedule in ((0, ()), (5, ((8, 5), (64, 2)))):
            found = snippet(Request(engine, method.key, k, schedule, model=name))
            if engine in ("Ollama", "LM Studio", "oMLX"):
                assert found.kubernetes is None
                continue
            assert found.kubernetes is not None
            container, *more = yaml.safe_load_all(found.kubernetes)
            files, words = parts(found.text)
            given = [*container["command"], *(word.replace("$$(", "$(") for word in container["args"])]
            assert given == [f"/etc/speculation/{word}" if word in files else word for word in words]
            assert "$(" not in " ".join(container["args"]).replace("$$(", "")
            assert len(more) == (2 if files else 0)
            if files:
                assert container["volumeMounts"][0]["name"] == more[0]["volumes"][0]["name"]
                assert {key: text.rstrip() for key, text in more[1]["data"].items()} == files
