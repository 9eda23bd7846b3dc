"""What tests were heard to send becomes examples: texts of answers are taken from them again."""

from __future__ import annotations

from pytest_evosearch.engine.preparing.recorded_examples import examples_from
from pytest_evosearch.problem.http.composing.examples import Joined
from pytest_evosearch.problem.http.composing.examples import Part
from pytest_evosearch.sut.watching.recorded_requests import RecordedRequest
from pytest_evosearch.sut.watching.recorded_requests import RecordedTest


def calls_of(*requests):
    (example,) = examples_from([RecordedTest("tests/test_a.py::test_a", requests)])
    return example.calls


def test_a_token_is_taken_from_the_answer_that_gave_it():
    _log_in, look = calls_of(
        RecordedRequest("POST", "/login", answer={"result": {"token": "t0k3n-of-mira"}}),
        RecordedRequest("GET", "/notes", headers=(("Authorization", "Bearer t0k3n-of-mira"),)),
    )

    part = Part(0, ("json", "result", "token"))
    assert look.options["headers"] == {"Authorization": Joined(("Bearer ", part))}


def test_an_id_in_a_path_is_that_of_what_was_made():
    _make, look = calls_of(
        RecordedRequest("POST", "/notes", answer={"id": 7}), RecordedRequest("GET", "/notes/7")
    )

    assert look.target == Joined(("/notes/", Part(0, ("json", "id"))))


def test_what_an_answer_repeats_was_not_given_by_it():
    _make, look = calls_of(
        RecordedRequest(
            "POST",
            "/notes",
            body={"json": {"title": "A long title"}},
            answer={"title": "A long title"},
        ),
        RecordedRequest("POST", "/notes", body={"json": {"title": "A long title"}}),
    )

    assert look.options["json"] == {"title": "A long title"}


def test_cookies_of_answers_come_back_by_themselves():
    _first, second = calls_of(
        RecordedRequest("POST", "/login", set_cookies=("session",)),
        RecordedRequest("GET", "/", cookies=(("session", "abc"), ("theme", "dark"))),
    )

    assert second.options["cookies"] == {"theme": "dark"}
