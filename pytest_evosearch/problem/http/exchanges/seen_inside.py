"""What the inside of the process shows while a call is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Mail:
    """A mail that the application sent."""

    body: str
    html: str
    by_thread: bool = False
    """A thread sent it that the handler had started."""


@dataclass(frozen=True)
class Crash:
    """An exception that left the application, or that was answered with 5xx."""

    type_name: str
    """``ZeroDivisionError``; importable as `module`.`type_name`."""
    module: str
    message: str
    path: str
    """Innermost frame of the application's own source or of a template of its, relative with
    forward slashes; or empty."""
    line: int
    function: str
    traceback: str
    way: tuple[str, ...] = ()
    """The application's own functions, outermost first: ``shop/views.py Cart.get``; without any,
    the function of a library that failed: ``babel.core parse_locale``."""
    unreachable: bool = False
    """A connection that was refused, or a host that was not found, lies behind it."""
    raised_in: str = ""
    """The function of a library that the application called and that failed:
    ``flask_wtf.form wrap_formdata``; empty where the application itself raised."""

    @property
    def exhausts_memory(self) -> bool:
        """Whether more memory was asked for than a call may take (`execution.memory`)."""
        return (self.module, self.type_name) == ("builtins", "MemoryError")

    @property
    def position(self) -> str:
        """``shop/pricing.py:12``."""
        return f"{self.path}:{self.line}" if self.path else "unknown"


@dataclass(frozen=True)
class Missing:
    """A service that a call asked for, and that was not there."""

    service: str
    """``localhost:6379``."""
    host: str
    reason: str
    """``connection refused``."""
    packages: tuple[str, ...] = ()
    """The packages that asked for it."""


@dataclass(frozen=True)
class HiddenFailure:
    """An exception that no answer shows."""

    crash: Crash
    how: str
    """``a thread``, ``the log``."""
    started_by: str = ""
    """The endpoint whose call had it done; empty for what the application does on its own."""
    logger: str = ""
    """Name of the logger; empty for what is not logged."""


@dataclass(frozen=True)
class Read:
    """One look of a handler at its request, recorded."""

    location: str
    """Value of a `Location`, ``query`` for example."""
    path: tuple[str | int, ...]
    """The name, or for JSON the path of keys; () is the whole body."""
    present: bool
    """Whether the request carried it."""
    type_name: str | None = None
    """What was asked for: ``int`` of ``args.get("n", type=int)``, ``list`` of ``getlist``."""
    default: object = None


@dataclass(frozen=True)
class Validation:
    """What the application itself demands of a place in its requests, caught while it validated."""

    location: str
    """Value of a `Location`, ``form`` for example."""
    path: tuple[str | int, ...]
    """For JSON the keys down to it; else ()."""
    schema: Mapping[str, object]
    """A JSON schema; its references point into itself."""


@dataclass(frozen=True)
class Evidence:
    """What only the inside of the process shows of one call."""

    statements: tuple[str, ...] = ()
    """SQL as the SQLite driver ran it, bound values written out (and so escaped)."""
    opened: tuple[str, ...] = ()
    """Paths of files as they were asked for, before ``..`` is resolved."""
    contacted: tuple[str, ...] = ()
    """Host names and addresses that were looked up or connected to, refused ones too."""
    changed: tuple[str, ...] = ()
    """Tables whose committed rows differ from before the call; only seen when asked for."""


NO_EVIDENCE = Evidence()
