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
from functools import partial
from types import FunctionType
from types import MappingProxyType
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
from pytest_evosearch.sut.state.kept_values import CONTAINERS
from pytest_evosearch.sut.state.kept_values import STANDARD_KINDS
from pytest_evosearch.sut.state.kept_values import Kept
from pytest_evosearch.sut.state.kept_values import Names
from pytest_evosearch.sut.state.kept_values import bring_back
from pytest_evosearch.sut.state.kept_values import comparison_of
from pytest_evosearch.sut.state.kept_values import frozen_counter
from pytest_evosearch.sut.state.kept_values import is_filled
from pytest_evosearch.sut.state.kept_values import is_kind
from pytest_evosearch.sut.state.kept_values import is_state
from pytest_evosearch.sut.state.kept_values import restore_attributes
from pytest_evosearch.sut.state.kept_values import restore_cell
from pytest_evosearch.sut.state.kept_values import restore_names
from pytest_evosearch.sut.state.kept_values import restore_random
from pytest_evosearch.sut.state.kept_values import restore_slots
from pytest_evosearch.sut.state.kept_values import slots_of
from pytest_evosearch.sut.state.kept_values import thawed
from pytest_evosearch.sut.state.library_objects import LibraryObjects
from pytest_evosearch.sut.state.unchanged_containers import Group
from pytest_evosearch.sut.state.unchanged_containers import grouped

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


class GlobalsKeeper:
    """Keeps the mutable state of an application's own modules."""

    def __init__(
        self,
        modules: Iterable[ModuleType],
        functions: Iterable[tuple[str, Callable[..., Any]]] = (),
        settings: Mapping[str, Any] = MappingProxyType({}),
        stores: Sequence[Any] = (),
        holders: Sequence[Holder] = (),
    ) -> None:
        self._holders = holders
        """The application object and its parts, to which the project attaches state."""
        self._held: dict[str, Any] = {}
        """Place -> its value at the snapshot."""
        self._noted: dict[str, None] = {}
        """Places that changed in another process."""
        self._stores = stores
        """Replacements for database servers; written tests use the project's fixtures."""
        self._transparent = _TRANSPARENT_PACKAGES
        self._of_libraries = LibraryObjects()
        self._settings = settings
        self._kept_settings: list[Kept] = []
        self._functions = list(functions)
        """Places and functions with possible state in closures: views and hooks of a factory."""
        self._modules = [module for module in modules if isinstance(module, ModuleType)]
        self._names = frozenset(module.__name__ for module in self._modules)
        self._kept: list[Kept] = []
        self._alone: list[Kept] = []
        """Containers that are compared separately: they changed before, or are of a rare kind."""
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
        self._kept, self._seen = [], {}
        self._of_libraries = LibraryObjects()
        self.complete = True
        # First, because a value in a global and in a setting counts as a setting.
        for name, value in self._settings.items():
            if type(value) in (dict, list):
                self._visit(value, name)
        self._kept_settings, self._kept = self._kept, []
        self._keep_stores()
        for module in self._modules:
            self._keep_module(module)
        self._keep_closures()
        self._keep_holders()
        self._seen = {}
        everything = [*self._kept_settings, *self._kept]
        self._alone, self._groups = grouped(everything, comparison_of)

    def restore(self) -> None:
        """Restore the remembered state in place."""
        self._bring_back()

    def _bring_back(self) -> list[Kept]:
        """Restore the remembered state; return what had changed."""
        changed = bring_back(self._alone)
        for group in self._groups:
            suspects: Sequence[Kept] = group.suspects()
            if suspects:
                found = bring_back(suspects)
                self._alone.extend(group.leave_out(found))
                changed += found
        return changed

    def restored_places(self) -> list[str]:
        """Restore the remembered state; return the names of changed globals and settings."""
        spaces = [one for one in (*self._kept_settings, *self._kept) if _is_space(one)]
        known = [one.content.changed for one in spaces]
        for one in spaces:
            one.content.changed = {}
        changed = self._bring_back()
        places = list(_places(changed))
        for one, before in zip(spaces, known, strict=True):
            one.content.changed = {**before, **one.content.changed}
        return places

    def close(self) -> None:
        """Forget everything remembered."""
        self._kept_settings, self._kept = [], []
        self._alone, self._groups = [], []

    def changed_settings(self) -> list[str]:
        """Return the names of settings whose content was ever restored."""
        return [place for place in self._changed() if place in self._settings]

    def changed_places(self) -> list[str]:
        """Return the names of globals and class attributes that were ever restored."""
        changed = [place for place in self._changed() if place not in self._settings]
        return [place for place in changed if not place.startswith(HELD)]

    def changed_at_application(self) -> dict[str, Any]:
        """Return the values in the application object that were ever restored, by place.

        A value that did not exist at the snapshot is `ABSENT`.
        """
        places = [place for place in self._changed() if place.startswith(HELD)]
        held = {place: self._held.get(place, ABSENT) for place in places}
        return {place.removeprefix(HELD): thawed(ABSENT, one) for place, one in held.items()}

    def note_changed(self, places: Iterable[str]) -> None:
        """Note places that a forked process had to restore."""
        self._noted.update(dict.fromkeys(places))

    def _changed(self) -> list[str]:
        """Return all places that were ever restored, here or in a forked process."""
        here = _places([*self._kept_settings, *self._kept])
        return list(dict.fromkeys((*self._noted, *here)))

    @property
    def modules(self) -> tuple[ModuleType, ...]:
        """The modules whose state is kept."""
        return tuple(self._modules)

    # -- walking ------------------------------------------------------------------------

    def _keep_stores(self) -> None:
        """Remember the content of replaced database servers."""
        self._transparent = _OF_STORES
        for store in self._stores:
            self._visit(store, "")
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
        if place and self._is_transparent(type(value)):
            self._held.setdefault(place, value)
        self._visit(value, place)

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
            if id(cell) in self._seen or not is_filled(cell):
                continue
            self._seen[id(cell)] = cell
            value, where = cell.cell_contents, _within(place, f"{CLOSURE}{name}")
            found.append((where, value))
            if is_state("", value):
                self._held[where] = frozen_counter(value)
                self._kept.append(Kept(cell, self._held[where], restore_cell, where))
                self._visit(value, where)
        return found

    def _keep_holders(self) -> None:
        """Remember the project's values in the application, its blueprints and its extensions."""
        for holder in self._holders:
            own = holder.own()
            held = {f"{holder.place}{name}": frozen_counter(one) for name, one in own.items()}
            self._held.update(held)
            if isinstance(holder.owner, dict):
                for name, value in own.items():
                    self._visit(value, f"{holder.place}{name}")
            else:
                self._keep_values(holder.owner, holder.place.rstrip("."), own, holder.usual)

    def _keep_names(self, owner: Any, place: str) -> None:
        values = {name: value for name, value in vars(owner).items() if is_state(name, value)}
        self._keep_values(owner, place, values)

    def _keep_values(
        self,
        owner: Any,
        place: str,
        values: Mapping[str, Any],
        spared: frozenset[str] = frozenset(),
    ) -> None:
        """Remember `values` of a namespace; a restore removes new names, except `spared` ones."""
        frozen = {name: frozen_counter(value) for name, value in values.items()}
        restore = partial(restore_names, spared=spared) if spared else restore_names
        names = Names(frozen, frozenset(vars(owner)))
        self._kept.append(Kept(owner, names, restore, place))
        for name, value in values.items():
            self._visit(value, f"{place}.{name}")

    def _visit(self, value: Any, place: str) -> None:
        """Remember `value` and everything in it, depth first without recursion."""
        pending = [(value, place)]
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
        for builtin, (copy, restore) in CONTAINERS.items():
            if issubclass(kind, builtin) and self._is_plain(value):
                content = copy(value)
                self._add(value, content, restore, place)
                inner = content.values() if isinstance(content, dict) else content
                return [*inner, *self._keep_attributes(value, place)]
        if kind is random.Random:
            self._add(value, value.getstate(), restore_random, place)
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
            self._add(attributes, content, restore_attributes, place)
            return content.values()
        slots = {
            name: getattr(value, name) for name in slots_of(type(value)) if hasattr(value, name)
        }
        if slots:
            self._add(value, slots, restore_slots, place)
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

    def _add(
        self, container: Any, content: Any, restore: Callable[[Any, Any], bool], place: str
    ) -> None:
        if isinstance(content, dict):
            content = {name: frozen_counter(value) for name, value in content.items()}
        self._kept.append(Kept(container, content, restore, place))


def _bound_in(function: functools.partial[Any], place: str) -> Iterator[tuple[str, Any]]:
    """Yield places and values of what a partial function binds, with the function itself."""
    yield _within(place, ".func"), function.func
    for number, value in enumerate(function.args):
        yield _within(place, f".args[{number}]"), value
    for name, value in function.keywords.items():
        yield _within(place, f'.keywords["{name}"]'), value


def _within(place: str, further: str) -> str:
    return f"{place}{further}" if place else UNSPELLED


def _is_space(kept: Kept) -> bool:
    return isinstance(kept.content, Names)


def _places(all_kept: Iterable[Kept]) -> Iterator[str]:
    """Yield the names of what was restored in `all_kept`."""
    for kept in all_kept:
        if isinstance(kept.content, Names):
            yield from (f"{kept.place}.{name}" for name in kept.content.changed)
        elif kept.changed and kept.place:
            yield kept.place
