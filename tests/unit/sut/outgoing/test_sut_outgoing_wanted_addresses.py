"""What clients refuse as an address is compared with one."""

from __future__ import annotations

import urllib.request
from contextlib import suppress

import httpx
import pytest
import requests

from pytest_evosearch.sut.outgoing.wanted_addresses import ADDRESS
from pytest_evosearch.sut.outgoing.wanted_addresses import weighed_addresses


class Weighed:
    """Stands for the scales of a recording."""

    def __init__(self, in_use: bool = True) -> None:
        self.in_use = in_use
        self.pairs: list[tuple[object, object]] = []

    def weigh(self, observed: object, wanted: object) -> None:
        self.pairs.append((observed, wanted))


def closed(_request: httpx.Request) -> httpx.Response:
    return httpx.Response(200)


def open_httpx(address: str, base: str = "") -> None:
    with httpx.Client(transport=httpx.MockTransport(closed), base_url=base) as client:
        client.get(address)


def prepare(address: str) -> None:
    requests.Request("GET", address).prepare()


@pytest.mark.parametrize("ask", [prepare, urllib.request.Request, open_httpx])
@pytest.mark.parametrize("text", ["a", "shop/list", "a b"])
def test_a_text_that_is_no_address_is_compared_with_one(ask, text):
    scales = Weighed()
    with weighed_addresses(scales), suppress(Exception):
        ask(text)

    assert scales.pairs[0] == (text, ADDRESS)


@pytest.mark.parametrize("ask", [prepare, urllib.request.Request, open_httpx])
def test_an_address_is_compared_with_nothing(ask):
    scales = Weighed()
    with weighed_addresses(scales):
        ask("http://prices.internal/today")

    assert not scales.pairs


def test_a_path_below_the_address_of_a_client_is_one():
    scales = Weighed()
    with weighed_addresses(scales):
        open_httpx("today", "http://prices.internal/")

    assert not scales.pairs


def test_nothing_is_weighed_between_tests_and_nothing_stays():
    before = requests.models.PreparedRequest.prepare_url
    scales = Weighed(in_use=False)
    with weighed_addresses(scales), suppress(Exception):
        prepare("a")

    assert not scales.pairs
    assert requests.models.PreparedRequest.prepare_url is before
