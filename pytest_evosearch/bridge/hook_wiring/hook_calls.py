"""Calls the hooks of a project, and reports a failure in one line that names the hook."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from traceback import walk_tb
from typing import Any

import pluggy
import pytest

from pytest_evosearch.core.exception_texts import message_of
from pytest_evosearch.errors import HookFailed

LONGEST_MESSAGE = 200
"""Characters of an exception's message that are shown, at most."""


class HookCalls:
    """Calls hooks by name, with pytest's configuration as their first argument."""

    def __init__(self, config: pytest.Config, notify: Callable[[str], None]) -> None:
        self._config = config
        self._notify = notify
        self._reported: set[str] = set()

    def is_used(self, name: str) -> bool:
        """Say whether any plugin implements the hook `name`."""
        return bool(self.implementations(name))

    def implementations(self, name: str) -> list[pluggy.HookImpl]:
        """Return the implementations of a hook in the order in which they are called."""
        caller: pluggy.HookCaller = getattr(self._config.hook, name)
        return caller.get_hookimpls()[::-1]

    def call(self, name: str, **arguments: Any) -> Any:
        """Return what the hook `name` returns; raise `HookFailed` where it raises."""
        hook = getattr(self._config.hook, name)
        return self._guarded(name, lambda: hook(config=self._config, **arguments))

    def call_one(self, implementation: pluggy.HookImpl, name: str, **arguments: Any) -> Any:
        """Return what one implementation of the hook `name` returns; raise `HookFailed`."""
        known = {"config": self._config, **arguments}
        wanted = [known[argument] for argument in implementation.argnames]
        return self._guarded(name, lambda: implementation.function(*wanted))

    def _guarded(self, name: str, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:
            raise self.failure(name, error) from error

    def failure(self, name: str, error: BaseException, where: str = "") -> HookFailed:
        """Return the failure of the hook `name`, which raised `error`; `where` names its part."""
        message = " ".join(message_of(error).split())
        if len(message) > LONGEST_MESSAGE:
            message = f"{message[: LONGEST_MESSAGE - 3].rstrip()}..."
        shown = f"{type(error).__name__}: {message}" if message else type(error).__name__
        return HookFailed(f"hook {name} ({self._place_of(name, error)}){where} raised {shown}")

    def origin(self, name: str) -> str:
        """Return the hook as the user knows it: ``hook pytest_... (tests/conftest.py:12)``."""
        places = map(self._definition_of, self.implementations(name))
        return f"hook {name} ({', '.join(places)})"

    def notify(self, line: str) -> None:
        """Report a line, once for each hook and source position at its beginning."""
        subject = line.partition(")")[0]
        if subject not in self._reported:
            self._reported.add(subject)
            self._notify(line)

    def _definition_of(self, implementation: pluggy.HookImpl) -> str:
        code = getattr(implementation.function, "__code__", None)
        if code is None:
            return implementation.plugin_name
        return self._shown(code.co_filename, code.co_firstlineno)

    def _place_of(self, name: str, error: BaseException) -> str:
        """Return the last line that was executed in the file of an implementation."""
        implementations = self.implementations(name)
        codes = [getattr(one.function, "__code__", None) for one in implementations]
        files = {code.co_filename for code in codes if code is not None}
        places = [place for place in _places_of(error) if place[0] in files]
        if places:
            return self._shown(*places[-1])
        return ", ".join(map(self._definition_of, implementations))

    def _shown(self, filename: str, line: int) -> str:
        path = Path(filename)
        if path.is_relative_to(self._config.rootpath):
            path = path.relative_to(self._config.rootpath)
        return f"{path.as_posix()}:{line}"


def _places_of(error: BaseException) -> Iterator[tuple[str, int]]:
    for frame, line in walk_tb(error.__traceback__):
        yield frame.f_code.co_filename, line
