"""The result of transforming one module: its targets and their probes.

Probes belong to units: the module itself is unit 0, and every function and lambda is another one. A
plan consists of plain tuples, so it can be marshalled with the code, unit by unit. Most functions
of a program never run, and their probes are never read.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import Any
from typing import NamedTuple
from typing import Protocol

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import branch_target
from pytest_evosearch.core.targets import line_target


class TargetRow(NamedTuple):
    """One target of a module."""

    name: TargetId
    line: int
    controls: tuple[TargetId, ...]
    """The branch sides of which one must come before this target; () for a root."""


class Link(NamedTuple):
    """The effect of one atom's truthness on one target: ``offset + scale * truthness``."""

    target: TargetId
    offset: float
    scale: float
    taken: float
    """The score when the atom's side is taken: exactly 1.0 when that decides the target."""


class Slot(NamedTuple):
    """The place of a probe: a name in the slots of its unit."""

    unit: int
    name: str


class HitSite(NamedTuple):
    """A place that covers its targets when it is executed."""

    slot: str
    """``s`` and its index among the hits of the unit."""
    targets: tuple[TargetId, ...]
    halfway: tuple[TargetId, ...]
    """Targets that come next, unless the statement raises."""
    background: bool
    """Whether it runs at import time, when no test covers it."""


class ConditionSite(NamedTuple):
    """An atom of a decision: a comparison, a predicate, a conversion or another truth value."""

    slot: str
    """``c`` and its index among the conditions of the unit."""
    kind: str
    """A key of `kinds.KINDS`."""
    operation: str
    """``<``, ``startswith``, ``date.fromisoformat``, ... ; empty for a truth value."""
    method: str
    """How the transformed code calls the probe: ``evaluated``, ``perform`` or ``tap``."""
    dead: str
    """Value of the slot when nothing is left to learn: a key of `operations.DEAD_VALUES`."""
    tested: bool
    """Whether only the truth of the result is used, so that a bool may replace it."""
    of_false: tuple[Link, ...]
    of_true: tuple[Link, ...]
    literal_left: bool
    literal_right: bool
    noted: tuple[bool, bool]
    """Whether a hit probe in the decision's block reports the (false, true) side, too."""
    detail: str
    """The format of ``strptime``; which operand is a ``len``; otherwise empty."""
    background: bool


@dataclass
class UnitPlan:
    """The probe sites of one function, or of the module itself."""

    hits: list[HitSite] = field(default_factory=list)
    conditions: list[ConditionSite] = field(default_factory=list)

    @property
    def size(self) -> UnitSize:
        """Return how many slots the unit needs."""
        return len(self.hits), len(self.conditions)


UnitSize = tuple[int, int]
"""How many hits and conditions a unit has."""


class Plan(Protocol):
    """A plan with parts that are read when first needed."""

    @property
    def path(self) -> str:
        """Return the module's path in names of targets."""
        ...

    @property
    def sizes(self) -> Sequence[UnitSize]:
        """Return the size of each unit."""
        ...

    def unit(self, number: int) -> UnitPlan:
        """Return the sites of one unit."""
        ...

    def whole(self) -> ModulePlan:
        """Return everything."""
        ...


@dataclass
class ModulePlan:
    """The targets and probe sites of one module, which the transformation collects."""

    path: str
    """Relative path with forward slashes, as in names of targets."""
    targets: list[TargetRow] = field(default_factory=list)
    units: list[UnitPlan] = field(default_factory=lambda: [UnitPlan()])
    constants: list[tuple[object, int]] = field(default_factory=list)
    """Literals of the source with their lines."""
    _lines: set[int] = field(default_factory=set, compare=False)
    _ordinals: dict[tuple[int, str], int] = field(default_factory=dict, compare=False)

    @property
    def sizes(self) -> Sequence[UnitSize]:
        """See `Plan.sizes`."""
        return [unit.size for unit in self.units]

    def unit(self, number: int) -> UnitPlan:
        """See `Plan.unit`."""
        return self.units[number]

    def whole(self) -> ModulePlan:
        """See `Plan.whole`."""
        return self

    def add_unit(self) -> int:
        """Add an empty unit and return its number."""
        self.units.append(UnitPlan())
        return len(self.units) - 1

    def add_line(self, line: int, controls: tuple[TargetId, ...]) -> TargetId | None:
        """Add the statement on `line`; return None when the line is already a target."""
        if line in self._lines:
            return None
        self._lines.add(line)
        return self._add(line_target(self.path, line), line, controls)

    def add_branch(
        self,
        line: int,
        labels: tuple[str, ...],
        controls: tuple[TargetId, ...],
        *,
        wanted: bool = True,
    ) -> tuple[TargetId, ...]:
        """Add the sides of the next condition on `line`; () when they are not `wanted`.

        The ordinal counts conditions with equal labels, including unwanted ones, so that names do
        not depend on the level.
        """
        ordinal = self._ordinals.get((line, labels[0]), 0) + 1
        self._ordinals[line, labels[0]] = ordinal
        if not wanted:
            return ()
        return tuple(
            self._add(branch_target(self.path, line, label, ordinal), line, controls)
            for label in labels
        )

    def expect(self, slot: Slot, targets: tuple[TargetId, ...]) -> None:
        """Let the hit in `slot` cover `targets` halfway."""
        hits = self.units[slot.unit].hits
        number = int(slot.name[1:])
        hits[number] = hits[number]._replace(halfway=(*hits[number].halfway, *targets))

    def _add(self, name: TargetId, line: int, controls: tuple[TargetId, ...]) -> TargetId:
        self.targets.append(TargetRow(name, line, controls))
        return name


class StoredPlan:
    """A packed plan, whose parts are read and unpacked when first needed."""

    def __init__(self, path: str, sizes: Sequence[UnitSize], read: Callable[[int], bytes]) -> None:
        """Take a function `read`, which returns each part that `packed` made."""
        self.path = path
        self.sizes = sizes
        self._read = read

    def unit(self, number: int) -> UnitPlan:
        """See `Plan.unit`."""
        hits, conditions = marshal.loads(self._read(number))
        return UnitPlan(
            [HitSite._make(site) for site in hits],
            [_unpacked_condition(site) for site in conditions],
        )

    def whole(self) -> ModulePlan:
        """See `Plan.whole`."""
        return self._whole

    @cached_property
    def _whole(self) -> ModulePlan:
        targets, constants = marshal.loads(self._read(len(self.sizes)))
        units = [self.unit(number) for number in range(len(self.sizes))]
        return ModulePlan(self.path, [TargetRow._make(row) for row in targets], units, constants)


def packed(plan: ModulePlan) -> list[bytes]:
    """Return the parts that a `StoredPlan` reads: each unit, and the rest."""
    parts: list[object] = [
        ([tuple(site) for site in unit.hits], [_packed_condition(site) for site in unit.conditions])
        for unit in plan.units
    ]
    parts.append(([tuple(row) for row in plan.targets], plan.constants))
    return [marshal.dumps(part) for part in parts]  # type: ignore[arg-type]


LINKED = ("of_false", "of_true")


def _packed_condition(site: ConditionSite) -> tuple[object, ...]:
    pairs = site._asdict().items()
    return tuple(_packed_links(value) if name in LINKED else value for name, value in pairs)


def _packed_links(links: tuple[Link, ...]) -> tuple[tuple[object, ...], ...]:
    return tuple(tuple(link) for link in links)


def _unpacked_condition(content: tuple[Any, ...]) -> ConditionSite:
    site = ConditionSite._make(content)
    return site._replace(
        of_false=tuple(Link._make(link) for link in site.of_false),
        of_true=tuple(Link._make(link) for link in site.of_true),
    )
