from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.bridge.applications import set_up_stopwatch
from pytest_evosearch.bridge.applications.set_up_stopwatch import timed_set_up


def set_up(
    manager: pytest.PytestPluginManager, work: Callable[[], None], scope: str = "function"
) -> None:
    class Fixtures:
        def pytest_fixture_setup(self) -> object:
            work()
            return True

    plugin = Fixtures()
    manager.register(plugin)
    definition = SimpleNamespace(scope=scope)
    manager.hook.pytest_fixture_setup(fixturedef=definition, request=None)
    manager.unregister(plugin)


def test_only_fixtures_are_measured_and_those_inside_others_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]

    def pass_time() -> None:
        now[0] += 2.0

    monkeypatch.setattr(set_up_stopwatch, "monotonic", lambda: now[0])
    manager = pytest.PytestPluginManager()
    config: Any = SimpleNamespace(pluginmanager=manager)

    with timed_set_up(config) as stopwatch:
        pass_time()
        assert stopwatch.seconds == 0.0
        set_up(manager, lambda: set_up(manager, pass_time))
        assert stopwatch.seconds == 2.0
    set_up(manager, pass_time)

    assert stopwatch.seconds == 2.0
    assert not manager.is_registered(stopwatch)


@pytest.mark.parametrize("scope", ["session", "package"])
def test_fixtures_that_tests_share_are_not_measured_also_inside_others(
    monkeypatch: pytest.MonkeyPatch, scope: str
) -> None:
    now = [100.0]

    def pass_time() -> None:
        now[0] += 2.0

    def load() -> None:
        now[0] += 30.0

    def with_shared() -> None:
        pass_time()
        set_up(manager, load, scope)

    monkeypatch.setattr(set_up_stopwatch, "monotonic", lambda: now[0])
    manager = pytest.PytestPluginManager()
    config: Any = SimpleNamespace(pluginmanager=manager)

    with timed_set_up(config) as stopwatch:
        set_up(manager, load, scope)
        set_up(manager, with_shared)

    assert stopwatch.seconds == 2.0


def test_imports_of_a_shared_fixture_do_not_hide_what_a_test_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    modules: dict[str, object] = {}

    def load() -> None:
        modules.update(dict.fromkeys(map(str, range(500))))

    def pass_time() -> None:
        now[0] += 2.0

    monkeypatch.setattr(set_up_stopwatch, "monotonic", lambda: now[0])
    monkeypatch.setattr(set_up_stopwatch, "sys", SimpleNamespace(modules=modules))
    manager = pytest.PytestPluginManager()
    config: Any = SimpleNamespace(pluginmanager=manager)

    with timed_set_up(config) as stopwatch:
        set_up(manager, load, "session")
        set_up(manager, pass_time)

    assert stopwatch.seconds == 2.0
