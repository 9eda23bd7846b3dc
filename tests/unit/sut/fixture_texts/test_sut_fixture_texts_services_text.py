"""The written fixture answers for services, and tells which calls were not expected."""

from __future__ import annotations

import asyncio

import httpx
import pytest
import requests

from pytest_evosearch.sut.fixture_texts.services_text import services_fixture

URL = "https://prices.internal/today"


@pytest.fixture
def services(monkeypatch):
    imports, source = services_fixture(in_loops=True, sleeps=True)
    module: dict[str, object] = {"pytest": pytest}
    exec("\n".join([*imports, source]), module)
    running = module["services"].__wrapped__(monkeypatch)
    yield next(running)
    running.close()
    monkeypatch.undo()


def test_a_stub_is_answered_and_the_request_kept(services):
    services.post(URL, status=201, json={"id": 4}, headers={"Location": "/4"})

    response = requests.post(f"{URL}?dry=1", json={"oats": 1}, timeout=3)

    assert (response.status_code, response.json()) == (201, {"id": 4})
    assert response.headers["Location"] == "/4"
    assert services.requests[0].json == {"oats": 1}
    assert services.requests[0].query == {"dry": "1"}
    services.finish()


def test_a_second_answer_is_for_the_second_request(services):
    services.get(URL, status=503)
    services.get(URL, text="fine")

    with requests.Session() as session:
        found = [session.get(URL, timeout=3).status_code for _ in range(3)]

    assert found == [503, 200, 200]
    services.finish()


FAILURES = {
    "time-out": requests.ReadTimeout,
    "reset": requests.ConnectionError,
    "truncated": requests.exceptions.ChunkedEncodingError,
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_service_fails_as_a_real_one(services, failure):
    services.get(URL, fails=failure)

    with pytest.raises(FAILURES[failure]):
        requests.get(URL, timeout=3)
    services.finish()


@pytest.mark.parametrize("why", ["refused", "time-out", "unknown host", "bad certificate"])
def test_a_host_cannot_be_reached(services, why):
    services.unreachable("prices.internal", why)

    with pytest.raises(requests.ConnectionError):
        requests.get(URL, timeout=3)
    services.finish()


def test_event_loops_are_answered_and_do_not_wait(services):
    services.get(URL, json={"oats": 3})
    services.get(URL, fails="time-out")

    async def get():
        async with httpx.AsyncClient() as client:
            found = (await client.get(URL)).json()
            with pytest.raises(httpx.ReadTimeout):
                await client.get(URL)
            return found

    assert asyncio.run(get()) == {"oats": 3}
    services.finish()


def test_a_call_without_an_answer_fails_twice(services):
    with pytest.raises(requests.ConnectionError):
        requests.get(URL, timeout=3)

    with pytest.raises(AssertionError, match="no answer for"):
        services.finish()


def test_an_answer_that_was_not_asked_for_is_told(services):
    services.get(URL)

    with pytest.raises(AssertionError, match="never asked"):
        services.finish()
