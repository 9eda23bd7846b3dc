from __future__ import annotations

import pytest
import requests
from flask import Flask
from servers import serving
from servers import unused_address

from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.sut.clients import running_server
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.clients.running_server import RunningServer
from pytest_evosearch.sut.clients.running_server import check_host
from pytest_evosearch.sut.clients.running_server import stand_in
from pytest_evosearch.sut.documents.openapi_source import find_documents


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"])
def test_loopback_is_meant(host: str) -> None:
    check_host(f"http://{host}:5000", ())


@pytest.mark.parametrize("host", ["staging.example.org", "10.0.0.7", "localhost.example.org"])
def test_a_host_beyond_loopback_has_to_be_named_twice(host: str) -> None:
    with pytest.raises(InvalidSetting, match=f"add --evosearch-allow-net={host}$"):
        check_host(f"https://{host}", ("other.example.org",))
    check_host(f"https://{host}", ("other.example.org", host))


def test_a_server_that_does_not_answer_is_told_in_one_line() -> None:
    url = unused_address()
    with pytest.raises(InvalidSetting) as caught:
        RunningServer(url).check()
    assert str(caught.value) == (
        f"--evosearch-url={url}: the server does not answer (Connection refused): start it first"
    )


def test_any_answer_is_an_answer() -> None:
    with serving(Flask("nothing")) as url:
        server = RunningServer(url)
        server.check()
        assert server.absence() == ""


def test_a_server_that_is_gone_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_server, "PAUSE", 0.0)
    monkeypatch.setattr(running_server, "PATIENCE", 3)
    url = unused_address()
    server = RunningServer(url)
    for number, path in enumerate(("/first", "/second", "/third")):
        assert server.silence is None, number
        answer = send(server.make_client(), method="GET", path=path)
        assert isinstance(answer.error, requests.ConnectionError)
        assert not answer.entered
    assert server.silence == f"the server at {url} does not answer any more, since GET /first"
    assert server.absence().startswith(f"the server at {url} does not answer any more, since GET")
    server.note_answer()
    assert server.silence is None


def test_an_answer_is_read_as_that_of_an_application() -> None:
    app = Flask("shop")

    @app.get("/made")
    def made() -> tuple[str, int, dict[str, str]]:
        return "ä", 201, {"X-A": "1"}

    with serving(app) as url:
        server = RunningServer(url)
        answer = send(server.make_client(), method="GET", path="/made")
        server.close()
    assert (answer.status, answer.body, answer.error) == (201, "ä".encode(), None)
    assert ("X-A", "1") in answer.headers


@pytest.mark.parametrize("place", ["/openapi.json", "/openapi.yaml", "/v3/api-docs"])
def test_documents_are_asked_for_at_the_usual_places(place: str, tmp_path) -> None:
    app = Flask("shop", static_folder=None)

    @app.get(place)
    def document() -> str:
        return '{"openapi": "3.0.0", "info": {}, "paths": {"/a": {"get": {}}}}'

    with serving(app) as url:
        server = RunningServer(url)
        (found,) = find_documents(stand_in(), tmp_path, server.make_client(), None)
        server.close()
    assert found.description == f"served at {place}"
