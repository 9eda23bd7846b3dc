"""What is done with a client before its first request: log-ins, cookies that go, variables."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from typing import Any

from pytest_evosearch.sut.clients.cookie_call import names_server_first


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
    """What a client is called with, the method left out."""
    again: Callable[[str], str] = str
    """Makes a text anew by the clock, where it lasts for a moment only."""
    read: Mapping[str, FieldOfPage] = field(default_factory=dict)
    """The fields whose marks stand in the arguments."""

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
class Forget:
    """Deletes cookies of a client, as a browser does that closes."""

    names: tuple[str, ...]

    def __call__(self, client: Any) -> None:
        """Delete them."""
        for name in self.names:
            client.delete_cookie(*server_argument(names_server_first()), name)


@dataclass(frozen=True)
class ToldByServer:
    """Lets each request of a client hold what a server in front would tell."""

    variables: Mapping[str, str]

    def __call__(self, client: Any) -> None:
        """Change what the requests of `client` begin with."""
        client.environ_base = {**client.environ_base, **self.variables}


@dataclass(frozen=True)
class InTurn:
    """Does several things with a client."""

    actions: tuple[Callable[[Any], object], ...]

    def __call__(self, client: Any) -> None:
        """Do them."""
        for action in self.actions:
            action(client)


def server_argument(comes_first: bool) -> tuple[str, ...]:
    """Return what a client's calls for cookies take before the name of the cookie."""
    return ("localhost",) if comes_first else ()
