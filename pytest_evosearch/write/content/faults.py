"""How a test shows a fault: expected to fail until the application is mended."""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from dataclasses import replace

from pytest_evosearch.core.isolation import os
from pytest_evosearch.problem.http.exchanges.exchange import NO_SERVER_ERROR
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Fault
from pytest_evosearch.write.content.facts import Fact

LONGEST_REASON = 200
"""Characters of an xfail reason: one message, not a dump."""

LONGEST_MATCH = 60
"""Characters of an exception's message that ``pytest.raises`` looks for."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")

UNKNOWN_POSITIONS = ("", "unknown")


@dataclass(frozen=True)
class FaultMark:
    """What a fault test expects.

    `mode` is ``xfail``, ``raises`` or ``fail``; `exception` the name to write, `module` where
    to import it from (empty for builtins).
    """

    mode: str
    exception: str
    module: str
    reason: str
    match: str = ""
    cause: str = ""
    """The reason that the same failure has at whatever endpoint: of a library, wherever it is
    called from, of one line of the application, or, where nobody knows the line (a handler of
    errors that answers for all, a document), in the same words."""


def fault_mark(
    fault: Fault, exchange: Exchange, mode: str, libraries: AbstractSet[tuple[str, str]]
) -> FaultMark:
    """Return what a test of `fault` expects; `libraries` are the exceptions it may import."""
    reason = _reason(fault)
    crash = exchange.crash
    cause = reason
    if crash is not None and crash.raised_in:
        cause = _reason(replace(fault, position=crash.raised_in))
    if crash is None or (exchange.response is not None and not is_streamed(exchange)):
        return FaultMark(mode, "AssertionError", "", reason, cause=cause)
    exception, module = _importable(crash.module, crash.type_name, libraries)
    return FaultMark(mode, exception, module, reason, _match(crash.message), cause)


def common_mark(marks: Sequence[FaultMark | None]) -> FaultMark | None:
    """Return the mark of a table whose rows have `marks`; they differ in their reasons at most."""
    first = marks[0]
    if first is None or all(mark == first for mark in marks):
        return first
    return replace(first, reason=first.cause)


def fault_fact(fault: Fault, client: str) -> Fact:
    """Return what should hold of the last response instead of `fault`."""
    if fault.expectation == NO_SERVER_ERROR:
        return Fact("below", (), NO_SERVER_ERROR.value)
    return Fact("expected", (client,), fault.expectation)


def is_streamed(exchange: Exchange) -> bool:
    """Say whether the application crashed while its body was read, after a good status."""
    response = exchange.response
    is_good = response is not None and response.status < 500 and not exchange.meaning
    return exchange.crash is not None and is_good


def _importable(
    module: str, type_name: str, libraries: AbstractSet[tuple[str, str]]
) -> tuple[str, str]:
    builtin = getattr(builtins, type_name, None)
    if module == "builtins" and isinstance(builtin, type) and issubclass(builtin, BaseException):
        return type_name, ""
    if (module, type_name) in libraries:
        return type_name, module
    return "Exception", ""  # the application's own class: importing it would load the application


_STATEMENT = " [SQL: "
"""Where SQLAlchemy's messages go on with the statement and its parameters."""


def _reason(fault: Fault) -> str:
    """Return ``file:line: message`` on one line, without addresses that change."""
    message = " ".join(_ADDRESS.sub("0x...", _without_folders(fault.message)).split())
    message = message.partition(_STATEMENT)[0] or message
    where = "" if fault.position in UNKNOWN_POSITIONS else f"{fault.position}: "
    if fault.kind == "KeyError":  # whose message is nothing but the key
        message = f"{fault.kind}: {message}"
    text = f"{where}{message or fault.kind}"
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 3].rstrip() + "..."


def _without_folders(text: str) -> str:
    """Return `text` with the paths below the working folder relative, as they are elsewhere."""
    return text.replace(f"{os.getcwd()}{os.sep}", "")


def _match(message: str) -> str:
    """Return a regular expression for the beginning of the message, as it is everywhere."""
    first = message.splitlines()[0] if message else ""
    start = _ADDRESS.split(first.partition(os.getcwd())[0])[0][:LONGEST_MATCH]
    return re.escape(start).replace("\\ ", " ") if start.strip() else "^" if first else "^$"
