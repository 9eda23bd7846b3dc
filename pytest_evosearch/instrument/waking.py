"""The probes of one module, each made when its code first looks at its slot.

Most of a program's probes are never looked at, and a probe costs more to make than to run.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from functools import partial

from pytest_evosearch.instrument.conditions import KINDS
from pytest_evosearch.instrument.plan import ConditionSite
from pytest_evosearch.instrument.plan import HitSite
from pytest_evosearch.instrument.plan import Link
from pytest_evosearch.instrument.plan import ModulePlan
from pytest_evosearch.instrument.probes import ConditionProbe
from pytest_evosearch.instrument.probes import HitProbe
from pytest_evosearch.instrument.probes import Journal
from pytest_evosearch.instrument.probes import Probe
from pytest_evosearch.instrument.probes import make_slots
from pytest_evosearch.instrument.probes import watch_slot

Register = Callable[[Probe, Iterable[int]], None]


class ModuleProbes:
    """Makes the probes of one module, and speaks for those that are not made yet."""

    def __init__(
        self, plan: ModulePlan, numbers: Sequence[int], journal: Journal, register: Register
    ) -> None:
        """Take the module's targets as numbered in `numbers`; new probes go to `register`."""
        self.plan = plan
        self._numbers = numbers
        self._journal = journal
        self._register = register
        self._made: dict[str, Probe] = {}
        dead = {site.slot: "" for site in plan.hits}
        dead.update((site.slot, site.dead) for site in plan.conditions)
        self.slots = make_slots(dead, self.wake)

    def wake(self, slot: str) -> object:
        """Make the probe of `slot`; return what the slot holds from now on."""
        site = self._site(slot)
        if isinstance(site, HitSite):
            targets = self._global(site.targets)
            if site.background:
                # The guard looks at the slot: so the place is being executed, at import.
                self._journal.background.update(targets)
                setattr(self.slots, slot, None)
                return None
            halfway = self._global(site.halfway)
            probe: Probe = HitProbe(self._journal, self.slots, site, targets, halfway)
            touched = targets + halfway
        else:
            links = self._renumbered(site.of_false), self._renumbered(site.of_true)
            probe = KINDS[site.kind](self._journal, self.slots, site, links)
            touched = tuple(link.target for side in links for link in side)
        self._made[slot] = probe
        self._register(probe, touched)
        return getattr(self.slots, slot)

    def _site(self, slot: str) -> HitSite | ConditionSite:
        number = int(slot[1:])
        return self.plan.hits[number] if slot[0] == "s" else self.plan.conditions[number]

    def _global(self, targets: Iterable[int]) -> tuple[int, ...]:
        return tuple(self._numbers[target] for target in targets)

    def _renumbered(self, links: tuple[Link, ...]) -> tuple[Link, ...]:
        return tuple(link._replace(target=self._numbers[link.target]) for link in links)

    def watch(self) -> dict[str, str]:
        """Return the slots of which only one side is left, with what the code is to watch for."""
        found = {}
        for slot, probe in self._made.items():
            side = probe.side_left() if isinstance(probe, ConditionProbe) else None
            if side is not None:
                found[slot] = f"watch {str(side).lower()}"
        return found

    def watch_inline(self, watched: Mapping[str, str]) -> None:
        """Take note that the code watches for these; for others it does no longer."""
        for slot, probe in self._made.items():
            if not isinstance(probe, ConditionProbe):
                continue
            probe.inline = slot in watched
            if probe.inline:
                side = watched[slot] == "watch true"
                setattr(self.slots, watch_slot(slot), partial(probe.surprise, side))

    def settled(self) -> frozenset[str]:
        """Return the slots whose probes have nothing left to learn."""
        return frozenset(slot for slot in self.slots.dead if not self._has_more_to_learn(slot))

    def _has_more_to_learn(self, slot: str) -> bool:
        probe = self._made.get(slot)
        if probe is not None:
            return probe.has_more_to_learn()
        site = self._site(slot)
        retired = self._journal.retired
        if isinstance(site, HitSite):
            return not retired.issuperset(self._global(site.targets + site.halfway))
        links = site.of_false + site.of_true
        return not retired.issuperset(self._global(link.target for link in links))
