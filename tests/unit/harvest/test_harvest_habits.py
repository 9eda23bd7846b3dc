from __future__ import annotations

from pytest_evosearch.harvest.habits import habitual
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.write.content.specimen import FollowUp
from pytest_evosearch.write.content.specimen import Specimen

HTML = (("Content-Type", "text/html"),)


def saved(name: str, said: str, location: str = "/", before: str = "<p>Home</p>") -> Specimen:
    act = Exchange(Request("POST", f"/{name}"), Response(302, (("Location", location),)))
    page = f"<p>Home</p><div>{said}</div>".encode()
    read = Exchange(Request("GET", location), Response(200, HTML, page))
    return Specimen((act,), follow_up=FollowUp(read, before))


def test_only_the_first_endpoint_keeps_a_read_that_shows_what_three_show() -> None:
    found = [saved("a", "Saved."), saved("b", "Saved."), saved("a", "Saved."), saved("c", "Saved.")]

    assert habitual(found) == [1, 3]


def test_two_endpoints_are_no_habit() -> None:
    assert habitual([saved("a", "Saved."), saved("b", "Saved."), saved("a", "Saved.")]) == []


def test_who_is_asked_to_log_in_did_nothing() -> None:
    found = [saved(name, "Please log in.", "/auth/login") for name in "abc"]

    assert habitual(found) == [0, 1, 2]


def test_what_shows_more_or_hides_something_is_kept() -> None:
    found = [saved(name, "Saved.") for name in "abc"]
    found += [saved("d", "Saved. Ann has left"), saved("e", "Saved.", before="<p>Ann is here</p>")]
    found += [Specimen(saved("f", "Saved.").exchanges)]

    assert habitual(found) == [1, 2]
