from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from pytest_evosearch.sut.watching.services import ServiceWatch
from pytest_evosearch.sut.watching.services import is_missed_service


@pytest.fixture
def port() -> int:
    """A port of loopback at which nothing listens."""
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        number: int = found.getsockname()[1]
    return number


@pytest.fixture
def asked_again() -> list[str]:
    return []


@pytest.fixture
def watch(asked_again: list[str]) -> Iterator[ServiceWatch]:
    made = ServiceWatch(lambda: asked_again.append("again"))
    with made.installed():
        made.begin()
        yield made


def ask(port: int) -> None:
    socket.create_connection(("localhost", port), timeout=2).close()


def test_a_refused_connection_is_told_by_the_name_that_was_asked_for(watch, port):
    with pytest.raises(ConnectionRefusedError):
        ask(port)
    (one,) = watch.take()
    assert (one.name, one.reason) == (f"localhost:{port}", "connection refused")


def test_it_is_asked_once(watch, port, asked_again):
    with pytest.raises(ConnectionRefusedError):
        ask(port)
    watch.take()
    assert asked_again == []
    watch.begin()
    with pytest.raises(ConnectionRefusedError), closing(socket.socket()) as connection:
        connection.connect(("127.0.0.1", port))
    with closing(socket.socket()) as connection:
        assert connection.connect_ex(("127.0.0.1", port)) != 0
    assert len(watch.take()) == 1
    assert asked_again == ["again", "again"]


def test_what_answers_after_a_while_is_not_missing(watch, port):
    with pytest.raises(ConnectionRefusedError):
        ask(port)
    with closing(socket.create_server(("127.0.0.1", port))):
        ask(port)
    assert watch.take() == ()


def test_a_name_that_is_not_found_is_told(watch):
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("nothing.invalid", 80)
    (one,) = watch.take()
    assert (one.name, one.reason) == ("nothing.invalid:80", "its name is not found")


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no sockets of Unix")
def test_a_socket_of_unix_that_is_not_there_is_a_missing_service(watch, tmp_path):
    path = str(tmp_path / "daemon.sock")
    for _time in range(2):
        watch.begin()
        with closing(socket.socket(socket.AF_UNIX)) as connection:
            with pytest.raises(FileNotFoundError) as raised:
                connection.connect(path)
            assert is_missed_service(raised.value)
        (one,) = watch.take()
        assert (one.name, one.reason) == (path, "there is no such socket")


def test_a_file_that_is_not_there_is_no_service(watch, tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        (tmp_path / "file").read_text()
    assert not is_missed_service(raised.value)
    assert watch.take() == ()
