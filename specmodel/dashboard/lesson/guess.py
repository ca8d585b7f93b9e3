"""A question of a lesson on the screen: the guess, and then the answer beside it.

A guess stays with its visitor: it is not in the link.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from specmodel.dashboard.lesson.steps import Question, Step
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.dashboard.session.translation import Translator


def guessing() -> bool:
    """Whether questions ask for a guess before they show their answer."""
    return bool(state.option("guess") == "1")


def is_answered(page: Page, step: Step) -> bool:
    """Whether nothing waits for the question of a step: it has none, it was answered, or nobody is to guess."""
    return step.question is None or not guessing() or bool(st.session_state.get(f"{_name(page, step.key)}:out"))


def _name(page: Page, key: str) -> str:
    return f"guess:{page.key}.{key}"


def asked(page: Page, step: Step, show: Callable[[Sequence[str]], None]) -> bool:
    """Draw the question of a step; whether its answer is out. `show` draws the parts that the guess starts from."""
    if step.question is None:
        return True
    _, name, question = page.translate, _name(page, step.key), step.question.with_answer_in_range()
    with st.container(border=True, key=f"follows_{page.key}_{step.key}"):
        st.markdown(f"**{_('Predict first:')}** {question.text}")
        if not st.session_state.get(f"{name}:out"):
            _ask(name, question, _)
            show(question.given)
            return False
        st.markdown(_.sentences(_verdict(name, question, _), question.why))
        st.button(_("Guess again"), key=f"{name}:again", on_click=_hide, args=(name,), type="tertiary")
    return True


def _ask(name: str, question: Question, translate: Translator) -> None:
    """The slider for the guess, and the button that shows the answer."""
    middle = question.low + round((question.high - question.low) / 2 / question.step) * question.step
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.slider(
            translate("Your guess"),
            min_value=float(question.low),
            max_value=float(question.high),
            value=float(middle),
            step=float(question.step),
            format=f"%{question.format.replace(',', '')}",
            key=name,
            width=420,
            on_change=_touch,
            args=(name,),
        )
        arguments = (name, question.show(question.answer))
        st.button(translate("Reveal"), key=f"{name}:reveal", on_click=_reveal, args=arguments, type="primary")


def _verdict(name: str, question: Question, translate: Translator) -> str:
    """The guess beside the answer that it was made for; the answer alone where nobody guessed."""
    _, answer = translate, question.show(question.answer)
    guess, then = st.session_state.get(f"{name}:kept", (None, answer))
    if guess is None:
        return _("It is **{answer}**.").format(answer=answer)
    if then == answer:
        return _("You guessed {guess}; it is **{answer}**.").format(guess=question.show(guess), answer=answer)
    text = _("You guessed {guess} where it was {asked}; now it is **{answer}**.")
    return text.format(guess=question.show(guess), asked=then, answer=answer)


def _touch(name: str) -> None:
    st.session_state[f"{name}:touched"] = True


def _reveal(name: str, answer: str) -> None:
    touched = st.session_state.get(f"{name}:touched")
    st.session_state[f"{name}:kept"] = (float(st.session_state[name]) if touched else None, answer)
    st.session_state[f"{name}:out"] = True


def _hide(name: str) -> None:
    st.session_state[f"{name}:out"] = False
