from __future__ import annotations

from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step
from pytest_evosearch.screens.screen import Screen
from pytest_evosearch.screens.state_model import MOST_PARTS
from pytest_evosearch.screens.state_model import StateModel
from pytest_evosearch.screens.state_model import united

NEXT = Offer("POST /w", CLICK)


def test_a_wizard_on_one_route_is_divided_by_headings() -> None:
    model = StateModel()
    first, second = Screen("w", heading="one"), Screen("w", heading="two")
    assert model.name(first) == model.name(second) == "w"
    model.note_change(first, second)
    assert [model.name(first), model.name(second)] == ["w one", "w two"]


def test_a_hidden_step_divides_where_headings_are_equal() -> None:
    model = StateModel()
    first, second = Screen("w", step="s=1"), Screen("w", step="s=2")
    model.note_change(first, second)
    assert model.name(second) == "w s=2"


def test_an_unchanged_page_or_another_state_divides_nothing() -> None:
    model = StateModel()
    model.note_change(Screen("w", heading="one"), Screen("w", heading="one"))
    model.note_change(Screen("v", heading="one"), Screen("w", heading="two"))
    assert model.name(Screen("w", heading="one")) == "w"


def test_headings_that_are_data_divide_nothing() -> None:
    model = StateModel()
    model.note_change(Screen("w", heading="0"), Screen("w", heading="1"))
    names = {model.name(Screen("w", heading=str(number))) for number in range(MOST_PARTS + 3)}
    assert model.name(Screen("w", heading="0")) == "w"
    assert "w" in names


def test_actions_and_where_they_led_are_counted() -> None:
    model = StateModel()
    before, after = Situation("a", (NEXT, Offer("x", CLICK))), Situation("b", ())
    model.note_visit("a", before.offers)
    model.note(Step(before, NEXT, after))
    record = model.records["a"]
    assert (record.visits, record.tried, record.offers[NEXT]) == (1, 1, 1)
    assert record.led_to == {("POST /w", "b"): 1}


def test_the_screens_of_a_browser_are_added_to_those_of_walks() -> None:
    walked, browsed = StateModel(), StateModel()
    here, there = Situation("GET / 200", (Offer("GET /a", "click"),)), Situation("b", ())
    walked.note_visit(here.state, here.offers)
    browsed.note_visit(here.state, (Offer("link A", "click"),))
    browsed.note(Step(here, Offer("link A", "click"), there))
    browsed.note_visit(there.state, there.offers)
    both = united(walked.records, browsed.records)
    assert list(both) == ["GET / 200", "b"]
    assert (both["GET / 200"].visits, list(both["GET / 200"].offers)) == (2, [*here.offers])
    assert list(both["GET / 200"].led_to) == [("link A", "b")]
    assert list(walked.records["GET / 200"].led_to) == []
