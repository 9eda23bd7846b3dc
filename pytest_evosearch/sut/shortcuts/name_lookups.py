"""Remembers which host names could not be looked up, for the time of a search.

Looking up a name without a network takes seconds where it is slow to fail.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MEMORY = 4096
"""Look-ups that are remembered."""


@contextmanager
def remembered_look_up_failures() -> Iterator[None]:
    """Let a host that could not be looked up fail the same way until the end, at once.

    Found ones are looked up again: addresses change.
    """
    original = socket.getaddrinfo
    socket.getaddrinfo = _failing_again(original)
    try:
        yield
    finally:
        socket.getaddrinfo = original


def _failing_again(original: Callable[..., Any]) -> Callable[..., Any]:
    failures: dict[object, tuple[Any, ...]] = {}

    def getaddrinfo(host: Any, port: Any, *arguments: Any, **keywords: Any) -> Any:
        key = (host, port, arguments, tuple(keywords.items()))
        if key in failures:
            raise socket.gaierror(*failures[key])
        try:
            return original(host, port, *arguments, **keywords)
        except socket.gaierror as failure:
            if len(failures) < MEMORY:
                failures[key] = failure.args
            raise

    return getaddrinfo
