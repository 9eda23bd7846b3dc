"""Reads that show what a request changed, found in a small world of notes."""

from __future__ import annotations

import json

import pytest

from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.aftermath import Aftermath
from pytest_evosearch.harvest.aftermath import Shown
from pytest_evosearch.harvest.aftermath import _readable
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

LISTING, SHOW = "GET /notes", "GET /api/notes/{number}"
CREATE, REMOVE, PING = "POST /notes", "DELETE /api/notes/{number}", "POST /api/ping"
ROW = "notes.Note number"
CLEAR = "POST /clear"
GUARDED = "POST /notes/guarded"
LEAVE = "GET /notes/leave"
PERSON = "GET /people/{person}"
FOLLOW = "POST /fans/{name}"
LOG_OUT, PROFILE = "GET /logout", "GET /profile"


class Notes:
    """Executes individuals on notes that begin anew every time."""

    def __init__(self) -> None:
        self.executions = 0

    def execute(self, individual: Individual) -> FullEvaluation[Individual]:
        self.executions += 1
        self.flashed = ""
        self.is_gone = False
        stored = {1: "first"}
        exchanges = tuple(self._answer(call, stored) for call in individual.calls)
        covered = tuple(frozenset((call.endpoint,)) for call in individual.calls)
        evaluation = Evaluation(individual, {}, (0, 0), Observation(individual, exchanges))
        return FullEvaluation(evaluation, covered)

    def _answer(self, call: Call, stored: dict[int, str]) -> Exchange:
        values = {given.name: given.gene.value() for given in call.inputs}
        stored.update({int(values.pop(name)): "kept" for name in [*values] if name == ROW})
        method, template = call.endpoint.split(" ")
        request = Request(method, template, form=tuple((k, v) for k, v in values.items()))
        if call.endpoint == CREATE:
            stored[2] = str(values["text"])
            return Exchange(request, Response(302, (("Location", "/notes"),)))
        if call.endpoint == REMOVE:
            stored.pop(int(values["number"]), None)
            return Exchange(request, Response(204))
        if call.endpoint == CLEAR:
            stored.clear()
            return Exchange(request, Response(200, (("Content-Type", "application/json"),), b"{}"))
        if call.endpoint == PING:
            return Exchange(request, Response(204))
        if call.endpoint == GUARDED:
            self.flashed = "<b>Please log in</b>"
            return Exchange(request, Response(302, (("Location", "/notes?next=%2Fguarded"),)))
        if call.endpoint == LEAVE:
            self.flashed = "<b>You left</b>"
            return Exchange(request, Response(302, (("Location", "/notes"),)))
        if call.endpoint == FOLLOW:
            self.flashed = "<b>You follow ann</b>"
            return Exchange(request, Response(302, (("Location", "/people/ann"),)))
        if call.endpoint == LOG_OUT:
            self.is_gone = True
            headers = (("Location", "/"), ("Set-Cookie", "session=; Max-Age=0"))
            return Exchange(request, Response(302, headers), call.user)
        if call.endpoint == PROFILE:
            is_known = call.user is not None and not self.is_gone
            return Exchange(request, Response(200 if is_known else 401, (), b"hello"), call.user)
        if call.endpoint in (LISTING, PERSON):
            entries = "".join(f"<li>{text}</li>" for text in stored.values())
            page = f"{self.flashed}<i>page {self.executions}</i>{entries}"
            return Exchange(request, Response(200, (("Content-Type", "text/html"),), page.encode()))
        found = stored.get(int(values["number"]))
        body = json.dumps({"text": found, "drawn": self.executions}).encode()
        headers = (("Content-Type", "application/json"),)
        return Exchange(request, Response(200 if found else 404, headers, body))


def number(value: int) -> Input:
    return Input(Location.PATH, "number", IntegerGene(current=value))


def text(value: str) -> Input:
    return Input(Location.FORM, "text", TextGene(current=value))


def shown(*calls: Call) -> Shown | None:
    notes = Notes()
    aftermath = Aftermath(notes.execute)
    person = Input(Location.PATH, "person", TextGene(current="bob"))
    reads = Individual(
        (
            Call(LISTING, (), 1),
            Call(SHOW, (number(1),), 2),
            Call(PERSON, (person,), 3),
            Call(PROFILE, (), 4, "ann"),
            Call(PROFILE, (), 5),
        )
    )
    aftermath.note(reads, _exchanges(notes.execute(reads)))
    evaluation = notes.execute(Individual(calls))
    return aftermath.shown(evaluation, frozenset((calls[-1].endpoint,)))


def _exchanges(evaluation: FullEvaluation[Individual]) -> tuple[Exchange, ...]:
    observation = evaluation.evaluation.observation
    assert isinstance(observation, Observation)
    return observation.exchanges


def test_a_redirect_is_followed_by_the_page_that_shows_what_was_sent() -> None:
    found = shown(Call(CREATE, (text("second"),), 1))

    assert found is not None
    page = _exchanges(found.evaluation)[-1]
    assert page.request.endpoint == LISTING
    assert page.response is not None
    assert "second" in page.response.text


def test_a_text_that_is_too_short_to_be_recognised_becomes_readable() -> None:
    found = shown(Call(CREATE, (text("a"),), 1))

    assert found is not None
    page = _exchanges(found.evaluation)[-1].response
    assert page is not None
    assert "<li>A text</li>" in page.text


@pytest.mark.parametrize(
    ("name", "text"),
    [("author", "An author"), ("blogTitle", "A blog title"), ("sub_title", "A sub title")],
)
def test_readable_texts_are_words(name: str, text: str) -> None:
    assert _readable(name) == text


def test_what_was_deleted_is_asked_for_again_with_the_same_identifier() -> None:
    found = shown(Call(REMOVE, (number(1),), 1))

    assert found is not None
    assert [one.status for one in _exchanges(found.evaluation)] == [204, 404]
    assert found.before.status == 200


def test_what_a_test_has_stored_itself_is_there_without_the_call_too() -> None:
    row = Input(Location.ROW, ROW, IntegerGene(current=5))
    found = shown(Call(REMOVE, (number(5), row), 1))

    assert found is not None
    assert [one.status for one in _exchanges(found.evaluation)] == [204, 404]
    assert found.before.status == 200


def test_a_page_that_an_earlier_call_has_written_to_tells_of_a_call_elsewhere() -> None:
    found = shown(Call(CREATE, (text("second"),), 1), Call(CLEAR, (), 2))

    assert found is not None
    page = _exchanges(found.evaluation)[-1]
    assert page.request.endpoint == LISTING
    assert "second" in (found.before.response or Response(0)).text
    assert page.response is not None
    assert "second" not in page.response.text


def test_a_log_out_of_a_stranger_is_shown_by_a_user_whom_it_shuts_out() -> None:
    found = shown(Call(LOG_OUT, (), 1))

    assert found is not None
    assert [one.user for one in _exchanges(found.evaluation)] == ["ann", "ann"]
    assert (found.before.status, found.after.status) == (200, 401)


def test_nothing_is_appended_where_no_read_tells_a_difference() -> None:
    assert shown(Call(REMOVE, (number(7),), 1)) is None  # what varies by itself does not count
    assert shown(Call(PING, (), 1)) is None


def test_a_page_that_tells_of_a_redirecting_read_is_appended() -> None:
    found = shown(Call(LEAVE, (), 1))

    assert found is not None
    assert found.after.response is not None
    assert "You left" in found.after.response.text


def test_who_is_sent_to_log_in_did_nothing() -> None:
    assert shown(Call(GUARDED, (), 1)) is None


def test_a_long_test_stays_as_it_is() -> None:
    pings = [Call(PING, (), label) for label in (1, 2, 3)]

    assert shown(*pings, Call(CREATE, (text("second"),), 4)) is None


def test_a_read_has_no_effect_to_show() -> None:
    assert shown(Call(LISTING, (), 1)) is None


def test_the_item_to_which_a_call_leads_tells_of_it() -> None:
    found = shown(Call(FOLLOW, (Input(Location.PATH, "name", TextGene(current="ann")),), 1))

    assert found is not None
    read = found.evaluation.evaluation.individual.calls[-1]
    assert (read.endpoint, [one.gene.value() for one in read.inputs]) == (PERSON, ["ann"])


def test_a_private_page_refuses_who_has_left() -> None:
    found = shown(Call(LOG_OUT, (), 1, "ann"))

    assert found is not None
    assert (found.before.status, found.after.status) == (200, 401)
