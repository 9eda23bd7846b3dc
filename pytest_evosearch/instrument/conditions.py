"""The probes of each kind of condition.

A probe comes in up to three forms (`ConditionSite.method`): ``evaluated`` gets the result that
the application's own frame computed, and the operands; ``perform`` evaluates in its own frame,
once, because the operands must not be read twice; ``tap`` sees a value on its way into a call
or lookup, which itself runs in the application's frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from pytest_evosearch.instrument import distance
from pytest_evosearch.instrument import predicates
from pytest_evosearch.instrument.plan import ConditionSite
from pytest_evosearch.instrument.plan import Link
from pytest_evosearch.instrument.probes import OPERATIONS
from pytest_evosearch.instrument.probes import ConditionProbe
from pytest_evosearch.instrument.probes import Journal
from pytest_evosearch.instrument.probes import ProbeSlots

MEMBERS_IN_HINT = 64
STUBBORN = 8
"""Results that are no bool before the probe of a value gives up (SQLAlchemy, NumPy)."""

Links = tuple[tuple[Link, ...], tuple[Link, ...]]
SAFE_KEYS = distance.SCALARS - {Decimal}
"""Types of keys whose hash never raises (a signalling NaN's does)."""

BUILTIN_TRUTH = distance.SCALARS | distance.SIZED | {re.Match}


class ComparisonProbe(ConditionProbe):
    """Watches ``left operator right``; the result is returned unchanged."""

    __slots__ = ("false_relation", "operate", "patience", "true_relation")

    def __init__(
        self, journal: Journal, slots: ProbeSlots, site: ConditionSite, links: Links
    ) -> None:
        self.operate = OPERATIONS[site.operation]
        self.true_relation = site.operation
        self.false_relation = distance.NEGATED[site.operation]
        self.patience = STUBBORN
        super().__init__(journal, slots, site, links)

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.evaluated if self.site.method == "evaluated" else self.perform

    def watching_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.watching_method`."""
        expected, surprise = self.seen[1], self.evaluated
        if self.site.method == "evaluated":

            def watch_evaluated(result: Any, left: Any, right: Any) -> Any:
                return result if result is expected else surprise(result, left, right)

            return watch_evaluated
        operate = self.operate

        def watch(left: Any, right: Any) -> Any:
            result = operate(left, right)
            return result if result is expected else surprise(result, left, right)

        return watch

    def evaluated(self, result: Any, left: Any, right: Any) -> Any:
        """Note a result that was computed where the comparison stands."""
        if result is True or result is False:
            self.note(result, left, right)
            return result
        return self._note_other(result, left, right)

    def perform(self, left: Any, right: Any) -> Any:
        """Compare once and note the result."""
        result = self.operate(left, right)
        if result is True or result is False:
            self.note(result, left, right)
            return result
        return self._note_other(result, left, right)

    def _note_other(self, result: Any, left: Any, right: Any) -> Any:
        """Take a result that is no bool: its truth where only that is used, else nothing."""
        if self.tested:
            outcome = bool(result)
            self.note(outcome, left, right)
            return outcome
        self.patience -= 1
        if self.patience <= 0:
            self.disarm()
        return result

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        relation = self.false_relation if outcome else self.true_relation
        return distance.nearness(relation, operands[0], operands[1])

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """See `ConditionProbe.comparisons`."""
        left, right = operands
        relation = self.false_relation if outcome else self.true_relation
        if relation == "in":
            wanted = right
            if type(right) not in (str, bytes):
                wanted = distance.members(right, MEMBERS_IN_HINT)
            return [("in", left, wanted)] if wanted else []
        if relation in ("not in", "is", "is not"):
            return []
        hints = []
        if not self.site.literal_left:
            hints.append((relation, left, right))
        if not self.site.literal_right:
            hints.append((distance.MIRRORED[relation], right, left))
        return hints


class TruthProbe(ConditionProbe):
    """Watches the truth of a value that is no comparison."""

    __slots__ = ()

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.test if self.tested else self.look

    def watching_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.watching_method`."""
        if not self.tested:
            return self.live_method()
        expected, note = self.seen[1], self.note

        def watch(value: Any) -> bool:
            outcome = bool(value)
            if outcome is not expected:
                note(outcome, value)
            return outcome

        return watch

    def test(self, value: Any) -> bool:
        """Return the truth of `value`, asked for exactly once."""
        outcome = bool(value)
        self.note(outcome, value)
        return outcome

    def look(self, value: Any) -> Any:
        """Return `value` itself; its truth is asked for only where that cannot be noticed."""
        kind = type(value)
        if kind in BUILTIN_TRUTH or not (hasattr(kind, "__bool__") or hasattr(kind, "__len__")):
            self.note(bool(value), value)
        return value

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        return distance.truth_nearness(operands[0], outcome)


class PredicateProbe(ConditionProbe):
    """Watches a predicate method or a regular expression."""

    __slots__ = ("patience",)

    def __init__(
        self, journal: Journal, slots: ProbeSlots, site: ConditionSite, links: Links
    ) -> None:
        self.patience = STUBBORN
        super().__init__(journal, slots, site, links)

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.evaluated if self.site.method == "evaluated" else self.perform

    def evaluated(self, result: Any, subject: Any, *arguments: Any) -> Any:
        """Note a result that was computed where the call stands."""
        if self.tested:
            outcome = bool(result)
            self.note(outcome, subject, arguments)
            return outcome
        told = _outcome(self.site.operation, result, subject, arguments)
        if told is not None:
            self.note(told, subject, arguments)
        else:
            self.patience -= 1
            if self.patience <= 0:
                self.disarm()
        return result

    def perform(self, function: Any, *arguments: Any) -> Any:
        """Call once and note the result."""
        result = function(*arguments)
        # Only a built-in method has a subject that is known to be what it seems.
        subject = (
            getattr(function, "__self__", None) if type(function) in _BUILTIN_METHODS else None
        )
        return self.evaluated(result, subject, *arguments)

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        return predicates.nearness(self.site.operation, operands[0], operands[1], outcome)

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """See `ConditionProbe.comparisons`."""
        name, (subject, arguments) = self.site.operation, operands
        if outcome:
            return []
        if name == "get":
            known = type(subject) is dict
            return [("key", arguments[0], tuple(subject)[:MEMBERS_IN_HINT])] if known else []
        if name in ("match", "fullmatch", "search"):
            pattern, text = predicates.pattern_text(subject, arguments)
            return [("match", text, pattern)] if pattern is not None else []
        return [(name, subject, arguments[0] if arguments else None)]


# A pattern's methods are of a type of their own, which has no public name.
_BUILTIN_METHODS = (type("".startswith), type(re.compile("").match))


def _outcome(name: str, result: Any, subject: Any, arguments: tuple[Any, ...]) -> bool | None:
    """Return what a result in value context says, None when it cannot be told."""
    if name == "get":
        if type(subject) is not dict:
            return None
        return result is not (arguments[1] if len(arguments) > 1 else None)
    if result is True or result is False:
        return bool(result)
    if result is None or type(result) is re.Match:
        is_pattern = type(subject) is re.Pattern or subject is re
        return result is not None if is_pattern or subject is None else None
    return None


class ConversionProbe(ConditionProbe):
    """Tells beforehand whether a conversion will raise on a text."""

    __slots__ = ()

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.tap

    def tap(self, value: Any) -> Any:
        """Return `value` unchanged."""
        if type(value) is str:
            self.note(predicates.converts(self.site.operation, value, self.site.detail), value)
        elif type(value) in (int, float, bool):
            self.note(True, value)
        elif value is None:
            self.note(False, value)
        return value

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        text = operands[0]
        if type(text) is not str:
            return distance.FLAG
        site = self.site
        return predicates.conversion_nearness(site.operation, text, site.detail, outcome)

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """See `ConditionProbe.comparisons`."""
        return [] if outcome else [("parse", operands[0], self.site.operation)]


class LookupProbe(ConditionProbe):
    """Tells beforehand whether a key or index will miss."""

    __slots__ = ("patience",)

    def __init__(
        self, journal: Journal, slots: ProbeSlots, site: ConditionSite, links: Links
    ) -> None:
        self.patience = STUBBORN
        super().__init__(journal, slots, site, links)

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.tap

    def tap(self, key: Any, container: Any) -> Any:
        """Return `key` unchanged."""
        if type(container) is dict and type(key) in SAFE_KEYS:
            self.note(key in container, key, container)
        elif type(container) in (list, tuple, str) and type(key) is int:
            size = len(container)
            self.note(-size <= key < size, key, container)
        else:
            self.patience -= 1
            if self.patience <= 0:
                self.disarm()
        return key

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        key, container = operands
        if outcome:
            return distance.AWAY
        if type(container) is not dict:
            container = range(-len(container), len(container))
        return distance.nearness("in", key, container)

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """See `ConditionProbe.comparisons`."""
        key, container = operands
        if outcome or type(container) is not dict:
            return []
        return [("key", key, distance.members(container, MEMBERS_IN_HINT))]


KINDS: dict[str, type[ConditionProbe]] = {
    "comparison": ComparisonProbe,
    "truth": TruthProbe,
    "predicate": PredicateProbe,
    "conversion": ConversionProbe,
    "lookup": LookupProbe,
}
