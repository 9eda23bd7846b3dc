"""Notes that a place was reached."""

from __future__ import annotations

from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.instrument.probing.journal import Hits
from pytest_evosearch.instrument.probing.journal import Journal
from pytest_evosearch.instrument.probing.modes import TwoModes
from pytest_evosearch.instrument.probing.probes import HALFWAY
from pytest_evosearch.instrument.probing.probes import _without
from pytest_evosearch.instrument.probing.probes import current_mark
from pytest_evosearch.instrument.probing.slots import ProbeSlots
from pytest_evosearch.instrument.transformation.plan import HitSite


class HitProbe(TwoModes):
    """Covers its targets when it is executed."""

    __slots__ = ("_all", "_of_mode", "journal", "learning")

    def __init__(
        self,
        journal: Journal,
        slots: ProbeSlots,
        site: HitSite,
    ) -> None:
        self.journal = journal
        self._all = site.targets, site.halfway
        # Arming without a Python frame: every probe that a test hits is armed again.
        everything = (*self._all, (slots, site.slot, self.hit))
        self._of_mode: tuple[Hits, Hits] = (everything, everything)
        self.learning: Hits = everything
        self.refresh()
        setattr(*self.armed)

    def hit(self) -> None:
        """Note that the place was executed."""
        journal = self.journal
        targets, halfway, armed = self.learning
        if current_mark() is journal.token:
            scores = journal.scores
            for target in targets:
                scores[target] = COVERED
            for target in halfway:
                scores.setdefault(target, HALFWAY)
        else:
            journal.background.update(self._all[0])
            if journal.testing:
                return  # Another thread came by: the test itself may still come.
        setattr(armed[0], armed[1], None)
        journal.asleep.append(armed)

    def refresh(self) -> None:
        """See `Probe.refresh`."""
        targets, halfway = (_without(each, self.journal.retired) for each in self._all)
        live = self.hit if targets or halfway else None
        slots, name, _ = self.armed
        self._of_mode = (targets, halfway, (slots, name, live)), self._of_mode[True]
        self.learning = self._of_mode[self.journal.full]

    def has_more_to_learn(self) -> bool:
        """See `Probe.has_more_to_learn`."""
        targets, halfway, _ = self.learning
        return bool(targets or halfway)

    def lift_cap(self) -> None:
        """Do nothing: there is none."""
