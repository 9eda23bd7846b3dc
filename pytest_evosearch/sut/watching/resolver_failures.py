"""Sees exceptions of GraphQL resolvers, which graphql-core turns into errors of the response.

Exceptions for the caller are responses: errors of GraphQL and of HTTP, exceptions with an error
handler, and those of the application's own ``raise``. Other exceptions (a missing key, a failing
library) are failures, as in all other code.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from werkzeug.exceptions import HTTPException

from pytest_evosearch.sut.decorations import is_made_by
from pytest_evosearch.sut.patches import Patches

_EXECUTION = "graphql.execution"
_LOCATE = "located_error"
"""The function with which graphql-core 3 turns exceptions into errors."""

_ERRORS_OF_VERSION_2 = "graphql.error.located_error"

IsOwn = Callable[[str], bool]
"""Says whether a file belongs to the application."""


class ResolverWatch:
    """Notes the first failure of a resolver in each request, while it is installed."""

    def __init__(self, app: Any, is_own: IsOwn) -> None:
        self._handled = tuple(_handled_types(app))
        self._is_own = is_own
        self._failure: BaseException | None = None

    def begin(self) -> None:
        """Expect a request."""
        self._failure = None

    def take(self) -> BaseException | None:
        """Return the failure of the last request, None for none."""
        return self._failure

    def _note(self, error: object) -> None:
        if self._failure is None and isinstance(error, Exception) and self._is_failure(error):
            self._failure = error

    def _is_failure(self, error: Exception) -> bool:
        if isinstance(error, (HTTPException, *self._handled)):
            return False
        if is_made_by(error, "graphql", "GraphQLError"):
            return False
        innermost, within_own = self._origin(error.__traceback__)
        if innermost is None:
            return False
        if within_own and not self._is_own(innermost.tb_frame.f_code.co_filename):
            return True  # a library that a resolver called
        return not _is_raised(innermost)

    def _origin(self, entry: TracebackType | None) -> tuple[TracebackType | None, bool]:
        """Return where an error was raised, and whether code of the application led there."""
        innermost, within_own = entry, False
        while entry is not None:
            innermost = entry
            within_own = within_own or self._is_own(entry.tb_frame.f_code.co_filename)
            entry = entry.tb_next
        return innermost, within_own

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Watch inside the block."""
        with Patches() as patches:
            for name, module in list(sys.modules.items()):
                original = vars(module).get(_LOCATE) if name.startswith(_EXECUTION) else None
                if callable(original):
                    patches.setattr(module, _LOCATE, self._listening(original, 0))
            located = getattr(sys.modules.get(_ERRORS_OF_VERSION_2), "GraphQLLocatedError", None)
            if located is not None:
                patches.setattr(located, "__init__", self._listening(located.__init__, 2))
            yield

    def _listening(self, original: Any, place: int) -> Any:
        """Return a wrapper that records the argument at `place`."""

        def listen(*args: Any, **kwargs: Any) -> Any:
            self._note(args[place] if len(args) > place else kwargs.get("original_error"))
            return original(*args, **kwargs)

        return listen


def _handled_types(app: Any) -> Iterator[type[BaseException]]:
    """Yield the exception types with an error handler, without a handler for everything."""
    for by_status in app.error_handler_spec.values():
        for by_type in by_status.values():
            yield from (kind for kind in by_type if kind not in (Exception, BaseException))


def _is_raised(entry: TracebackType) -> bool:
    """Say whether a ``raise`` (or an ``assert``) was executed there."""
    code = entry.tb_frame.f_code.co_code
    return dis.opname[code[entry.tb_lasti]] == "RAISE_VARARGS"
