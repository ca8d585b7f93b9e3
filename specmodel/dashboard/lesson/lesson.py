"""What the Learn pages share: steps with a question to answer before its answer is shown, a presenter's view of one
step at a time, and a worksheet to print."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import streamlit as st

from specmodel.base.messages import N_
from specmodel.dashboard.lesson.experiments import draw_experiments, put_back
from specmodel.dashboard.lesson.guess import asked, guessing, is_answered
from specmodel.dashboard.lesson.steps import LARGER, Step, open_steps
from specmodel.dashboard.lesson.worksheet import Planned, Task, worksheet
from specmodel.dashboard.parts.answer import Said
from specmodel.dashboard.parts.assets import FRONTEND, element
from specmodel.dashboard.parts.downloads import link
from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.session import state
from specmodel.dashboard.session.pages import lessons

MOVES = {"next": 1, "back": -1}
PAGES = Path(__file__).parents[3] / "pages"
LAST_PART = 20
"""Stands for the last part of whichever lesson."""


Controls = Mapping[str, Callable[[], object]]
"""Name of a control among the parts of a step -> what draws it."""


def lesson(page: Page, steps: Sequence[Step], opening: Sequence[str], controls: Controls | None = None) -> None:
    """Draw the steps: all of them one below the other, or in front of a class one at a time.

    `opening` names the parts that hold the answer of the page and its numbers; they are not shown before a class, nor
    while a question is open, which they would answer. What comes after an open question waits for it.
    """
    turned_to = st.session_state.pop("lesson:turn_to", None)
    if turned_to:
        st.switch_page(str(PAGES / f"{turned_to}.py"))
    controls = controls or {}
    if not presenting():
        answered = [step.key for step in steps if is_answered(page, step)]
        ready = open_steps(steps, answered)
        last = ready[-1]
        if last.question is not None and last.key not in answered:
            page.draw("guess_first", Said("says", page.translate(GUESS_FIRST)))
        else:
            _show(page, opening, controls)
        _toolbar(page, steps)
        for step in ready:
            _draw(page, step, controls)
        _later(page, steps[len(ready) :])
        return
    page.larger = LARGER
    number = min(int(state.option("part")), len(steps))
    st.html(FRONTEND / "present.css")
    _navigation(page, steps, number)
    _draw(page, steps[number - 1], controls)


def _show(page: Page, names: Sequence[str], controls: Controls) -> None:
    """Parts of the answer and controls, in their order."""
    together: list[str] = []
    for name in names:
        if name in controls:
            page.show(*together)
            together = []
            controls[name]()
        else:
            together.append(name)
    page.show(*together)


GUESS_FIRST = N_(
    "Predict, then look: each question asks for a guess first, and the page goes on behind it. Its answer stands here "
    "after all questions are answered, or when you switch “Guess first” off."
)


def _later(page: Page, steps: Sequence[Step]) -> None:
    """What comes after the guess, by its titles."""
    _ = page.translate
    if steps:
        st.caption(_("After your guess: {parts}.").format(parts=_.listed(_(step.title) for step in steps)))


def presenting() -> bool:
    """Whether the page is shown in front of a class."""
    return bool(state.option("present") == "1")


def _toolbar(page: Page, steps: Sequence[Step]) -> None:
    """Present, guess first or not, and the worksheet."""
    _, address = page.translate, link(state.query())
    minutes = sum(page.declared.lesson[step.key].minutes for step in steps)
    about = _("About {minutes} minutes; the four Learn pages together are a lesson of half an hour.")
    about = _.sentences(_(PRESENT_HELP), about.format(minutes=minutes))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(_("Present"), key=f"{page.key}:present", on_click=_present, args=("1",), help=about)
        st.download_button(
            _("Worksheet (HTML)"),
            data=lambda: worksheet(page.report(), _tasks(page, steps), _planned(page, steps), address, _),
            file_name=f"speculative-decoding_{page.key}_worksheet.html",
            mime="text/html",
            key=f"{page.key}:worksheet",
            on_click="ignore",
            help=_("Questions and things to try, with room for answers; then a sheet with the answers and a plan."),
        )
        if any(step.question for step in steps):
            key = f"{page.key}:guess"
            st.session_state[key] = guessing()
            st.toggle(
                _("Guess first"),
                key=key,
                on_change=lambda: state.set_option("guess", "1" if st.session_state[key] else "0"),
                help=_("Each part asks for a guess before it shows its answer."),
            )


PRESENT_HELP = N_("Larger type, no sidebar, one part at a time; arrow keys go on and back, Escape ends it.")


def _present(value: str) -> None:
    state.set_option("present", value)


def _planned(page: Page, steps: Sequence[Step]) -> list[Planned]:
    """Every step with its minutes, its point, what to try in it and what that shows."""
    _, options = page.translate, page.chosen.options
    return [
        Planned(
            _(step.title),
            part.minutes,
            _(part.point),
            tuple(
                (_(each.label), _.listed(each.settings(_)), _(each.look))
                for each in part.experiments
                if each.offered(options)
            ),
        )
        for step, part in ((step, page.declared.lesson[step.key]) for step in steps)
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
    _, last, every = page.translate, len(steps), lessons()
    at = every.index(page.key)

    def move(by: int) -> None:
        lesson = at if 1 <= number + by <= last else at + by
        if not 0 <= lesson < len(every):
            return
        put_back()
        if lesson == at:
            state.set_option("part", number + by)
        else:
            state.set_option("part", 1 if by > 0 else LAST_PART)
            st.session_state["lesson:turn_to"] = every[lesson]

    def pressed() -> None:
        name = (st.session_state["keys"].get("pressed") or {}).get("name")
        if name in MOVES:
            move(MOVES[name])
        elif name == "leave":
            _present("0")

    element("keys", "<div></div>", isolate_styles=True)(key="keys", on_pressed_change=pressed)
    first, final = (at, number) == (0, 1), (at + 1, number) == (len(every), last)
    where = _("**{number} / {last}** · about {minutes} min")
    minutes = page.declared.lesson[steps[number - 1].key].minutes
    with st.container(horizontal=True, vertical_alignment="center", width="content", key="lesson_nav"):
        st.button("◀", key="part_back", on_click=move, args=(-1,), disabled=first, help=_("Back"))
        st.markdown(where.format(number=number, last=last, minutes=minutes), width="content")
        st.button("▶", key="part_next", on_click=move, args=(1,), disabled=final, help=_("Go on"))
        st.button(_("Leave"), key="part_leave", on_click=_present, args=("0",))


def _draw(page: Page, step: Step, controls: Controls) -> None:
    """A step: its title, its question while that is open, else what to try and its parts."""
    _, part = page.translate, page.declared.lesson[step.key]
    st.subheader(_(step.title), anchor=False)
    if step.question is not None and guessing() and not asked(page, step, lambda names: _show(page, names, controls)):
        return
    if presenting():
        st.markdown(f"**{_(part.point)}**")
    draw_experiments(f"{page.key}.{step.key}", part.experiments, _)
    _show(page, step.parts, controls)
