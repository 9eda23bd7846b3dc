"""Headers that the application reads of an answer are noted; those of its client are not."""

from __future__ import annotations

import urllib.request

import httpx
import pytest
import requests

from pytest_evosearch.sut.outgoing.answered_services import AnsweredServices

URL = "https://prices.internal/today"
CLIENTS = {
    "requests": lambda: requests.get(URL, timeout=3),
    "httpx": lambda: httpx.get(URL),
    "urllib": lambda: urllib.request.urlopen(URL, timeout=3),
}


@pytest.fixture
def services():
    found = AnsweredServices()
    with found.installed():
        found.begin_test()
        yield found
        found.end_test()


def headers_of(services):
    return [one.path[2] for one in services.reads() if one.path[1] == "headers"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_read_is_noted(client, services):
    answer = CLIENTS[client]()

    assert headers_of(services) == []
    assert answer.headers.get("X-Left", "none") == "none"
    assert headers_of(services) == ["X-Left"]


def test_the_next_page_is_asked_for_by_its_link_and_has_none_itself(services):
    headers = {"Link": '<{url}?page=2>; rel="next"'}
    services.begin({f"GET {URL}": {"headers": headers}}, frozenset)

    first = requests.get(URL, timeout=3)
    second = requests.get(first.links["next"]["url"], timeout=3)

    assert (first.links["next"]["url"], second.links) == (f"{URL}?page=2", {})
    assert headers_of(services) == ["Link"]


def test_a_header_that_is_taken_for_a_number_is_one(services):
    services.begin({f"GET {URL}": {"headers": {"X-Left": "many"}}}, frozenset)

    with pytest.raises(ValueError, match="many"):
        int(requests.get(URL, timeout=3).headers["X-Left"])

    assert services.reads()[-1].type_name == "number"
