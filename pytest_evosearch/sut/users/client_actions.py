"""Actions on a client before its first request: log-ins, deleted cookies, WSGI variables."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from functools import partial
from textwrap import dedent
from typing import Any

from pytest_evosearch.core.forms import quoted_pattern
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.clients.client import SHORTCUTS
from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.fixture_texts.expression_text import laid_out
from pytest_evosearch.sut.users.key_code import SHORTEST_KEY
from pytest_evosearch.sut.users.key_code import KeyWriter
from pytest_evosearch.sut.users.key_code import quoted


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


@dataclass(frozen=True)
class LogIn:
    """The request that logs a user in."""

    method: str
    arguments: Mapping[str, object]
    """Arguments for the client, without the method."""
    read: Mapping[str, FieldOfPage] = field(default_factory=dict)
    """The fields whose marks the arguments contain."""


@dataclass(frozen=True)
class LogIns:
    """The requests that log a user in, as the lines of a fixture."""

    name: str
    """What the lines call the client."""
    deed: Deed

    def __call__(self, client: Any) -> None:
        """Log `client` in."""
        self.deed.run(app=client.application, **{self.name: client})


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


def logged_in_by(
    name: str, log_ins: Sequence[LogIn], writer: KeyWriter, owners: Collection[str] = ()
) -> LogIns:
    """Return the statements of log-ins; the pages from which fields are read have names."""
    read = {one.page for log_in in log_ins for one in log_in.read.values()}
    lines = []
    for number, log_in in enumerate(log_ins):
        before = f"    {_page_name(number)} = " if number in read else "    "
        lines.append(dedent(_log_in_code(before, name, log_in, writer, owners)))
    return LogIns(name, Deed(tuple(lines), tuple(sorted(writer.imports))))


def _page_name(number: int) -> str:
    return f"page_{number + 1}" if number else "page"


def _log_in_code(
    before: str, name: str, log_in: LogIn, writer: KeyWriter, owners: Collection[str]
) -> str:
    """Return the statement of a log-in, ``editor.post("/login", data={...})``."""
    arguments = dict(log_in.arguments)
    address = str(arguments.pop("path", "/"))
    path = writer.code(address, owners) if len(address) >= SHORTEST_KEY else quoted(address)
    method = log_in.method.lower()
    called = f"{name}.{method}({path}" if method in SHORTCUTS else f"{name}.open({path}"
    if method not in SHORTCUTS:
        arguments["method"] = log_in.method
    given = (f"{each}={_value(held, log_in, writer, owners)}" for each, held in arguments.items())
    code = ", ".join(given)
    return laid_out(before, f"{called}, {code})" if code else f"{called})")


def _value(value: object, log_in: LogIn, writer: KeyWriter, owners: Collection[str]) -> str:
    if isinstance(value, str) and value in log_in.read:
        writer.imports["import re"] = None
        field_of_page = log_in.read[value]
        page = _page_name(field_of_page.page)
        return f"re.search({quoted_pattern(field_of_page.pattern)}, {page}.text)[1]"
    if isinstance(value, str):
        return writer.code(value, owners)
    if isinstance(value, Mapping):
        held = {key: _value(each, log_in, writer, owners) for key, each in value.items()}
        return "{" + ", ".join(f"{quoted(key)}: {code}" for key, code in held.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_value(each, log_in, writer, owners) for each in value) + "]"
    return repr(value)
