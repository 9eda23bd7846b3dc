"""The containers through which a handler reads its request; each records the reads."""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterator
from functools import lru_cache
from functools import partial
from types import FrameType
from typing import Any
from typing import NamedTuple
from typing import TypeAlias

from werkzeug.datastructures import CombinedMultiDict
from werkzeug.datastructures import EnvironHeaders
from werkzeug.datastructures import ImmutableMultiDict

from pytest_evosearch.sut.looked_up import LookedUpNames
from pytest_evosearch.sut.watching.texts_as_objects import SOME_MEMBER
from pytest_evosearch.sut.watching.texts_as_objects import TextsAsObjects

JsonPath: TypeAlias = "tuple[str | int, ...]"

_FRAMEWORK = frozenset(("werkzeug", "flask"))
"""Packages whose reads never count."""

_PLUMBING = frozenset(
    (
        "flask_login",
        "flask_cors",
        "flask_compress",
        "flask_talisman",
        "flask_limiter",
        "flask_session",
        "flask_httpauth",
        "flask_debugtoolbar",
        "flask_babel",
    )
)
"""Extensions that read headers and cookies of every request; `Authorization` still counts."""

_PLAIN_TYPES = (type(None), bool, int, float, str, bytes)


class RecordedRead(NamedTuple):
    """One read of a request by its handler."""

    location: str
    """``query``, ``form``, ``header``, ``cookie``, ``environ``, ``json``, ``file`` or ``text``."""
    path: JsonPath
    """The name, or for JSON the keys down to the place; () is the whole body."""
    present: bool
    type_name: str | None = None
    """``int`` for ``args.get("n", type=int)``, ``list`` for ``getlist``."""
    default: object = None


class ReadLog:
    """The distinct reads of one request, in order."""

    def __init__(self) -> None:
        self._reads: dict[tuple[str, JsonPath], RecordedRead] = {}
        self._packages: dict[str, tuple[bool, bool]] = {}
        self._names = LookedUpNames()
        self.records = False
        """Whether the reads of the present call are recorded."""
        self.request: Any = None
        """The first request since the last `clear`, as the innermost application sees it."""
        self.last_text: JsonPath | None = None
        """Where the handler took its latest text out of a JSON document."""
        self.texts_as_objects = TextsAsObjects(self._note_some_member)

    def clear(self) -> None:
        """Forget all reads."""
        self._reads.clear()
        self.request = self.last_text = None

    def _note_some_member(self) -> None:
        """Record that the handler takes its latest text for an object.

        Where it has taken nothing out of the document, it goes through the keys of an object as
        through the elements of an array.
        """
        place = self.last_text
        if place is None and not any(path for location, path in self._reads if location == "json"):
            place = (0,)
        if place is not None:
            self.note("json", (*place, SOME_MEMBER), False)

    def enter(self, request: Any) -> None:
        """Note the request that an application handles; a view may pass it to another one."""
        known = self.request
        if known is None or _input_of(known) is _input_of(request):
            self.request = request

    def reads(self) -> list[RecordedRead]:
        """Return the reads since the last `clear`."""
        return list(self._reads.values())

    def note(
        self,
        location: str,
        path: JsonPath,
        present: bool,
        kind: Any = None,
        default: object = None,
    ) -> None:
        """Record a read; a later read of this place adds its type and default."""
        known = self._reads.get((location, path))
        if known is not None:
            if kind is None or known.type_name is not None:
                return
            present = known.present
        type_name = None if kind is None else getattr(kind, "__name__", None)
        plain = default if isinstance(default, _PLAIN_TYPES) else None
        self._reads[location, path] = RecordedRead(location, path, present, type_name, plain)

    def note_copy(self, depth: int, location: str, holds: Callable[[str], bool]) -> None:
        """Record that a whole container was read, `depth` levels above the caller.

        From then on the handler reads a copy. So the look-ups in its source, and in functions
        between it and this one, count as reads. Functions of Flask, Werkzeug and extensions end
        this chain.
        """
        frame: FrameType | None = sys._getframe(depth + 1)
        while frame is not None and self._reads_of(frame) == (True, False):
            for name in self._names.of(frame.f_code):
                self.note(location, (name,), holds(name))
            frame = frame.f_back

    def wants(self, depth: int, location: str, name: object) -> bool:
        """Say whether a read in the frame `depth` levels above the caller counts.

        Reads by Werkzeug and Flask do not count. Reads by validating libraries count, and so do
        reads by our probes, which replace the handler's expressions.
        """
        frame = sys._getframe(depth + 1)
        known = self._packages.get(frame.f_globals.get("__name__", ""))
        reading, plumbing = known or self._reads_of(frame)
        if plumbing and location in ("header", "cookie"):
            return isinstance(name, str) and name.lower() == "authorization"
        return reading

    def _reads_of(self, frame: FrameType) -> tuple[bool, bool]:
        """Say whether reads of a frame count, and whether it belongs to an extension."""
        module: str = frame.f_globals.get("__name__", "")
        known = self._packages.get(module)
        if known is None:
            package = module.partition(".")[0]
            known = self._packages[module] = (package not in _FRAMEWORK, package in _PLUMBING)
        return known


def _input_of(request: Any) -> Any:
    """Return the stream with the body of a request, which is passed on with it."""
    return dict.get(request.environ, "wsgi.input")


ANY_FILE = "file"
"""Name for a file to a handler that takes any file: it loops over all sent ones."""


class _RecordedLookups:
    """The look-ups of both containers of several values, each recorded before it is done.

    It comes before a container among the base classes. These methods must call `_note` themselves:
    `ReadLog.wants` counts the frames between the reader and itself.
    """

    def _note(self, key: Any, kind: Any = None, default: object = None) -> None:
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Any:
        self._note(key)
        return super().__getitem__(key)  # type: ignore[misc]

    def __contains__(self, key: object) -> bool:
        self._note(key)
        return super().__contains__(key)  # type: ignore[misc, no-any-return]

    def get(self, key: Any, default: Any = None, type: Any = None) -> Any:  # noqa: A002
        """Return the value called `key`, converted."""
        self._note(key, type, default)
        return super().get(key, default, type)  # type: ignore[misc]

    def getlist(self, key: Any, type: Any = None) -> list[Any]:  # noqa: A002
        """Return every value called `key`."""
        self._note(key, list)
        return super().getlist(key, type)  # type: ignore[misc, no-any-return]

    def _note_copy(self) -> None:
        raise NotImplementedError

    def items(self, multi: bool = False) -> Any:
        """Return pairs of names and values."""
        self._note_copy()
        return super().items(multi)  # type: ignore[misc]

    def lists(self) -> Any:
        """Return pairs of names and lists of values."""
        self._note_copy()
        return super().lists()  # type: ignore[misc]

    def to_dict(self, flat: bool = True) -> dict[Any, Any]:
        """Return a plain dictionary."""
        self._note_copy()
        return super().to_dict(flat)  # type: ignore[misc, no-any-return]


class RecordingMultiDict(_RecordedLookups, ImmutableMultiDict[Any, Any]):  # type: ignore[misc]
    """Query arguments, form fields, files or cookies."""

    read_log: ReadLog | None = None
    location = "query"

    def watch(self, log: ReadLog, location: str) -> None:
        """Start recording to `log`."""
        self.read_log = log
        self.location = location

    def _note(self, key: Any, kind: Any = None, default: object = None) -> None:
        log = self.read_log
        if log is not None and isinstance(key, str) and log.wants(2, self.location, key):
            log.note(self.location, (key,), dict.__contains__(self, key), kind, default)

    def _note_copy(self) -> None:
        log = self.read_log
        if log is not None:
            log.note_copy(2, self.location, partial(dict.__contains__, self))
            if self.location == "file" and log.wants(2, "file", ANY_FILE):
                log.note("file", (ANY_FILE,), len(self) > 0)

    def values(self) -> Any:
        """Return the first value of every name."""
        self._note_copy()
        return super().values()

    def __iter__(self) -> Iterator[Any]:
        self._note_copy()
        return super().__iter__()


class RecordingCombinedDict(_RecordedLookups, CombinedMultiDict[Any, Any]):  # type: ignore[misc]
    """`request.values`: query arguments before form fields."""

    read_log: ReadLog | None = None

    def watch(self, log: ReadLog) -> None:
        """Start recording to `log`."""
        self.read_log = log

    def _note(self, key: Any, kind: Any = None, default: object = None) -> None:
        log = self.read_log
        if log is None or not isinstance(key, str) or not log.wants(2, "query", key):
            return
        for part in self.dicts:
            location = getattr(part, "location", "query")
            log.note(location, (key,), dict.__contains__(part, key), kind, default)

    def _note_copy(self) -> None:
        log = self.read_log
        if log is not None:
            for part in self.dicts:
                location = getattr(part, "location", "query")
                log.note_copy(2, location, partial(dict.__contains__, part))


class RecordingHeaders(EnvironHeaders):
    """Request headers.

    Older Werkzeug versions pass further arguments between these methods.
    """

    def __init__(self, environ: Any, log: ReadLog) -> None:
        self.environ = environ
        self.read_log = log

    def _note(self, key: Any, kind: Any = None, default: object = None) -> None:
        log = self.read_log
        if isinstance(key, str) and log.wants(2, "header", key):
            if variable_of(key) == HOST:
                usual = ADDRESS_VARIABLES[HOST]
                log.note("environ", (HOST,), self.environ.get(HOST) != usual, default=usual)
            else:
                present = variable_of(key) in self.environ
                log.note("header", (key,), present, kind, default)

    def __getitem__(self, key: Any, *more: Any, **keywords: Any) -> str:  # type: ignore[override]
        self._note(key)
        return super().__getitem__(key, *more, **keywords)

    def __contains__(self, key: object) -> bool:
        self._note(key)
        return super().__contains__(key)  # type: ignore[operator]

    def get(self, key: Any, default: Any = None, type: Any = None, **keywords: Any) -> Any:  # type: ignore[override] # noqa: A002
        """Return the value called `key`, converted."""
        self._note(key, type, default)
        return super().get(key, default, type, **keywords)

    def getlist(self, key: Any, type: Any = None, **keywords: Any) -> list[Any]:  # noqa: A002
        """Return every value called `key`."""
        self._note(key, list)
        return super().getlist(key, type, **keywords)

    def _note_copy(self) -> None:
        self.read_log.note_copy(2, "header", lambda name: variable_of(name) in self.environ)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        self._note_copy()
        return super().__iter__()

    def items(self, *arguments: Any, **keywords: Any) -> Any:
        """Return pairs of names and values."""
        self._note_copy()
        return super().items(*arguments, **keywords)

    def keys(self, *arguments: Any, **keywords: Any) -> Any:
        """Return the names; ``dict(request.headers)`` reads them first."""
        self._note_copy()
        return super().keys(*arguments, **keywords)


def variable_of(header: str) -> str:
    """Return the key of a header in a WSGI environment (PEP 3333)."""
    name = header.upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


SET_BY_SERVER = (
    "REMOTE_USER",
    "AUTH_TYPE",
    "REMOTE_IDENT",
    "SSL_CLIENT_",
    "GATEWAY_",
    "REDIRECT_",
)
"""Prefixes of variables in which a server in front of the application describes its caller."""


class RecordingEnviron(dict[str, Any]):
    """The WSGI environment of one request: records reads of headers and of server variables."""

    read_log: ReadLog

    def _note(self, key: Any) -> None:
        location, name = place_of_variable(key)
        if self.read_log.wants(2, location, name):
            usual = ADDRESS_VARIABLES.get(name)
            is_sent = dict.get(self, key, usual) != usual
            self.read_log.note(location, (name,), is_sent, default=usual)

    # `dict` is named, and not `super()`: these run a dozen times for each request.

    def __getitem__(self, key: str) -> Any:
        if place_of_variable(key)[1]:
            self._note(key)
        return dict.__getitem__(self, key)

    def __contains__(self, key: object) -> bool:
        if place_of_variable(key)[1]:
            self._note(key)
        return dict.__contains__(self, key)

    def get(self, key: str, default: Any = None, /) -> Any:
        """Return a variable."""
        if place_of_variable(key)[1]:
            self._note(key)
        return dict.get(self, key, default)


SCHEME, HOST = "wsgi.url_scheme", "HTTP_HOST"

ADDRESS_VARIABLES = {SCHEME: "http", HOST: "localhost"}
"""Variables with the scheme and the host of a request, and their usual values."""


@lru_cache(maxsize=1024)
def place_of_variable(key: object) -> tuple[str, str]:
    """Return location and name of a variable that the caller controls; no name for any other."""
    if not isinstance(key, str):
        return "", ""
    if key in ADDRESS_VARIABLES:
        return "environ", key
    if key.startswith("HTTP_") and key != "HTTP_COOKIE":
        return "header", key[5:].replace("_", "-").title()
    return "environ", key if key.startswith(SET_BY_SERVER) else ""
