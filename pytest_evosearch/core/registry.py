"""Named implementations, imported when they are first needed.

The package that defines an interface never imports its implementations.  It names them as
``"module:attribute"``.  So the import graph has no cycles, and start-up stays short.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from typing import Generic
from typing import TypeVar
from typing import cast

from pytest_evosearch.errors import InvalidSetting

T = TypeVar("T")


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` with the most similar known name, or an empty text."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


class Registry(Generic[T]):
    """A table from names to implementations of one interface.

    An instance is a constant of the module that defines the interface.  `with_entry` returns a new
    table, so nothing global changes.
    """

    def __init__(self, subject: str, entries: dict[str, str | T]) -> None:
        self.subject = subject
        self._entries = dict(entries)

    @property
    def names(self) -> list[str]:
        """The known names, in the order in which they were listed."""
        return list(self._entries)

    def with_entry(self, name: str, implementation: str | T) -> Registry[T]:
        """Return a table that also knows `name`."""
        return Registry(self.subject, {**self._entries, name: implementation})

    def get(self, name: str) -> T:
        """Return the implementation called `name`; raise `InvalidSetting` for an unknown name."""
        try:
            entry = self._entries[name]
        except KeyError:
            known = ", ".join(self._entries)
            raise InvalidSetting(
                f"unknown {self.subject} {name!r}{suggestion(name, self._entries)} (known: {known})"
            ) from None
        if isinstance(entry, str):
            module, _, attribute = entry.partition(":")
            return cast("T", getattr(importlib.import_module(module), attribute))
        return entry
