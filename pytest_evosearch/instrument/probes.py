"""The probes that instrumented code calls, and the slots in which they live and die.

A dead probe costs its guard, a few nanoseconds: a statement's probe dies at its first hit, a
condition's when both sides were seen in this test or are retired.  `Recorder` wakes what a
test touched before the next test, so the cost of a test follows what it touches.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import date
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any
from typing import Protocol
from uuid import UUID

from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED
from pytest_evosearch.core.shown import shown
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.evaluation import DEAD_VALUES
from pytest_evosearch.instrument.plan import ConditionSite
from pytest_evosearch.instrument.plan import HitSite
from pytest_evosearch.instrument.plan import Link

MARK: ContextVar[object] = ContextVar("pytest_evosearch_test", default=None)
"""Whose test the running context belongs to: the `Recorder.token` of the test, or None."""

current_mark = MARK.get

CAP = 32
"""Distances that one probe computes in one test.

64 were measured to lower 8 % of the values, 16 lower 9 %; a loop pays for each.
"""

HALFWAY = 0.5
"""The score of what comes after a call that was begun."""

HINTS_PER_PROBE = 4
HINTS_PER_TEST = 200

SIGHTINGS_PER_TEST = 1000
"""Looks at watched conditions that are told; a loop over a large table has too many."""

UNCAPPED = 1 << 60

EXACT_KINDS = frozenset({str, int, float, bytes, bool, type(None), date, datetime, Decimal, UUID})
"""Types of operands that a hint may hold."""

LONGEST_HINT = 1000
"""Characters of a text that a hint may hold."""


class ProbeSlots:
    """The slots of one module; the transformed code holds it as a constant.

    A slot is empty until the code first looks at it; most never are.
    """

    __slots__ = ()
    dead: Mapping[str, str] = {}
    """For each slot its key in `DEAD_VALUES`."""
    wake: Callable[[str], object]
    """Fills an empty slot and returns what it holds."""

    def __getattr__(self, name: str) -> object:
        """Fill the empty slot `name`."""
        kind = type(self)
        if name not in kind.dead:
            raise AttributeError(name)
        return kind.wake(name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle (by value, as cloudpickle does with code) to slots that are dead for good."""
        return dead_slots, (dict(self.dead), _watched_sides(self))

    def __repr__(self) -> str:
        return "<probes of pytest-evosearch>"


def watch_slot(name: str) -> str:
    """Name the slot that is called when the outcome is the one that `name` still waits for."""
    return f"w{name[1:]}"


def make_slots(dead: Mapping[str, str], wake: Callable[[str], object]) -> ProbeSlots:
    """Make the slots object of one module, empty; `dead` maps slots to `DEAD_VALUES`."""
    watches = [watch_slot(name) for name in dead if name[0] == "c"]
    body = {"__slots__": (*dead, *watches), "dead": dead, "wake": staticmethod(wake)}
    slots: ProbeSlots = type("ModuleProbes", (ProbeSlots,), body)()
    return slots


def dead_slots(dead: Mapping[str, str], sides: Mapping[str, bool]) -> ProbeSlots:
    """Make a slots object in which nothing will ever live; `sides` are what code watches for."""
    slots = make_slots(dead, lambda name: DEAD_VALUES[dead[name]])
    silence(slots)
    for name, side in sides.items():
        setattr(slots, name, partial(bool, int(side)))
    return slots


def _watched_sides(slots: ProbeSlots) -> dict[str, bool]:
    sides: dict[str, bool] = {}
    watches: tuple[str, ...] = type(slots).__slots__
    for name in watches:
        watch = getattr(slots, name, None) if name[0] == "w" else None
        if isinstance(watch, partial):
            sides[name] = bool(watch() if watch.func is bool else watch.args[0])
    return sides


def silence(slots: ProbeSlots) -> None:
    """Make every probe of a module dead, the ones that never woke included."""
    for name, key in slots.dead.items():
        setattr(slots, name, DEAD_VALUES[key])


class Journal:
    """What the probes write into: the state of the running test, shared by all of them."""

    __slots__ = (
        "background",
        "comparisons",
        "disarmed",
        "full",
        "hinting",
        "measuring",
        "names",
        "notices",
        "retired",
        "scores",
        "sightings",
        "testing",
        "token",
        "watched",
    )

    def __init__(self, level: int, notices: list[str]) -> None:
        self.notices = notices
        self.measuring = level >= 2
        self.hinting = level >= 3
        self.names: list[TargetId] = []
        self.token: object = object()
        self.testing = False
        self.full = False
        self.scores: dict[int, float] = {}
        self.comparisons: list[tuple[int, str, Any, Any]] = []
        """Hints: target, relation, observed, wanted."""
        self.disarmed: list[Callable[[], object]] = []
        """What arms the probes of this test again before the next."""
        self.background: set[int] = set()
        self.retired: set[int] = set()
        self.watched: frozenset[int] = frozenset()
        """Targets whose conditions tell what they see."""
        self.sightings: list[tuple[int, str, str, tuple[str, ...]]] = []
        """Target, kind, operation, and the operands as text."""


class Probe(Protocol):
    """What every probe can do for the recording."""

    name: str
    """Its slot."""

    def arm(self) -> None:
        """Make the probe live again if it has anything left to learn."""
        ...

    def disarm(self) -> None:
        """Make the probe dead."""
        ...

    def refresh(self) -> None:
        """Take in that targets were retired, or that the mode changed."""
        ...

    def has_more_to_learn(self) -> bool:
        """Say whether any of the probe's targets is still of interest."""
        ...

    def lift_cap(self) -> None:
        """Let the probe compute every distance in the coming test."""
        ...


class HitProbe:
    """Covers its targets when it is executed."""

    __slots__ = ("background", "halfway", "journal", "name", "slots", "targets", "wake")

    def __init__(
        self,
        journal: Journal,
        slots: ProbeSlots,
        site: HitSite,
        targets: tuple[int, ...],
        halfway: tuple[int, ...],
    ) -> None:
        self.journal = journal
        self.slots = slots
        self.name = site.slot
        self.targets = targets
        self.halfway = halfway
        self.background = site.background
        # Arming without a Python frame: every probe that a test hits is armed again.
        self.wake = partial(setattr, slots, site.slot, self.hit)
        self.arm()

    def hit(self) -> None:
        """Note that the place was executed."""
        journal = self.journal
        if current_mark() is journal.token and not self.background:
            scores = journal.scores
            for target in self.targets:
                scores[target] = COVERED
            for target in self.halfway:
                scores.setdefault(target, HALFWAY)
        else:
            journal.background.update(self.targets)
            if self.background:
                setattr(self.slots, self.name, None)
                return
            if journal.testing:
                return  # Another thread came by: the test itself may still come.
        setattr(self.slots, self.name, None)
        journal.disarmed.append(self.wake)

    def arm(self) -> None:
        """See `Probe.arm`."""
        if self.background or self.journal.full or self.has_more_to_learn():
            self.wake()
        else:
            setattr(self.slots, self.name, None)

    def disarm(self) -> None:
        """See `Probe.disarm`."""
        setattr(self.slots, self.name, None)

    def refresh(self) -> None:
        """Do nothing: `arm` looks by itself."""

    def has_more_to_learn(self) -> bool:
        """See `Probe.has_more_to_learn`."""
        retired = self.journal.retired
        return not (retired.issuperset(self.targets) and retired.issuperset(self.halfway))

    def lift_cap(self) -> None:
        """Do nothing: there is none."""


class ConditionProbe:
    """Watches an atom of a decision and scores the side that was not taken."""

    __slots__ = (
        "background",
        "best",
        "cap",
        "dead",
        "hints",
        "inline",
        "journal",
        "links",
        "live",
        "name",
        "remaining",
        "seen",
        "site",
        "slots",
        "tested",
        "touched",
    )

    def __init__(
        self,
        journal: Journal,
        slots: ProbeSlots,
        site: ConditionSite,
        links: tuple[tuple[Link, ...], tuple[Link, ...]],
    ) -> None:
        self.journal = journal
        self.slots = slots
        self.site = site
        self.name = site.slot
        self.dead = DEAD_VALUES[site.dead]
        self.tested = site.tested
        self.background = site.background
        self.links = links
        self.live = links
        # Without distances the first look has told everything.
        self.cap = CAP if journal.measuring else 1
        self.seen = [False, False]
        self.best = 0.0
        self.remaining = self.cap
        self.hints = 0
        self.touched = False
        self.inline = False
        """Whether the code itself watches for the side that is left."""
        self.refresh()
        self.arm()

    def arm(self) -> None:
        """See `Probe.arm`."""
        self.seen = [False, False]
        self.best = 0.0
        self.remaining = self.cap
        self.hints = HINTS_PER_PROBE if self.journal.hinting else 0
        self.touched = False
        if self.live[0] or self.live[1]:
            setattr(self.slots, self.name, self.live_method())
        else:
            self.disarm()

    def refresh(self) -> None:
        """See `Probe.refresh`."""
        journal = self.journal
        if journal.full or not journal.retired:
            self.live = self.links
            return
        retired = journal.retired
        self.live = (
            tuple(link for link in self.links[0] if link.target not in retired),
            tuple(link for link in self.links[1] if link.target not in retired),
        )

    def disarm(self) -> None:
        """See `Probe.disarm`."""
        setattr(self.slots, self.name, self.dead)

    def has_more_to_learn(self) -> bool:
        """See `Probe.has_more_to_learn`."""
        return bool(self.live[0] or self.live[1])

    def lift_cap(self) -> None:
        """See `Probe.lift_cap`."""
        self.remaining = UNCAPPED
        self._touch()

    def side_left(self) -> bool | None:
        """Return the one side that is still of interest, None when there are two or none."""
        if self.background or not self.tested or bool(self.live[0]) is bool(self.live[1]):
            return None
        return bool(self.live[1])

    def surprise(self, outcome: bool) -> bool:
        """Note an outcome that the code watched for, and return it."""
        self.note(outcome)
        return outcome

    def _touch(self) -> None:
        if not self.touched:
            self.touched = True
            self.journal.disarmed.append(self.arm)

    def live_method(self) -> Callable[..., Any]:
        """Return what the slot holds while there is something to learn."""
        raise NotImplementedError

    def watching_method(self) -> Callable[..., Any]:
        """Return what the slot holds once the cap is used up: only an unseen side counts."""
        return self.live_method()

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """Score how near the operands are to the other outcome."""
        raise NotImplementedError

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """Return hints (relation, observed, wanted) towards the other outcome."""
        del outcome, operands
        return []

    def note(self, outcome: bool, *operands: Any) -> None:  # noqa: C901 - hot, so flat
        """Record an outcome, and how near the operands were to the other.

        One flat function, since it runs for every evaluation of a live condition.
        """
        try:
            journal = self.journal
            if self.background or current_mark() is not journal.token:
                self._note_background(outcome)
                return
            if not self.touched:
                self.touched = True
                journal.disarmed.append(self.arm)
            if not self.seen[outcome]:
                self.seen[outcome] = True
                if self.live[outcome]:
                    self._raise_scores_to_taken(self.live[outcome])
            other = not outcome
            links = self.live[other]
            if not links or self.seen[other]:
                self.disarm()
                return
            if self.remaining <= 0:
                self._stop_measuring(other)
                return
            self.remaining -= 1
            nearness = self.nearness(outcome, operands) if journal.measuring else REACHED
            if nearness > self.best:
                self.best = nearness
                scores = journal.scores
                for target, offset, scale, _ in links:
                    score = offset + scale * nearness
                    if scores.get(target, 0.0) < score:
                        scores[target] = score
            if self.hints and len(journal.comparisons) < HINTS_PER_TEST:
                self._hint(links[0].target, outcome, operands)
            if journal.watched:
                self._tell(links, operands)
        except RecursionError:
            return  # The application is about to meet its own.
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """Die for good after a failure of our own: the application must not notice."""
        self.links = self.live = ((), ())
        self.disarm()
        name = " ".join(filter(None, (self.site.kind, self.site.operation)))
        self.journal.notices.append(f"a probe of a {name} gave up: {type(error).__name__}: {error}")

    def _stop_measuring(self, other: bool) -> None:
        if self.site.told[other] or self.inline:
            self.disarm()  # A hit probe in the block of that side will tell, or the code.
        else:
            setattr(self.slots, self.name, self.watching_method())

    def _raise_scores_to_taken(self, links: tuple[Link, ...]) -> None:
        scores = self.journal.scores
        for target, _, _, taken in links:
            if scores.get(target, 0.0) < taken:
                scores[target] = taken

    def _hint(self, target: int, outcome: bool, operands: tuple[Any, ...]) -> None:
        for relation, observed, wanted in self.comparisons(outcome, operands):
            if self.hints and is_exact(observed) and is_exact(wanted):
                self.hints -= 1
                self.journal.comparisons.append((target, relation, observed, wanted))

    def operands_of(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what a reader wants to see of the operands of `note`."""
        return operands

    def _tell(self, links: tuple[Link, ...], operands: tuple[Any, ...]) -> None:
        journal, site = self.journal, self.site
        for link in links:
            if link.target in journal.watched and len(journal.sightings) < SIGHTINGS_PER_TEST:
                values = tuple(map(shown, self.operands_of(operands)))
                journal.sightings.append((link.target, site.kind, site.operation, values))

    def _note_background(self, outcome: bool) -> None:
        journal = self.journal
        for target, _, _, taken in self.links[outcome]:
            if taken == COVERED:
                journal.background.add(target)
        if self.background:
            self.seen[outcome] = True
            self.remaining -= 1
            if not self.remaining or all(self.seen):
                self.disarm()


def is_exact(value: object, depth: int = 1) -> bool:
    """Say whether a hint may hold `value`: a bounded scalar or a tuple of those."""
    kind = type(value)
    if kind is str or kind is bytes:
        return len(value) <= LONGEST_HINT  # type: ignore[arg-type]
    if kind is tuple:
        return bool(depth) and all(is_exact(each, depth - 1) for each in value)  # type: ignore[attr-defined]
    if kind is Decimal:
        return value.is_finite()  # type: ignore[attr-defined,no-any-return]
    return kind in EXACT_KINDS
