"""The written fixture that brings back what an application keeps in memory."""

from __future__ import annotations

import ast
import sys
import threading
from pathlib import Path
from types import ModuleType
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.sut.fixture_texts.state_text import files_fixture
from pytest_evosearch.sut.fixture_texts.state_text import state_fixture
from pytest_evosearch.sut.fixture_texts.state_text import threads_fixture
from pytest_evosearch.sut.state.globals_state import GlobalsKeeper


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Any:
    module: Any = ModuleType("shop")
    module.NUMBER = 1
    module.Settings = type("Settings", (), {"__module__": "shop"})
    monkeypatch.setitem(sys.modules, "shop", module)
    return module


def request(shop: Any) -> None:
    """Do what a handler does with ``global``."""
    shop.NUMBER = 2
    shop.POOL = object()
    shop.Settings.loaded = True


def test_what_requests_add_to_modules_and_classes_is_removed(shop: Any) -> None:
    keeper = GlobalsKeeper([shop])
    keeper.snapshot()
    request(shop)
    keeper.restore()
    source = state_fixture([shop], keeper.changed_places())
    assert source is not None
    namespace: dict[str, Any] = {"pytest": ModuleType("pytest")}
    namespace["pytest"].fixture = lambda **_options: lambda function: function
    exec(source, namespace)
    for _test in range(2):
        steps = namespace["restored_state"]()
        next(steps)
        request(shop)
        assert next(steps, None) is None
        assert shop.NUMBER == 1
        assert not hasattr(shop, "POOL")
        assert not hasattr(shop.Settings, "loaded")


@pytest.mark.parametrize("name", ["a\nb.txt", 'a"b.txt', "a\\b.txt", "a\udcffb.txt"])
def test_files_with_odd_names_are_written_as_literals(name: str, tmp_path: Path) -> None:
    source = files_fixture([f"uploads/{name}", "plain.txt"], tmp_path, tmp_path / "evosearch")
    assert source is not None
    literals = [one.value for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Constant)]
    assert f"uploads/{name}" in literals
    assert 'project.glob("plain.txt")' in source


def test_the_threads_of_a_test_end_before_its_fixtures_do() -> None:
    names: dict[str, Any] = {
        "pytest": SimpleNamespace(fixture=lambda **_: lambda function: function)
    }
    exec(threads_fixture("client"), names)
    done = threading.Event()
    steps = names["threads_ended"](object())
    next(steps)
    threading.Timer(0.1, done.set).start()
    assert next(steps, None) is None
    assert done.is_set()
