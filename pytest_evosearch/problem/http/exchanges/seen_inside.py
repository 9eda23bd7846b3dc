"""What the inside of the process shows while a call is answered."""

from __future__ import annotations

from collections.abc import Mapping

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
    """Whether a refused connection or an unknown host caused it."""
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
    changed: tuple[str, ...] = ()
    """Tables whose committed rows the call changed; recorded only on request."""


NO_EVIDENCE = Evidence()
