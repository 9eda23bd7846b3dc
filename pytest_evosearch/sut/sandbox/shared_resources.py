"""Prevents an application from giving up resources that the process cannot regain.

A daemon begins with ``os.closerange(3, 256)``. In the process of a search, this closes the pipes,
files and databases of all other code. A lowered hard limit stays low.

    os.close, os.closerange      leave the descriptors alone that were open before the call
    resource.setrlimit, prlimit  change the soft limit alone, and that of processor time not at all:
                                 the process has used more already, and would be ended
    os.setsid, os.setpgid,       do nothing; what the system refuses anyway is refused
    os.nice, os.setpriority
    os.setuid, os.chroot ...     do nothing where the process has the rights, which it would lose

The functions are replaced before modules of the application are imported, because those keep what
they import by name. The replacements only differ from the real functions between `begin` and `end`,
and never in another process.
"""

from __future__ import annotations

import os as application_os
from collections.abc import Callable
from collections.abc import Container
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from pytest_evosearch.core.isolation import os

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

CLOSES = "closes descriptors that others have opened"
LIMITS = "changes the limits of the process"
IDENTITY = "changes which user, group or session the process belongs to, its root or its priority"

_OF_ADMINISTRATORS = (
    *("setuid", "seteuid", "setreuid", "setresuid", "setgid", "setegid", "setregid", "setresgid"),
    *("setgroups", "initgroups", "chroot", "setpriority", "unshare", "setns"),
    *("sched_setscheduler", "sched_setparam"),
)
"""Functions of `os` after which the process has fewer rights."""


def limit_numbers() -> tuple[int, ...]:
    """Return the numbers of all resource limits of a process."""
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    return tuple(sorted({getattr(resource, name) for name in names}))


_ADMINISTRATOR = 0

Report = Callable[[str], object]


class SharedResources:
    """The replacements."""

    def __init__(self) -> None:
        self._process = 0
        self._kept: Container[int] = ()
        self._report: Report = bool
        self._real: dict[tuple[Any, str], Any] = {}

    def begin(self, kept: Container[int], report: Report) -> None:
        """Keep the descriptors `kept` and the limits from now on; call `report` for attempts."""
        self._kept, self._report, self._process = kept, report, os.getpid()

    def end(self) -> None:
        """Let the functions work again."""
        self._process = 0

    def put_in_place(self) -> None:
        """Replace the functions."""
        self._replace(application_os, "close", self.close)
        self._replace(application_os, "closerange", self.close_range)
        self._replace(application_os, "setsid", self.set_session)
        for name in ("setpgid", "setpgrp"):
            self._replace(application_os, name, partial(self._keep_identity, name, True))
        self._replace(application_os, "nice", self.nice)
        for name in _OF_ADMINISTRATORS:
            self._replace(application_os, name, partial(self._keep_identity, name, False))
        if resource is not None:
            self._replace(resource, "setrlimit", self.set_limit)
            self._replace(resource, "prlimit", self.set_limit_of)

    def take_away(self) -> None:
        """Restore the real functions."""
        for (module, name), real in self._real.items():
            setattr(module, name, real)

    def _replace(self, module: Any, name: str, stand_in: Callable[..., Any]) -> None:
        if hasattr(module, name):
            self._real[module, name] = getattr(module, name)
            setattr(module, name, stand_in)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a replacement as the real function, for another interpreter."""
        return __import__, ("os",)

    @property
    def _is_keeping(self) -> bool:
        return self._process != 0 and self._process == os.getpid()

    def close(self, fd: int) -> None:
        """Replace `os.close`."""
        if self._is_keeping and type(fd) is int and fd in self._kept:
            self._report(CLOSES)
        else:
            os.close(fd)

    def close_range(self, fd_low: int, fd_high: int, /) -> None:
        """Replace `os.closerange`."""
        if not self._is_keeping:
            os.closerange(fd_low, fd_high)
            return
        self._report(CLOSES)  # the application itself does not know which of them are its own

    def set_session(self) -> None:
        """Replace `os.setsid`, which the system refuses to the leader of a group."""
        self._keep_identity("setsid", os.getpgrp() != os.getpid())

    def nice(self, increment: int, /) -> int:
        """Replace `os.nice`."""
        if not self._is_keeping:
            return os.nice(increment)
        self._report(IDENTITY)
        return os.nice(0) + increment

    def _keep_identity(self, name: str, may_anybody: bool, *given: Any) -> Any:
        """Do nothing, in place of a function that would succeed for good."""
        if self._is_keeping and (may_anybody or os.geteuid() == _ADMINISTRATOR):
            self._report(IDENTITY)
            return None
        return self._real[application_os, name](*given)

    def set_limit(self, number: int, limits: Any, /) -> None:
        """Replace `resource.setrlimit`."""
        if not self._is_keeping:
            self._real[resource, "setrlimit"](number, limits)
            return
        soft, hard = limits
        known = resource.getrlimit(number)
        self._report(LIMITS)
        if number == resource.RLIMIT_CPU:
            return
        if hard > known[1] >= 0 and hard != known[1]:
            self._real[resource, "setrlimit"](number, limits)  # the system refuses
        self._real[resource, "setrlimit"](number, (soft, known[1]))

    def set_limit_of(self, process: int, number: int, *limits: Any) -> Any:
        """Replace `resource.prlimit`."""
        if limits and self._is_keeping and process in (0, os.getpid()):
            known = resource.getrlimit(number)
            self.set_limit(number, *limits)
            return known
        return self._real[resource, "prlimit"](process, number, *limits)


@contextmanager
def installed_resources() -> Iterator[SharedResources]:
    """Install the replacements, unless they are installed; they keep nothing yet."""
    active = active_resources()
    if active is not None:
        yield active
        return
    resources = SharedResources()
    resources.put_in_place()
    try:
        yield resources
    finally:
        resources.take_away()


def active_resources() -> SharedResources | None:
    """Return the installed replacements."""
    active = getattr(application_os.close, "__self__", None)
    return active if isinstance(active, SharedResources) else None
