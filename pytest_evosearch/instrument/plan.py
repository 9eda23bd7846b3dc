"""What the transformation of one module decided: its targets and the probes that feed them.

Plain tuples all the way down, so that a plan can be marshalled beside the code.  Targets are
numbered within their module, in the order in which the source names them.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.targets import branch_target
from pytest_evosearch.core.targets import line_target


class TargetRow(NamedTuple):
    """One target of a module."""

    name: str
    line: int
    controls: tuple[int, ...]
    """The branch sides of which one must be taken before this target can be; () for a root."""


class Link(NamedTuple):
    """How the truthness of one atom counts for one target: ``offset + scale * truthness``."""

    target: int
    offset: float
    scale: float
    taken: float
    """The score when the atom's side is taken: exactly 1.0 when that decides the target."""


class HitSite(NamedTuple):
    """A place that covers its targets by being executed."""

    slot: str
    targets: tuple[int, ...]
    halfway: tuple[int, ...]
    """Targets that come next, unless the statement raises."""
    background: bool
    """Whether it runs at import time, where no test can take the credit."""


class ConditionSite(NamedTuple):
    """An atom of a decision: a comparison, a predicate, a conversion or another truth value."""

    slot: str
    kind: str
    """A key of `conditions.KINDS`."""
    operation: str
    """``<``, ``startswith``, ``date.fromisoformat``, ... ; empty for a truth value."""
    method: str
    """How the transformed code calls the probe: ``evaluated``, ``perform`` or ``tap``."""
    dead: str
    """What the slot holds when nothing is left to learn: a key of `probes.DEAD_VALUES`."""
    tested: bool
    """Whether only the truth of the result is used, so that a bool may stand for it."""
    of_false: tuple[Link, ...]
    of_true: tuple[Link, ...]
    literal_left: bool
    literal_right: bool
    told: tuple[bool, bool]
    """Whether a hit probe in the decision's block tells the (false, true) side as well."""
    detail: str
    """The format of ``strptime``; which operand is a ``len``; otherwise empty."""
    background: bool


@dataclass
class ModulePlan:
    """The targets and probe sites of one module, filled by the transformation."""

    path: str
    """Relative, with forward slashes, as target names have it."""
    targets: list[TargetRow] = field(default_factory=list)
    hits: list[HitSite] = field(default_factory=list)
    conditions: list[ConditionSite] = field(default_factory=list)
    constants: list[tuple[object, int]] = field(default_factory=list)
    """Literals of the source with their lines."""
    _lines: dict[int, int] = field(default_factory=dict, compare=False)
    _ordinals: dict[tuple[int, str], int] = field(default_factory=dict, compare=False)

    def add_line(self, line: int, controls: tuple[int, ...]) -> int | None:
        """Add the statement on `line`; None when the line is a target already."""
        if line in self._lines:
            return None
        self._lines[line] = self._add(line_target(self.path, line), line, controls)
        return self._lines[line]

    def add_branch(
        self, line: int, labels: tuple[str, ...], controls: tuple[int, ...], *, wanted: bool = True
    ) -> tuple[int, ...]:
        """Add the sides of the next condition on `line`; () when they are not `wanted`.

        The ordinal counts conditions with the same labels, and is used up either way, so that
        names do not depend on the level.
        """
        ordinal = self._ordinals.get((line, labels[0]), 0) + 1
        self._ordinals[line, labels[0]] = ordinal
        if not wanted:
            return ()
        return tuple(
            self._add(branch_target(self.path, line, label, ordinal), line, controls)
            for label in labels
        )

    def expect(self, hit: int, targets: tuple[int, ...]) -> None:
        """Let hit number `hit` bring `targets` halfway."""
        site = self.hits[hit]
        self.hits[hit] = site._replace(halfway=(*site.halfway, *targets))

    def _add(self, name: str, line: int, controls: tuple[int, ...]) -> int:
        self.targets.append(TargetRow(name, line, controls))
        return len(self.targets) - 1


def packed(plan: ModulePlan) -> tuple[object, ...]:
    """Return the plan as plain tuples, for `marshal`."""
    return (
        plan.path,
        [tuple(row) for row in plan.targets],
        [tuple(site) for site in plan.hits],
        [
            tuple(_packed_links(value) if name in LINKED else value for name, value in pairs)
            for pairs in (site._asdict().items() for site in plan.conditions)
        ],
        plan.constants,
    )


LINKED = ("of_false", "of_true")


def _packed_links(links: tuple[Link, ...]) -> tuple[tuple[object, ...], ...]:
    return tuple(tuple(link) for link in links)


def unpacked(content: tuple[Any, ...]) -> ModulePlan:
    """Return the plan that `packed` made plain."""
    path, targets, hits, conditions, constants = content
    return ModulePlan(
        path,
        [TargetRow._make(row) for row in targets],
        [HitSite._make(site) for site in hits],
        [_unpacked_condition(site) for site in conditions],
        constants,
    )


def _unpacked_condition(content: tuple[Any, ...]) -> ConditionSite:
    site = ConditionSite._make(content)
    return site._replace(
        of_false=tuple(Link._make(link) for link in site.of_false),
        of_true=tuple(Link._make(link) for link in site.of_true),
    )
