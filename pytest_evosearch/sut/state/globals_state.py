"""Restores an application's module globals in place.

Each mutable container is remembered with a shallow copy of its content, and gets that content back.
Identities stay, so code with a reference sees the restored state. Containers are found in three
places: in modules and classes of the application, in dictionaries and lists of its settings, and in
the application object (`application_state`).
"""

from __future__ import annotations

import functools
import random
from abc import ABCMeta
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from enum import Enum
from types import FunctionType
from types import MethodType
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.fixture_texts.state_text import ABSENT
from pytest_evosearch.sut.fixture_texts.state_text import CLOSURE
from pytest_evosearch.sut.state.application_state import HELD
from pytest_evosearch.sut.state.application_state import UNSPELLED
from pytest_evosearch.sut.state.application_state import Holder
from pytest_evosearch.sut.state.in_memory_servers import STORE_PACKAGES
from pytest_evosearch.sut.state.in_memory_servers import described_stores
from pytest_evosearch.sut.state.kept_values import ATTRIBUTES
from pytest_evosearch.sut.state.kept_values import ELEMENTS
from pytest_evosearch.sut.state.kept_values import NAMES
from pytest_evosearch.sut.state.kept_values import NUMBERS
from pytest_evosearch.sut.state.kept_values import STANDARD_KINDS
from pytest_evosearch.sut.state.kept_values import Group
from pytest_evosearch.sut.state.kept_values import Kept
from pytest_evosearch.sut.state.kept_values import bring_back
from pytest_evosearch.sut.state.kept_values import grouped
from pytest_evosearch.sut.state.kept_values import is_kind
from pytest_evosearch.sut.state.kept_values import is_state
from pytest_evosearch.sut.state.kept_values import present_values
from pytest_evosearch.sut.state.kept_values import slots_of
from pytest_evosearch.sut.state.library_objects import LibraryObjects

VISIT_LIMIT = 100_000
"""Most objects that are visited; an application with more state in memory is restored in part."""

_ATOMS = (type(None), bool, int, float, complex, str, bytes, type, ModuleType, FunctionType)
_TRANSPARENT_PACKAGES = frozenset(("cachelib", "cachetools"))
"""Libraries whose objects are only state in memory."""
_OF_STORES = frozenset((*_TRANSPARENT_PACKAGES, *STORE_PACKAGES, "sortedcontainers"))
"""Libraries that are state in memory, or replace a server; their clients are left alone."""
_REPLACEMENTS = "pytest_evosearch.execution."
"""Beginning of the modules of what stands in the place of functions during calls: ``sleep``."""
_TRANSPARENT_BASES = frozenset(
    ("builtins", "abc", "typing", "collections", "collections.abc", "types")
)


SETTINGS = "<settings>"
"""The place of the settings themselves; no module has this name."""


class GlobalsKeeper:
    """Keeps the mutable state of an application's own modules, and its settings."""

    def __init__(
        self,
        modules: Iterable[ModuleType],
        functions: Iterable[tuple[str, Callable[..., Any]]] = (),
        settings: dict[str, Any] | None = None,
        stores: Sequence[Any] = (),
        holders: Sequence[Holder] = (),
    ) -> None:
        self._holders = holders
        """The application object and its parts, to which the project attaches state."""
        self._held: dict[str, tuple[Mapping[str, Any], str]] = {}
        """Place -> where its value at the snapshot is."""
        self._changed: dict[str, None] = {}
        """Places that were ever restored, here or in a forked process."""
        self._stores = stores
        """Replacements for database servers; written tests use the project's fixtures."""
        self._transparent = _TRANSPARENT_PACKAGES
        self._of_libraries = LibraryObjects()
        self._settings = {} if settings is None else settings
        self._functions = list(functions)
        """Places and functions with possible state in closures: views and hooks of a factory."""
        self._modules = [module for module in modules if isinstance(module, ModuleType)]
        self._names = frozenset(module.__name__ for module in self._modules)
        self._kept: list[Kept] = []
        self._groups: list[Group] = []
        self._seen: dict[int, Any] = {}
        self.complete = True
        """False when there was more state than `VISIT_LIMIT`."""

    @property
    def description(self) -> str:
        """Describe the state: ``module globals of 3 modules``, after replaced servers."""
        parts = described_stores(self._stores)
        if count := len(self._modules):
            parts.append(f"module globals of {count} module{'s' if count != 1 else ''}")
        return ", ".join(parts)

    def snapshot(self) -> None:
        """Remember the present state."""
        self._kept, self._seen, self._held = [], {}, {}
        self._of_libraries = LibraryObjects()
        self.complete = True
        # First, because a value in a global and in a setting counts as a setting.
        settings = dict(self._settings)
        self._kept.append(Kept(self._settings, settings, ELEMENTS[dict], SETTINGS))
        for name, value in settings.items():
            if type(value) in (dict, list):
                self._visit(settings, name, name)
        self._keep_stores()
        for module in self._modules:
            self._keep_module(module)
        self._keep_closures()
        self._keep_holders()
        self._groups, self._kept, self._seen = grouped(self._kept), [], {}

    def restore(self) -> None:
        """Restore the remembered state in place."""
        self.restored_places()

    def restored_places(self) -> list[str]:
        """Restore the remembered state; return the names of changed globals and settings."""
        places = [place for place in bring_back(self._groups) if place]
        self.note_changed(places)
        return places

    def close(self) -> None:
        """Forget everything remembered."""
        self._groups = []

    def changed_settings(self) -> dict[str, Any] | None:
        """Return settings whose content was ever restored; None where none was changed at all."""
        refilled = {name: self._settings[name] for name in self._changed if name in self._settings}
        return refilled if refilled or SETTINGS in self._changed else None

    def changed_places(self) -> list[str]:
        """Return the names of globals and class attributes that were ever restored."""
        changed = [place for place in self._changed if place not in self._settings]
        return [place for place in changed if not place.startswith((HELD, SETTINGS))]

    def changed_at_application(self) -> dict[str, Any]:
        """Return the values in the application object that were ever restored, by place.

        A value that did not exist at the snapshot is `ABSENT`.
        """
        places = [place for place in self._changed if place.startswith(HELD)]
        found = [self._held.get(place, ({}, "")) for place in places]
        values = [values.get(name, ABSENT) for values, name in found]
        return {
            place.removeprefix(HELD): value for place, value in zip(places, values, strict=True)
        }

    def note_changed(self, places: Iterable[str]) -> None:
        """Note places that had to be restored, here or in a forked process."""
        self._changed.update(dict.fromkeys(places))

    @property
    def modules(self) -> tuple[ModuleType, ...]:
        """The modules whose state is kept."""
        return tuple(self._modules)

    # -- walking ------------------------------------------------------------------------

    def _keep_stores(self) -> None:
        """Remember the content of replaced database servers."""
        self._transparent = _OF_STORES
        for store in self._stores:
            self._visit({"": store}, "", UNSPELLED)
        self._transparent = _TRANSPARENT_PACKAGES

    def _keep_module(self, module: ModuleType) -> None:
        self._keep_names(module, module.__name__)
        for name, value in list(vars(module).items()):
            if is_kind(value, type) and value.__module__ == module.__name__:
                self._keep_class(value, f"{module.__name__}.{name}")

    def _keep_class(self, owner: type, place: str) -> None:
        """Remember class attributes; frameworks with metaclasses keep their own state."""
        if type(owner) in (type, ABCMeta) and id(owner) not in self._seen:
            self._seen[id(owner)] = owner
            self._keep_names(owner, place)

    def _keep_closures(self) -> None:
        """Remember local variables of factories that views still refer to."""
        pending: list[tuple[str, Any]] = list(reversed(self._functions))
        while pending:
            place, function = pending.pop()
            if is_kind(function, MethodType):
                self._keep_found(function.__self__, _within(place, ".__self__"))
                function = function.__func__
            elif is_kind(function, functools.partial):
                pending += _bound_in(function, place)
            if not is_kind(function, FunctionType):
                self._keep_found(function, place)
                continue
            if hasattr(function, "__wrapped__"):
                pending.append((_within(place, ".__wrapped__"), function.__wrapped__))
            if self._is_own(function):
                pending += self._keep_cells(function, place)

    def _keep_found(self, value: Any, place: str) -> None:
        """Remember an object that answers requests: the owner of a view, or a callable one."""
        self._visit({"": value}, "", place)

    def _is_own(self, function: FunctionType) -> bool:
        """Say whether a module of the application has the code of `function`.

        The ``__module__`` of a decorator's function is that of the function inside it.
        """
        return function.__globals__.get("__name__") in self._names

    def _keep_cells(self, function: FunctionType, place: str) -> list[tuple[str, Any]]:
        """Remember the closure of `function`; return places and values of its variables."""
        found = []
        names = function.__code__.co_freevars
        for name, cell in zip(names, function.__closure__ or (), strict=True):
            content = present_values(cell, ("cell_contents",))
            if id(cell) in self._seen or not content:
                continue
            self._seen[id(cell)] = cell
            where = _within(place, f"{CLOSURE}{name}")
            found.append((where, content["cell_contents"]))
            if is_state("", content["cell_contents"]):
                self._kept.append(Kept(cell, content, ATTRIBUTES, where))
                self._visit(content, "cell_contents", where)
        return found

    def _keep_holders(self) -> None:
        """Remember the project's values in the application, its blueprints and its extensions."""
        for holder in self._holders:
            if isinstance(holder.owner, dict):
                values = dict(holder.owner)
                for name in values:
                    self._visit(values, name, f'{holder.place}["{name}"]')
            else:
                self._keep_names(holder.owner, holder.place.rstrip("."), holder.usual)

    def _keep_names(self, owner: Any, place: str, usual: frozenset[str] = frozenset()) -> None:
        """Remember the state of a namespace; a restore removes new names, except `usual` ones."""
        values = {
            name: value
            for name, value in vars(owner).items()
            if name not in usual and is_state(name, value)
        }
        self._kept.append(Kept(owner, values, NAMES, place, usual))
        for name in values:
            self._visit(values, name, f"{place}.{name}")

    def _visit(self, values: Mapping[str, Any], name: str, place: str) -> None:
        """Remember the value `name` and everything in it, depth first without recursion."""
        self._held.setdefault(place, (values, name))
        pending = [(values[name], place)]
        while pending:
            current, where = pending.pop()
            if id(current) in self._seen or is_kind(current, _ATOMS):
                continue
            if len(self._seen) >= VISIT_LIMIT:
                self.complete = False
                return
            self._seen[id(current)] = current
            pending.extend((inner, where) for inner in self._keep(current, where))

    def _keep(self, value: Any, place: str) -> Iterable[Any]:
        """Remember one object; return its contents."""
        kind = type(value)
        if kind.__module__.startswith(_REPLACEMENTS):
            return ()
        if issubclass(kind, (tuple, frozenset)):
            return list(value)
        for builtin, elements in ELEMENTS.items():
            if issubclass(kind, builtin) and self._is_plain(value):
                content = elements.copy(value)
                self._kept.append(Kept(value, content, elements, place))
                inner = content.values() if isinstance(content, dict) else content
                return [*inner, *self._keep_attributes(value, place)]
        if kind is random.Random:
            self._kept.append(Kept(value, value.getstate(), NUMBERS, place))
            return ()
        return self._keep_attributes(value, place)

    def _keep_attributes(self, value: Any, place: str) -> Iterable[Any]:
        """Remember the attributes of a simple instance of the application, or of a library."""
        if not self._is_plain(value):
            parts = self._of_libraries.plain_parts(value)
            if not (len(parts) == 1 and parts[0] is value):
                return parts
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict) and "_sa_instance_state" not in attributes:
            content = dict(attributes)
            self._kept.append(Kept(attributes, content, ELEMENTS[dict], place))
            return content.values()
        slots = present_values(value, slots_of(type(value)))
        if slots:
            self._kept.append(Kept(value, slots, ATTRIBUTES, place))
        return slots.values()

    def _is_plain(self, value: Any) -> bool:
        """Say whether an object is plain state: of a simple class, or data of a library."""
        return self._is_transparent(type(value)) or self._of_libraries.is_plain(value)

    def _is_transparent(self, kind: type) -> bool:
        """Say whether instances of `kind` are plain state: own classes without foreign bases."""
        if kind in STANDARD_KINDS or kind.__module__.partition(".")[0] in self._transparent:
            return True
        own = False
        for base in kind.__mro__:
            if base.__module__ in self._names:
                own = True
            elif base.__module__ not in _TRANSPARENT_BASES:
                return False
        return own and not issubclass(kind, (Enum, BaseException, type))


def _bound_in(function: functools.partial[Any], place: str) -> Iterator[tuple[str, Any]]:
    """Yield places and values of what a partial function binds, with the function itself."""
    yield _within(place, ".func"), function.func
    for number, value in enumerate(function.args):
        yield _within(place, f".args[{number}]"), value
    for name, value in function.keywords.items():
        yield _within(place, f'.keywords["{name}"]'), value


def _within(place: str, further: str) -> str:
    return f"{place}{further}" if place else UNSPELLED
