"""Clients of other services are answered in the process, and fail as with a real service."""

from __future__ import annotations

import asyncio
import http.client
import http.server
import select
import socket
import ssl
import sys
import threading
import types
import urllib.error
import urllib.request
from contextlib import closing

import certifi
import httpx
import pytest
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from pytest_evosearch.sut.outgoing.answered_services import AnsweredServices

URL = "https://prices.internal/today"
TODAY = f"GET {URL}"
HOST = "prices.internal"

HOSTS = ("unknown host", "refused", "bad certificate")
FAILURES = {
    "unknown host": (HOST, requests.ConnectionError, httpx.ConnectError),
    "refused": (HOST, requests.ConnectionError, httpx.ConnectError),
    "bad certificate": (HOST, requests.exceptions.SSLError, httpx.ConnectError),
    "time-out": (TODAY, requests.ReadTimeout, httpx.ReadTimeout),
    "reset": (TODAY, requests.ConnectionError, httpx.ReadError),
    "truncated": (TODAY, requests.exceptions.ChunkedEncodingError, httpx.RemoteProtocolError),
}


@pytest.fixture
def services():
    found = AnsweredServices()
    with found.installed():
        found.begin_test()
        yield found
        found.end_test()


def test_an_unknown_call_gets_an_empty_object(services):
    response = requests.get(URL, timeout=3)

    assert (response.status_code, response.json()) == (200, {})
    assert [(one.name, one.request.method) for one in services.take()] == [(TODAY, "GET")]


def test_a_given_answer_has_its_status_headers_and_document(services):
    given = {"status": 503, "json": {"oats": 3.2}, "headers": {"Retry-After": "2"}}
    services.begin({TODAY: given}, frozenset)

    response = requests.get(URL, timeout=3)

    assert (response.status_code, response.json()) == (503, {"oats": 3.2})
    assert response.headers["Retry-After"] == "2"


@pytest.mark.parametrize("failure", FAILURES)
def test_each_client_raises_its_own_exception(services, failure):
    name, of_requests, of_httpx = FAILURES[failure]

    async def get():
        async with httpx.AsyncClient() as client:
            await client.get(URL)

    for send, error in (
        (lambda: requests.get(URL, timeout=3), of_requests),
        (lambda: httpx.get(URL), of_httpx),
        (lambda: asyncio.run(get()), of_httpx),
    ):
        services.begin_test()
        services.begin({name: {"failure": failure}}, frozenset)
        with pytest.raises(error):
            send()


@pytest.mark.parametrize("failure", FAILURES)
def test_clients_of_other_libraries_raise_their_own_exceptions(services, failure):
    aiohttp, boto3 = pytest.importorskip("aiohttp"), pytest.importorskip("boto3")
    exceptions = pytest.importorskip("botocore.exceptions")
    config = pytest.importorskip("botocore.config").Config(retries={"max_attempts": 0})
    storage = boto3.client(
        *("s3", "eu-west-1"),
        aws_access_key_id="a",
        aws_secret_access_key="b",
        endpoint_url="https://prices.internal",
        config=config,
    )

    async def get():
        limit = aiohttp.ClientTimeout(total=3)
        async with aiohttp.ClientSession(timeout=limit) as session, session.get(URL) as answer:
            await answer.read()

    of_library = {
        "unknown host": (urllib.error.URLError, aiohttp.ClientConnectorError, "EndpointConnection"),
        "refused": (urllib.error.URLError, aiohttp.ClientConnectorError, "EndpointConnection"),
        "bad certificate": (urllib.error.URLError, aiohttp.ClientSSLError, "SSL"),
        "time-out": (TimeoutError, asyncio.TimeoutError, "ReadTimeout"),
        "reset": (ConnectionResetError, aiohttp.ClientOSError, "ConnectionClosed"),
        "truncated": (
            *(http.client.IncompleteRead, aiohttp.ClientPayloadError),
            "ResponseStreaming",
        ),
    }
    of_urllib, of_aiohttp, of_boto = of_library[failure]
    for send, error in (
        (lambda: urllib.request.urlopen(URL, timeout=3).read(), of_urllib),
        (lambda: asyncio.run(get()), of_aiohttp),
        (
            lambda: storage.get_object(Bucket="a.b", Key="today")["Body"].read(),
            getattr(exceptions, f"{of_boto}Error"),
        ),
    ):
        services.begin_test()
        name = HOST if FAILURES[failure][0] == HOST else TODAY
        answers = {name: {"failure": failure}, "GET https://prices.internal/a.b/today": {}}
        if name == TODAY:
            answers["GET https://prices.internal/a.b/today"] = {"failure": failure}
        services.begin(answers, frozenset)
        with pytest.raises(error):
            send()


@pytest.mark.filterwarnings("ignore")  # httplib2 does not close what it could not connect
@pytest.mark.parametrize("failure", FAILURES)
def test_clients_that_tell_no_one_of_their_kind_raise_errors_of_sockets(services, failure):
    httplib2 = pytest.importorskip("httplib2")

    def by_hand():
        with closing(http.client.HTTPSConnection(HOST, timeout=3)) as connection:
            connection.request("GET", "/today")
            return connection.getresponse().read()

    def with_httplib2():
        with closing(httplib2.Http(timeout=3)) as client:
            return client.request(URL)

    of_client = {
        "unknown host": (httplib2.ServerNotFoundError, socket.gaierror),
        "refused": (ConnectionRefusedError, ConnectionRefusedError),
        "bad certificate": (ssl.SSLCertVerificationError, ssl.SSLCertVerificationError),
        "time-out": (TimeoutError, TimeoutError),
        "reset": (ConnectionResetError, ConnectionResetError),
        "truncated": (http.client.IncompleteRead, http.client.IncompleteRead),
    }
    for send, error in zip((with_httplib2, by_hand), of_client[failure], strict=True):
        services.begin_test()
        services.begin({FAILURES[failure][0]: {"failure": failure}}, frozenset)
        with pytest.raises(error):
            send()


@pytest.mark.parametrize("failure", FAILURES)
def test_elasticsearch_raises_its_own_exceptions(services, failure):
    elasticsearch = pytest.importorskip("elasticsearch")
    client = elasticsearch.Elasticsearch("https://prices.internal:9200", max_retries=0)
    name = "GET https://prices.internal:9200/today/_doc/{}"
    services.begin({name: {"json": {"_source": {"oats": 3}}}}, frozenset)
    assert client.get(index="today", id="1")["_source"] == {"oats": 3}
    assert not any("headers" in read.path for read in services.reads())
    services.begin({name: {"status": 404}}, frozenset)
    with pytest.raises(elasticsearch.NotFoundError):
        client.get(index="today", id="1")

    services.begin_test()
    place = f"{HOST}:9200" if failure in HOSTS else name
    services.begin({place: {"failure": failure}}, frozenset)
    of_client = {"bad certificate": "SSLError", "time-out": "ConnectionTimeout"}
    with pytest.raises(getattr(elasticsearch, of_client.get(failure, "ConnectionError"))):
        client.get(index="today", id="1")


def test_event_loops_read_documents_over_tls(services):
    services.begin({TODAY: {"json": {"oats": 3.2}}}, frozenset)

    async def get():
        async with httpx.AsyncClient() as client:
            return (await client.get(URL)).json()

    assert asyncio.run(get()) == {"oats": 3.2}


def test_the_next_try_gets_the_next_answer(services):
    services.begin({TODAY: {"status": 503}, f"{TODAY} 2": {"json": {"oats": 1}}}, frozenset)
    with requests.Session() as session:
        retry = Retry(2, status_forcelist=[503], backoff_factor=0)
        session.mount("https://", HTTPAdapter(max_retries=retry))

        assert session.get(URL, timeout=3).json() == {"oats": 1}
        assert session.get(URL, timeout=3).json() == {"oats": 1}

    assert [one.name for one in services.take()] == [TODAY, f"{TODAY} 2", f"{TODAY} 3"]


def test_a_body_arrives_whole_also_in_chunks(services):
    url = "http://prices.internal/orders/17"
    requests.post(url, json={"amount": 5}, timeout=3)
    requests.put(url, data=iter([b"one", b"two"]), timeout=3)

    posted, put = services.take()
    assert (posted.name, posted.request.body) == (
        "POST http://prices.internal/orders/{}",
        b'{"amount": 5}',
    )
    assert put.request.body == b"onetwo"


def test_segments_that_came_in_are_no_part_of_the_name(services):
    services.begin({}, lambda: frozenset({"oats"}))

    requests.get("http://prices.internal/of/oats", timeout=3)

    assert services.take()[0].name == "GET http://prices.internal/of/{}"


def test_a_proxy_is_answered_for_the_host_behind_it(services):
    proxies = {"https": "http://proxy.internal:3128", "http": "http://proxy.internal:3128"}

    requests.get(URL, timeout=3, proxies=proxies)
    requests.get("http://prices.internal/x", timeout=3, proxies=proxies)

    assert [one.name for one in services.take()] == [TODAY, "GET http://prices.internal/x"]


def test_the_standard_library_is_answered(services):
    services.begin({TODAY: {"status": 404}}, frozenset)

    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(URL, timeout=3)
    connection = http.client.HTTPConnection(HOST, timeout=3)
    connection.request("HEAD", "/")
    assert connection.getresponse().read() == b""
    connection.close()


def test_a_descriptor_is_readable_while_there_is_something_to_read(services):
    with socket.create_connection((HOST, 80), timeout=3) as connection:
        assert select.select([connection], [], [], 0)[0] == []
        connection.sendall(b"GET / HTTP/1.1\r\nHost: prices.internal\r\n\r\n")
        assert select.select([connection], [], [], 0)[0] == [connection]
        while b"{}" not in connection.recv(20):
            pass
        assert select.select([connection], [], [], 0)[0] == []


def test_connections_of_one_test_do_not_serve_the_next(services):
    with requests.Session() as session:
        session.get(URL, timeout=3)
        services.begin_test()
        services.begin({HOST: {"failure": "refused"}}, frozenset)

        with pytest.raises(requests.ConnectionError):
            session.get(URL, timeout=3)


def test_a_client_of_another_protocol_is_left_to_the_policy_below(services):
    with (
        socket.create_connection((HOST, 4000), timeout=3) as connection,
        pytest.raises(ConnectionResetError),
    ):
        connection.recv(1)

    assert services.take() == ()
    with pytest.raises(OSError, match=r".+"):
        socket.create_connection((HOST, 4000), timeout=1)


def test_loopback_and_ports_of_databases_are_not_answered(services):
    handler = http.server.BaseHTTPRequestHandler
    with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.handle_request, daemon=True)
        thread.start()
        port = server.server_address[1]
        assert requests.get(f"http://127.0.0.1:{port}/", timeout=3).status_code == 501
        thread.join()

    assert services.take() == ()


def test_nothing_is_answered_outside_a_test_and_everything_is_put_back():
    before = (socket.getaddrinfo, socket.socket.connect, ssl.SSLContext.wrap_socket)
    services = AnsweredServices()
    with services.installed(), pytest.raises(OSError, match=r".+"):
        socket.create_connection(("nothing.invalid", 80), timeout=1)

    assert (socket.getaddrinfo, socket.socket.connect, ssl.SSLContext.wrap_socket) == before
    assert "connect" not in vars(socket.socket)


def test_certificates_are_loaded_once_and_again_for_connections_that_leave(services):
    def loaded():
        return context.cert_store_stats()["x509"] > 0

    context = ssl.create_default_context(cafile=certifi.where())
    assert loaded()
    context = ssl.create_default_context(cafile=certifi.where())
    assert not loaded()

    context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="localhost")

    assert loaded()
    with pytest.raises(OSError, match="No such file"):
        ssl.create_default_context(cafile="missing.pem")


def test_contexts_that_live_longer_than_the_search_have_their_certificates():
    services = AnsweredServices()
    with services.installed():
        services.begin_test()
        made = [ssl.create_default_context(cafile=certifi.where()) for _ in range(2)]
        services.end_test()

    assert all(one.cert_store_stats()["x509"] for one in made)


@pytest.mark.parametrize("url", [URL, "http://192.0.2.7/today"], ids=["a name", "an address"])
def test_refused_hosts_are_out_of_reach_and_the_reason_is_told(url):
    services = AnsweredServices(refuses=True)
    with services.installed():
        services.begin_test()
        with pytest.raises(requests.ConnectionError, match="pytest-evosearch refuses it"):
            requests.get(url, timeout=3)
        services.end_test()

    assert services.take() == ()


def test_a_host_that_is_permitted_is_not_refused():
    services = AnsweredServices(["prices.internal"], refuses=True)
    looked_up = []

    def getaddrinfo(host, *others):
        looked_up.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", getaddrinfo)
        with services.installed():
            services.begin_test()
            with pytest.raises(requests.ConnectionError):
                requests.get(URL, timeout=3)
            services.end_test()

    assert looked_up == ["prices.internal"]


def test_grpc_is_refused_with_a_reason(monkeypatch):
    library = types.ModuleType("grpc")
    library.insecure_channel = lambda target, options=None: target
    monkeypatch.setitem(sys.modules, "grpc", library)
    with (
        AnsweredServices().installed(),
        pytest.raises(ConnectionRefusedError, match="does not answer gRPC: prices:50051"),
    ):
        library.insecure_channel("prices:50051")

    assert library.insecure_channel("prices:50051") == "prices:50051"
