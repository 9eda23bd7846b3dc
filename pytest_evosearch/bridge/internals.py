"""Everything that pytest (7.4 to 9) offers only privately, in this one file.

pytest has no public way to set up a project's fixtures outside a test.  So a synthetic test item is
made below an existing node, where the normal rules of visibility, scope and autouse apply.  It
stays set up until it is closed.
"""

from __future__ import annotations

import faulthandler
import inspect
import logging
import unittest
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import field
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook as AssertionRewritingHook
from _pytest.logging import LogCaptureHandler
from _pytest.logging import caplog_handler_key
from _pytest.tmpdir import tmppath_result_key
from _pytest.unittest import TestCaseFunction
from _pytest.unittest import UnitTestCase

from pytest_evosearch.core.quick_dataclasses import dataclass

SYNTHETIC_NAME = "evosearch"


@dataclass(frozen=True)
class Parametrization:
    """The parameters with which a test is called."""

    callspec: Any = None
    definitions: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Parameters that are no fixtures, by name, with their definitions.

    The hook ``pytest_generate_tests`` gives them to every test, so written tests have them, too.
    Fixtures may request them.
    """


class SyntheticTest:
    """A test that never runs: it keeps its requested fixtures set up.

    Some of pytest's fixtures read attributes that its test protocol sets on the item: how the test
    ended (`tmp_path`) and a log handler (`caplog`).
    """

    def __init__(
        self,
        session: pytest.Session,
        parent: pytest.Collector,
        parametrization: Parametrization | None = None,
        requested: Sequence[str] = (),
    ) -> None:
        given = parametrization or Parametrization()
        self._session: Any = session
        self._item: Any = _item_below(parent, given.callspec, requested)
        for name, definitions in given.definitions.items():
            self._item._fixtureinfo.name2fixturedefs.setdefault(name, definitions)
        self._item.stash[tmppath_result_key] = {}
        self._item.stash[caplog_handler_key] = LogCaptureHandler()

    def start(self) -> None:
        """Set up the collectors above, the automatic fixtures and the requested ones.

        The order is pytest's: fixtures that last longer come first, as they are torn down last.
        Raise what they raise.
        """
        self._session._setupstate.setup(self._item)

    def value(self, name: str) -> Any:
        """Set up a fixture if necessary, and return its value; raise what the fixture raises."""
        return self._item._request.getfixturevalue(name)

    def forget_failure(self, name: str) -> None:
        """Let a fixture that has failed run again when it is next requested."""
        for definition in all_definitions(self._session).get(name, ()):
            if definition.cached_result is not None:
                definition.finish(self._item._request)
        self._item._request._fixture_defs.pop(name, None)

    @property
    def automatic(self) -> tuple[str, ...]:
        """Return its fixtures: the automatic ones of this place, and the requested ones."""
        return closure_of(self._item)

    @property
    def definitions(self) -> dict[str, Any]:
        """Return the definition of each of its fixtures that holds in this place."""
        found = {name: definition_for(self._item, name) for name in self.automatic}
        return {name: definition for name, definition in found.items() if definition is not None}

    def close(self) -> None:
        """Tear everything down; raise what the teardowns raise."""
        self._session._setupstate.teardown_exact(None)


def _item_below(parent: pytest.Collector, callspec: Any, requested: Sequence[str]) -> Any:
    """Return a test of the kind that pytest itself makes below `parent`.

    Below a class it has an instance, which fixtures and ``setup_method`` use.
    """
    if isinstance(parent, UnitTestCase):
        return _item_of_case(parent, requested)
    above = parent.getparent(pytest.Class)
    body = _body_requesting(["self", *requested] if above is not None else requested)
    item: Any = pytest.Function.from_parent(
        parent, name=SYNTHETIC_NAME, callobj=body, callspec=callspec
    )
    if above is not None and getattr(item, "instance", None) is None:
        item._instance = above.newinstance()  # type: ignore[no-untyped-call]
    return item


def _item_of_case(parent: UnitTestCase, requested: Sequence[str]) -> Any:
    """Return a test of a `unittest.TestCase` that requests fixtures, which its methods cannot."""
    method = unittest.TestLoader().getTestCaseNames(parent.obj)[0]
    item: Any = TestCaseFunction.from_parent(parent, name=method)
    item.nofuncargs = False
    manager: Any = item.session
    manager = manager._fixturemanager
    item._fixtureinfo = manager.getfixtureinfo(item, _body_requesting(requested), None)
    item.fixturenames = item._fixtureinfo.names_closure
    item._initrequest()
    return item


def _body_requesting(names: Sequence[str]) -> Callable[..., None]:
    """Return the body of a test with the parameters `names`."""

    def do_nothing(*_values: object, **_fixtures: object) -> None:
        """Replace the body of a test."""

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    do_nothing.__signature__ = signature  # type: ignore[attr-defined]
    return do_nothing


def all_definitions(session: pytest.Session) -> dict[str, list[Any]]:
    """Return every fixture definition of conftests, plugins and test modules, by name, sorted."""
    manager: Any = session
    manager = manager._fixturemanager
    found: dict[str, list[Any]] = {}
    for table in _definition_tables(manager):
        for name, definitions in table.items():
            found.setdefault(name, []).extend(definitions)
    return dict(sorted(found.items()))


def _definition_tables(manager: Any) -> Iterator[dict[str, list[Any]]]:
    """Yield tables from names to definitions: one up to pytest 9.0, two nested ones after it."""
    if hasattr(manager, "_arg2fixturedefs"):
        yield manager._arg2fixturedefs
        return
    for nested in (manager._arg2node2fixturedefs, manager._arg2nodeid2fixturedefs):
        yield {name: [*chain.from_iterable(by.values())] for name, by in nested.items()}


def definition_for(item: pytest.Item, name: str) -> Any:
    """Return the definition of the fixture `name` that the test uses, or None."""
    information: Any = getattr(item, "_fixtureinfo", None)
    definitions = information.name2fixturedefs.get(name) if information is not None else None
    return definitions[-1] if definitions else None


def is_below_module(definition: Any) -> bool:
    """Say whether `definition` is visible in one test module or class only."""
    place = str(definition.baseid or "")
    return "::" in place or place.endswith(".py")


def conftest_folder_of(definition: Any, root: Path) -> Path | None:
    """Return the folder whose conftest.py provides `definition`, even if it only imports it."""
    if is_below_module(definition):
        return None
    folder = root / str(definition.baseid or "")
    return folder if (folder / "conftest.py").is_file() else None


def home_of(session: pytest.Session, definition: Any) -> pytest.Collector:
    """Return a module at which `definition` is visible, for a fixture that no test uses.

    From pytest 9.1 on a definition knows its node.  Before, the node's name decides visibility, so
    a new node for its folder serves.  Fixtures that last for a module need one below it.
    """
    folder = session.config.rootpath / str(definition.baseid or "")
    node: Any = getattr(definition, "node", None) or _folder_node(session, folder)
    if node.getparent(pytest.Module) is None:
        node = pytest.Module.from_parent(node, path=folder / "conftest.py")
    collector: pytest.Collector = node
    return collector


def requested_names(item: pytest.Item) -> tuple[str, ...]:
    """Return the fixtures that the test's own signature and marks request."""
    information: Any = getattr(item, "_fixtureinfo", None)
    return tuple(information.initialnames) if information is not None else ()


def closure_of(item: pytest.Item) -> tuple[str, ...]:
    """Return every fixture that the test needs, directly or through other fixtures."""
    return tuple(getattr(item, "fixturenames", ()))


def is_parametrized(item: pytest.Item) -> bool:
    """Say whether the test has parameters, so that several tests may share its function."""
    return getattr(item, "callspec", None) is not None


def parametrization_of(item: pytest.Item) -> Parametrization:
    """Return the parameters of the test, without those that only its own marks give."""
    callspec: Any = getattr(item, "callspec", None)
    information: Any = getattr(item, "_fixtureinfo", None)
    if callspec is None or information is None or _has_own_hook(item):
        return Parametrization(callspec)
    by_marks = {name for mark in item.iter_markers("parametrize") for name in _names_in(mark)}
    given = callspec.params.keys() - by_marks
    definitions = information.name2fixturedefs
    return Parametrization(
        callspec, {name: definitions[name] for name in given if name in definitions}
    )


def _has_own_hook(item: pytest.Item) -> bool:
    """Say whether the module or the class of a test decides its parameters with a hook."""
    places = (getattr(item, "module", None), getattr(item, "cls", None))
    return any(hasattr(place, "pytest_generate_tests") for place in places)


def _names_in(mark: pytest.Mark) -> list[str]:
    """Return the names in ``@pytest.mark.parametrize``, which has one text or several."""
    names: Any = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
    return [one.strip() for one in names.split(",")] if isinstance(names, str) else list(names)


def _folder_node(session: pytest.Session, folder: Path) -> pytest.Collector:
    directory: Any = getattr(pytest, "Dir", None)  # before pytest 8 folders have no nodes
    root = session.config.rootpath
    node: Any = session
    for part in folder.relative_to(root).parts if directory and folder.is_relative_to(root) else ():
        node = directory.from_parent(node, path=node.path / part)
    collector: pytest.Collector = node
    return collector


def apply_warning_filters(config: pytest.Config) -> None:
    """Activate the project's own warning filters, as pytest does around each test."""
    if not config.pluginmanager.has_plugin("warnings"):
        return
    from _pytest.config import apply_warning_filters as apply

    apply(config.getini("filterwarnings"), config.known_args_namespace.pythonwarnings or [])


@contextmanager
def without_log_handlers(config: pytest.Config) -> Iterator[None]:
    """Remove pytest's handlers for live logs and log files: a search would log for hours."""
    plugin = config.pluginmanager.get_plugin("logging-plugin")
    root = logging.getLogger()
    handlers = [
        handler
        for handler in (
            getattr(plugin, "log_cli_handler", None),
            getattr(plugin, "log_file_handler", None),
        )
        if handler in root.handlers
    ]
    for handler in handlers:
        root.removeHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            root.addHandler(handler)


def forget_collection_errors(config: pytest.Config) -> list[str]:
    """Remove collection errors from the terminal's statistics; return what failed to be collected.

    Before pytest 8 a failing ``conftest.py`` is an error of the whole session, which has no name.
    """
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    reports: Sequence[Any] = reporter.stats.pop("error", ()) if reporter is not None else ()
    return [str(report.nodeid) or "all tests" for report in reports]


def option_destinations(config: pytest.Config) -> dict[str, str]:
    """Return each known flag with the name under which pytest stores its value."""
    parser: Any = config
    options = [option for group in parser._parser._groups for option in group.options]
    return {flag: option.dest for option in options for flag in option.names()}


def add_statistics(reporter: Any, name: str, number: int) -> None:
    """Make the last line of the session count `number` things called `name`.

    The reporter settles the kinds of its last line at the first warning.  Its own way of adding
    settles them again.
    """
    reporter._add_stats(name, [object() for _ in range(number)])


def note_crashes_again(config: pytest.Config) -> None:
    """Let pytest's fault handler write to the terminal again, if it did before."""
    from _pytest import faulthandler as plugin

    key = getattr(plugin, "fault_handler_stderr_fd_key", None)
    terminal = config.stash.get(key, None) if key is not None else None
    if terminal is not None:
        faulthandler.enable(file=terminal)


def run_alone(item: pytest.Item) -> None:
    """Run a collected test with its set-up and teardown, unreported."""
    from _pytest.runner import runtestprotocol

    runtestprotocol(item, log=False, nextitem=None)
