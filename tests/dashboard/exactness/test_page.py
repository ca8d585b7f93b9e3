"""The Exactness page on the screen: guesses come before answers, and its controls set what the link holds."""

import io

import pandas as pd
import pytest
import streamlit as st

from tests.dashboard.conftest import Opener, alerts, go_to, guess_all, numbers, said


def test_answers_wait_for_the_guesses(opened: Opener) -> None:
    app = opened("exactness")
    assert not app.metric and "asks for a guess first" in alerts(app)
    assert [title.value for title in app.subheader] == ["One draft token"]
    assert not app.table
    assert "After your guess: What comes out, Other rules" in said(app)
    assert len(guess_all(app)) == 3
    assert numbers(app)["Acceptance"] == "71.9%"
    assert said(app).count("It is **") == 3  # nobody guessed
    app.button(key="guess:exactness.one:again").click().run()
    assert not app.metric


def test_a_guess_is_kept_beside_its_answer(opened: Opener) -> None:
    app = opened("exactness")
    app.slider(key="guess:exactness.one").set_value(40.0).run()
    app.button(key="guess:exactness.one:reveal").click().run()
    assert "You guessed 40; it is **72**." in said(app)
    app.button(key="try:exactness.one.A drafter that is the target").click().run()
    assert "You guessed 40 where it was 72; now it is **100**." in said(app)


def test_what_cannot_be_read_of_a_link_is_named(opened: Opener) -> None:
    assert "could not be read" in alerts(opened("exactness", guess="0", dists="edit", probs="1_2_3,4_5_6"))
    assert "could not be read" not in alerts(opened("exactness", guess="0", dists="edit", probs="1_2,4_5"))
    assert "distprompt" in alerts(opened("exactness", guess="0", dists="text", distprompt="-1"))


def test_a_place_that_a_kind_of_text_does_not_have_is_its_first(opened: Opener, links: list[dict[str, str]]) -> None:
    opened("exactness", guess="0", dists="text", distkind="japanese", distprompt="99")
    assert "distprompt" not in links[-1]


def test_experiments_with_made_up_models_are_not_offered_for_others(opened: Opener) -> None:
    keys = [str(button.key) for button in opened("exactness", guess="0", dists="edit").button]
    assert "try:exactness.one.An unrelated drafter" not in keys
    assert "try:exactness.breaks.Lenience 1" in keys


def test_before_a_class_one_part_is_shown_at_a_time(opened: Opener) -> None:
    app = opened("exactness", present="1", guess="0")
    assert [title.value for title in app.subheader] == ["One draft token"]
    app.button(key="part_next").click().run()
    assert [title.value for title in app.subheader] == ["What comes out"]
    app.button(key="part_leave").click().run()
    assert len(app.subheader) == 6


def test_one_token_after_another_is_drawn(opened: Opener) -> None:
    app = opened("exactness", guess="0")
    first = said(app)
    app.button(key="exactness:draw").click().run()
    assert "Drafted: " in said(app) and said(app) != first


def test_blocks_are_listed_once_they_are_asked_for(opened: Opener) -> None:
    app = opened("exactness", guess="0")
    tables, files = len(app.table), len(app.get("download_button"))
    app.session_state["exactness:blocks"] = True
    app.run()
    assert "the 10 likeliest blocks" in said(app)
    assert (len(app.table), len(app.get("download_button"))) == (tables + 1, files)


def test_typed_numbers_are_kept_in_the_link_and_where_they_were_typed(
    opened: Opener, links: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def as_text(frame: pd.DataFrame, *, key: str, **_: object) -> pd.DataFrame:
        """An editor that a test can type into: like the real one it keeps its edits as long as it is drawn."""
        return pd.read_csv(io.StringIO(st.text_area("numbers", frame.to_csv(index=False), key=key)))

    monkeypatch.setattr(st, "data_editor", as_text)
    app = opened("exactness", guess="0", dists="edit", probs="1_1,1_1")
    app.text_area(key="exactness:editor:0").set_value("token,target,draft\nA,1,1\nB,1,3\n").run()
    assert (links[-1]["probs"], numbers(app)["Acceptance"]) == ("1_1,1_3", "75.0%")
    app.text_area(key="exactness:editor:0").set_value("token,target,draft\nA,0,1\nB,0,3\n").run()
    assert "shows the numbers before" in alerts(app)
    assert (links[-1]["probs"], numbers(app)["Acceptance"]) == ("1_1,1_3", "75.0%")
    go_to(go_to(app, "live_text"), "exactness")
    assert (links[-1]["probs"], numbers(app)["Acceptance"]) == ("1_1,1_3", "75.0%")
