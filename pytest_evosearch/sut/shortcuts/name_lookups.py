"""Remembers, during a search, which host names could not be resolved.

Without a network, looking up a name may take seconds to fail.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_evosearch.sut.patches import Patches

MEMORY = 4096
"""Most look-ups that are remembered."""


@contextmanager
def remembered_look_up_failures() -> Iterator[None]:
    """Let a host that could not be resolved fail at once, with its first error, inside the block.

    Found hosts are looked up again, because addresses change.
    """
    with Patches() as patches:
        patches.wrap(socket, "getaddrinfo", _failing_again)
        yield


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
