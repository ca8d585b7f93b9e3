"""What does each number mean, and where does it come from? Every entry in one list, and wrong numbers put right."""

from specmodel.dashboard.parts.page import Page
from specmodel.dashboard.reference.answer import answer
from specmodel.dashboard.reference.input import choose_entries, draw_table, list_entries, list_mistakes

page = Page("reference")
page.answer = answer(page.chosen, page.translate)
page.show("unknown", "entry")
choose_entries(page)
page.show("verdict", "nothing")
list_entries(page)
page.show("wrong", "numbers", "wrong_note")
list_mistakes(page)
draw_table(page)
page.finish()
