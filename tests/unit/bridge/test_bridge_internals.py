from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pytest_evosearch.bridge.internals import forget_collection_errors


def test_collection_errors_have_a_name_also_when_the_whole_session_fails() -> None:
    errors = [SimpleNamespace(nodeid="tests/test_a.py"), SimpleNamespace(nodeid="")]
    reporter = SimpleNamespace(stats={"error": errors, "passed": []})
    plugins = SimpleNamespace(get_plugin={"terminalreporter": reporter}.get)
    config: Any = SimpleNamespace(pluginmanager=plugins)

    assert forget_collection_errors(config) == ["tests/test_a.py", "all tests"]
    assert reporter.stats == {"passed": []}
    assert forget_collection_errors(config) == []
