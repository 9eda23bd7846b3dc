"""Brings what an application keeps in module globals back in place.

Every mutable container that is reachable from a module or a class of the application, or from
a dictionary or list among its settings, is remembered with a shallow copy of its content, and
gets that content back: identities stay, so code that holds a reference sees the restored state.
"""

from __future__ import annotations

import itertools
import random
from abc import ABCMeta
from collections import Counter
from collections import OrderedDict
from collections import UserDict
from collections import UserList
from collections import defaultdict
from collections import deque
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from enum import Enum
from operator import is_
from types import CellType
from types import FunctionType
from types import MappingProxyType
from types import ModuleType
from types import SimpleNamespace
from typing import Any

from pytest_evosearch.sut.state.unchanged_containers import Comparison
from pytest_evosearch.sut.state.unchanged_containers import Group
from pytest_evosearch.sut.state.unchanged_containers import comparison_of_lists
from pytest_evosearch.sut.state.unchanged_containers import comparison_of_mappings
from pytest_evosearch.sut.state.unchanged_containers import comparison_of_namespaces
from pytest_evosearch.sut.state.unchanged_containers import grouped

VISIT_LIMIT = 100_000
"""Objects that are looked at; an application that keeps more in memory is restored in part."""

LARGE = 5_000
"""Elements from which a container is compared by length and last element alone."""

_STANDARD_KINDS = frozenset(
    (
        *(dict, list, set, bytearray, deque, OrderedDict, defaultdict, Counter),
        *(UserDict, UserList, SimpleNamespace),
    )
)
_TRANSPARENT_PACKAGES = frozenset(("cachelib", "cachetools"))
"""Libraries whose objects are nothing but state in memory."""
_OF_STORES = frozenset((*_TRANSPARENT_PACKAGES, "mongomock", "fakeredis", "sortedcontainers"))
"""The same, of what stands in for a server: its clients are left alone, wherever they are kept."""
_TRANSPARENT_BASES = frozenset(
    ("builtins", "abc", "typing", "collections", "collections.abc", "types")
)


@dataclass
class _Names:
    """The namespace of a module or class at the snapshot."""

    values: dict[str, Any]
    """What counts as state."""
    known: frozenset[str]
    """Every name, so that new ones are noticed."""
    changed: dict[str, None] = field(default_factory=dict)
    """Names that ever had to be brought back, in order."""


@dataclass
class _Kept:
    """One container, its content at the snapshot, and how to bring it back."""

    container: Any
    content: Any
    restore: Callable[[Any, Any], bool]
    """Bring `container` back to `content`; say whether anything had changed."""
    place: str
    """How the application's source names it: ``shop.store.TODOS``."""
    changed: bool = False


class GlobalsKeeper:
    """Keeps the mutable state of an application's own modules."""

    def __init__(
        self,
        modules: Iterable[ModuleType],
        functions: Iterable[Callable[..., Any]] = (),
        settings: Mapping[str, Any] = MappingProxyType({}),
        stores: Sequence[Any] = (),
    ) -> None:
        self._stores = stores
        """What stands in for servers of databases; tests get theirs from the project's fixtures."""
        self._transparent = _TRANSPARENT_PACKAGES
        self._settings = settings
        self._kept_settings: list[_Kept] = []
        self._functions = list(functions)
        """What may hold state in a closure: the views of an application made by a factory."""
        self._modules = [module for module in modules if isinstance(module, ModuleType)]
        self._names = frozenset(module.__name__ for module in self._modules)
        self._kept: list[_Kept] = []
        self._alone: list[_Kept] = []
        """What of it is looked at by itself: what has changed before, or is of a rare kind."""
        self._groups: list[Group] = []
        self._seen: dict[int, Any] = {}
        self.complete = True
        """False when there was more state than `VISIT_LIMIT`."""

    @property
    def description(self) -> str:
        """``module globals of 3 modules``; empty without modules."""
        count = len(self._modules)
        if not count:
            return ""
        return f"module globals of {count} module{'s' if count != 1 else ''}"

    def snapshot(self) -> None:
        """Remember the present state."""
        self._kept, self._seen = [], {}
        self.complete = True
        # First: what a global holds, too, is a setting.
        for name, value in self._settings.items():
            if type(value) in (dict, list):
                self._visit(value, name)
        self._kept_settings, self._kept = self._kept, []
        self._keep_stores()
        for module in self._modules:
            self._keep_module(module)
        self._keep_closures()
        self._seen = {}
        everything = [*self._kept_settings, *self._kept]
        self._alone, self._groups = grouped(everything, _comparison_of)

    def restore(self) -> None:
        """Bring the remembered state back, in place."""
        _bring_back(self._alone)
        for group in self._groups:
            suspects: Sequence[_Kept] = group.suspects()
            if suspects:
                self._alone.extend(group.leave_out(_bring_back(suspects)))

    def close(self) -> None:
        """Let go of what was remembered."""
        self._kept_settings, self._kept = [], []
        self._alone, self._groups = [], []

    def changed_settings(self) -> list[str]:
        """Name the settings of which restoring ever had to bring back the inside."""
        return list(dict.fromkeys(kept.place for kept in self._kept_settings if kept.changed))

    def changed_places(self) -> list[str]:
        """Name the globals and class attributes that restoring ever had to bring back."""
        places: dict[str, None] = {}
        for kept in self._kept:
            if isinstance(kept.content, _Names):
                places.update((f"{kept.place}.{name}", None) for name in kept.content.changed)
            elif kept.changed and kept.place:
                places[kept.place] = None
        return list(places)

    @property
    def modules(self) -> tuple[ModuleType, ...]:
        """The modules whose state is kept."""
        return tuple(self._modules)

    # -- walking ------------------------------------------------------------------------

    def _keep_stores(self) -> None:
        """Remember what the servers hold that are played in memory."""
        self._transparent = _OF_STORES
        for store in self._stores:
            self._visit(store, "")
        self._transparent = _TRANSPARENT_PACKAGES

    def _keep_module(self, module: ModuleType) -> None:
        self._keep_names(module, module.__name__)
        for name, value in list(vars(module).items()):
            if _is(value, type) and value.__module__ == module.__name__:
                self._keep_class(value, f"{module.__name__}.{name}")

    def _keep_class(self, owner: type, place: str) -> None:
        """Remember class attributes; frameworks with metaclasses keep their own books."""
        if type(owner) in (type, ABCMeta) and id(owner) not in self._seen:
            self._seen[id(owner)] = owner
            self._keep_names(owner, place)

    def _keep_closures(self) -> None:
        """Remember the local variables of factories that views still hold; they have no name."""
        pending = [getattr(function, "__wrapped__", function) for function in self._functions]
        while pending:
            function = pending.pop()
            if not _is(function, FunctionType) or function.__module__ not in self._names:
                continue
            for cell in function.__closure__ or ():
                if id(cell) in self._seen or not _is_filled(cell):
                    continue
                self._seen[id(cell)] = cell
                value = cell.cell_contents
                pending.append(value)
                if _is_state("", value):
                    self._kept.append(_Kept(cell, value, _restore_cell, ""))
                    self._visit(value, "")

    def _keep_names(self, owner: Any, place: str) -> None:
        values = {name: value for name, value in vars(owner).items() if _is_state(name, value)}
        frozen = {name: _frozen_counter(value) for name, value in values.items()}
        names = _Names(frozen, frozenset(vars(owner)))
        self._kept.append(_Kept(owner, names, _restore_names, place))
        for name, value in values.items():
            self._visit(value, f"{place}.{name}")

    def _visit(self, value: Any, place: str) -> None:
        """Remember `value` and what it holds, depth first without recursion."""
        pending = [(value, place)]
        while pending:
            current, where = pending.pop()
            if id(current) in self._seen or _is(current, _ATOMS):
                continue
            if len(self._seen) >= VISIT_LIMIT:
                self.complete = False
                return
            self._seen[id(current)] = current
            pending.extend((inner, where) for inner in self._keep(current, where))

    def _keep(self, value: Any, place: str) -> Iterable[Any]:
        """Remember one object; return what it holds."""
        kind = type(value)
        if issubclass(kind, (tuple, frozenset)):
            return list(value)
        for builtin, (copy, restore) in _CONTAINERS.items():
            if issubclass(kind, builtin) and self._is_transparent(kind):
                content = copy(value)
                self._add(value, content, restore, place)
                inner = content.values() if isinstance(content, dict) else content
                return [*inner, *self._keep_attributes(value, place)]
        if kind is random.Random:
            self._add(value, value.getstate(), _restore_random, place)
            return ()
        return self._keep_attributes(value, place)

    def _keep_attributes(self, value: Any, place: str) -> Iterable[Any]:
        """Remember the attributes of a simple instance of the application."""
        if not self._is_transparent(type(value)):
            return ()
        attributes = getattr(value, "__dict__", None)
        if isinstance(attributes, dict) and "_sa_instance_state" not in attributes:
            content = dict(attributes)
            self._add(attributes, content, _restore_attributes, place)
            return content.values()
        slots = {
            name: getattr(value, name) for name in _slots_of(type(value)) if hasattr(value, name)
        }
        if slots:
            self._add(value, slots, _restore_slots, place)
        return slots.values()

    def _is_transparent(self, kind: type) -> bool:
        """Say whether instances of `kind` are plain state: own classes without foreign bases."""
        if kind in _STANDARD_KINDS or kind.__module__.partition(".")[0] in self._transparent:
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
            content = {name: _frozen_counter(value) for name, value in content.items()}
        self._kept.append(_Kept(container, content, restore, place))


# -- what counts as state ---------------------------------------------------------------

_ATOMS = (type(None), bool, int, float, complex, str, bytes, type, ModuleType, FunctionType)


_OF_PYTHON = frozenset(
    f"__{name}__"
    for name in (
        *("all", "annotations", "annotations_cache", "builtins", "conditional_annotations"),
        *("dataclass_fields", "dict", "path", "slotnames", "slots", "warningregistry"),
    )
)
"""Containers that Python itself, or a decorator, put into a module or class."""


def _is_state(name: str, value: Any) -> bool:
    """Say whether a global or class attribute is state: no module, class or function.

    Of names with two underscores on both sides only containers are: ``__PARSERS__``.
    """
    if name.startswith("__") and name.endswith("__"):
        return name not in _OF_PYTHON and type(value) in _STANDARD_KINDS
    if _is(value, (type, ModuleType, FunctionType)) or hasattr(type(value), "__get__"):
        return False
    return type(value).__name__ not in ("builtin_function_or_method", "partial")


def _is(value: Any, kinds: type | tuple[type, ...]) -> bool:
    """Test the real type: `isinstance` asks ``__class__``, which lazy proxies answer by waking."""
    return issubclass(type(value), kinds)


def _slots_of(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__"):
                yield f"_{base.__name__.lstrip('_')}{name}" if name.startswith("__") else name


# -- counters ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Counter:
    """An `itertools.count` as it was: it can neither be set nor read, only made again."""

    text: str
    """``count(5)``."""
    bound: bool
    """The application holds its ``__next__`` instead of the count."""

    def describes(self, present: Any) -> bool:
        """Say whether `present` stands where the remembered one stood."""
        counter = getattr(present, "__self__", None) if self.bound else present
        return type(counter) is itertools.count and repr(counter) == self.text

    def fresh(self) -> Any:
        """Return a count that goes on from where the remembered one was."""
        counter = eval(self.text, {"count": itertools.count})
        return counter.__next__ if self.bound else counter


def _frozen_counter(value: Any) -> Any:
    if type(value) is itertools.count:
        return _Counter(repr(value), bound=False)
    if type(value).__name__ == "method-wrapper" and type(value.__self__) is itertools.count:
        return _Counter(repr(value.__self__), bound=True)
    return value


def _thawed(present: Any, kept: Any) -> Any:
    """Return the value to put back for `kept`: itself, or for a count that moved a fresh one."""
    if type(kept) is not _Counter:
        return kept
    return present if kept.describes(present) else kept.fresh()


def _is_filled(cell: CellType) -> bool:
    """Say whether the variable of a closure has a value yet."""
    try:
        return cell.cell_contents is not _ABSENT
    except ValueError:
        return False


# -- comparing many at once -------------------------------------------------------------


def _bring_back(all_kept: Iterable[_Kept]) -> list[_Kept]:
    """Restore each; return those that had changed."""
    changed = [kept for kept in all_kept if kept.restore(kept.container, kept.content)]
    for kept in changed:
        kept.changed = True
    return changed


def _comparison_of(kept: _Kept) -> Callable[[Sequence[_Kept]], Comparison] | None:
    """Say how a container is compared together with others; None for by itself."""
    comparison = _COMPARISONS.get(kept.restore)
    if comparison is None:
        return None
    if isinstance(kept.content, _Names):
        if any(type(value) is _Counter for value in kept.content.values.values()):
            return None
        return _compared_classes if isinstance(kept.container, type) else comparison
    if len(kept.content) > LARGE:
        return None
    if type(kept.content) is dict and any(type(one) is _Counter for one in kept.content.values()):
        return None
    return comparison


def _compared_mappings(members: Sequence[_Kept]) -> Comparison:
    return comparison_of_mappings([m.container for m in members], [m.content for m in members])


def _compared_lists(members: Sequence[_Kept]) -> Comparison:
    return comparison_of_lists([m.container for m in members], [m.content for m in members])


def _compared_modules(members: Sequence[_Kept]) -> Comparison:
    names: list[_Names] = [member.content for member in members]
    return comparison_of_namespaces(
        [member.container for member in members],
        [one.values for one in names],
        [len(one.known) for one in names],
    )


def _compared_classes(members: Sequence[_Kept]) -> Comparison:
    """Do what `_compared_modules` does: their namespaces are of another type."""
    return _compared_modules(members)


# -- restoring, one function a kind of container ----------------------------------------

_ABSENT: Any = object()


def _restore_cell(cell: CellType, kept: Any) -> bool:
    """Rebind a variable that a view has rebound (``nonlocal``)."""
    if cell.cell_contents is kept:
        return False
    cell.cell_contents = kept
    return True


def _restore_names(owner: Any, names: _Names) -> bool:
    """Rebind globals or class attributes that were rebound, remove those that are new."""
    namespace = vars(owner)
    if _holds_the_same(namespace, names):
        return False
    changed = False
    for name, kept in names.values.items():
        present = namespace.get(name, _ABSENT)
        wanted = _thawed(present, kept)
        if present is not wanted and not _is(present, (type, ModuleType, FunctionType)):
            setattr(owner, name, wanted)
            names.changed[name] = None
            changed = True
    if len(namespace) != len(names.known):
        for name in [name for name in namespace if name not in names.known]:
            if _is_state(name, namespace[name]):
                delattr(owner, name)
                names.changed[name] = None
                changed = True
    return changed


def _holds_the_same(namespace: Mapping[str, Any], names: _Names) -> bool:
    """Say whether nothing was rebound, the usual case, without a step of Python for each name."""
    if len(namespace) != len(names.known):
        return False
    return all(map(is_, map(namespace.get, names.values), names.values.values()))


def _restore_mapping(container: Any, content: Any) -> bool:
    if _same_items(container, content):
        return False
    dict.clear(container)
    for key, kept in content.items():
        dict.__setitem__(container, key, _thawed(None, kept))
    return True


def _restore_ordered(container: Any, content: Any) -> bool:
    if _same_items(container, content) and all(map(is_, OrderedDict.__iter__(container), content)):
        return False
    OrderedDict.clear(container)
    for key, kept in content.items():
        OrderedDict.__setitem__(container, key, kept)
    return True


def _same_items(container: Any, content: dict[Any, Any]) -> bool:
    size = len(content)
    if dict.__len__(container) != size:
        return False
    if size > LARGE:
        last = next(reversed(content))
        return (
            next(dict.__reversed__(container)) is last
            and dict.get(container, last) is content[last]
        )
    if not all(map(is_, dict.__iter__(container), content)):
        return False
    if all(map(is_, dict.values(container), content.values())):
        return True
    return all(
        present is kept or (type(kept) is _Counter and kept.describes(present))
        for present, kept in zip(dict.values(container), content.values(), strict=True)
    )


def _restore_attributes(attributes: Any, content: Any) -> bool:
    return _restore_mapping(attributes, content)


def _restore_slots(owner: Any, content: dict[str, Any]) -> bool:
    changed = False
    for name, kept in content.items():
        present = getattr(owner, name, _ABSENT)
        wanted = _thawed(present, kept)
        if present is not wanted:
            object.__setattr__(owner, name, wanted)
            changed = True
    return changed


def _restore_list(container: Any, content: list[Any]) -> bool:
    size = len(content)
    if list.__len__(container) == size:
        if size > LARGE and list.__getitem__(container, -1) is content[-1]:
            return False
        if size <= LARGE and all(map(is_, list.__iter__(container), content)):
            return False
    list.__setitem__(container, slice(None), content)
    return True


def _restore_set(container: Any, content: set[Any]) -> bool:
    if set.__len__(container) == len(content) and set.issuperset(container, content):
        return False
    set.clear(container)
    set.update(container, content)
    return True


def _restore_deque(container: Any, content: list[Any]) -> bool:
    if len(container) == len(content) and all(map(is_, container, content)):
        return False
    deque.clear(container)
    deque.extend(container, content)
    return True


def _restore_bytearray(container: bytearray, content: bytes) -> bool:
    if container == content:
        return False
    container[:] = content
    return True


def _restore_random(source: random.Random, state: Any) -> bool:
    if source.getstate() == state:
        return False
    source.setstate(state)
    return True


_CONTAINERS: dict[type, tuple[Callable[[Any], Any], Callable[[Any, Any], bool]]] = {
    OrderedDict: (lambda value: dict(OrderedDict.items(value)), _restore_ordered),
    dict: (lambda value: dict(dict.items(value)), _restore_mapping),
    list: (lambda value: list(list.__iter__(value)), _restore_list),
    set: (lambda value: set(set.__iter__(value)), _restore_set),
    deque: (lambda value: list(deque.__iter__(value)), _restore_deque),
    bytearray: (bytes, _restore_bytearray),
}

_COMPARISONS: dict[Callable[[Any, Any], bool], Callable[[Sequence[_Kept]], Comparison]] = {
    _restore_mapping: _compared_mappings,
    _restore_attributes: _compared_mappings,
    _restore_list: _compared_lists,
    _restore_names: _compared_modules,
}
