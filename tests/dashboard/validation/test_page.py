"""The Validation page through AppTest: choices, links, and a file of one's own."""

import pytest

from specmodel.validation.table import record
from tests.dashboard.conftest import Opener, alerts, numbers, said

GOOD = b"source,setup,k,tau,speedup\n<b>mine</b>,a *bold* run,3,3,2\n"


def test_the_page_opens_on_the_products_own_answer(opened: Opener) -> None:
    app = opened("validation")
    assert numbers(app)["Points"] == f"{record('engine').num_points:,}"
    assert "Your engine, another draft length" in alerts(app)


def test_rule_and_source_are_chosen_and_in_the_link(opened: Opener, links: list[dict[str, str]]) -> None:
    app = opened("validation")
    app.selectbox(key="validation:judged").set_value("free").run()
    assert numbers(app)["Points"] == f"{record('free').num_points:,}"
    app.selectbox(key="validation:origin").set_value("others").run()
    assert links[-1]["judged"] == "free" and links[-1]["origin"] == "others"


@pytest.mark.parametrize("query", [{"judged": "magic"}, {"origin": "<script>"}, {"judged": "all", "origin": "nobody"}])
def test_a_broken_link_opens_with_what_there_is(opened: Opener, query: dict[str, str]) -> None:
    app = opened("validation", **query)
    assert not app.exception and int(numbers(app)["Points"].replace(",", "")) > 500


def test_a_source_that_has_no_point_of_the_rule_is_said(opened: Opener) -> None:
    app = opened("validation", judged="by_position", origin="project")
    assert "No point was judged" in alerts(app)
    assert numbers(app)["Median error"] == "–"


def test_a_file_of_ones_own_is_judged_and_nothing_of_it_stays(opened: Opener) -> None:
    app = opened("validation")
    app.file_uploader(key="validation_file").set_value([("mine.csv", GOOD, "text/csv")]).run()
    assert not app.exception
    assert numbers(app)["Points"] == "1" and "about your file now" in alerts(app)
    app.file_uploader(key="validation_file").set_value([]).run()
    assert numbers(app)["Points"] != "1"
    assert "validation_points" not in app.session_state


def test_a_broken_file_is_refused_with_its_line_and_ours_stay(opened: Opener) -> None:
    app = opened("validation")
    app.file_uploader(key="validation_file").set_value([("<i>.csv", b"source,k\nmine,0\n", "text/csv")]).run()
    assert "line 2, column k: found 0, expected a whole number from 1 to 64" in alerts(app)
    assert "\\<i\\>.csv" in app.error[0].value
    assert int(numbers(app)["Points"].replace(",", "")) > 500


def test_a_file_that_judges_nothing_says_what_it_lacks(opened: Opener) -> None:
    app = opened("validation")
    app.file_uploader(key="validation_file").set_value([("a.csv", b"source,k\nmine,3\n", "text/csv")]).run()
    assert "No rule can be judged by these rows" in alerts(app)


def test_the_form_of_a_file_stands_on_the_page(opened: Opener) -> None:
    app = opened("validation")
    columns = [frame.value for frame in app.dataframe if "draft_ratio" in frame.value.to_string()]
    assert columns and "Only" in said(app)
