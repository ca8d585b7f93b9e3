"""What the Validation page says: a pure function of its link, and of the points of a visitor's file."""

import pytest

from specmodel.dashboard.parts.answer import Answer
from specmodel.dashboard.session.chosen import read_link
from specmodel.dashboard.session.translation import LANGUAGES, translator
from specmodel.dashboard.validation.answer import answer
from specmodel.dashboard.validation.chosen_points import chosen_points
from specmodel.validation.judged import by_rule, records
from specmodel.validation.own_runs import OURS
from specmodel.validation.point import RULES, Point
from specmodel.validation.points import read_rows
from specmodel.validation.rules import judge
from specmodel.validation.table import judged_points, record
from tests.dashboard.answers import numbers, texts, warnings

MINE = judge(read_rows("source,setup,tau,speedup\n<script>,a & b,3,2\n"))


def made(own: tuple[Point, ...] | None = None, **query: str) -> Answer:
    return answer(read_link(query)[0], translator("en"), own)


def test_the_cards_are_the_record_of_the_chosen_rule() -> None:
    for rule in RULES:
        found, said = record(rule), numbers(made(judged=rule))
        assert said["Points"] == f"{found.num_points:,}"
        assert said["Median error"] == f"{found.median_error:.1%}"
        assert said["Within 10 %"] == f"{found.within_10:.0%}"
        assert said["Band held"] == ("–" if found.coverage is None else f"{found.coverage:.0%}")


def test_the_verdict_says_each_quantity_apart() -> None:
    said = texts(made())
    for quantity, name in (("tokens", "tokens per round"), ("speedup", "speedup")):
        found = record("engine", quantity)
        assert f"{name}: half of {found.num_points:,} predictions are within {found.median_error:.1%}" in said


@pytest.mark.parametrize(
    ("origin", "kept"),
    [
        ("others", lambda point: point.source != OURS),
        ("project", lambda point: point.source == OURS),
        ("speculators #563", lambda point: point.source == "speculators #563"),
        ("no such source", lambda point: True),
    ],
)
def test_a_source_is_chosen_by_the_link(origin: str, kept: object) -> None:
    shown = chosen_points(read_link({"judged": "longer", "origin": origin})[0]).shown
    expected = [point for point in judged_points() if point.rule == "longer" and kept(point)]  # type: ignore[operator]
    assert list(shown) == expected


def test_tables_by_rule_and_by_source_add_up() -> None:
    page = made(judged="all")
    rules, sources = page["rules"].data, page["sources"].data  # type: ignore[union-attr]
    assert sum(rules["points"]) == sum(sources["points"]) == len(judged_points())  # type: ignore[index]
    assert len(rules["rule"]) == len(by_rule(judged_points()))  # type: ignore[index]


def test_every_point_stands_with_source_rule_given_and_predicted() -> None:
    data = made(judged="by_position")["points"].data  # type: ignore[union-attr]
    assert len(data["source"]) == record("by_position").num_points  # type: ignore[index]
    assert {"rule", "setup", "k_from", "k_to", "predicted", "measured", "low", "high", "error"} <= set(data)  # type: ignore[arg-type]


def test_the_worst_cases_have_reasons_and_are_the_worst() -> None:
    data = made(judged="free")["worst"].data  # type: ignore[union-attr]
    assert all(data["why"])  # type: ignore[index]
    reachable = [point for point in judged_points() if point.rule == "free" and not point.unreachable]
    assert data["error"][0] == max(point.error for point in reachable)  # type: ignore[index]


def test_what_set_the_margins_and_what_was_left_out_is_said() -> None:
    page = made()
    assert "Nothing was fitted to the published rows" in texts(page)
    assert len(page["left_out"].data["rows"]) > 20  # type: ignore[union-attr,index]
    assert "Leviathan" in page["unreachable"].data["source"][0]  # type: ignore[union-attr,index]


def test_a_file_of_ones_own_takes_the_place_of_ours() -> None:
    page = made(MINE, judged="engine")
    assert "about your file now: 1 points" in warnings(page)
    assert numbers(page)["Points"] == "1"
    assert "left_out" not in page and "Nothing was fitted" not in texts(page)
    figure = page["scatter"].figure  # type: ignore[union-attr]
    assert "&lt;script>" in figure["data"][2]["customdata"][0]
    assert records(MINE).median_error == pytest.approx(0.5)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", ["all", *RULES])
def test_every_rule_makes_every_part_in_every_language(rule: str, language: str, untranslated: set[str]) -> None:
    page = answer(read_link({"judged": rule, "lang": language})[0], translator(language))
    assert {"verdict", "numbers", "scatter", "rules", "sources", "worst", "points"} <= set(page)
    assert untranslated == set()
