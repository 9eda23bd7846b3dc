"""Borrows the set-up of a project's `unittest.TestCase` without running its tests.

    collected tests -> classes, most promising first -> one instance, set up -> application, client

It serves projects whose tests use no fixtures.  The written tests borrow the set-up through their
own conftest.py (`sut.fixture_texts.support_text`).
"""

from __future__ import annotations

import inspect
import os
import sys
import unittest
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import field
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.bridge.applications.attempts import Attempts
from pytest_evosearch.bridge.applications.fixture_candidates import ATTEMPTS
from pytest_evosearch.bridge.applications.fixture_candidates import is_generated
from pytest_evosearch.bridge.applications.project_clients import connexion_of
from pytest_evosearch.bridge.applications.project_clients import is_application
from pytest_evosearch.bridge.applications.project_clients import is_client
from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import CLIENT
from pytest_evosearch.core.vocabulary import LOG_IN
from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.sut.surroundings import is_context_pushed

CLIENT_NAMES = (*CLIENT.words(), "app")
"""Usual attributes, tried first when several hold a client."""


@dataclass
class PreparedCase:
    """An instance of a test case after ``setUp``, until `close`."""

    kind: type[unittest.TestCase]
    instance: Any
    tests: int
    """Number of collected tests that share this set-up."""
    folder: Path
    """Folder of its tests."""
    context_pushed: bool = False
    """Whether its set-up leaves an application or request context behind."""
    _resources: ExitStack = field(default_factory=ExitStack)

    @property
    def client_attribute(self) -> str | None:
        """Return the attribute that holds a test client; None when there is none."""
        return _attribute(self.instance, is_client, CLIENT_NAMES)

    @property
    def app_attribute(self) -> str | None:
        """Return the attribute that holds a Flask application; None when there is none."""
        return _attribute(self.instance, is_application, ())

    @property
    def connexion_attribute(self) -> str | None:
        """Return the attribute with a Connexion 3 application or its client; None with a Flask one.

        The Flask application inside responds only through the layers of Connexion.
        """
        if self.client_attribute is not None:
            return None
        return _attribute(
            self.instance, lambda value: connexion_of(value) is not None, CLIENT_NAMES
        )

    @property
    def login_method(self) -> str | None:
        """Return the method that logs the client in; None when there is none."""
        if self.client_attribute is None:
            return None
        named = [name for name in dir(self.kind) if "".join(words_of(name)) in LOG_IN.words()]
        return next((name for name in reversed(named) if _needs_nothing(self.kind, name)), None)

    @property
    def origin(self) -> str:
        """Return the class and its place: ``TestCase BaseTestCase (tests/base.py:33)``."""
        return f"unittest {self.kind.__module__}.{self.kind.__name__}"

    def close(self) -> None:
        """Tear the case down; raise what its teardown raises."""
        self._resources.close()


def login_of(case: PreparedCase, method: str) -> Callable[[Any], object]:
    """Return a function that logs a given client in with the case's own `method`."""
    attribute = case.client_attribute
    assert attribute is not None

    def login(client: Any) -> object:
        kept = getattr(case.instance, attribute)
        setattr(case.instance, attribute, client)
        try:
            return getattr(case.instance, method)()
        finally:
            setattr(case.instance, attribute, kept)

    return login


def prepare_case(
    items: Sequence[pytest.Item], tried: Attempts, lack_of: Callable[[Any], str | None]
) -> PreparedCase | None:
    """Return the first case whose set-up leaves an application or a client on the instance.

    A base class may prepare an application whose parts only its subclasses switch on.  So a case
    is skipped of whose application `lack_of` says what it lacks.  Each failed case adds one phrase
    to `tried`.
    """
    for kind, tests, folder in case_classes(items)[:ATTEMPTS]:
        case = PreparedCase(kind, None, tests, folder)
        try:
            _set_up(case)
        except (KeyboardInterrupt, EvosearchUsageError):
            raise
        except BaseException as error:
            tried.note_failure(case.origin, error)
        else:
            if (lack := _lack_of(case, lack_of)) is None:
                return case
            tried.note(case.origin, lack)
        quietly(case.close)
        if tried.hopeless:
            break
    return None


def _lack_of(case: PreparedCase, lack_of: Callable[[Any], str | None]) -> str | None:
    """Return what a prepared case lacks for a search; None if nothing."""
    if case.connexion_attribute:
        return None  # what it serves lies in front of its Flask application
    if not case.client_attribute and not case.app_attribute:
        return "its set-up leaves no application on self"
    app = application_of(case)
    return None if app is None else lack_of(app)


def application_of(case: PreparedCase) -> Any:
    """Return the Flask application that a case holds or its client uses, else None."""
    if case.app_attribute:
        return getattr(case.instance, case.app_attribute)
    from pytest_evosearch.sut.finding.application_loader import unwrap  # needs Flask

    assert case.client_attribute is not None
    app, _suffix = unwrap(getattr(case.instance, case.client_attribute).application)
    return app


def case_classes(
    items: Sequence[pytest.Item],
) -> list[tuple[type[unittest.TestCase], int, Path]]:
    """Return the project's test cases with their number of tests and folder, best first.

    Cases that mention a test client come first, then the cases that most tests share, which are
    base classes.  The folder is above all of these tests.
    """
    counts: dict[type[unittest.TestCase], int] = {}
    folders: dict[type[unittest.TestCase], Path] = {}
    for item in sorted(items, key=lambda item: item.nodeid):
        for kind in _project_cases(item):
            counts[kind] = counts.get(kind, 0) + 1
            above = (folders.get(kind, item.path.parent), item.path.parent)
            folders[kind] = Path(os.path.commonpath(above))

    def rank(kind: type[unittest.TestCase]) -> tuple[bool, int, int, str]:
        return (not _mentions_client(kind), -counts[kind], len(kind.__mro__), kind.__qualname__)

    return [(kind, counts[kind], folders[kind]) for kind in sorted(counts, key=rank)]


def _project_cases(item: pytest.Item) -> Iterator[type[unittest.TestCase]]:
    """Yield the project's classes from which the test inherits its set-up."""
    kind = getattr(item, "cls", None)
    if not inspect.isclass(kind) or is_generated(item.path):
        return
    for base in kind.__mro__:
        if not issubclass(base, unittest.TestCase) or "." in base.__qualname__:
            continue
        if not _is_installed(base):
            yield base


def _is_installed(kind: type) -> bool:
    filename = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    parts = Path(filename).parts
    return kind.__module__.startswith("unittest") or bool(
        {"site-packages", "dist-packages"} & set(parts)
    )


def _mentions_client(kind: type) -> bool:
    """Say whether the source of the set-up of `kind` makes a client."""
    for base in kind.__mro__:
        try:
            source = inspect.getsource(base) if not _is_installed(base) else ""
        except (OSError, TypeError):
            continue
        if "test_client(" in source:
            return True
    return hasattr(kind, "_pre_setup")


def _set_up(case: PreparedCase) -> None:
    """Set a test up as `unittest` and Flask-Testing do, and note how to undo it."""
    kind, resources = case.kind, case._resources
    resources.callback(kind.doClassCleanups)
    kind.setUpClass()
    resources.callback(kind.tearDownClass)
    case.instance = instance = kind()
    for before, after in (("_pre_setup", "_post_teardown"), ("setUp", "tearDown")):
        if hasattr(instance, before):
            getattr(instance, before)()
            resources.callback(getattr(instance, after, _do_nothing))
        if before == "setUp":
            resources.callback(instance.doCleanups)
    case.context_pushed = is_context_pushed()


def _do_nothing() -> None:
    """Replace a method that does not exist."""


def quietly(close: Callable[[], object]) -> None:
    """Tear down after a failed set-up; ignore a failure here, because the first one is reported."""
    try:
        close()
    except KeyboardInterrupt:
        raise
    except BaseException:
        return


def _attribute(
    instance: object, fits: Callable[[object], bool], usual: Sequence[str]
) -> str | None:
    """Return the name of the attribute of `instance` or its class whose value fits."""
    held: dict[str, object] = {}
    for base in reversed(type(instance).__mro__):
        held.update(vars(base))
    held.update(vars(instance))
    names = [name for name, value in held.items() if fits(value)]
    return min(names, key=lambda name: (name not in usual, name)) if names else None


def _needs_nothing(kind: type, name: str) -> bool:
    method = getattr(kind, name, None)
    if not inspect.isfunction(method):
        return False
    try:
        inspect.signature(method).bind(None)
    except TypeError:
        return False
    return True
