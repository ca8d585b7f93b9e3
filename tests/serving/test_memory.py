import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.base.messages import SpecmodelError
from specmodel.serving.bill import per_million_tokens
from specmodel.serving.hardware import Accelerator, target_model
from specmodel.serving.memory import MOST_SEQUENCES, capacity
from specmodel.serving.target_model import TargetModel
from tests.domains import accelerators as any_accelerator
from tests.domains import models


def test_capacity_by_hand():
    """Two H100 at 90 %: 144e9 bytes; 16.06e9 for Llama-3.1-8B; 4,096 tokens take 0.5 GiB, not 0.5 GB."""
    found = capacity(TargetModel(), Accelerator(count=2), 4096)
    assert (found.usable_bytes, found.weight_bytes, found.sequence_bytes) == pytest.approx((144e9, 16.06e9, 2**29))
    assert found.left_bytes == pytest.approx(127.94e9) and found.sequences == 238
    drafted = capacity(TargetModel(), Accelerator(count=2), 4096, drafter_billions=1.24, drafter_cache_bytes=32768)
    assert (drafted.weight_bytes, drafted.sequence_bytes) == pytest.approx((18.54e9, 2**29 + 2**27))
    assert drafted.sequences == 186


def test_weights_that_do_not_fit_leave_no_sequence():
    found = capacity(target_model("llama33_70b"), Accelerator(), 1024)
    assert found.left_bytes < 0 and found.sequences == 0


def test_a_sequence_without_a_cache_has_no_limit():
    assert capacity(TargetModel(), Accelerator(), 0).sequences is None


@pytest.mark.parametrize("cache", [0, 1e-305, 1e-9])
def test_next_to_no_cache_has_no_limit_either(cache):
    assert capacity(TargetModel(kv_bytes_full=cache), Accelerator(), 1).sequences is None


def test_the_limit_is_more_than_any_engine_runs():
    """55.94 GB are left: sequences of 55.94 bytes are a thousand million, of 56 bytes fewer."""
    model, chip = TargetModel(), Accelerator()
    assert capacity(model.replace(kv_bytes_full=56), chip, 1).sequences == 998_928_571
    assert capacity(model.replace(kv_bytes_full=55.9), chip, 1).sequences is None


def test_weights_that_do_not_fit_leave_none_even_without_a_cache():
    assert capacity(target_model("llama33_70b"), Accelerator(), 0).sequences == 0


@pytest.mark.parametrize("context", [-1, math.nan, math.inf])
def test_a_context_that_none_has_is_refused(context):
    with pytest.raises(SpecmodelError, match=f"context_tokens = {context} is not a number of at least 0"):
        capacity(TargetModel(), Accelerator(), context)


@given(models(), any_accelerator, st.integers(1, 10_000_000), st.floats(0, 1e5), st.floats(0, 1e9))
def test_capacity_is_monotone(model, chip, context, billions, cache):
    def fit(*args, **drafter):
        found = capacity(*args, **drafter)
        fits = MOST_SEQUENCES if found.sequences is None else found.sequences
        assert 0 <= fits <= MOST_SEQUENCES
        assert fits == 0 or fits * found.sequence_bytes <= found.left_bytes * (1 + 1e-12)
        assert found.sequences is None or (fits + 1) * found.sequence_bytes >= found.left_bytes * (1 - 1e-12)
        return fits

    most = fit(model, chip, context)
    assert fit(model, chip, 2 * context) <= most <= fit(model, dataclasses.replace(chip, memory_fraction=1.0), context)
    assert fit(model, chip, context, drafter_billions=billions) <= most
    assert fit(model, chip, context, drafter_cache_bytes=cache) <= most


@given(st.floats(0, 1e5), st.floats(1e-3, 1e7))
def test_cost_of_a_million_tokens(per_hour, speed):
    seconds = 1e6 / speed
    assert per_million_tokens(per_hour / 3600, speed) == pytest.approx(per_hour * seconds / 3600)
