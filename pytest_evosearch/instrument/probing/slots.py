"""The slots in which probes live; transformed code holds those of its unit as a constant.

They are filled when the code of the unit first looks at one: most functions never run.  From
then on the object is of a class without ``__getattr__``, so that the interpreter's inline caches
take it (Python 3.11 refuses to cache attributes of any class that has one).
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from functools import cache
from functools import partial
from typing import Any
from typing import Protocol

from pytest_evosearch.instrument.probing.operations import DEAD_VALUES
from pytest_evosearch.instrument.transformation.plan import UnitSize

SMALLEST = 4
"""Slots are made in powers of two from here on, so that units share few classes."""


class Owner(Protocol):
    """An object that knows the probes of the units of a module."""

    def fill(self, slots: ProbeSlots) -> None:
        """Put probes, or what stands for dead ones, into all slots of a unit."""
        ...

    def dead(self, unit: int) -> Mapping[str, str]:
        """Return for each slot of a unit its key in `DEAD_VALUES`."""
        ...


class ProbeSlots:
    """The slots of one unit: ``s0`` ... of hits, ``c0`` ... of conditions, ``w0`` ... of watches.

    A watch is called when the outcome is the one for which its condition still waits.
    """

    __slots__ = ()
    is_fresh = False
    """Whether they have not been filled yet."""
    owner: Owner
    unit: int

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle (by value, as cloudpickle does with code) to slots that are dead for good."""
        return dead_slots, (dict(self.owner.dead(self.unit)), _watched_sides(self))

    def __repr__(self) -> str:
        return "<probes of pytest-evosearch>"


def _filled_slot(slots: ProbeSlots, name: str) -> object:
    """Fill the slots of a unit, of which one is looked at for the first time."""
    if name[:1] not in "scw" or not name[1:].isdigit():
        raise AttributeError(name)
    slots.owner.fill(slots)
    # Not `getattr`: a slot that was not filled would come here for ever.
    return object.__getattribute__(slots, name)


def fresh_slots(owner: Owner, sizes: Iterable[UnitSize]) -> list[ProbeSlots]:
    """Return empty slots for all units of a module.

    In one flat loop: a program has thousands of units, and its start waits for this.
    """
    made = []
    for unit, (hits, conditions) in enumerate(sizes):
        slots = _classes(hits, conditions)[0]()
        slots.owner = owner  # type: ignore[misc]
        slots.unit = unit  # type: ignore[misc]
        made.append(slots)
    return made


def settle(slots: ProbeSlots, hits: int, conditions: int) -> None:
    """Take filled slots into the class of filled ones."""
    slots.__class__ = _classes(hits, conditions)[1]


def watch_slot(name: str) -> str:
    """Name the slot that is called when the outcome is the one that `name` still waits for."""
    return f"w{name[1:]}"


def dead_slots(dead: Mapping[str, str], sides: Mapping[str, bool]) -> ProbeSlots:
    """Make slots in which nothing will ever live; `sides` are what code watches for."""
    size = sum(name[0] == "s" for name in dead), sum(name[0] == "c" for name in dead)
    slots = _classes(*size)[1]()
    slots.owner, slots.unit = _Mortuary(dead), 0  # type: ignore[misc]
    silence(slots, dead)
    for name, side in sides.items():
        setattr(slots, name, partial(bool, int(side)))
    return slots


def silence(slots: ProbeSlots, dead: Mapping[str, str]) -> None:
    """Make every probe of a unit dead."""
    for name, key in dead.items():
        setattr(slots, name, DEAD_VALUES[key])


class _Mortuary:
    """The owner of slots that were unpickled."""

    def __init__(self, dead: Mapping[str, str]) -> None:
        self._dead = dead

    def fill(self, slots: ProbeSlots) -> None:
        """See `Owner.fill`."""
        silence(slots, self._dead)

    def dead(self, _unit: int) -> Mapping[str, str]:
        """See `Owner.dead`."""
        return self._dead


def _watched_sides(slots: ProbeSlots) -> dict[str, bool]:
    sides: dict[str, bool] = {}
    for name in slots.owner.dead(slots.unit):
        watch = getattr(slots, watch_slot(name), None) if name[0] == "c" else None
        if isinstance(watch, partial):
            sides[watch_slot(name)] = bool(watch() if watch.func is bool else watch.args[0])
    return sides


@cache
def _classes(hits: int, conditions: int) -> tuple[type[ProbeSlots], type[ProbeSlots]]:
    """Return the classes of empty and of filled slots for a unit; their layout is the same."""
    return _classes_of_size(_rounded(hits), _rounded(conditions))


def _rounded(count: int) -> int:
    return max(SMALLEST, 1 << (count - 1).bit_length()) if count else 0


@cache
def _classes_of_size(hits: int, conditions: int) -> tuple[type[ProbeSlots], type[ProbeSlots]]:
    names = [f"s{number}" for number in range(hits)]
    names += [f"{kind}{number}" for kind in "cw" for number in range(conditions)]
    body = {"__slots__": ("owner", "unit", *names)}
    # A mixin for the one would make the layouts differ.
    fresh = {**body, "__getattr__": _filled_slot, "is_fresh": True}
    return type("FreshProbes", (ProbeSlots,), fresh), type("Probes", (ProbeSlots,), body)
