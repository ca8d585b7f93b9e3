"""What Serving says of a whole answer: beside decoding, or that the prompts are too much, or nothing."""

from specmodel.dashboard.parts.answer import Note
from specmodel.dashboard.serving.answer import answer
from specmodel.dashboard.session.chosen import read_link
from specmodel.dashboard.session.translation import translator

MACHINE = {"llm": "llama33_70b", "gpus": "4", "tokens": "300"}


def said(**query: str) -> str:
    chosen, wrong = read_link(MACHINE | query)
    assert not wrong
    part = answer(chosen, translator("en")).parts["at_rate"]
    note = part() if callable(part) else part
    assert isinstance(note, Note)
    return note.text


def test_a_whole_answer_is_said_beside_its_decoding_by_batch_and_by_rate() -> None:
    for query in ({"batch": "64"}, {"load_by": "rate", "rps": "2"}):
        assert "A whole answer is" in said(**query) and "computed as one pass" in said(**query)
    assert "takes 90 ms (as set) either way" in said(batch="64", prefill="90")


def test_prompts_that_are_too_much_for_the_rate_are_said() -> None:
    assert "cannot serve this rate" in said(load_by="rate", rps="8", ctx="4000")


def test_nothing_is_said_of_an_answer_that_fills_the_context() -> None:
    assert "whole answer" not in said(ctx="128").lower()
