"""Stubs answer the clients that applications use, and tell which calls were not expected."""

from __future__ import annotations

import asyncio
import http.client
import socket
import ssl
import threading
import urllib.request
from contextlib import closing

import httpx
import pytest
import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from pytest_evosearch.sut.fixture_texts.loop_service_stubs import LoopServices

URL = "https://prices.internal/today"


@pytest.fixture
def services(monkeypatch):
    found = LoopServices()
    found.install(monkeypatch.setattr)
    yield found
    for peer in found.peers:
        peer.close()


def with_requests(url):
    return requests.get(url, timeout=3).content


def with_urllib3(url):
    with urllib3.PoolManager() as pool:
        return pool.request("GET", url).data


def with_http_client(url):
    connection = http.client.HTTPSConnection(url.split("/")[2], timeout=3)
    try:
        connection.request("GET", "/today")
        return connection.getresponse().read()
    finally:
        connection.close()


def with_urllib(url):
    with urllib.request.urlopen(url, timeout=3) as answer:
        return answer.read()


def with_httpx(url):
    return httpx.get(url).content


def with_async_httpx(url):
    async def get():
        async with httpx.AsyncClient() as client:
            return (await client.get(url)).content

    return asyncio.run(get())


def with_httplib2(url):
    httplib2 = pytest.importorskip("httplib2")
    with closing(httplib2.Http(timeout=3)) as client:
        return client.request(url)[1]


def with_aiohttp(url):
    aiohttp = pytest.importorskip("aiohttp")

    async def get():
        async with aiohttp.ClientSession() as client, client.get(url) as answer:
            return await answer.read()

    return asyncio.run(get())


def in_a_thread(url):
    found = []
    thread = threading.Thread(target=lambda: found.append(with_requests(url)))
    thread.start()
    thread.join()
    return found[0]


def with_urllib_behind_a_proxy(url):
    through = urllib.request.ProxyHandler({"https": "http://proxy.internal:3128"})
    with urllib.request.build_opener(through).open(url, timeout=3) as answer:
        return answer.read()


def behind_a_proxy(url):
    return requests.get(url, proxies={"https": "http://proxy.internal:3128"}, timeout=3).content


CLIENTS = [
    with_requests,
    with_urllib3,
    with_http_client,
    with_urllib,
    with_httplib2,
    with_httpx,
    with_async_httpx,
    with_aiohttp,
    in_a_thread,
    behind_a_proxy,
    with_urllib_behind_a_proxy,
]


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_gets_the_answer_over_tls(services, client):
    services.get(URL, json={"oats": 3})

    assert client(URL) == b'{"oats": 3}'
    services.finish()


def test_elasticsearch_takes_the_answer_for_one_of_its_own(services):
    client = pytest.importorskip("elasticsearch").Elasticsearch("https://prices.internal:9200")
    services.get("https://prices.internal:9200/today/_doc/1", json={"_source": {"oats": 3}})

    assert client.get(index="today", id="1")["_source"] == {"oats": 3}
    services.finish()


@pytest.mark.parametrize("client", [with_requests, with_httpx, with_async_httpx, with_aiohttp])
def test_a_port_of_its_own_is_part_of_the_address(services, client):
    for url in ("https://prices.internal:8443/today", "http://prices.internal:8080/today"):
        services.get(url, text="fine")

        assert client(url) == b"fine"
    services.finish()


def test_the_request_is_kept(services):
    services.post(URL, status=201, json={"id": 4}, headers={"Location": "/4"})

    response = requests.post(f"{URL}?dry=1", json={"oats": 1}, timeout=3)

    assert (response.status_code, response.json()) == (201, {"id": 4})
    assert response.headers["Location"] == "/4"
    [request] = services.requests
    assert (request.json, request.query) == ({"oats": 1}, {"dry": "1"})
    assert request.headers["content-type"] == "application/json"
    services.finish()


def test_a_form_and_a_body_in_chunks_are_kept(services):
    services.post(URL)

    requests.post(URL, data={"oats": "1"}, timeout=3)
    requests.post(URL, data=iter([b"oa\r\nts", b"=1"]), timeout=3)

    assert services.requests[0].form == {"oats": "1"}
    assert services.requests[1].body == b"oa\r\nts=1"


def test_a_body_that_waits_for_a_word_is_asked_for(services):
    services.put(URL, status=204)
    context = ssl.create_default_context()
    with socket.create_connection(("prices.internal", 443), 3) as plain:
        connection = context.wrap_socket(plain, server_hostname="prices.internal")
        connection.sendall(
            b"PUT /today HTTP/1.1\r\nHost: prices.internal\r\n"
            b"Content-Length: 4\r\nExpect: 100-continue\r\n\r\n"
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        connection.sendall(b"oats")
        assert connection.recv(100).startswith(b"HTTP/1.1 204 ")
    assert services.requests[0].body == b"oats"


def test_a_second_answer_is_for_the_second_request(services):
    services.get(URL, status=503)
    services.get(URL, text="fine")

    with requests.Session() as session:
        found = [session.get(URL, timeout=3).status_code for _ in range(3)]

    assert found == [503, 200, 200]
    services.finish()


def test_a_client_that_tries_again_gets_the_second_answer(services):
    services.get(URL, fails="reset")
    services.get(URL, status=503)
    services.get(URL, text="fine")

    with requests.Session() as session:
        session.mount("https://", HTTPAdapter(max_retries=Retry(3, status_forcelist=[503])))
        assert session.get(URL, timeout=3).text == "fine"


FAILURES = {
    "time-out": (requests.ReadTimeout, httpx.ReadTimeout),
    "reset": (requests.ConnectionError, httpx.ReadError),
    "truncated": (requests.exceptions.ChunkedEncodingError, httpx.RemoteProtocolError),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_service_fails_as_a_real_one(services, failure):
    services.get(URL, fails=failure)
    of_requests, of_httpx = FAILURES[failure]

    with pytest.raises(of_requests):
        with_requests(URL)
    with pytest.raises(of_httpx):
        with_httpx(URL)
    with pytest.raises(of_httpx):
        with_async_httpx(URL)
    services.finish()


@pytest.mark.parametrize("why", ["refused", "time-out", "unknown host", "bad certificate"])
def test_a_host_cannot_be_reached(services, why):
    services.unreachable("prices.internal", why)

    with pytest.raises(requests.ConnectionError):
        with_requests(URL)
    with pytest.raises(httpx.TransportError):
        with_async_httpx(URL)
    services.finish()


@pytest.mark.parametrize("client", [client for client in CLIENTS if client is not in_a_thread])
def test_a_call_without_an_answer_fails_twice_with_its_address(services, client):
    with pytest.raises(Exception, match=r"no answer for GET https:|disconnected|^$"):
        client(URL)

    with pytest.raises(AssertionError, match=f"^no answer for GET {URL}$"):
        services.finish()


def test_an_answer_that_was_not_asked_for_is_told(services):
    services.get(URL)

    with pytest.raises(AssertionError, match=f"^never asked: GET {URL}$"):
        services.finish()
