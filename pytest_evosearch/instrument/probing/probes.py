"""The probes that instrumented code calls, and their life in slots.

A dead probe costs its guard, a few nanoseconds: a statement's probe dies at its first hit, a
condition's when both sides were seen in this test or are retired. Before the next test, the touched
probes are reactivated, so the cost of a test depends on what it touches.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextvars import ContextVar
from datetime import date
from datetime import datetime
from decimal import Decimal
from typing import Any
from typing import Protocol
from uuid import UUID

from pytest_evosearch.core.exception_texts import text_of_exception
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED
from pytest_evosearch.core.shown import shown
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.probing.journal import Change
from pytest_evosearch.instrument.probing.journal import Journal
from pytest_evosearch.instrument.probing.journal import Learning
from pytest_evosearch.instrument.probing.journal import Setting
from pytest_evosearch.instrument.probing.journal import Sides
from pytest_evosearch.instrument.probing.journal import Targets
from pytest_evosearch.instrument.probing.modes import TwoModes
from pytest_evosearch.instrument.probing.operations import DEAD_VALUES
from pytest_evosearch.instrument.probing.slots import ProbeSlots
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.trace import Sighting
from pytest_evosearch.instrument.transformation.plan import ConditionSite
from pytest_evosearch.instrument.transformation.plan import Link

MARK: ContextVar[object] = ContextVar("pytest_evosearch_test", default=None)
"""The test of the running context: its token in the `Journal`, or None."""

current_mark = MARK.get

CAP = 16
"""Most distances that one probe computes in one test.

More hardly improve the result, while a loop pays for each: see docs/benchmarks/constants.md.
"""

STUBBORN = 8
"""Values without information before a probe gives up (columns of SQLAlchemy, arrays of NumPy)."""

HALFWAY = 0.5
"""The score of targets after a call that has begun."""

HINTS_PER_PROBE = 4
HINTS_PER_TEST = 200

SIGHTINGS_PER_TEST = 1000
"""Most reported looks at watched conditions in a test; a loop over a large table has too many."""

UNCAPPED = 1 << 60

REMEMBERED = 32
"""Texts for which a probe caches its results."""

TEXTUAL = (str, tuple)
LONGEST_REMEMBERED = 200
"""Most characters of cached operands."""


EXACT_KINDS = frozenset({str, int, float, bytes, bool, type(None), date, datetime, Decimal, UUID})
"""Types of operands that a hint may contain."""

LONGEST_HINT = 1000
"""Most characters of a text in a hint."""


class Probe(Protocol):
    """The interface of probes for the recording."""

    @property
    def armed(self) -> Setting:
        """Return the setting of its slot before a test."""
        ...

    def refresh(self) -> None:
        """React to retired targets."""
        ...

    def changes(self, full: bool) -> tuple[Change, Change]:
        """Return what to set in order to change the mode."""
        ...

    def has_more_to_learn(self) -> bool:
        """Say whether any of the probe's targets is still of interest."""
        ...

    def lift_cap(self) -> None:
        """Let the probe compute every distance in the next test."""
        ...


def _without(targets: Targets, retired: AbstractSet[TargetId]) -> Targets:
    if retired.isdisjoint(targets):
        return targets
    return tuple(target for target in targets if target not in retired)


class ConditionProbe(TwoModes):
    """Watches an atom of a decision and scores the side that was not taken.

    Its knowledge about a test is reset at its first look in the next one.
    """

    __slots__ = (
        "_of_mode",
        "background",
        "best",
        "cap",
        "dead",
        "hints",
        "inline",
        "journal",
        "learning",
        "links",
        "most_hints",
        "of_test",
        "patience",
        "remaining",
        "seen",
        "site",
        "tested",
    )

    def __init__(self, journal: Journal, slots: ProbeSlots, site: ConditionSite) -> None:
        self.journal = journal
        self.site = site
        self.dead = DEAD_VALUES[site.dead]
        self.tested = site.tested
        self.background = site.background
        self.links = site.of_false, site.of_true
        # Without distances, the first look has shown everything.
        self.cap = CAP if journal.measuring else 1
        self.inline = False
        """Whether the code itself watches for the remaining side."""
        self.patience = STUBBORN
        self.seen = [False, False]
        self.most_hints = HINTS_PER_PROBE if journal.hinting else 0
        self._of_mode = (self._learning(slots, self.links),) * 2
        self.learning = self._of_mode[True]
        """What it learns in the present mode."""
        self.renew()
        self.refresh()
        setattr(*self.armed)

    def renew(self) -> None:
        """Forget the observations of another test."""
        self.of_test = self.journal.test
        self.seen[0] = self.seen[1] = False
        self.best = 0.0
        self.remaining = self.cap
        self.hints = self.most_hints

    def refresh(self) -> None:
        """See `Probe.refresh`."""
        retired = self.journal.retired
        slots, _, _ = self.armed
        everything = self._learning(slots, self.links)
        false, true = (
            tuple(link for link in links if link.target not in retired) for links in self.links
        )
        changes = (false, true) != self.links
        rest = self._learning(slots, (false, true)) if changes else everything
        self._of_mode = rest, everything
        self.learning = self._of_mode[self.journal.full]

    def _learning(self, slots: ProbeSlots, live: Sides) -> Learning:
        method = self.live_method() if live[0] or live[1] else self.dead
        return live, ({}, {}), (slots, self.site.slot, method)

    def sleep(self) -> None:
        """Be inactive until the next test."""
        slots, name, _ = self.armed
        setattr(slots, name, self.dead)
        self.journal.asleep.append(self.armed)

    def die(self) -> None:
        """Be inactive until a target is retired or the mode changes."""
        slots, name, _ = self.armed
        setattr(slots, name, self.dead)

    def lose_patience(self) -> None:
        """Give up after several values without information; earlier information brings it back."""
        self.patience -= 1
        if self.patience <= 0:
            if self.of_test is self.journal.test and any(self.seen):
                self.sleep()
            else:
                self.die()

    def has_more_to_learn(self) -> bool:
        """See `Probe.has_more_to_learn`."""
        live, _, _ = self.learning
        return bool(live[0] or live[1])

    def lift_cap(self) -> None:
        """See `Probe.lift_cap`."""
        self.renew()
        self.remaining = UNCAPPED

    def side_left(self) -> bool | None:
        """Return the only side that is still of interest, None when there are two or none."""
        live, _, _ = self.learning
        if self.background or not self.tested or bool(live[0]) is bool(live[1]):
            return None
        return bool(live[1])

    def surprise(self, outcome: bool) -> bool:
        """Note an outcome that the code has watched for, and return it."""
        self.note(outcome)
        return outcome

    def live_method(self) -> Callable[..., Any]:
        """Return the value of the slot while there is something to learn."""
        raise NotImplementedError

    def watching_method(self) -> Callable[..., Any]:
        """Return the value of the slot after the cap is reached: only a new side counts."""
        return self.live_method()

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """Score how near the operands are to the other outcome."""
        raise NotImplementedError

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """Return hints (relation, observed, wanted) towards the other outcome."""
        del outcome, operands
        return []

    def note(self, outcome: bool, *operands: Any) -> None:  # noqa: C901 - hot, so flat
        """Record an outcome, and how near the operands were to the other one.

        This is one flat function, because it runs for every evaluation of a live condition.
        """
        try:
            journal = self.journal
            if self.background or current_mark() is not journal.token:
                self._note_background(outcome)
                return
            if self.of_test is not journal.test:
                self.renew()
            live, remembered, _ = self.learning
            if not self.seen[outcome]:
                self.seen[outcome] = True
                if live[outcome]:
                    self._raise_scores_to_taken(live[outcome])
            other = not outcome
            links = live[other]
            if not links or self.seen[other]:
                self.sleep()
                return
            if self.remaining <= 0:
                self._stop_measuring(other)
                return
            self.remaining -= 1
            if operands and type(operands[-1]) in TEXTUAL and self.is_text(operands):
                known = remembered[outcome].get(operands)
                nearness, hints = known or self._remember(outcome, operands)
            else:
                nearness = self.nearness(outcome, operands) if journal.measuring else REACHED
                hints = self._hints(outcome, operands) if self.hints else []
            if nearness > self.best:
                self.best = nearness
                scores = journal.scores
                for target, offset, scale, _ in links:
                    score = offset + scale * nearness
                    if scores.get(target, 0.0) < score:
                        scores[target] = score
            if self.hints and hints and len(journal.comparisons) < HINTS_PER_TEST:
                journal.comparisons += hints[: self.hints]
                self.hints -= len(hints)
                if self.hints < 0:
                    self.hints = 0
            if journal.watched:
                self._report(links, operands)
        except RecursionError:
            return  # The application is about to meet its own error.
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """Stay inactive after a failure of our own: the application must not notice it."""
        self.links = ((), ())
        self.refresh()
        setattr(*self.armed)
        name = " ".join(filter(None, (self.site.kind, self.site.operation)))
        self.journal.notices.append(f"a probe of a {name} gave up: {text_of_exception(error)}")

    def _stop_measuring(self, other: bool) -> None:
        if self.site.noted[other] or self.inline:
            self.sleep()  # The hit probe in the block of that side, or the code, will notice it.
            return
        slots, name, live = self.armed
        watching = self.watching_method()
        if watching != live:  # otherwise it is there already, and every evaluation comes here
            setattr(slots, name, watching)
            self.journal.asleep.append(self.armed)

    def _raise_scores_to_taken(self, links: tuple[Link, ...]) -> None:
        scores = self.journal.scores
        for target, _, _, taken in links:
            if scores.get(target, 0.0) < taken:
                scores[target] = taken

    def is_text(self, operands: tuple[Any, ...]) -> bool:
        """Say whether hashing the operands, the last a text or a tuple, runs no foreign code."""
        return type(operands[0]) is str and len(operands) == 1

    def _remember(self, outcome: bool, operands: tuple[Any, ...]) -> tuple[float, list[Comparison]]:
        measuring = self.journal.measuring
        nearness = self.nearness(outcome, operands) if measuring else REACHED
        found = nearness, self._hints(outcome, operands) if self.most_hints else []
        memory = self.learning[1][outcome]
        if len(memory) >= REMEMBERED:
            memory.clear()
        if sum(len(each) for each in operands if type(each) is str) <= LONGEST_REMEMBERED:
            memory[operands] = found
        return found

    def _hints(self, outcome: bool, operands: tuple[Any, ...]) -> list[Comparison]:
        target = self.learning[0][not outcome][0].target
        return [
            Comparison(target, relation, observed, wanted)
            for relation, observed, wanted in self.comparisons(outcome, operands)
            if is_exact(observed) and is_exact(wanted)
        ]

    def operands_of(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the operands of `note` in a readable form."""
        return operands

    def _report(self, links: tuple[Link, ...], operands: tuple[Any, ...]) -> None:
        journal, site = self.journal, self.site
        for link in links:
            if link.target in journal.watched and len(journal.sightings) < SIGHTINGS_PER_TEST:
                values = tuple(map(shown, self.operands_of(operands)))
                journal.sightings.append(Sighting(link.target, site.kind, site.operation, values))

    def _note_background(self, outcome: bool) -> None:
        journal = self.journal
        for target, _, _, taken in self.links[outcome]:
            if taken == COVERED:
                journal.background.add(target)
        if self.background:
            self.seen[outcome] = True
            self.remaining -= 1
            if not self.remaining or all(self.seen):
                self.die()


def is_exact(value: object, depth: int = 1) -> bool:
    """Say whether a hint may contain `value`: a bounded scalar, or a tuple of these."""
    kind = type(value)
    if kind is str or kind is bytes:
        return len(value) <= LONGEST_HINT  # type: ignore[arg-type]
    if kind is tuple:
        return bool(depth) and all(is_exact(each, depth - 1) for each in value)  # type: ignore[attr-defined]
    if kind is Decimal:
        return value.is_finite()  # type: ignore[attr-defined,no-any-return]
    return kind in EXACT_KINDS
