"""Keeps the standard library as it is where an application wants it green.

``gevent.monkey.patch_all()`` and ``eventlet.monkey_patch()`` at the top of a ``wsgi.py`` make
threads, sockets, sleeping, locks, signals and subprocesses of the whole process switch to other
tasks.  A server wants that; a search sends one request after the other and gains nothing, while its
time limits no longer reach the application, and the interpreters that verify tests never start.  So
these functions do nothing during a search.  The libraries themselves work without them.

They are replaced when their module has been imported, by a finder that stands first.

A verification run loads a copy of this file as a plugin (``EVOSEARCH_VERIFY_UNPATCHED``): what only
changes the clock or the order runs the application as the search did.  The tests as they are meet
the real functions.  So it imports nothing of pytest-evosearch.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

_PATCHING = {"gevent.monkey": "patch_", "eventlet.patcher": "monkey_patch"}
"""Modules, and how the names of their functions begin that replace the standard library's."""

_configured = ExitStack()


def pytest_load_initial_conftests() -> None:
    """Keep the standard library as it is in a verification run that asks for it.

    That is before any conftest.py imports the application: plugins come before pytest itself.
    """
    if os.environ.get("EVOSEARCH_VERIFY_UNPATCHED"):
        _configured.enter_context(unpatched_standard_library())


def pytest_unconfigure() -> None:
    """Let the libraries patch again."""
    _configured.close()


def leave_alone(*_arguments: Any, **_keywords: Any) -> bool:
    """Stand in for a function that patches the standard library: say that it is done."""
    return True


class _Finder(MetaPathFinder):
    """Finds the patching modules as before, and takes their teeth out once they are loaded."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a patching module, None for any other."""
        if name not in _PATCHING:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            execute = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                _take_teeth_out(module)

            loader.exec_module = exec_module
        return spec


def _take_teeth_out(module: ModuleType) -> None:
    beginning = _PATCHING[module.__name__]
    for name, value in list(vars(module).items()):
        if name.startswith(beginning) and callable(value):
            setattr(module, name, leave_alone)


@contextmanager
def unpatched_standard_library() -> Iterator[None]:
    """Keep the standard library unpatched when modules for green threads are imported inside.

    To be entered before the application is imported.  Modules that are there already stay as they
    are: their work is done.
    """
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
