# mypy: disable-error-code="arg-type, no-untyped-call, assignment, dict-item"
"""Measured operators: as the package sums them, within what a pass may be, and against published steps."""

import numpy as np
import pytest

from specmodel.serving.cost_band import off_of_operators, off_of_roofline
from specmodel.serving.hardware import accelerator, accelerators, target_model, target_models
from specmodel.serving.operator_grid import CONTEXTS, REQUESTS, TOKENS, bilinear, decode, encode
from specmodel.serving.operator_passes import ENGINES, Setup, measured_setups, operator_pass
from specmodel.serving.precision import PRECISIONS, at_precision
from specmodel.serving.reached import as_reached
from specmodel.serving.roofline import RooflinePass

LLAMA = Setup("llama31_8b", "h100_sxm", "vllm", "own", 1)
SUMMED = [
    (LLAMA, [6.181, 9.967, 8.692, 19.559]),
    (Setup("llama33_70b", "h200", "trtllm", "fp8_static", 4), [7.939, 9.780, 10.536, 18.189]),
    (Setup("gpt_oss_120b", "h100_sxm", "vllm", "own", 2), [3.710, 8.972, 13.299, 18.922]),
    (Setup("deepseek_v3", "h200", "vllm", "own", 8), [14.069, 23.537, 29.874, 39.434]),
    (Setup("qwen3_235b_a22b", "b200", "sglang", "nvfp4", 4), [5.732, 9.598, 11.891, 16.676]),
]
"""Sums of all operators, in ms, from aiconfigurator-core 0.12.0 itself at aligned token counts, for LOADS."""
LOADS = [(1, 1, 1024), (1, 24, 3000), (4, 16, 2048), (6, 32, 8192)]
# model, accelerator, how many, requests, context, k, ms of a checking pass, ms of a plain step
MAGICDEC = [
    ("llama31_8b", "l40s", 8, 32, 32000, 3, 45.12, 36.62),
    ("llama31_8b", "h100_sxm", 4, 32, 32000, 3, 18.3, 17.32),
    ("llama31_8b", "h100_sxm", 8, 41, 100000, 7, 28.5, 25.96),
    ("llama31_8b", "h100_sxm", 8, 41, 100000, 11, 29.89, 25.9),
    ("llama31_8b", "h100_sxm", 8, 64, 64000, 6, 28.8, 25.52),
    ("llama31_8b", "h100_sxm", 8, 64, 64000, 8, 29.29, 25.48),
    ("vicuna_7b", "l40s", 8, 32, 8000, 2, 42.02, 35.13),
    ("vicuna_7b", "l40s", 8, 64, 8000, 3, 74.85, 62.92),
    ("vicuna_7b", "h100_sxm", 4, 32, 8000, 3, 15.64, 14.85),
    ("vicuna_7b", "h100_sxm", 4, 64, 8000, 4, 27.9, 26.17),
    ("vicuna_7b", "a100_80gb", 8, 32, 1024, 2, 9.55, 8.27),
    ("vicuna_7b", "a100_80gb", 8, 48, 1024, 2, 10.66, 9.41),
    ("vicuna_7b", "a100_80gb", 8, 64, 1024, 2, 13.05, 10.83),
    ("vicuna_7b", "a100_80gb", 8, 128, 1024, 2, 18.87, 14.02),
    ("vicuna_7b", "a100_80gb", 8, 32, 4000, 2, 13.21, 11.89),
    ("vicuna_7b", "a100_80gb", 8, 64, 4000, 2, 21.83, 19.28),
    ("vicuna_7b", "a100_80gb", 8, 128, 4000, 2, 33.82, 28.77),
    ("vicuna_7b", "a100_80gb", 8, 32, 8000, 2, 18.4, 16.53),
    ("vicuna_7b", "a100_80gb", 8, 128, 8000, 2, 53.78, 49.89),
    ("vicuna_7b", "a100_80gb", 8, 32, 16000, 2, 27.79, 26.28),
    ("vicuna_7b", "a100_80gb", 8, 64, 16000, 2, 58.14, 55.08),
    ("vicuna_7b", "a100_80gb", 8, 32, 32000, 2, 47.35, 44.94),
]
"""Tables 1, 2 and 3a of MagicDec (arXiv 2408.11049); its Llama-2-7B has the sizes of Vicuna-7B."""


@pytest.mark.parametrize(("setup", "wanted"), SUMMED, ids=lambda each: getattr(each, "model", ""))
def test_a_table_gives_what_the_package_sums(setup, wanted):
    found = operator_pass(setup)(*np.array(LOADS).T)
    assert found == pytest.approx(wanted, rel=0.01)


def test_every_setup_is_of_a_known_model_and_machine_and_most_presets_are_there():
    setups = measured_setups()
    assert len(setups) > 3000
    known = (target_models(), accelerators(), ENGINES, PRECISIONS)
    for setup in setups:
        keys = (setup.model, setup.accelerator, setup.engine, setup.precision)
        assert all(key in names for key, names in zip(keys, known, strict=True)) and setup.count in (1, 2, 4, 8)
    for engine in ENGINES:
        assert {"h100_sxm", "h200", "b200", "a100_80gb"} <= {s.accelerator for s in setups if s.engine == engine}


def test_every_pass_is_positive_rises_with_tokens_and_lies_near_the_roofline():
    tokens = np.array([1, 2, 3, 7, 8, 15, 33, 64, 100, 257, 400, 513, 1000, 5000])
    q, batch, context = np.array([(1, 1, 1024), (4, 1, 1024), (1, 32, 8192), (4, 32, 1024), (4, 128, 8192)]).T
    for setup in list(measured_setups())[::7]:
        one = operator_pass(setup)
        steps = one(tokens, 1, 1024)
        assert (steps > 0).all() and (np.diff(steps) >= -0.05 * steps[:-1]).all(), setup  # attention is measured too
        model = at_precision(target_model(setup.model), setup.precision)
        chip = as_reached(accelerator(setup.accelerator).replace(count=setup.count), model)
        ratio = one(q, batch, context) / RooflinePass(model, chip)(q, batch, context)
        assert ratio.min() > 0.49 and ratio.max() < 2.02, setup


def test_f_never_falls_and_codes_are_exact_to_two_hundredths_of_a_percent():
    for setup in list(measured_setups())[::50]:
        assert (np.diff(operator_pass(setup).tokens_ms) >= 0).all()
    ms = np.geomspace(1e-4, 1e4, 999)
    assert decode(encode(ms)) == pytest.approx(ms, rel=2.1e-4)


def test_beyond_the_largest_measured_pass_the_last_slope_goes_on_and_it_is_said():
    one = operator_pass(LLAMA)
    assert one.largest == TOKENS[-1] == 16384
    ends = one(np.array([8192, 16384, 24576]), 1, 1)
    assert ends[2] - ends[1] == pytest.approx(ends[1] - ends[0], rel=0.05)


def test_a_table_between_its_points_and_outside():
    table = np.outer(REQUESTS, CONTEXTS)
    assert bilinear(table, 3, 3000) == pytest.approx(9000)
    assert bilinear(table, 0.1, 0) == pytest.approx(1) and bilinear(table, 20000, 1) == pytest.approx(20000)


def test_scalars_and_arrays_agree():
    one = operator_pass(LLAMA)
    grid = one(np.array([1, 4]), np.array([[1], [33]]), 700)
    for i, j in np.ndindex(2, 2):
        assert grid[i, j] == pytest.approx(float(one([1, 4][j], [1, 33][i], 700)))


def test_published_steps_lie_in_the_stated_bands():
    """Nine of ten should; the steps that do not are all of eight A100 with 1,024 tokens, where launches dominate."""
    plain, check, outside = 0, 0, set()
    for name, chip, count, batch, context, k, check_ms, plain_ms in MAGICDEC:
        model, setup = target_model(name), Setup(name, chip, "vllm", "own", count)
        if setup in measured_setups():
            pass_ms, off = operator_pass(setup), off_of_operators("vllm")
        else:
            machine = as_reached(accelerator(chip).replace(count=count), model)
            pass_ms, off = RooflinePass(model, machine), off_of_roofline(model)
        step, longer = (float(pass_ms(q, batch, context)) for q in (1, k + 1))
        holds = off.plain[0] <= plain_ms / step <= off.plain[1]
        plain += holds
        check += off.check[0] <= (check_ms / plain_ms) / (longer / step) <= off.check[1]
        outside |= set() if holds else {(chip, context)}
    assert check == len(MAGICDEC) and plain >= len(MAGICDEC) - 5
    assert outside <= {("a100_80gb", 1024), ("a100_80gb", 4000)}
