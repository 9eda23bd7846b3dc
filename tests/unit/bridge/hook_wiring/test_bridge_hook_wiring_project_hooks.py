"""What hooks return, checked and turned into what the engine is given."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pluggy
import pytest

from pytest_evosearch import hookspecs
from pytest_evosearch.bridge.hook_wiring.hook_calls import HookCalls
from pytest_evosearch.bridge.hook_wiring.hook_oracles import project_oracles
from pytest_evosearch.bridge.hook_wiring.project_hooks import UNSTABLE_REASON
from pytest_evosearch.bridge.hook_wiring.project_hooks import ModuleChanges
from pytest_evosearch.bridge.hook_wiring.project_hooks import ProjectHooks
from pytest_evosearch.bridge.hook_wiring.project_hooks import project_extensions
from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.errors import HookFailed
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.settings.checked import Settings

ENDPOINT = Endpoint("POST", "/orders", "create")
MODULE = "test_evosearch_orders.py"
TEXT = '"""Tests."""\n\n\ndef test_show(client):\n    assert client\n'


class Told(list[str]):
    """Collects lines, and shows the only one."""

    @property
    def line(self) -> str:
        (line,) = self
        return line


def calls_of(told: Told, *plugins: dict[str, Any]) -> HookCalls:
    """Return calls of the given hooks, which pytest's configuration would know."""
    manager = pluggy.PluginManager("pytest")
    manager.add_hookspecs(hookspecs)
    for hooks in plugins:
        for name, function in hooks.items():
            function.pytest_impl = {"optionalhook": True}
            assert hasattr(manager.hook, name)
        manager.register(SimpleNamespace(**hooks))
    config: Any = SimpleNamespace(
        hook=manager.hook, pluginmanager=manager, rootpath=Path(__file__).parent
    )
    return HookCalls(config, told.append)


def test_without_hooks_there_is_nothing_to_ask() -> None:
    told = Told()
    settings = Settings(Budget.parse("1x"), 1, Path())
    calls = calls_of(told)
    assert project_extensions(calls, settings) == Extensions(notify=calls.notify)


def test_failures_name_hook_and_line() -> None:
    def pytest_evosearch_schema(app: object) -> object:
        raise LookupError("two\nlines " + "x" * 300)

    calls = calls_of(Told(), {"pytest_evosearch_schema": pytest_evosearch_schema})
    with pytest.raises(HookFailed) as raised:
        calls.call("pytest_evosearch_schema", app=None)
    line = pytest_evosearch_schema.__code__.co_firstlineno + 1
    place = f"{Path(__file__).name}:{line}"
    begin = f"hook pytest_evosearch_schema ({place}) raised LookupError: two lines"
    assert str(raised.value).startswith(begin)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("stop", [KeyboardInterrupt, pytest.exit.Exception])
def test_whoever_wants_to_stop_may(stop: type[BaseException]) -> None:
    def pytest_evosearch_schema(app: object) -> object:
        raise stop

    calls = calls_of(Told(), {"pytest_evosearch_schema": pytest_evosearch_schema})
    with pytest.raises(stop):
        calls.call("pytest_evosearch_schema", app=None)


def test_other_outcomes_of_tests_are_failures() -> None:
    hooks = ProjectHooks(
        calls_of(Told(), {"pytest_evosearch_schema": lambda app: pytest.skip("not today")})
    )
    with pytest.raises(HookFailed, match="raised Skipped: not today"):
        hooks.schema(None)


@pytest.mark.parametrize(("said", "kept"), [(None, True), (True, True), (False, False), (0, False)])
def test_endpoints_are_kept_unless_somebody_objects(said: object, kept: bool) -> None:
    calls = calls_of(Told(), {"pytest_evosearch_select_endpoint": lambda endpoint: said})
    assert ProjectHooks(calls).keeps(ENDPOINT) is kept


def test_a_service_answers_with_the_document_of_the_project_if_it_is_one() -> None:
    told = Told()
    answers = {"GET http://a/b": {"rates": (1, 2)}, "GET http://a/c": {1, 2}}
    hooks = ProjectHooks(calls_of(told, {"pytest_evosearch_service": lambda call: answers[call]}))

    assert hooks.service("GET http://a/b") == {"rates": [1, 2]}
    assert hooks.service("GET http://a/c") is None
    assert "returned no JSON document" in told.line
    assert hooks.service("GET http://a/d") is None


def test_values_of_all_implementations_count_together() -> None:
    told, seen = Told(), []
    hooks = ProjectHooks(
        calls_of(
            told,
            {"pytest_evosearch_values": lambda parameter: [1, 2]},
            {"pytest_evosearch_values": lambda parameter: seen.append(parameter)},
            {"pytest_evosearch_values": lambda parameter: "text"},
        )
    )
    assert sorted(hooks.values(ENDPOINT, Location.JSON, ("items", "size", "0"))) == [1, 2]
    assert (seen[0].location, seen[0].name) == ("json", "size")
    assert seen[0].path == ("items", "size", "0")
    assert "returned 'text', not a list of values" in told.line
    hooks.values(ENDPOINT, Location.QUERY, ("size",))
    assert len(told) == 1


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (None, None),
        (True, UNSTABLE_REASON),
        (False, True),
        ("drawn\n elsewhere", "drawn elsewhere"),
        (" ", UNSTABLE_REASON),
    ],
)
def test_stability_is_true_or_a_reason_against_it(said: object, meant: object) -> None:
    calls = calls_of(Told(), {"pytest_evosearch_unstable": lambda path, value: said})
    assert ProjectHooks(calls).stability("$.id", 7) == meant


def test_odd_answers_about_stability_say_nothing() -> None:
    told = Told()
    calls = calls_of(told, {"pytest_evosearch_unstable": lambda path, value: 7})
    assert ProjectHooks(calls).stability("$.id", 7) is None
    assert "returned 7, not True, False, None or a reason" in told.line


def test_requests_that_no_hook_changes_are_the_same_object() -> None:
    request = Request("POST", "/orders", form=(("a", "1"),))
    calls = calls_of(Told(), {"pytest_evosearch_request": lambda request: None})
    assert ProjectHooks(calls).change_request(request, ENDPOINT, None) is request


def test_what_is_no_fault_is_left_out_and_told() -> None:
    told = Told()
    oracle = SimpleNamespace(code="odd", judge=lambda exchange, call: ["nothing"])
    calls = calls_of(told, {"pytest_evosearch_oracles": lambda: [oracle]})
    (guarded,) = project_oracles(calls)
    assert list(guarded.judge(Exchange(Request("GET", "/"), None), 0)) == []  # type: ignore[union-attr]
    assert "the oracle 'odd' reported 'nothing', which is not a fault" in told.line


def test_modules_are_changed_by_one_after_the_other_and_once_for_each_text() -> None:
    asked: list[str] = []

    def named(comment: str) -> dict[str, Any]:
        def modify(module: Any) -> str:
            asked.append(comment)
            return f"# {comment}\n{module.text}"

        return {"pytest_evosearch_modify_module": modify}

    told = Told()
    change = ModuleChanges(calls_of(told, named("second"), named("first")))
    assert change(MODULE, TEXT) == f"# second\n# first\n{TEXT}"
    times = len(asked)
    assert change(MODULE, TEXT) == f"# second\n# first\n{TEXT}"
    assert (len(asked), told) == (times, [])


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (lambda module: 7, "is 7, not a text; written without it"),
        (lambda module: module.text + "def", "is not valid Python: "),
        (lambda module: module.text.replace("test_", "check_"), "lacks test_show; written"),
        (lambda module: 1 // 0, f"ZeroDivisionError: * {MODULE} is written without its change"),
    ],
)
def test_modules_that_cannot_be_written_stay_as_they_were(returned: Any, message: str) -> None:
    told = Told()
    calls = calls_of(
        told,
        {"pytest_evosearch_modify_module": returned},
        {"pytest_evosearch_modify_module": lambda module: f"# good\n{module.text}"},
    )
    assert ModuleChanges(calls)(MODULE, TEXT) == f"# good\n{TEXT}"
    assert all(part in told.line for part in message.split("*"))
