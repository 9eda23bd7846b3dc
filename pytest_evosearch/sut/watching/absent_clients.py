"""Lets an application be loaded that connects to a missing service.

    pika.BlockingConnection(...)      in a module of the project, and the connection is refused

A mock replaces the called object, and the application is loaded again. The written conftest.py has
this mock, too. A handler that uses the mock needs the missing service: its crash is no fault of the
application.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.patches import bindings_of
from pytest_evosearch.sut.watching.services import ServiceWatch

MOST_CLIENTS = 5


@dataclass(frozen=True)
class AbsentClient:
    """The object that the project calls to connect, and the address."""

    owner: Any
    """A module or a class."""
    attribute: str
    address: tuple[str, int]

    @property
    def name(self) -> str:
        """Return the name to patch: ``pika.BlockingConnection``."""
        if isinstance(self.owner, ModuleType):
            return f"{self.owner.__name__}.{self.attribute}"
        return f"{_public_place(self.owner)}.{self.attribute}"


class AbsentClients(ServiceWatch):
    """Notes which objects connect to missing services, and replaces them."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root.resolve()
        self._asked: list[AbsentClient] = []
        self._undo: list[Callable[[], object]] = []
        self._replaced: list[str] = []

    def _miss(self, host: str, port: int, reason: str) -> None:
        client = self._client(sys._getframe(1), (host, port))
        if client is not None:
            self._asked.append(client)
        super()._miss(host, port, reason)

    def _client(self, frame: FrameType | None, address: tuple[str, int]) -> AbsentClient | None:
        """Return the object that the innermost frame of the project has called."""
        inner = None
        while frame is not None and not self._is_of_project(frame):
            inner, frame = frame, frame.f_back
        # A mock of the standard library would affect all other users of sockets.
        if frame is None or inner is None or "-packages" not in inner.f_code.co_filename:
            return None
        found = _called(inner)
        return AbsentClient(*found, address) if found is not None else None

    def _is_of_project(self, frame: FrameType) -> bool:
        path = Path(frame.f_code.co_filename)
        return "-packages" not in str(path) and path.is_relative_to(self._root)

    def replace_last(self) -> bool:
        """Replace the last called object by a mock; say whether there was one."""
        if not self._asked or len(self._replaced) >= MOST_CLIENTS:
            return False
        client = self._asked.pop()
        self._asked.clear()
        if client.name in self._replaced:
            return False
        self._replaced.append(client.name)
        real = getattr(client.owner, client.attribute)
        mock = _AskingMock()
        mock.address = client.address
        for holder, name in _holders(client, real, self._root):
            self._undo.append(partial(setattr, holder, name, vars(holder)[name]))
            setattr(holder, name, mock)
        return True

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the replaced objects, as tests patch them."""
        return _public_names(self._replaced)

    def undo(self) -> None:
        """Restore all objects."""
        while self._undo:
            self._undo.pop()()


class _AskingMock(MagicMock):
    """A mock that notes its service at each call."""

    address: Any = None

    def _increment_mock_call(self, /, *args: Any, **kwargs: Any) -> None:
        parent: Any = self
        while parent._mock_new_parent is not None:
            parent = parent._mock_new_parent
        with suppress(OSError), socket.socket() as asking:
            asking.connect(vars(parent)["address"])
        super()._increment_mock_call(*args, **kwargs)


def _called(frame: FrameType) -> tuple[Any, str] | None:
    """Return the owner of a frame's function, and its name there; the class for a constructor."""
    name = frame.f_code.co_name
    first = next(iter(frame.f_code.co_varnames), "")
    receiver = frame.f_locals.get(first) if frame.f_code.co_argcount else None
    kind: Any = receiver if isinstance(receiver, type) else type(receiver)
    if name == "__init__" and receiver is not None:
        return sys.modules[kind.__module__], kind.__qualname__
    module = sys.modules.get(str(frame.f_globals.get("__name__")))
    if getattr(vars(module).get(name), "__code__", None) is frame.f_code:
        return module, name
    for owner in kind.__mro__ if receiver is not None else ():
        own = vars(owner).get(name)
        if getattr(getattr(own, "__func__", own), "__code__", None) is frame.f_code:
            return owner, name
    return None


def _holders(client: AbsentClient, real: Any, root: Path) -> list[tuple[Any, str]]:
    """Return where the function or class is found: at its owner, and in other modules."""
    found = [(client.owner, client.attribute)]
    if isinstance(client.owner, ModuleType):
        top = client.owner.__name__.partition(".")[0]
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None) or ""
            is_near = str(getattr(module, "__name__", "")).partition(".")[0] == top
            if module is not client.owner and (is_near or _is_below(file, root)):
                found += bindings_of(real, [module])
    return found


def _is_below(file: str, root: Path) -> bool:
    return bool(file) and "-packages" not in file and Path(file).is_relative_to(root)


def _public_place(kind: type[Any]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _public_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names to patch, including shorter ones that packages export."""
    found: dict[str, None] = {}
    for name in names:
        module, _, attribute = name.rpartition(".")
        mock = getattr(sys.modules.get(module), attribute, None)
        package = module
        while "." in package:
            package = package.rpartition(".")[0]
            if mock is not None and getattr(sys.modules.get(package), attribute, None) is mock:
                found.setdefault(f"{package}.{attribute}")
        found.setdefault(name)
    return tuple(found)
