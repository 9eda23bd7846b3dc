"""Probes that see a value on its way into a call or a lookup, or that see a place reached.

The call or lookup itself runs in the application's own frame, so these probes only predict its
result (`conditions` has probes that evaluate).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import EnumMeta
from typing import Any

from pytest_evosearch.instrument.distances import distance
from pytest_evosearch.instrument.distances import predicates
from pytest_evosearch.instrument.probing.conditions import MEMBERS_IN_HINT
from pytest_evosearch.instrument.probing.conditions import SAFE_KEYS
from pytest_evosearch.instrument.probing.conditions import is_dict
from pytest_evosearch.instrument.probing.probes import ConditionProbe
from pytest_evosearch.instrument.probing.probes import current_mark

SEQUENCES = frozenset((list, tuple, str))
"""Types with indexes and without code of the application."""


class ConversionProbe(ConditionProbe):
    """Predicts whether a conversion will raise for a text."""

    __slots__ = ()

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.look_up if self.site.operation == "enum" else self.tap

    def operands_of(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """See `ConditionProbe.operands_of`."""
        return operands[:1]

    def tap(self, value: Any, form: Any = None) -> Any:
        """Return `value` unchanged; `form` is the format, when it is not in the source."""
        detail = form if type(form) is str else self.site.detail
        if type(value) is str:
            self.note(predicates.converts(self.site.operation, value, detail), value, detail)
        elif type(value) in (int, float, bool):
            self.note(True, value, detail)
        elif value is None:
            self.note(False, value, detail)
        return value

    def look_up(self, value: Any, kind: Any) -> Any:
        """Return `value` unchanged, on its way to a member look-up in the enum `kind`."""
        try:
            members = predicates.enum_values(kind) if type(value) in SAFE_KEYS else None
        except Exception:
            members = None
        if members is not None:
            self.note(value in members, value, members)
        elif not isinstance(kind, EnumMeta):
            self.die()
        return value

    def note(self, outcome: bool, *operands: Any) -> None:
        """See `ConditionProbe.note`; a failure after successes is reported in a full recording.

        The characters of a text are often converted one by one. The first failure ends the call,
        although both sides of the condition are already covered.
        """
        if not outcome and self.journal.full and self._succeeded_before():
            try:
                self.journal.comparisons += self._hints(outcome, operands)
                self.hints -= 1
            except Exception as error:
                self._give_up(error)
        super().note(outcome, *operands)

    def _succeeded_before(self) -> bool:
        journal = self.journal
        is_of_test = self.of_test is journal.test and current_mark() is journal.token
        return is_of_test and not self.background and self.seen[True] and self.hints > 0

    def is_text(self, operands: tuple[Any, ...]) -> bool:
        """See `ConditionProbe.is_text`."""
        return type(operands[0]) is str and type(operands[1]) is str

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        value, detail = operands
        site = self.site
        if site.operation == "enum":
            return distance.AWAY if outcome else distance.nearness("in", value, detail)
        if type(value) is not str:
            return distance.FLAG
        return predicates.conversion_nearness(site.operation, value, detail, outcome)

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """See `ConditionProbe.comparisons`."""
        if outcome:
            return []
        value, detail = operands
        name = self.site.operation
        if name == "enum":
            return [("in", value, detail)]
        return [("parse", value, f"{name}:{detail}" if detail else name)]


class CompletionProbe(ConditionProbe):
    """Sees the value of a ``return``: the calls in it have completed."""

    __slots__ = ()

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.tap

    def tap(self, value: Any) -> Any:
        """Return `value` unchanged."""
        self.note(True)
        return value

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        return distance.FLAG


class SwallowProbe(ConditionProbe):
    """Notices a ``with`` whose body ended early while the statement ended normally."""

    __slots__ = ("ended",)

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.note_end

    def renew(self) -> None:
        """See `ConditionProbe.renew`."""
        super().renew()
        self.ended = 0

    def note_end(self, is_behind: bool) -> None:
        """Note the end of the body, or the end of the statement."""
        if self.of_test is not self.journal.test:
            self.renew()
        if not is_behind:
            self.ended += 1
        elif self.ended > 0:
            self.ended -= 1
            self.note(False)
        else:
            self.note(True)

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        return distance.FLAG


class LookupProbe(ConditionProbe):
    """Predicts whether a key or index will be missing."""

    __slots__ = ()

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.tap

    def watching_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.watching_method`; loops over the indexes of a text are common."""
        expected, surprise = self.seen[1], self.tap

        def watch(key: Any, container: Any) -> Any:
            if type(key) is int and type(container) in SEQUENCES:
                size = container.__len__()  # `len` itself may have been replaced.
                if (-size <= key < size) is expected:
                    return key
            return surprise(key, container)

        return watch

    def tap(self, key: Any, container: Any) -> Any:
        """Return `key` unchanged."""
        if is_dict(container) and type(key) in SAFE_KEYS:
            self.note(dict.__contains__(container, key), key, container)
        elif type(container) is EnumMeta and type(key) is str:
            names = tuple(container.__members__)
            self.note(key in names, key, dict.fromkeys(names))
        elif type(container) in SEQUENCES and type(key) is int:
            size = container.__len__()  # `len` itself may have been replaced.
            self.note(-size <= key < size, key, container)
        else:
            self.lose_patience()
        return key

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        key, container = operands
        if outcome:
            return distance.AWAY
        if isinstance(container, dict):
            return distance.nearness("in", key, dict.copy(container))
        return distance.nearness("in", key, range(-len(container), len(container)))

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """See `ConditionProbe.comparisons`."""
        key, container = operands
        if outcome or not isinstance(container, dict):
            return []
        return [("key", key, distance.members(dict.copy(container), MEMBERS_IN_HINT))]
