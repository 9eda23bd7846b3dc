"""Sends requests to an application before the search, with unused clients."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pytest_evosearch.sut.clients.client import RawResponse
from pytest_evosearch.sut.clients.client import Visit
from pytest_evosearch.sut.clients.client import send

MOST_PAGES = 20
"""Most addresses without arguments that are requested."""


class Asker:
    """Sends requests to `app` through `visit`, which undoes their effects."""

    def __init__(self, app: Any, visit: Visit) -> None:
        self.app = app
        self._visit = visit

    def paths(self, method: str, first: re.Pattern[str] | None = None) -> list[str]:
        """Return addresses without arguments; those that match `first` come first."""
        found = [
            rule.rule
            for rule in self.app.url_map.iter_rules()
            if method in (rule.methods or ()) and not rule.arguments and not rule.build_only
        ]
        if first is not None:
            found.sort(key=lambda path: first.search(path) is None)
        return list(dict.fromkeys(found))[:MOST_PAGES]

    def ask(
        self, method: str, path: str, client: Any = None, **arguments: Any
    ) -> RawResponse | None:
        """Return the response, None when the application fails."""
        # A KeyboardInterrupt of the application must not end the run.
        whole = {"passing": (), "method": method, "path": path, **arguments}
        return self.call(send, client or self.app.test_client(), **whole)

    def call(
        self, function: Callable[..., RawResponse], *args: Any, **kwargs: Any
    ) -> RawResponse | None:
        """Return the last response of several requests, None when the application fails."""
        with suppress(Exception):
            answer: RawResponse | None = self._visit(function, *args, **kwargs)
            if answer is not None and answer.error is None:
                return answer
        return None
