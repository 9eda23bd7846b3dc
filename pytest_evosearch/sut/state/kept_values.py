"""What an application held in memory at the snapshot, and how each part is brought back in place.

Containers of Python hold elements; modules, classes, the application, instances with slots and
variables of closures hold names.  Either way it is a container with its former content.  Many of
one kind are compared together with that content, object by object, in C: a large program has ten
thousand, and a test changes very few.  Values must be identical, not just equal.  Only in a group
with a difference is each looked at; what has changed is compared alone from then on, because it
will change again.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections import OrderedDict
from collections import UserDict
from collections import UserList
from collections import defaultdict
from collections import deque
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from itertools import repeat
from operator import getitem
from operator import is_
from types import FunctionType
from types import ModuleType
from types import SimpleNamespace
from typing import Any
from typing import NamedTuple

LARGE = 5_000
"""Number of elements from which only their number and the last one are compared."""

STANDARD_KINDS = frozenset(
    (
        *(dict, list, set, bytearray, deque, OrderedDict, defaultdict, Counter),
        *(UserDict, UserList, SimpleNamespace),
    )
)

Comparison = Callable[[], bool]

_end_to_end = chain.from_iterable

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


def present_values(owner: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return those of the attributes `names` that have a value: slots, or what a cell holds."""
    values = {}
    for name in names:
        with suppress(AttributeError, ValueError):
            values[name] = getattr(owner, name)
    return values


# -- one container with its content -----------------------------------------------------


class Kept:
    """One container, and its content at the snapshot."""

    def __init__(
        self,
        container: Any,
        content: Any,
        kind: Elements | Names | Numbers,
        place: str,
        usual: frozenset[str] = frozenset(),
    ) -> None:
        self.container = container
        self.content = content
        self.kind = kind
        self.place = place
        """Name in the application's source: ``shop.store.TODOS``."""
        self.usual = usual
        """Names of a namespace that may come later, without being state."""
        self.known = frozenset(vars(container) if kind is NAMES else ())
        found = content.items() if isinstance(content, dict) else ()
        self.counts = {name: repr(_count_in(one)) for name, one in found if _count_in(one)}
        """Positions of counts, which can neither be set nor copied, only made again."""

    def moved_counts(self) -> list[Any]:
        """Return the names of counts that are no longer where they were."""
        content = self.content
        return [name for name, at in self.counts.items() if repr(_count_in(content[name])) != at]

    def bring_back(self) -> list[str]:
        """Restore the content; return the places that had changed."""
        for name in self.moved_counts():
            fresh = eval(self.counts[name], {"count": itertools.count})
            is_count = type(self.content[name]) is itertools.count
            self.content[name] = fresh if is_count else fresh.__next__
        return self.kind.bring_back(self)


def _count_in(value: Any) -> Any:
    if type(value).__name__ == "method-wrapper":
        value = value.__self__
    return value if type(value) is itertools.count else None


class Elements(NamedTuple):
    """Containers of Python, and attributes of instances, which are a dictionary."""

    base: Any
    fill: Callable[[Any, Any], object]
    """Puts a content into an empty container; methods of `base` call none of a subclass."""

    def copy(self, container: Any) -> Any:
        """Return the content of a container."""
        base = self.base
        return base((base.items if issubclass(base, dict) else base.__iter__)(container))

    def bring_back(self, kept: Kept) -> list[str]:
        """Restore one."""
        self.base.clear(kept.container)
        self.fill(kept.container, kept.content)
        return [kept.place]

    def compared(self, members: Sequence[Kept]) -> Comparison:
        """Return a function that says whether all have their former content."""
        base, is_mapping = self.base, issubclass(self.base, dict)
        containers = [one.container for one in members]
        contents = [one.content for one in members]
        if base in (set, bytearray):
            return lambda: all(map(base.__eq__, containers, contents))
        if any(len(one) > LARGE for one in contents):
            return lambda: all(map(self._ends_alike, containers, contents))
        view = base.values if is_mapping else base.__iter__
        lengths = [*map(len, contents)]
        keys = [*_end_to_end(contents)] if is_mapping else []
        values = [*_end_to_end(map(view, contents))]

        def are_unchanged() -> bool:
            return (
                [*map(base.__len__, containers)] == lengths
                and all(map(is_, _end_to_end(map(view, containers)), values))
                and (not is_mapping or [*_end_to_end(map(base.__iter__, containers))] == keys)
            )

        return are_unchanged

    def _ends_alike(self, container: Any, content: Any) -> bool:
        base = self.base
        if base.__len__(container) != len(content):
            return False
        last, former = (next(base.__reversed__(one)) for one in (container, content))
        is_mapping = issubclass(base, dict)
        return last is former and not (
            is_mapping and base.get(container, last) is not content[last]
        )


class Names(NamedTuple):
    """Modules, classes and objects with names that can be set and deleted; slots and cells."""

    read: Callable[[Any, str], Any]
    put: Callable[[Any, str, Any], None]
    space: Callable[[Any], Any]
    """Returns what `read` reads in: ``vars``, or the object itself where new names cannot come."""

    def compared(self, members: Sequence[Kept]) -> Comparison:
        """Return a function that says whether all have their former names, and no more."""
        spaces = [self.space(one.container) for one in members]
        names = [*_end_to_end(one.content for one in members)]
        values = [*_end_to_end(one.content.values() for one in members)]
        holders = [*_end_to_end(map(repeat, spaces, (len(one.content) for one in members)))]
        sized = spaces if self.space is vars else []
        sizes = [len(one.known) for one in members if sized]

        def are_unchanged() -> bool:
            return [*map(len, sized)] == sizes and all(
                map(is_, map(self.read, holders, names), values)
            )

        return are_unchanged

    def bring_back(self, kept: Kept) -> list[str]:
        """Restore rebound names, and remove new ones that are state."""
        owner, space = kept.container, self.space(kept.container)
        changed = [name for name in kept.content if self._is_rebound(kept, space, name)]
        for name in changed:
            self.put(owner, name, kept.content[name])
        if self.space is not vars:
            return [kept.place] if changed else []
        has_more = len(space) != len(kept.known)
        more = sorted(set(space) - kept.known - kept.usual) if has_more else []
        fresh = [name for name in more if is_state(name, space[name])]
        for name in fresh:
            delattr(owner, name)
        return [f"{kept.place}.{name}" for name in (*changed, *fresh)]

    def _is_rebound(self, kept: Kept, space: Any, name: str) -> bool:
        try:
            present = self.read(space, name)
        except (KeyError, AttributeError, ValueError):  # an empty cell has no value
            return True
        if present is kept.content[name]:
            return False
        return not (self.space is vars and is_kind(present, (type, ModuleType, FunctionType)))


class Numbers:
    """Sources of random numbers, and the state of each."""

    def compared(self, members: Sequence[Kept]) -> Comparison:
        """Return a function that says whether all would draw what they would have drawn."""
        return lambda: all(one.container.getstate() == one.content for one in members)

    def bring_back(self, kept: Kept) -> list[str]:
        """Restore one."""
        kept.container.setstate(kept.content)
        return [kept.place]


def _fill_in_order(container: Any, content: Any) -> None:
    for key, value in content.items():
        OrderedDict.__setitem__(container, key, value)


ELEMENTS: dict[type, Elements] = {
    OrderedDict: Elements(OrderedDict, _fill_in_order),
    dict: Elements(dict, dict.update),
    list: Elements(list, list.extend),
    set: Elements(set, set.update),
    deque: Elements(deque, deque.extend),
    bytearray: Elements(bytearray, bytearray.extend),
}
NAMES = Names(getitem, setattr, vars)
ATTRIBUTES = Names(getattr, object.__setattr__, lambda owner: owner)
NUMBERS = Numbers()


# -- comparing many at once -------------------------------------------------------------

GROUP = 256
"""Number of containers in a group: when one has changed, each is checked separately."""


class Group:
    """Some kept containers of one kind that are compared together."""

    def __init__(self, members: Sequence[Kept]) -> None:
        self.members = members
        self._compare()

    def _compare(self) -> None:
        members = self.members
        self._are_unchanged = members[0].kind.compared(members) if members else lambda: True
        self._with_counts = [one for one in members if one.counts]

    def is_unchanged(self) -> bool:
        """Say whether all have their former content."""
        try:
            return self._are_unchanged() and not [*filter(Kept.moved_counts, self._with_counts)]
        except Exception:  # objects of the application may refuse a comparison
            return False

    def divided(self) -> list[Group]:
        """Compare without what has changed from now on; return each of that, alone."""
        if len(self.members) == 1:
            return [self]
        alone = [Group([one]) for one in self.members]
        changed = [one for one in alone if not one.is_unchanged()]
        gone = {id(one.members[0]) for one in changed}
        self.members = [one for one in self.members if id(one) not in gone]
        self._compare()
        return changed

    def bring_back(self) -> list[str]:
        """Restore the members; return the places that had changed."""
        places = [place for one in self.members for place in one.bring_back()]
        if self._with_counts:
            self._compare()  # a count that has moved was made again
        return places


def grouped(members: Iterable[Kept]) -> list[Group]:
    """Divide `members` into groups of one kind."""
    kinds: dict[object, list[Kept]] = defaultdict(list)
    for one in members:
        kinds[id(one.kind), len(one.content) > LARGE].append(one)
    starts = [(all_, start) for all_ in kinds.values() for start in range(0, len(all_), GROUP)]
    return [Group(all_[start : start + GROUP]) for all_, start in starts]


def bring_back(groups: list[Group]) -> list[str]:
    """Restore what has changed; return its places."""
    places: list[str] = []
    for group in [one for one in groups if not one.is_unchanged()]:
        changed = group.divided()
        groups += [one for one in changed if one is not group]
        for one in changed:
            places += one.bring_back()
    return places
