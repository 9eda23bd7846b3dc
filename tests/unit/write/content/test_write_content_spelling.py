"""Headers are named as the application spells them."""

from __future__ import annotations

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.spelling import with_spelled_headers


def asked(*reads: str) -> Specimen:
    """Return a test whose handler asks for the headers `reads`."""
    origins = {
        ("header", "X-Csrftoken"): Origin(0, ("page", "token")),
        ("form", "a"): Origin(0, ("form", "a")),
    }
    headers = (("X-Csrftoken", "t"), ("X-Other", "1"))
    request = Request("POST", "/cards", headers=headers, origins=origins)
    found = tuple(Read("header", (name,), True) for name in reads)
    return Specimen((Exchange(request, Response(200), reads=found),))


def test_the_usual_spelling_is_taken_for_all_tests() -> None:
    often, seldom = asked("X-CSRFToken", "X-CSRFToken"), asked("X-csrftoken")

    requests = [one.act.request for one in with_spelled_headers([seldom, often])]

    for request in requests:
        assert request.headers == (("X-CSRFToken", "t"), ("X-Other", "1"))
        assert set(request.origins) == {("header", "X-CSRFToken"), ("form", "a")}


def test_a_name_in_one_case_is_no_choice() -> None:
    """``request.environ`` has capitals only, and some write all names small."""
    specimen = asked("X-CSRFTOKEN", "x-csrftoken")

    assert with_spelled_headers([specimen]) == [specimen]
