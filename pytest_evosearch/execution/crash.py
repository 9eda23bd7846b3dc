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
from werkzeug.routing import RoutingException

from pytest_evosearch.core.exception_texts import attribute_of
from pytest_evosearch.core.exception_texts import message_of
from pytest_evosearch.core.exception_texts import module_of
from pytest_evosearch.core.exception_texts import qualified_name_of
from pytest_evosearch.core.exception_texts import read_of
from pytest_evosearch.core.exception_texts import writable_text
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.sut.documents.validators import catching
from pytest_evosearch.sut.sandbox.process_ends import ProcessEnd
from pytest_evosearch.sut.state.in_memory_servers import STORE_PACKAGES
from pytest_evosearch.sut.watching import failures
from pytest_evosearch.sut.watching.services import is_missed_service

MAXIMUM_MESSAGE = 300
"""Characters of an exception's message that are kept; SQL errors carry whole statements."""

NOT_TO_BLAME = (
    *("flask", "werkzeug", "json", "pytest_evosearch", ""),
    *("graphql", "graphene", "strawberry", "ariadne", "promise"),
)
"""Packages whose failures come from a value that a view or a resolver passed or returned."""

NO_FILE = "a file that cannot be opened"
"""Replaces the list of functions that led to a file that cannot be opened."""

URL_MAP = "the redirects of the URL map"
"""Replaces the list of functions that led to a redirect before any view was called."""

_UNREACHABLE = (errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH)
_NO_CONNECTION = re.compile(
    "connection refused|name or service not known|temporary failure in name resolution"
    "|could not translate host name|can't connect to (?:mysql )?server"
    "|unable to locate credentials|credentials were not found",
    re.IGNORECASE,
)

NO_MORE_THREADS = "can't start new thread"
"""CPython's message when the system refuses another thread."""

NO_TERMINAL = "reading from stdin while output is captured"
"""pytest's message to a handler that calls ``input()``."""

_cause_of = vars(BaseException)["__cause__"].__get__
_context_of = vars(BaseException)["__context__"].__get__
_entry_of = vars(BaseException)["__traceback__"].__get__

SourceName = Callable[[str], "str | None"]
"""Maps a file name to its name in reports, or to None when the file is not the application's."""

STAND_INS = frozenset((catching.__file__, failures.__file__))
"""Files whose functions replace those of Flask and of validators during the search."""


def describe_crash(error: BaseException, source_name: SourceName) -> Crash:
    """Return a description of `error`, located at the innermost line inside the handler.

    The crash has no place when Flask fails at the value that the handler returned.
    """
    frames = list(_application_frames(_inside(_entry_of(error)), source_name))
    path, line, function = frames[-1] if frames else ("", 0, "")
    kind = type(error)
    raised_in = _raised_in(_entry_of(error), source_name)
    return Crash(
        type_name=qualified_name_of(kind),
        module=module_of(kind),
        message=_short_message_of(error),
        path=path,
        line=line,
        function=function.rpartition(".")[2] if path.endswith(".py") else function,
        traceback=read_of(error, _traceback_of, ""),
        way=_way(error, frames),
        unreachable=cannot_reach(error) or _cannot_be_played(error, raised_in),
        raised_in=raised_in,
    )


def _cannot_be_played(error: BaseException, raised_in: str) -> bool:
    """Say whether a server that is played in memory lacks what the application asks for."""
    return isinstance(error, NotImplementedError) and raised_in.partition(".")[0] in STORE_PACKAGES


def describe_abort(error: BaseException, source_name: SourceName) -> Crash:
    """Return where an exception of Werkzeug's HTTP kind was raised, with its own message."""
    message = read_of(error, _own_description, "")
    return replace(describe_crash(error, source_name), message=message[:MAXIMUM_MESSAGE])


def _own_description(error: BaseException) -> str:
    """Return the description that an HTTP exception was given; empty for the default one."""
    said = getattr(error, "description", None)
    usual = getattr(type(error), "description", None)
    return writable_text(said) if isinstance(said, str) and said != usual else ""


def _raised_in(entry: TracebackType | None, source_name: SourceName) -> str:
    """Return the innermost library function that is to blame for a crash, empty for none.

    When Flask, Werkzeug or `json` complains, the library that passed the value is to blame.
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

    A template that cannot be opened is one fault: no view chooses the files that a template
    includes. So the views that show the template do not count as separate faults. A redirect of
    the URL map, which a trap turned into an error, is one fault for all addresses.
    """
    if isinstance(error, RoutingException):
        return (URL_MAP,)
    is_file_missing = isinstance(error, OSError) and attribute_of(error, "filename") is not None
    if frames and is_file_missing and not frames[-1][0].endswith(".py"):
        return (NO_FILE,)
    functions = dict.fromkeys(f"{path} {function}" for path, _line, function in frames)
    return tuple(functions) or _library_way(_entry_of(error))


def _traceback_of(error: BaseException) -> str:
    """Return the traceback without frames of replacements for Flask's and libraries' functions."""
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
    """Say whether a refused connection or an unknown host caused `error`.

    Drivers written in C (for PostgreSQL, for MySQL) say so only in their message. Clients of cloud
    services (boto3, Google's) send nothing without credentials, and a fresh checkout has none.
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


def is_our_doing(error: BaseException) -> bool:
    """Say whether the error comes from the search and would not happen on a server.

    There are four kinds. The application tries to end the process, and the search forbids it. It
    starts threads that live for a minute, while a search sends thirty thousand requests. It reads
    from a terminal that pytest has closed. Or debug mode is on, where Flask raises at a missing
    field (``request.form["name"]``) instead of sending a 400 response.
    """
    if isinstance(error, ProcessEnd) or _is_refusal(error):
        return True
    message = message_of(error)
    return any(said in message for said in (NO_MORE_THREADS, NO_TERMINAL))


def _is_refusal(error: BaseException) -> bool:
    """Say whether an exception is a 4xx or 501 response that Flask is set to trap."""
    return isinstance(error, HTTPException) and bool(read_of(error, _has_code_of_refusal, False))


def _has_code_of_refusal(error: HTTPException) -> bool:
    return 400 <= (error.code or 0) < 500 or error.code == HTTPStatus.NOT_IMPLEMENTED


def _inside(entry: TracebackType | None) -> TracebackType | None:
    """Return the traceback from where Flask serves the request; all of it where Flask does not.

    A middleware around Flask stands in every traceback, so it says nothing about the failure.
    """
    inner = entry
    while inner is not None:
        frame = inner.tb_frame
        if frame.f_code.co_name == "wsgi_app" and frame.f_globals.get("__name__") == "flask.app":
            return inner
        inner = inner.tb_next
    return entry


def _passes_on(entry: TracebackType) -> bool:
    """Say whether an override of a Flask method failed inside the overridden method."""
    inner = entry.tb_next
    if inner is None or inner.tb_frame.f_code.co_name != entry.tb_frame.f_code.co_name:
        return False
    return inner.tb_frame.f_globals.get("__name__") == "flask.app"


def _application_frames(
    entry: TracebackType | None, source_name: SourceName
) -> Iterator[tuple[str, int, str]]:
    """Yield file, line and function of the application's own frames, outermost first.

    A frame of a template, which Jinja puts into tracebacks, gets the name of its file.
    """
    while entry is not None:
        name = source_name(entry.tb_frame.f_code.co_filename)
        if name is not None and not _passes_on(entry):
            is_code = name.endswith(".py")
            function = _qualified_name(entry.tb_frame) if is_code else PurePath(name).name
            yield name, entry.tb_lineno, function
        entry = entry.tb_next


def _library_way(entry: TracebackType | None) -> tuple[str, ...]:
    """Return the library function that failed, () where each view may be at fault by itself.

    Views of a library (Flask-Admin's) crash without any code of the application. When Flask or
    `json` complains, the view's return value is at fault, and each view returns its own.
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
