"""An application that connects while it is imported is loaded with mocks for what is not there."""

from __future__ import annotations

import importlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_evosearch.sut.watching.absent_clients import AbsentClients
from pytest_evosearch.sut.watching.services import ServiceWatch

LIBRARY = """
import socket

class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))

    @classmethod
    def opened(cls, port):
        return cls(port)

class Broker:
    def connect(self, port):
        return Connection(port)

def connect(port):
    return Connection(port)
"""

WAYS = {
    "class": ("from broker import Connection", "Connection(PORT)", ("broker.Connection",)),
    "function": ("import broker", "broker.connect(PORT)", ("broker.connect",)),
    "class method": (
        "from broker import Connection",
        "Connection.opened(PORT)",
        ("broker.Connection.opened",),
    ),
    "method": ("from broker import Broker", "Broker().connect(PORT)", ("broker.Broker.connect",)),
}


@pytest.fixture
def free_port() -> Iterator[int]:
    with socket.socket() as taken:  # bound, and listening to nobody
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    installed = tmp_path / "site-packages"
    installed.mkdir()
    (installed / "broker.py").write_text(LIBRARY)
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.syspath_prepend(installed)
    monkeypatch.syspath_prepend(project)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name in ("broker", "absent_shop"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return project


@pytest.mark.parametrize(("statement", "call", "names"), WAYS.values(), ids=WAYS)
def test_what_the_project_calls_to_connect_is_a_mock(
    statement: str, call: str, names: tuple[str, ...], project: Path, free_port: int
) -> None:
    text = f"PORT = {free_port}\n{statement}\nlive = {call}\nlive.declare('queue')\n"
    (project / "absent_shop.py").write_text(text)
    clients = AbsentClients(project)
    with clients.installed(), pytest.raises(ConnectionRefusedError):
        importlib.import_module("absent_shop")
    assert clients.replace_last()
    with clients.installed():
        shop = importlib.import_module("absent_shop")
    assert clients.names == names
    watch = ServiceWatch()
    with watch.installed():
        shop.live.publish("text")
    (missed,) = watch.take()
    assert missed.name == f"127.0.0.1:{free_port}"
    clients.undo()
    own = eval(names[0], {"broker": sys.modules["broker"]})
    assert "Mock" not in type(own).__name__


def test_nothing_is_replaced_where_nothing_was_asked_for(project: Path) -> None:
    assert not AbsentClients(project).replace_last()
