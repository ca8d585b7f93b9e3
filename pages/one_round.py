"""What happens inside one round? Two lanes on one clock, step by step."""

from functools import partial

from specmodel.dashboard.lesson.lesson import lesson
from specmodel.dashboard.one_round.answer import answer, steps
from specmodel.dashboard.one_round.player import play
from specmodel.dashboard.parts.page import Page

page = Page("one_round")
page.not_in_link(True)  # its steps are played one after another
page.answer = answer(page.chosen, page.translate)
lesson(page, steps(page.chosen, page.translate), ("opening",), {"player": partial(play, page)})
page.finish()
