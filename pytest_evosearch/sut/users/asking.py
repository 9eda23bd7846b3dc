"""Asks an application for something before the search, by a client that was not used before."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pytest_evosearch.sut.clients.client import RawResponse
from pytest_evosearch.sut.clients.client import Visit
from pytest_evosearch.sut.clients.client import send

MOST_PAGES = 20
"""Addresses without arguments that are asked for at most."""


class Asker:
    """Sends requests to `app` through `visit`, which undoes what they do."""

    def __init__(self, app: Any, visit: Visit) -> None:
        self.app = app
        self._visit = visit

    def paths(self, method: str, first: re.Pattern[str] | None = None) -> list[str]:
        """Return addresses without arguments, those first that `first` finds something in."""
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
        """Return the answer, None where the application fails."""
        # A KeyboardInterrupt of the application's own must not end the run.
        whole = {"passing": (), "method": method, "path": path, **arguments}
        return self.call(send, client or self.app.test_client(), **whole)

    def call(
        self, function: Callable[..., RawResponse], *args: Any, **kwargs: Any
    ) -> RawResponse | None:
        """Return the last answer of several requests, None where the application fails."""
        with suppress(Exception):
            answer: RawResponse | None = self._visit(function, *args, **kwargs)
            if answer is not None and answer.error is None:
                return answer
        return None
