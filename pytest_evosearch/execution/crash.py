"""Describes an exception that left the application, from the application's own point of view."""

from __future__ import annotations

import errno
import re
import socket
import traceback
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus
from pathlib import PurePath
from types import FrameType
from types import TracebackType

from werkzeug.exceptions import HTTPException

from pytest_evosearch.core.told import attribute_of
from pytest_evosearch.core.told import message_of
from pytest_evosearch.core.told import module_of
from pytest_evosearch.core.told import qualified_name_of
from pytest_evosearch.core.told import read_of
from pytest_evosearch.core.told import writable_text
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.sut.documents.validators import catching
from pytest_evosearch.sut.sandbox.process_ends import ProcessEnd
from pytest_evosearch.sut.watching import failures
from pytest_evosearch.sut.watching.recorded_json import names_recording
from pytest_evosearch.sut.watching.services import is_missed_service

MAXIMUM_MESSAGE = 300
"""Characters of an exception's message that are kept; SQL errors carry whole statements."""

NOT_TO_BLAME = (
    *("flask", "werkzeug", "json", "pytest_evosearch", ""),
    *("graphql", "graphene", "strawberry", "ariadne", "promise"),
)
"""Packages that fail at what a view or a resolver gave back, or was given."""

NO_FILE = "a file that cannot be opened"
"""Stands for the functions that led to it."""

_UNREACHABLE = (errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH)
_NO_CONNECTION = re.compile(
    "connection refused|name or service not known|temporary failure in name resolution"
    "|could not translate host name|can't connect to (?:mysql )?server"
    "|unable to locate credentials|credentials were not found",
    re.IGNORECASE,
)

NO_MORE_THREADS = "can't start new thread"
"""What CPython says when the system refuses."""

NO_TERMINAL = "reading from stdin while output is captured"
"""What pytest says to a handler that calls ``input()``."""

_cause_of = vars(BaseException)["__cause__"].__get__
_context_of = vars(BaseException)["__context__"].__get__
_entry_of = vars(BaseException)["__traceback__"].__get__

SourceName = Callable[[str], "str | None"]
"""Maps a file name to its name in reports, or None when it is not the application's."""

STAND_INS = frozenset((catching.__file__, failures.__file__))
"""Files whose functions cover up those of Flask and of validators during the search."""


def describe_crash(error: BaseException, source_name: SourceName) -> Crash:
    """Return what is known of `error`, located at the innermost line inside the handler.

    It has no place when Flask fails at what the handler gave back.
    """
    frames = list(_application_frames(_inside(_entry_of(error)), source_name))
    path, line, function = frames[-1] if frames else ("", 0, "")
    kind = type(error)
    return Crash(
        type_name=qualified_name_of(kind),
        module=module_of(kind),
        message=_short_message_of(error),
        path=path,
        line=line,
        function=function.rpartition(".")[2] if path.endswith(".py") else function,
        traceback=read_of(error, _traceback_of, ""),
        way=_way(error, frames),
        unreachable=cannot_reach(error),
        raised_in=_raised_in(_entry_of(error), source_name),
    )


def describe_abort(error: BaseException, source_name: SourceName) -> Crash:
    """Return where an exception of HTTP's own was raised, with the message that it was given."""
    message = read_of(error, _own_description, "")
    return replace(describe_crash(error, source_name), message=message[:MAXIMUM_MESSAGE])


def _own_description(error: BaseException) -> str:
    """Return the description that an exception of HTTP's was given; empty for the usual one."""
    said = getattr(error, "description", None)
    usual = getattr(type(error), "description", None)
    return writable_text(said) if isinstance(said, str) and said != usual else ""


def _raised_in(entry: TracebackType | None, source_name: SourceName) -> str:
    """Return the innermost function below the application's that is to blame, empty for none.

    What Flask, Werkzeug and `json` complain about is what a library gave them.
    """
    found = ""
    while entry is not None:
        module = str(entry.tb_frame.f_globals.get("__name__", ""))
        if source_name(entry.tb_frame.f_code.co_filename) is not None:
            found = ""
        elif module.partition(".")[0] not in NOT_TO_BLAME:
            found = f"{module} {_qualified_name(entry.tb_frame)}"
        entry = entry.tb_next
    return found


def _way(error: BaseException, frames: Sequence[tuple[str, int, str]]) -> tuple[str, ...]:
    """Return the functions that led to a crash.

    Which file a template asks for is no view's choice: when it cannot be opened, not each view that
    shows the template has a fault of its own.
    """
    is_file_missing = isinstance(error, OSError) and attribute_of(error, "filename") is not None
    if frames and is_file_missing and not frames[-1][0].endswith(".py"):
        return (NO_FILE,)
    functions = dict.fromkeys(f"{path} {function}" for path, _line, function in frames)
    return tuple(functions) or _library_way(_entry_of(error))


def _traceback_of(error: BaseException) -> str:
    """Return the traceback without the frames that stand in for Flask's and a library's."""
    whole = traceback.TracebackException.from_exception(error)
    waiting: list[traceback.TracebackException | None] = [whole]
    while waiting:
        part = waiting.pop()
        if part is not None:
            kept = (frame for frame in part.stack if frame.filename not in STAND_INS)
            part.stack = traceback.StackSummary.from_list(kept)
            waiting += [part.__cause__, part.__context__]
    return writable_text("".join(whole.format()))


def cannot_reach(error: BaseException) -> bool:
    """Say whether a refused connection, or a host that is not found, lies behind `error`.

    Drivers written in C (of PostgreSQL, of MySQL) say so in their message alone.  Clients of clouds
    (boto3, Google's) refuse to ask anybody without credentials, which no fresh checkout has.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, socket.gaierror) or read_of(error, _is_unreachable, False):
            return True
        if _NO_CONNECTION.search(_short_message_of(error)):
            return True
        error = _cause_of(error) or _context_of(error)
    return False


def _is_unreachable(error: BaseException) -> bool:
    return is_missed_service(error) or getattr(error, "errno", None) in _UNREACHABLE


def is_our_doing(error: BaseException, source_name: SourceName) -> bool:
    """Say whether the application would not have failed so on a server.

    It wants to end the process, which it may not; it starts threads that live for a minute, in
    which a search sends thirty thousand requests; it asks at a terminal that pytest has closed; a
    library cannot do with what we record; or it is in debug mode, where Flask raises a missing
    field (``request.form["name"]``) instead of answering with 400.
    """
    if isinstance(error, ProcessEnd) or _is_refusal(error):
        return True
    message = message_of(error)
    if any(said in message for said in (NO_MORE_THREADS, NO_TERMINAL)):
        return True
    return refuses_recording(error, source_name)


def _is_refusal(error: BaseException) -> bool:
    """Say whether an exception is an answer of 4xx, or of 501, that Flask was told to trap."""
    return isinstance(error, HTTPException) and bool(read_of(error, _has_code_of_refusal, False))


def _has_code_of_refusal(error: HTTPException) -> bool:
    return 400 <= (error.code or 0) < 500 or error.code == HTTPStatus.NOT_IMPLEMENTED


def refuses_recording(error: BaseException, source_name: SourceName) -> bool:
    """Say whether a library failed at a JSON value because it is a recording one."""
    entry = _entry_of(error)
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    if entry is None or _is_own_code(entry.tb_frame.f_code.co_filename, source_name):
        return False
    return bool(read_of(error, names_recording, False))


def _is_own_code(filename: str, source_name: SourceName) -> bool:
    return filename.endswith(".py") and source_name(filename) is not None


def _inside(entry: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback from where Flask serves the request, all where it does not.

    A middleware around it stands in each traceback, whatever fails.
    """
    inner = entry
    while inner is not None:
        frame = inner.tb_frame
        if frame.f_code.co_name == "wsgi_app" and frame.f_globals.get("__name__") == "flask.app":
            return inner
        inner = inner.tb_next
    return entry


def _passes_on(entry: TracebackType) -> bool:
    """Say whether a method that overrides one of Flask's was left by calling that."""
    inner = entry.tb_next
    if inner is None or inner.tb_frame.f_code.co_name != entry.tb_frame.f_code.co_name:
        return False
    return inner.tb_frame.f_globals.get("__name__") == "flask.app"


def _application_frames(
    entry: TracebackType | None, source_name: SourceName
) -> Iterator[tuple[str, int, str]]:
    """Yield file, line and function of the application's own frames, outermost first.

    Those of a template, which Jinja puts into tracebacks, are named after their file.
    """
    while entry is not None:
        name = source_name(entry.tb_frame.f_code.co_filename)
        if name is not None and not _passes_on(entry):
            is_code = name.endswith(".py")
            function = _qualified_name(entry.tb_frame) if is_code else PurePath(name).name
            yield name, entry.tb_lineno, function
        entry = entry.tb_next


def _library_way(entry: TracebackType | None) -> tuple[str, ...]:
    """Return the function of a library that failed, () where it may be any view's fault.

    Views that a library provides (Flask-Admin's) crash without the application's own code.
    What Flask and `json` complain about is what a view returned, and each view returns its own.
    """
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    if entry is None:
        return ()
    module = str(entry.tb_frame.f_globals.get("__name__", ""))
    if module.partition(".")[0] in NOT_TO_BLAME:
        return ()
    return (f"{module} {_qualified_name(entry.tb_frame)}",)


def _qualified_name(frame: FrameType) -> str:
    """Return the function's name with its class; Python 3.10 knows the class by `self` alone."""
    code = frame.f_code
    known: str | None = getattr(code, "co_qualname", None)
    if known is not None:
        return known.replace("<locals>.", "")
    owner = frame.f_locals.get("self")
    return code.co_name if owner is None else f"{type(owner).__name__}.{code.co_name}"


def _short_message_of(error: BaseException) -> str:
    line = " ".join(message_of(error).split())
    return line if len(line) <= MAXIMUM_MESSAGE else line[: MAXIMUM_MESSAGE - 1] + "…"
