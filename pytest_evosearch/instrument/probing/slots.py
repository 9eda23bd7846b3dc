"""The slots of probes; transformed code contains those of its unit as a constant.

They are filled when the code of the unit first reads one, because most functions never run. After
that, the object has a class without ``__getattr__``, so the interpreter's inline caches work
(Python 3.11 does not cache attributes of classes with that method).
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
"""Fewest slots; their number is a power of two, so that units share few classes."""


class Owner(Protocol):
    """Knows the probes of a module's units."""

    def fill(self, slots: ProbeSlots) -> None:
        """Fill all slots of a unit with probes, or with the values of dead ones."""
        ...

    def dead(self, unit: int) -> Mapping[str, str]:
        """Return, for each slot of a unit, its key in `DEAD_VALUES`."""
        ...


class ProbeSlots:
    """The slots of one unit: ``s0`` ... of hits, ``c0`` ... of conditions, ``w0`` ... of watches.

    A watch is called when the outcome is the one that its condition still lacks.
    """

    __slots__ = ()
    is_fresh = False
    """Whether they have not been filled yet."""
    owner: Owner
    unit: int

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle (by value, as cloudpickle does with code) as slots that are always dead."""
        return dead_slots, (dict(self.owner.dead(self.unit)), _watched_sides(self))

    def __repr__(self) -> str:
        return "<probes of pytest-evosearch>"


def _filled_slot(slots: ProbeSlots, name: str) -> object:
    """Fill the slots of a unit when one is first read."""
    if name[:1] not in "scw" or not name[1:].isdigit():
        raise AttributeError(name)
    slots.owner.fill(slots)
    # Not `getattr`: a slot that was not filled would call this for ever.
    return object.__getattribute__(slots, name)


def fresh_slots(owner: Owner, sizes: Iterable[UnitSize]) -> list[ProbeSlots]:
    """Return empty slots for all units of a module.

    This is one flat loop, because a program has thousands of units, and its start waits for it.
    """
    made = []
    for unit, (hits, conditions) in enumerate(sizes):
        slots = _classes(hits, conditions)[0]()
        slots.owner = owner  # type: ignore[misc]
        slots.unit = unit  # type: ignore[misc]
        made.append(slots)
    return made


def settle(slots: ProbeSlots, hits: int, conditions: int) -> None:
    """Change filled slots to the class of filled ones."""
    slots.__class__ = _classes(hits, conditions)[1]


def watch_slot(name: str) -> str:
    """Return the slot that is called when the outcome is the one that `name` still lacks."""
    return f"w{name[1:]}"


def dead_slots(dead: Mapping[str, str], sides: Mapping[str, bool]) -> ProbeSlots:
    """Make slots that are always dead; `sides` are the sides that code watches for."""
    size = sum(name[0] == "s" for name in dead), sum(name[0] == "c" for name in dead)
    slots = _classes(*size)[1]()
    slots.owner, slots.unit = _Mortuary(dead), 0  # type: ignore[misc]
    silence(slots, dead)
    for name, side in sides.items():
        setattr(slots, name, partial(bool, int(side)))
    return slots


def silence(slots: ProbeSlots, dead: Mapping[str, str]) -> None:
    """Make every probe of a unit inactive."""
    for name, key in dead.items():
        setattr(slots, name, DEAD_VALUES[key])


class _Mortuary:
    """The owner of unpickled slots."""

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
    """Return the classes of empty and of filled slots for a unit, with equal layouts."""
    return _classes_of_size(_rounded(hits), _rounded(conditions))


def _rounded(count: int) -> int:
    return max(SMALLEST, 1 << (count - 1).bit_length()) if count else 0


@cache
def _classes_of_size(hits: int, conditions: int) -> tuple[type[ProbeSlots], type[ProbeSlots]]:
    names = [f"s{number}" for number in range(hits)]
    names += [f"{kind}{number}" for kind in "cw" for number in range(conditions)]
    body = {"__slots__": ("owner", "unit", *names)}
    # A mixin for only one of them would make the layouts differ.
    fresh = {**body, "__getattr__": _filled_slot, "is_fresh": True}
    return type("FreshProbes", (ProbeSlots,), fresh), type("Probes", (ProbeSlots,), body)
