"""What the inside of the process shows while a call is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class Mail:
    """A mail that the application sent."""

    body: str
    html: str
    by_thread: bool = False
    """A thread sent it that the handler had started."""


@dataclass(frozen=True)
class Crash:
    """An exception that left the application, or that caused a 5xx response."""

    type_name: str
    """``ZeroDivisionError``; importable as `module`.`type_name`."""
    module: str
    message: str
    path: str
    """File of the innermost frame in the application's own source or templates.

    The path is relative and has forward slashes; it is empty without such a frame.
    """
    line: int
    function: str
    traceback: str
    way: tuple[str, ...] = ()
    """The application's own functions, outermost first: ``shop/views.py Cart.get``.

    Without any, the function of a library that failed: ``babel.core parse_locale``.
    """
    unreachable: bool = False
    """Whether a refused connection, an unknown host, or a server played in memory caused it."""
    raised_in: str = ""
    """The library function that the application called and that failed.

    Example: ``flask_wtf.form wrap_formdata``. Empty where the application itself raised.
    """

    @property
    def exhausts_memory(self) -> bool:
        """Whether the call needed more memory than it may take (`execution.memory`)."""
        return (self.module, self.type_name) == ("builtins", "MemoryError")

    @property
    def position(self) -> str:
        """``shop/pricing.py:12``."""
        return f"{self.path}:{self.line}" if self.path else "unknown"


@dataclass(frozen=True)
class Missing:
    """A service that a call needed and that could not be reached."""

    service: str
    """Address of the service: ``localhost:6379``."""
    host: str
    reason: str
    """Why it could not be reached: ``connection refused``."""
    packages: tuple[str, ...] = ()
    """The packages that needed it."""


FAILURE_PHRASES = {
    "truncated": "broke its answer off",
    "reset": "broke the connection off",
    "time-out": "did not answer in time",
    "refused": "refused the connection",
    "unknown host": "was not found",
    "bad certificate": "had a bad certificate",
}
"""A failure of a service -> what it did; after the first three, no request arrives."""


SOUGHT_METHOD = ":method"
"""Header, called as in HTTP/2, with the method of a request that did not arrive."""


@dataclass(frozen=True)
class Outgoing:
    """A call of the application to another service, and how it was answered."""

    name: str
    """Its identity: ``GET http://prices.internal/items/{}``, for the second time with `` 2``.

    It is the name of the host where the host could not be reached.
    """
    method: str = ""
    """Empty where no request arrived."""
    url: str = ""
    """The address without its query."""
    query: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    body: bytes = field(default=b"", compare=False)
    status: int = 200
    answer_headers: tuple[tuple[str, str], ...] = ()
    answer: bytes = b""
    """The body that came back."""
    failure: str = ""
    """How the service failed, ``time-out`` for example; empty where it answered."""
    careless: tuple[str, ...] = ()
    """What may hold others up: ``no time-out``, ``open transaction``."""
    in_loop: bool = False
    """Whether a client in an event loop asked."""

    @property
    def sought(self) -> str:
        """Return method and address of what did not arrive, as far as they are known."""
        methods = [value for name, value in self.headers if name == SOUGHT_METHOD]
        return f"{methods[0]} {self.url}" if methods else ""

    def asks_like(self, other: Outgoing) -> bool:
        """Say whether another call sends the same."""
        return (self.name, self.url, self.query, self.body) == (
            *(other.name, other.url, other.query, other.body),
        )

    @property
    def host(self) -> str:
        """Return the host, with an unusual port."""
        return self.url.split("/")[2] if self.url else self.name

    @property
    def failure_phrase(self) -> str:
        """Return how the service failed, empty where it answered."""
        return FAILURE_PHRASES.get(self.failure, "")

    @property
    def fails(self) -> bool:
        """Say whether the service did not do what it was asked for."""
        return bool(self.failure) or self.status >= 400


@dataclass(frozen=True)
class HiddenFailure:
    """An exception that no response shows."""

    crash: Crash
    how: str
    """Where it was seen: ``a thread``, ``the log``."""
    started_by: str = ""
    """The endpoint whose call caused it; empty for work that the application does on its own."""
    logger: str = ""
    """Name of the logger; empty for a failure that is not logged."""


@dataclass(frozen=True)
class Read:
    """One recorded read of a request by its handler."""

    location: str
    """Value of a `Location`, ``query`` for example."""
    path: tuple[str | int, ...]
    """The name, or for JSON the path of keys; () is the whole body."""
    present: bool
    """Whether the request contained it."""
    type_name: str | None = None
    """The requested type: ``int`` for ``args.get("n", type=int)``, ``list`` for ``getlist``."""
    default: object = None


@dataclass(frozen=True)
class Validation:
    """A rule of the application for a place in its requests, caught during validation."""

    location: str
    """Value of a `Location`, ``form`` for example."""
    path: tuple[str | int, ...]
    """For JSON the keys down to the place; otherwise ()."""
    schema: Mapping[str, object]
    """A JSON schema; its references point into itself."""


@dataclass(frozen=True)
class Evidence:
    """Observations of one call from inside the process."""

    statements: tuple[str, ...] = ()
    """SQL that the SQLite driver ran, with bound values written out and escaped."""
    opened: tuple[str, ...] = ()
    """Requested paths of files, before ``..`` is resolved."""
    contacted: tuple[str, ...] = ()
    """Host names and addresses that were looked up or connected to, including refused ones."""
    outgoing: tuple[Outgoing, ...] = ()
    """Calls to other services, and their answers; none of them left the machine."""
    absent: tuple[str, ...] = ()
    """Tables that the call asked for, and that the database lacks."""


NO_EVIDENCE = Evidence()
