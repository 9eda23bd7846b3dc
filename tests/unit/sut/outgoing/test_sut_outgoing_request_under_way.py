"""What a client wanted to send to a host out of reach is known, as far as the client is."""

from __future__ import annotations

import urllib.request

import httpx
import pytest
import requests

from pytest_evosearch.sut.outgoing.answered_services import AnsweredServices

URL = "https://prices.internal/today"


def asked_by(call):
    services = AnsweredServices()
    with services.installed():
        services.begin_test()
        services.begin({"prices.internal": {"failure": "refused"}}, frozenset)
        with pytest.raises(OSError if call is with_urllib else Exception):
            call(f"{URL}?day=2")
        return services.take()[0].sought


def with_urllib(url):
    urllib.request.urlopen(url, timeout=3)


@pytest.mark.parametrize("client", [requests, httpx])
def test_the_request_is_known(client):
    found = asked_by(client.get)

    assert (found.method, found.url, found.query) == ("GET", URL, "day=2")
    assert found.header("User-Agent").startswith(f"python-{client.__name__}/")


def test_the_request_of_another_client_is_not():
    assert asked_by(with_urllib) is None
