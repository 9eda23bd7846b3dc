"""The state of one container at the snapshot: what counts as state, and how it is restored."""

from __future__ import annotations

import itertools
import random
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
from dataclasses import field
from operator import is_
from types import CellType
from types import FunctionType
from types import ModuleType
from types import SimpleNamespace
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.state.unchanged_containers import Comparison
from pytest_evosearch.sut.state.unchanged_containers import comparison_of_lists
from pytest_evosearch.sut.state.unchanged_containers import comparison_of_mappings
from pytest_evosearch.sut.state.unchanged_containers import comparison_of_namespaces

LARGE = 5_000
"""Number of elements from which only length and last element are compared."""

STANDARD_KINDS = frozenset(
    (
        *(dict, list, set, bytearray, deque, OrderedDict, defaultdict, Counter),
        *(UserDict, UserList, SimpleNamespace),
    )
)


@dataclass
class Names:
    """The namespace of a module or class at the snapshot."""

    values: dict[str, Any]
    """The values that count as state."""
    known: frozenset[str]
    """All names, so that new ones are noticed."""
    changed: dict[str, None] = field(default_factory=dict)
    """Names that were ever restored, in order."""


@dataclass
class Kept:
    """One container, its content at the snapshot, and the function to restore it."""

    container: Any
    content: Any
    restore: Callable[[Any, Any], bool]
    """Restores `content` in `container`; returns whether anything had changed."""
    place: str
    """Name in the application's source: ``shop.store.TODOS``."""
    changed: bool = False


# -- what counts as state ---------------------------------------------------------------

_OF_PYTHON = frozenset(
    f"__{name}__"
    for name in (
        *("all", "annotations", "annotations_cache", "builtins", "conditional_annotations"),
        *("dataclass_fields", "dict", "path", "slotnames", "slots", "warningregistry"),
    )
)
"""Containers that Python itself, or a decorator, creates in a module or class."""


def is_state(name: str, value: Any) -> bool:
    """Say whether a global or class attribute is state: no module, class or function.

    A name with two underscores on both sides only counts for a container: ``__PARSERS__``.
    """
    if name.startswith("__") and name.endswith("__"):
        return name not in _OF_PYTHON and type(value) in STANDARD_KINDS
    if is_kind(value, (type, ModuleType, FunctionType)) or hasattr(type(value), "__get__"):
        return False
    return type(value).__name__ not in ("builtin_function_or_method", "partial")


def is_kind(value: Any, kinds: type | tuple[type, ...]) -> bool:
    """Test the real type: `isinstance` reads ``__class__``, which would resolve lazy proxies."""
    return issubclass(type(value), kinds)


def slots_of(kind: type) -> Iterator[str]:
    """Yield the names of slots in instances of `kind`."""
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__"):
                yield f"_{base.__name__.lstrip('_')}{name}" if name.startswith("__") else name


# -- counters ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Counter:
    """The state of an `itertools.count`: it can neither be set nor read, only recreated."""

    text: str
    """``count(5)``."""
    bound: bool
    """Whether the application holds its ``__next__`` instead of the count."""

    def describes(self, present: Any) -> bool:
        """Say whether `present` has the remembered position."""
        counter = getattr(present, "__self__", None) if self.bound else present
        return type(counter) is itertools.count and repr(counter) == self.text

    def fresh(self) -> Any:
        """Return a count that continues at the remembered position."""
        counter = eval(self.text, {"count": itertools.count})
        return counter.__next__ if self.bound else counter


def frozen_counter(value: Any) -> Any:
    """Return `value`, or a description where it is a count, which cannot be copied."""
    if type(value) is itertools.count:
        return _Counter(repr(value), bound=False)
    if type(value).__name__ == "method-wrapper" and type(value.__self__) is itertools.count:
        return _Counter(repr(value.__self__), bound=True)
    return value


def thawed(present: Any, kept: Any) -> Any:
    """Return the value to restore for `kept`: itself, or a new count for one that moved."""
    if type(kept) is not _Counter:
        return kept
    return present if kept.describes(present) else kept.fresh()


def is_filled(cell: CellType) -> bool:
    """Say whether a closure variable has a value yet."""
    try:
        return cell.cell_contents is not _ABSENT
    except ValueError:
        return False


# -- comparing many at once -------------------------------------------------------------


def bring_back(all_kept: Iterable[Kept]) -> list[Kept]:
    """Restore each; return those that had changed."""
    changed = [kept for kept in all_kept if kept.restore(kept.container, kept.content)]
    for kept in changed:
        kept.changed = True
    return changed


def comparison_of(kept: Kept) -> Callable[[Sequence[Kept]], Comparison] | None:
    """Return how to compare a container together with others; None to compare it separately."""
    comparison = _COMPARISONS.get(kept.restore)
    if comparison is None:
        return None
    if isinstance(kept.content, Names):
        if any(type(value) is _Counter for value in kept.content.values.values()):
            return None
        return _compared_classes if isinstance(kept.container, type) else comparison
    if len(kept.content) > LARGE:
        return None
    if type(kept.content) is dict and any(type(one) is _Counter for one in kept.content.values()):
        return None
    return comparison


def _compared_mappings(members: Sequence[Kept]) -> Comparison:
    return comparison_of_mappings([m.container for m in members], [m.content for m in members])


def _compared_lists(members: Sequence[Kept]) -> Comparison:
    return comparison_of_lists([m.container for m in members], [m.content for m in members])


def _compared_modules(members: Sequence[Kept]) -> Comparison:
    names: list[Names] = [member.content for member in members]
    return comparison_of_namespaces(
        [member.container for member in members],
        [one.values for one in names],
        [len(one.known) for one in names],
    )


def _compared_classes(members: Sequence[Kept]) -> Comparison:
    """Compare namespaces of classes, which have another type than those of modules."""
    return _compared_modules(members)


# -- restoring, one function a kind of container ----------------------------------------

_ABSENT: Any = object()


def restore_cell(cell: CellType, kept: Any) -> bool:
    """Restore a closure variable that a view has rebound (``nonlocal``)."""
    present = cell.cell_contents if is_filled(cell) else _ABSENT
    wanted = thawed(present, kept)
    if present is wanted:
        return False
    cell.cell_contents = wanted
    return True


def restore_names(owner: Any, names: Names, spared: frozenset[str] = frozenset()) -> bool:
    """Restore rebound globals or attributes, and remove new ones, except `spared` ones."""
    namespace = vars(owner)
    if _holds_the_same(namespace, names):
        return False
    changed = False
    for name, kept in names.values.items():
        present = namespace.get(name, _ABSENT)
        wanted = thawed(present, kept)
        if present is not wanted and not is_kind(present, (type, ModuleType, FunctionType)):
            setattr(owner, name, wanted)
            names.changed[name] = None
            changed = True
    if len(namespace) != len(names.known):
        for name in [name for name in namespace if name not in names.known]:
            if name not in spared and is_state(name, namespace[name]):
                delattr(owner, name)
                names.changed[name] = None
                changed = True
    return changed


def _holds_the_same(namespace: Mapping[str, Any], names: Names) -> bool:
    """Say whether nothing was rebound, the usual case, without a Python step for each name."""
    if len(namespace) != len(names.known):
        return False
    return all(map(is_, map(namespace.get, names.values), names.values.values()))


def _restore_mapping(container: Any, content: Any) -> bool:
    if _same_items(container, content):
        return False
    dict.clear(container)
    for key, kept in content.items():
        dict.__setitem__(container, key, thawed(None, kept))
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


def restore_attributes(attributes: Any, content: Any) -> bool:
    """Restore the attributes of an instance."""
    return _restore_mapping(attributes, content)


def restore_slots(owner: Any, content: dict[str, Any]) -> bool:
    """Restore the slots of an instance."""
    changed = False
    for name, kept in content.items():
        present = getattr(owner, name, _ABSENT)
        wanted = thawed(present, kept)
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


def restore_random(source: random.Random, state: Any) -> bool:
    """Restore a source of random numbers."""
    if source.getstate() == state:
        return False
    source.setstate(state)
    return True


CONTAINERS: dict[type, tuple[Callable[[Any], Any], Callable[[Any, Any], bool]]] = {
    OrderedDict: (lambda value: dict(OrderedDict.items(value)), _restore_ordered),
    dict: (lambda value: dict(dict.items(value)), _restore_mapping),
    list: (lambda value: list(list.__iter__(value)), _restore_list),
    set: (lambda value: set(set.__iter__(value)), _restore_set),
    deque: (lambda value: list(deque.__iter__(value)), _restore_deque),
    bytearray: (bytes, _restore_bytearray),
}

_COMPARISONS: dict[Callable[[Any, Any], bool], Callable[[Sequence[Kept]], Comparison]] = {
    _restore_mapping: _compared_mappings,
    restore_attributes: _compared_mappings,
    _restore_list: _compared_lists,
    restore_names: _compared_modules,
}
