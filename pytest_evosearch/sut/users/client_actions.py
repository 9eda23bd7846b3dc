"""Actions on a client before its first request: log-ins, deleted cookies, WSGI variables."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from functools import partial
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class FieldOfPage:
    """A field of a form, such as a token against forgery, on a page that was shown before."""

    page: int
    """Which request of a log-in shows it, counted from 0."""
    name: str

    @property
    def mark(self) -> str:
        """What stands for its value until that is read."""
        return f"(field {self.name} of page {self.page})"

    @property
    def pattern(self) -> str:
        """Finds the value, whatever comes first in the tag."""
        return f'(?=[^>]*name="{self.name}")[^>]*value="([^"]*)"'

    def value(self, text: str) -> str:
        """Return the value in the text of its page, nothing where it is not there."""
        found = re.search(self.pattern, text)
        return found[1] if found is not None else ""


@dataclass(frozen=True)
class LogIn:
    """The request that logs a user in."""

    method: str
    arguments: Mapping[str, object]
    """Arguments for the client, without the method."""
    again: Callable[[str], str] = str
    """Renews a text by the clock, when it is valid only for a moment."""
    read: Mapping[str, FieldOfPage] = field(default_factory=dict)
    """The fields whose marks the arguments contain."""

    def __call__(self, client: Any, pages: Sequence[str] = ()) -> Any:
        """Log `client` in after it was shown `pages`; return the answer."""
        arguments = {name: self._now(value, pages) for name, value in self.arguments.items()}
        return client.open(method=self.method, **arguments)

    def _now(self, value: object, pages: Sequence[str]) -> Any:
        if isinstance(value, Mapping):
            return {name: self._now(held, pages) for name, held in value.items()}
        if isinstance(value, list):
            return [self._now(held, pages) for held in value]
        if isinstance(value, str) and value in self.read:
            return self.read[value].value(pages[self.read[value].page])
        return self.again(value) if isinstance(value, str) else value


@dataclass(frozen=True)
class LogIns:
    """The requests that log a user in, one after the other."""

    requests: tuple[LogIn, ...]

    def __call__(self, client: Any) -> None:
        """Log `client` in."""
        pages: list[str] = []
        for request in self.requests:
            pages.append(request(client, pages).get_data(as_text=True))


@dataclass(frozen=True)
class ServerVariables:
    """Adds to each request of a client the variables that a server in front would set."""

    variables: Mapping[str, str]
    address: str | None = None
    """Where requests are sent, ``https://alder.localhost``; None where the usual one is meant."""

    def __call__(self, client: Any) -> None:
        """Change the base environment of `client`."""
        client.environ_base = {**client.environ_base, **self.variables}
        if self.address is not None:
            client.open = partial(client.open, base_url=self.address)


@dataclass(frozen=True)
class InTurn:
    """Performs several actions on a client."""

    actions: tuple[Callable[[Any], object], ...]

    def __call__(self, client: Any) -> None:
        """Perform the actions."""
        for action in self.actions:
            action(client)
