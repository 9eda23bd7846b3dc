from __future__ import annotations

import socket
import sys
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.sut.shortcuts.eager_tasks import eager_tasks


class Settings(dict[str, Any]):
    """Settings of Celery, as far as they matter here."""

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def tasks_at(port: int, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Settings:
    about = {"hostname": "127.0.0.1", "port": port}
    connection = SimpleNamespace(info=lambda: about)
    conf = Settings({"task_always_eager": False, **settings})
    app = SimpleNamespace(main="shop", conf=conf, connection_for_write=lambda: connection)
    state = SimpleNamespace(_get_active_apps=lambda: {1: app}.values())
    monkeypatch.setitem(sys.modules, "celery._state", state)  # type: ignore[arg-type]
    return conf


def test_tasks_run_at_once_where_no_broker_is(monkeypatch):
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    conf = tasks_at(port, monkeypatch)
    with eager_tasks() as tasks:
        assert conf["task_always_eager"]
    assert not conf["task_always_eager"]
    assert tasks.notices() == [
        (
            f"service 127.0.0.1:{port} is down (connection refused): tasks of Celery run at once "
            "instead"
        )
    ]
    assert "def eager_tasks(client, monkeypatch)" in (tasks.fixture("client") or "")


def test_a_broker_that_is_there_keeps_its_tasks(monkeypatch):
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        conf = tasks_at(server.getsockname()[1], monkeypatch)
        with eager_tasks() as tasks:
            assert not conf["task_always_eager"]
    assert (tasks.notices(), tasks.fixture("client")) == ([], None)


def test_what_the_project_does_itself_is_left_alone(monkeypatch):
    conf = tasks_at(1, monkeypatch, task_always_eager=True)
    with eager_tasks() as tasks:
        assert tasks.brokers == ()
    assert conf["task_always_eager"]


def test_tasks_of_celery_run_at_once_where_no_broker_is():
    celery = pytest.importorskip("celery")
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    shop = celery.Celery("shop", broker=f"redis://127.0.0.1:{port}/0")

    @shop.task
    def double(number):
        return 2 * number

    try:
        with eager_tasks() as tasks:
            assert double.delay(21).get() == 42
        assert f"127.0.0.1:{port} is down" in tasks.notices()[0]
        assert not shop.conf.task_always_eager
    finally:
        shop.close()
