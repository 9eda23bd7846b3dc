"""Writes tests of faults: they are expected to fail until the application is fixed."""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from pytest_evosearch.core.chance import GAP
from pytest_evosearch.core.chance import without_chance
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.reported_faults import NO_SERVER_ERROR
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.write.content.answered_body import Fact

LONGEST_REASON = 200
"""Most characters of an xfail reason: one message, not a dump."""

LONGEST_MATCH = 60
"""Most characters of an exception's message in ``pytest.raises``."""

UNKNOWN_POSITIONS = ("", "unknown")


@dataclass(frozen=True)
class FaultMark:
    """The expectation of a fault test.

    `mode` is ``xfail``, ``raises`` or ``fail``; `exception` is the name to write, `module` its
    import path (empty for builtins).
    """

    mode: str
    exception: str
    module: str
    reason: str
    match: str = ""
    cause: str = ""
    """The common cause of one failure at several endpoints.

    It is a failure of a library, whatever calls it, or of one line of the application. Where the
    line is unknown (a common error handler, a document), the words of the failure decide.
    """
    line: str = ""
    """The line of the application that raised the exception, whatever its message."""


def fault_mark(
    fault: Fault, exchange: Exchange, mode: str, libraries: AbstractSet[tuple[str, str]]
) -> FaultMark:
    """Return the mark for a test of `fault`; `libraries` are the exceptions it may import."""
    reason = _reason(fault)
    crash = exchange.crash
    cause = reason
    if crash is not None and crash.raised_in:
        cause = _reason(replace(fault, position=crash.raised_in))
    line = _line(fault, exchange)
    if crash is None or (exchange.response is not None and not is_streamed(exchange)):
        return FaultMark(mode, "AssertionError", "", reason, cause=cause, line=line)
    exception, module = _importable(crash.module, crash.type_name, libraries)
    said = fault.message if GAP in fault.message else crash.message
    return FaultMark(mode, exception, module, reason, _match(said), cause, line)


def _line(fault: Fault, exchange: Exchange) -> str:
    """Return ``file:line kind`` for a crash in a line of the application, otherwise empty."""
    crash = exchange.crash
    if crash is None or crash.raised_in or fault.position in UNKNOWN_POSITIONS:
        return ""
    return f"{fault.position} {fault.kind}"


def common_mark(marks: Sequence[FaultMark | None]) -> FaultMark | None:
    """Return the mark of a table whose rows have `marks`.

    The marks differ in their reasons, and in values inside the messages of one line's exception.
    """
    first = marks[0]
    known = [mark for mark in marks if mark is not None]
    if first is None or all(mark == first for mark in marks):
        return first
    cause = _common_beginning([mark.cause for mark in known])
    match = _common_beginning([mark.match for mark in known])
    kinds = {mark.line.rpartition(" ")[2] for mark in known}
    if len(kinds) == 1 and " " not in cause:  # the place alone does not say what fails
        cause = ": ".join(filter(None, (cause, *kinds)))
    return replace(first, reason=cause, match=match)


def _common_beginning(texts: Sequence[str]) -> str:
    """Return the common beginning of texts, up to the end of a word."""
    common = os.path.commonprefix(list(texts))
    if all(text == common for text in texts):
        return common
    return re.sub(r"[^ :]*$", "", common).rstrip(" :\\")


def fault_fact(fault: Fault, client: str) -> Fact:
    """Return the expected fact about the last response instead of `fault`."""
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
    return "Exception", ""  # importing the application's own class would load the application


_STATEMENT = " [SQL: "
"""Where SQLAlchemy's messages continue with the statement and its parameters."""


def _reason(fault: Fault) -> str:
    """Return ``file:line: message`` on one line, with gaps where something differs by chance."""
    message = " ".join(without_chance(_without_folders(fault.message)).split())
    message = message.partition(_STATEMENT)[0] or message
    where = "" if fault.position in UNKNOWN_POSITIONS else f"{fault.position}: "
    if fault.kind == "KeyError" or message.isidentifier():  # it says what, not what is wrong
        message = f"{fault.kind}: {message}"
    text = f"{where}{message or fault.kind}"
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 3].rstrip() + "..."


def _without_folders(text: str) -> str:
    """Return `text` with paths below the working folder made relative, as on other machines."""
    return text.replace(f"{os.getcwd()}{os.sep}", "")


def _match(message: str) -> str:
    """Return a regular expression for the message's beginning, without parts of this machine."""
    first = message.splitlines()[0] if message else ""
    start = without_chance(first.partition(os.getcwd())[0]).partition(GAP)[0][:LONGEST_MATCH]
    return re.escape(start).replace("\\ ", " ") if start.strip() else "^" if first else "^$"
