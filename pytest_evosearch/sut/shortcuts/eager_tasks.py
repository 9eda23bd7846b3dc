"""Runs Celery tasks at once where their broker is missing: otherwise nothing would run them.

A project whose tests already do so is not changed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.shortcuts.replaced_services import why_not_there

_SETTING = "task_always_eager"

_FIXTURE = '''\
@pytest.fixture(autouse=True)
def eager_tasks({client}, monkeypatch):
    """Run the tasks of Celery at once: the broker was not there when the tests were written."""
    from celery import current_app

    monkeypatch.setitem(current_app.conf, "task_always_eager", True)
'''


@dataclass(frozen=True)
class EagerTasks:
    """The missing brokers, with the reasons."""

    brokers: tuple[tuple[str, str], ...] = ()

    def notices(self) -> list[str]:
        """Return one line for each missing broker."""
        return [
            f"service {broker} is down ({reason}): tasks of Celery run at once instead"
            for broker, reason in self.brokers
        ]

    def fixture(self, client_fixture: str) -> str | None:
        """Return the source of a fixture that runs tasks at once in written tests, too."""
        return _FIXTURE.format(client=client_fixture) if self.brokers else None


@contextmanager
def eager_tasks() -> Iterator[EagerTasks]:
    """Let tasks with a missing broker run at once, inside the block."""
    found: dict[str, str] = {}
    changed = []
    for app in _celery_applications():
        with suppress(Exception):  # a project's settings may raise anything
            if app.conf[_SETTING]:
                continue
            broker = _broker_of(app)
            reason = why_not_there(*broker) if broker is not None else ""
            if broker is not None and reason:
                setattr(app.conf, _SETTING, True)
                changed.append(app)
                found[f"{broker[0]}:{broker[1]}"] = reason
    try:
        yield EagerTasks(tuple(found.items()))
    finally:
        for app in changed:
            setattr(app.conf, _SETTING, False)


def _celery_applications() -> Iterable[Any]:
    """Return the created Celery applications; none where nothing imports Celery."""
    state = sys.modules.get("celery._state")
    active = getattr(state, "_get_active_apps", None)
    return sorted(active(), key=lambda app: str(app.main)) if active is not None else ()


def _broker_of(app: Any) -> tuple[str, int] | None:
    """Return host and port of the broker, None for one that needs no connection."""
    about = app.connection_for_write().info()
    host, port = about.get("hostname"), about.get("port")
    return (str(host), int(port)) if host and port else None
