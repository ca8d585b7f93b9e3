"""A whole answer beside its decoding: its prompt is read no faster."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specmodel.serving.answer import LoadAnswer
from specmodel.serving.load import Load
from specmodel.serving.passes import AffinePass, MeasuredPass, Points
from specmodel.serving.served_model import Serving
from specmodel.serving.whole_answer import WholeAnswer, whole_answer


def asked(alpha: float = 0.8, k: int = 3, by_rate: bool = False, **load: Any) -> LoadAnswer:
    return LoadAnswer(Serving(AffinePass(), alpha=alpha), Load(**load), k, 300, 64, 64, by_rate=by_rate)


def found(answer: LoadAnswer) -> WholeAnswer:
    whole = whole_answer(answer)
    assert whole is not None
    return whole


@given(st.floats(0, 0.99), st.integers(1, 8), st.integers(1, 64), st.integers(200, 100_000))
def test_a_prompt_draws_the_gain_towards_none(alpha: float, k: int, batch: int, context: int) -> None:
    whole = found(asked(alpha, k, batch_size=batch, context_tokens=context))
    assert whole.gain is not None
    low, high = sorted((1.0, whole.decoding))
    assert low - 1e-9 <= whole.gain <= high + 1e-9


def test_it_is_the_time_of_prompt_and_tokens() -> None:
    answer = asked(batch_size=4, context_tokens=1150)
    whole, prefill = found(answer), float(AffinePass()(1000, 1, 500))
    plain, ours = (300 * float(each.tpot_ms[3]) + 4 * prefill for each in (answer.plain_engine, answer.fixed_engine))
    assert whole.prompt_tokens == 1000 and whole.computed and whole.prefill_ms == pytest.approx(prefill)
    assert whole.gain == pytest.approx(plain / ours)


def test_a_prefill_that_is_set_is_kept_and_by_rate_is_that_of_the_cards() -> None:
    answer = asked(by_rate=True, request_rate=3, prefill_ms=40)
    whole = found(answer)
    assert not whole.computed and whole.gain == pytest.approx(answer.answer_gain) != pytest.approx(whole.decoding)


def test_prompts_may_saturate_what_decoding_serves() -> None:
    whole = found(asked(by_rate=True, request_rate=2, context_tokens=20_000))
    assert whole.gain is None and whole.decoding > 1


def test_nothing_is_said_without_drafts_without_a_prompt_or_beyond_what_was_measured() -> None:
    assert whole_answer(asked(k=0)) is None
    assert whole_answer(asked(context_tokens=100)) is None
    measured = Serving(MeasuredPass(Points([1, 64], [0, 0], [10, 14])), alpha=0.8)
    assert whole_answer(LoadAnswer(measured, Load(batch_size=2), 3, 300, 16, 16)) is None
