"""Makes the probes of one module, function by function, when the code first runs.

Most of a program's functions never run, and a probe costs more to make than to run.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from threading import RLock

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.probing.hit_probe import HitProbe
from pytest_evosearch.instrument.probing.journal import Journal
from pytest_evosearch.instrument.probing.probe_kinds import KINDS
from pytest_evosearch.instrument.probing.probes import ConditionProbe
from pytest_evosearch.instrument.probing.probes import Probe
from pytest_evosearch.instrument.probing.slots import ProbeSlots
from pytest_evosearch.instrument.probing.slots import fresh_slots
from pytest_evosearch.instrument.probing.slots import settle
from pytest_evosearch.instrument.probing.slots import silence
from pytest_evosearch.instrument.probing.slots import watch_slot
from pytest_evosearch.instrument.transformation.plan import ConditionSite
from pytest_evosearch.instrument.transformation.plan import HitSite
from pytest_evosearch.instrument.transformation.plan import Plan
from pytest_evosearch.instrument.transformation.plan import Slot
from pytest_evosearch.instrument.transformation.plan import UnitPlan

Register = Callable[[Probe, Iterable[TargetId]], None]

MODULE = 0
"""Number of the unit that runs at import time."""


class ModuleProbes:
    """Makes the probes of one module, and represents those that do not exist yet."""

    def __init__(self, plan: Plan, journal: Journal, register: Register) -> None:
        """Make probes according to `plan`, and pass new ones to `register`."""
        self.plan = plan
        self._journal = journal
        self._register = register
        self._made: dict[Slot, Probe] = {}
        self._noted: set[int] = set()
        """Numbers of the module's own hits that were executed."""
        self._silenced = False
        self._filling = RLock()
        self.slots = fresh_slots(self, plan.sizes)
        """The slots of each unit, for its code."""
        if plan.sizes[MODULE][0]:
            self.slots[MODULE].s0 = self._noted.add  # type: ignore[attr-defined]

    # What the slots ask for

    def fill(self, slots: ProbeSlots) -> None:
        """Make the probes of a unit, when one of its slots was read."""
        with self._filling:
            if not slots.is_fresh:
                return  # Another thread was faster.
            plan = self.plan.unit(slots.unit)
            if self._silenced:
                silence(slots, _dead(plan))
            else:
                self._make(slots, plan)
            settle(slots, *plan.size)

    def dead(self, unit: int) -> Mapping[str, str]:
        """Return, for each slot of a unit, its key in `DEAD_VALUES`."""
        return _dead(self.plan.unit(unit))

    def _make(self, slots: ProbeSlots, plan: UnitPlan) -> None:
        journal = self._journal
        for condition in plan.conditions:
            self._keep(slots, condition, KINDS[condition.kind](journal, slots, condition))
        if slots.unit != MODULE:
            for hit in plan.hits:
                self._keep(slots, hit, HitProbe(journal, slots, hit))

    def _keep(self, slots: ProbeSlots, site: HitSite | ConditionSite, probe: Probe) -> None:
        self._made[Slot(slots.unit, site.slot)] = probe
        self._register(probe, _targets(site))

    # What the recording asks for

    def noted(self) -> Iterator[TargetId]:
        """Yield the targets that were executed at import time."""
        hits = self.plan.unit(MODULE).hits if self._noted else []
        for number in sorted(self._noted):
            yield from hits[number].targets

    def silence(self) -> None:
        """Make every probe inactive, including those that do not exist yet."""
        self._silenced = True
        for slots in self.slots:
            if not slots.is_fresh:
                silence(slots, self.dead(slots.unit))

    def watch(self) -> dict[Slot, str]:
        """Return the slots with only one side left, and the side that the code should watch for."""
        found = {}
        for slot, probe in self._made.items():
            side = probe.side_left() if isinstance(probe, ConditionProbe) else None
            if side is not None:
                found[slot] = f"watch {str(side).lower()}"
        return found

    def watch_inline(self, watched: Mapping[Slot, str]) -> None:
        """Note the slots that the code watches itself; others are no longer watched."""
        for slot, probe in self._made.items():
            if not isinstance(probe, ConditionProbe):
                continue
            probe.inline = slot in watched
            if probe.inline:
                side = watched[slot] == "watch true"
                surprise = partial(probe.surprise, side)
                setattr(self.slots[slot.unit], watch_slot(slot.name), surprise)

    def has_any(self, targets: AbstractSet[TargetId]) -> bool:
        """Say whether any of the targets is in a function of the module."""
        units = self.plan.whole().units[MODULE + 1 :]
        return any(
            not targets.isdisjoint(_targets(site))
            for unit in units
            for sites in (unit.hits, unit.conditions)
            for site in sites
        )

    def settled(self) -> frozenset[Slot]:
        """Return the slots of functions whose probes have nothing left to learn."""
        return frozenset(self._settled())

    def _settled(self) -> Iterator[Slot]:
        retired = self._journal.retired
        for number in range(MODULE + 1, len(self.plan.sizes)):
            unit = self.plan.whole().units[number]
            sites: list[HitSite | ConditionSite] = [*unit.hits, *unit.conditions]
            for site in sites:
                slot = Slot(number, site.slot)
                probe = self._made.get(slot)
                if probe is None:
                    if retired.issuperset(_targets(site)):
                        yield slot
                elif not probe.has_more_to_learn():
                    yield slot


def _targets(site: HitSite | ConditionSite) -> tuple[TargetId, ...]:
    if isinstance(site, HitSite):
        return site.targets + site.halfway
    return tuple(link.target for link in site.of_false + site.of_true)


def _dead(plan: UnitPlan) -> dict[str, str]:
    dead = {site.slot: "" for site in plan.hits}
    dead.update((site.slot, site.dead) for site in plan.conditions)
    return dead
