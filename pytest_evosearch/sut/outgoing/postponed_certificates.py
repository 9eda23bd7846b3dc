"""Loads files of certificates again only for connections that leave the process.

Clients load them for each new connection with TLS (`requests.get`), which takes 20 ms and more,
and an answered connection checks none.  The first load of a file is real, so one that is missing
or broken fails as always.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from pytest_evosearch.core.isolation import os


class PostponedCertificates:
    """Remembers which files were loaded, and which contexts still lack theirs."""

    def __init__(self, real: Callable[..., Any]) -> None:
        self.real = real
        """Loads certificates into a context."""
        self._loaded: set[tuple[str, int]] = set()
        """Files, with the time of their last change."""
        self._lacking: WeakKeyDictionary[ssl.SSLContext, list[str]] = WeakKeyDictionary()

    def load(self, context: Any, cafile: Any = None, capath: Any = None, cadata: Any = None) -> Any:
        """Load certificates into a context now, or note that it lacks them."""
        place = _place(cafile) if capath is None and cadata is None else None
        if place in self._loaded:
            self._lacking.setdefault(context, []).append(cafile)
            return
        self.real(context, cafile, capath, cadata)
        if place is not None:
            self._loaded.add(place)

    def complete(self, context: ssl.SSLContext) -> None:
        """Load what a context lacks: it is used for a real connection."""
        for cafile in self._lacking.pop(context, ()):
            self.real(context, cafile)

    def complete_all(self) -> None:
        """Load what all contexts lack: they may be used after the search."""
        for context in list(self._lacking):
            self.complete(context)


def _place(cafile: Any) -> tuple[str, int] | None:
    with suppress(TypeError, ValueError, OSError):
        return os.fspath(cafile), os.stat(cafile).st_mtime_ns
    return None
