"""Prevents an application from patching the standard library for green threads.

``gevent.monkey.patch_all()`` and ``eventlet.monkey_patch()`` at the top of a ``wsgi.py`` make
threads, sockets, sleeping, locks, signals and subprocesses of the whole process switch to other
tasks. A server needs this, but a search sends one request after the other and gains nothing. Its
time limits would no longer interrupt the application, and the interpreters that verify tests would
never start. So these functions do nothing during a search. The libraries themselves work without
them.

A finder at the first position replaces them as soon as their module has been imported.

A verification run loads a copy of this file as a plugin (``EVOSEARCH_VERIFY_UNPATCHED``): a run
that only changes the clock or the order needs the application as in the search. The unchanged tests
run with the real functions. So this file imports nothing from pytest-evosearch.
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
"""Modules -> prefix of their functions that replace the standard library's."""

_configured = ExitStack()


def pytest_load_initial_conftests() -> None:
    """Keep the standard library as it is in a verification run that asks for it.

    This happens before any conftest.py imports the application: plugins run before pytest's own
    code.
    """
    if os.environ.get("EVOSEARCH_VERIFY_UNPATCHED"):
        _configured.enter_context(unpatched_standard_library())


def pytest_unconfigure() -> None:
    """Let the libraries patch the standard library again."""
    _configured.close()


def leave_alone(*_arguments: Any, **_keywords: Any) -> bool:
    """Replace a function that patches the standard library; return True as if it had."""
    return True


class _Finder(MetaPathFinder):
    """Finds the patching modules, and disables them once they are loaded."""

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
    """Keep the standard library unpatched when the block imports modules for green threads.

    Enter it before the application is imported. Modules that were imported earlier do not change,
    because they have already patched.
    """
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
