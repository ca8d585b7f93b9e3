"""What the Learn pages share: steps with a question to answer before its answer is shown, a presenter's view of one
step at a time, and a worksheet to print."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.lesson.experiments import Part, draw_experiments, put_back
from specmodel.dashboard.lesson.plan import LESSONS, PLAN
from specmodel.dashboard.lesson.points import POINTS
from specmodel.dashboard.lesson.worksheet import Planned, Task, worksheet
from specmodel.dashboard.parts.assets import FRONTEND, element
from specmodel.dashboard.parts.downloads import link
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.dashboard.session.translation import Translator

LARGER = 1.3
"""How much larger the type of figures is in front of a class."""

MOVES = {"next": 1, "back": -1}
PAGES = Path(__file__).parents[3] / "pages"
LAST_PART = 20
"""Stands for the last part of whichever lesson."""


@dataclass(frozen=True)
class Question:
    """Something to predict: a text, the range and unit of the answer, the answer, and why it is so, in a sentence.

    `given` draws what the guess starts from, until it is made.
    """

    text: str
    low: float
    high: float
    step: float
    answer: float
    why: str
    unit: str = ""
    format: str = ".2f"
    given: Callable[[], None] | None = None

    def reaching(self) -> "Question":
        """The question with a range that its answer lies in: doubled, on the side that is too short, until it does."""
        low, high = self.low, self.high
        while low > self.answer and low < 0:
            low *= 2
        while high < self.answer:
            high *= 2
        return replace(self, low=low, high=high)

    def show(self, value: float) -> str:
        """A value with its unit."""
        text = format(value, self.format)
        return f"{text}{self.unit}" if self.unit in ("×", "%", "") else f"{text} {self.unit}"


@dataclass(frozen=True)
class Step:
    """One part of a lesson: its title, what it shows, and perhaps a question that comes first."""

    key: str
    title: str
    draw: Callable[[], None]
    question: Question | None = None


def lesson(page: Page, steps: Sequence[Step], opening: Callable[[], None]) -> None:
    """Draw the steps: all of them one below the other, or in front of a class one at a time.

    `opening` draws the answer and the numbers of the page; not before a class, and not while a question is open that
    they would answer. What comes after an open question waits for its answer, which it might give away.
    """
    turned_to = st.session_state.pop("lesson:turn_to", None)
    if turned_to:
        st.switch_page(str(PAGES / f"{turned_to}.py"))
    if not presenting():
        open_at = next((number for number, step in enumerate(steps, 1) if _open(page, step)), None)
        if open_at:
            page.say(page.translate(GUESS_FIRST))
        else:
            opening()
        _toolbar(page, steps)
        for step in steps[:open_at]:
            _draw(page, step)
        if open_at:
            _later(page, steps[open_at:])
        return
    page.larger = LARGER
    number = min(int(state.option("part")), len(steps))
    st.html(FRONTEND / "present.css")
    _navigation(page, steps, number)
    _draw(page, steps[number - 1])


GUESS_FIRST = N_(
    "Predict, then look: each question asks for a guess first, and the page goes on behind it. Its answer stands here "
    "once all of them are out, or when you switch “Guess first” off."
)


def _open(page: Page, step: Step) -> bool:
    """Whether the question of a step still waits for its guess."""
    return _guessing() and step.question is not None and not st.session_state.get(f"{_name(page, step.key)}:out")


def _later(page: Page, steps: Sequence[Step]) -> None:
    """What comes after the guess, by its titles."""
    _ = page.translate
    if steps:
        st.caption(_("After your guess: {parts}.").format(parts=_.listed(_(step.title) for step in steps)))


def _guessing() -> bool:
    return bool(state.option("guess") == "1")


def _name(page: Page, key: str) -> str:
    return f"guess:{page.key}.{key}"


def presenting() -> bool:
    """Whether the page is shown in front of a class."""
    return bool(state.option("present") == "1")


def _toolbar(page: Page, steps: Sequence[Step]) -> None:
    """Present, guess first or not, and the worksheet."""
    _, address = page.translate, link(state.query())
    minutes = sum(_plan(page, step).minutes for step in steps)
    about = _("About {minutes} minutes; the four Learn pages together are a lesson of half an hour.")
    about = _.sentences(_(PRESENT_HELP), about.format(minutes=minutes))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Present"), key=f"{page.key}:present", on_click=_present, args=("1",), help=about)
        st.download_button(
            _("Worksheet (HTML)"),
            data=lambda: worksheet(page.shown, _tasks(page, steps), _planned(page, steps), address, _),
            file_name=f"speculative-decoding_{page.key}_worksheet.html",
            mime="text/html",
            key=f"{page.key}:worksheet",
            on_click="ignore",
            help=_("Questions and things to try, with room for answers; then a sheet with the answers and a plan."),
        )
        if any(step.question for step in steps):
            key = f"{page.key}:guess"
            st.session_state[key] = _guessing()
            st.toggle(
                _("Guess first"),
                key=key,
                on_change=lambda: state.set_option("guess", "1" if st.session_state[key] else "0"),
                help=_("Each part asks for a guess before it shows its answer."),
            )


PRESENT_HELP = N_("Larger type, no sidebar, one part at a time; arrow keys go on and back, Escape ends it.")


def _present(value: str) -> None:
    state.set_option("present", value)


def _plan(page: Page, step: Step) -> Part:
    return PLAN[page.key][step.key]


def _planned(page: Page, steps: Sequence[Step]) -> list[Planned]:
    """Every part with its minutes, what to try in it and what that shows."""
    _ = page.translate
    return [
        Planned(
            _(step.title),
            part.minutes,
            _(POINTS[page.key][step.key]),
            tuple((_(each.label), each.settings(_), _(each.look)) for each in part.experiments if each.offered),
        )
        for step, part in ((step, _plan(page, step)) for step in steps)
    ]


def _tasks(page: Page, steps: Sequence[Step]) -> list[Task]:
    _ = page.translate
    return [
        Task(_(step.title), step.question.text, step.question.show(step.question.answer), step.question.why)
        for step in steps
        if step.question is not None
    ]


def _navigation(page: Page, steps: Sequence[Step], number: int) -> None:
    """Where the lesson is, and the keys and buttons that move it, at its ends to the lessons before and after."""
    _, last, at = page.translate, len(steps), LESSONS.index(page.key)

    def move(by: int) -> None:
        lesson = at if 1 <= number + by <= last else at + by
        if not 0 <= lesson < len(LESSONS):
            return
        put_back()
        if lesson == at:
            state.set_option("part", number + by)
        else:
            state.set_option("part", 1 if by > 0 else LAST_PART)
            st.session_state["lesson:turn_to"] = LESSONS[lesson]

    def pressed() -> None:
        name = (st.session_state["keys"].get("pressed") or {}).get("name")
        if name in MOVES:
            move(MOVES[name])
        elif name == "leave":
            _present("0")

    element("keys", "<div></div>", isolate_styles=True)(key="keys", on_pressed_change=pressed)
    first, final = (at, number) == (0, 1), (at + 1, number) == (len(LESSONS), last)
    where = _("**{number} / {last}** · about {minutes} min")
    minutes = _plan(page, steps[number - 1]).minutes
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="lesson_nav"):
        st.button("◀", key="part_back", on_click=move, args=(-1,), disabled=first, help=_("Back"))
        st.markdown(where.format(number=number, last=last, minutes=minutes), width="content")
        st.button("▶", key="part_next", on_click=move, args=(1,), disabled=final, help=_("Go on"))
        st.button(_("Leave"), key="part_leave", on_click=_present, args=("0",))


def _draw(page: Page, step: Step) -> None:
    st.subheader(page.translate(step.title), anchor=False)
    if step.question is None or not _guessing() or _asked(page, step.key, step.question.reaching()):
        if presenting():
            st.markdown(f"**{page.translate(POINTS[page.key][step.key])}**")
        draw_experiments(f"{page.key}.{step.key}", _plan(page, step).experiments, page.translate)
        step.draw()


def _asked(page: Page, key: str, question: Question) -> bool:
    """Ask for a guess; whether the answer is out. A guess stays with its reader: it is not in the link."""
    _, name = page.translate, _name(page, key)
    revealed = bool(st.session_state.get(f"{name}:out"))
    with st.container(border=True):
        st.markdown(f"**{_('Predict first:')}** {question.text}")
        if not revealed:
            middle = question.low + round((question.high - question.low) / 2 / question.step) * question.step
            with st.container(horizontal=True, vertical_alignment="bottom"):
                st.slider(
                    _("Your guess"),
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
                st.button(_("Reveal"), key=f"{name}:reveal", on_click=_reveal, args=arguments, type="primary")
            if question.given:
                question.given()
            return False
        st.markdown(_.sentences(_verdict(name, question, _), question.why))
        st.button(_("Guess again"), key=f"{name}:again", on_click=_hide, args=(name,), type="tertiary")
    return True


def _verdict(name: str, question: Question, translate: Translator) -> str:
    """The guess beside the answer that it was made for; the answer alone where nobody guessed."""
    _, answer = translate, question.show(question.answer)
    guess, asked = st.session_state.get(f"{name}:kept", (None, answer))
    if guess is None:
        return _("It is **{answer}**.").format(answer=answer)
    if asked == answer:
        return _("You guessed {guess}; it is **{answer}**.").format(guess=question.show(guess), answer=answer)
    text = _("You guessed {guess} where it was {asked}; now it is **{answer}**.")
    return text.format(guess=question.show(guess), asked=asked, answer=answer)


def _touch(name: str) -> None:
    st.session_state[f"{name}:touched"] = True


def _reveal(name: str, answer: str) -> None:
    touched = st.session_state.get(f"{name}:touched")
    st.session_state[f"{name}:kept"] = (float(st.session_state[name]) if touched else None, answer)
    st.session_state[f"{name}:out"] = True


def _hide(name: str) -> None:
    st.session_state[f"{name}:out"] = False
