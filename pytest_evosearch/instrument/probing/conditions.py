"""The probes of evaluated conditions: comparisons, truth values, predicates.

A probe comes in up to three forms (`ConditionSite.method`): ``evaluated`` receives the result that
the application's own frame computed, and the operands. ``perform`` evaluates in its own frame,
because the operands must be read only once (`operations` hides this from tracebacks). ``tap`` sees
a value on its way into a call or lookup, which then runs in the application's frame (`taps`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from types import WrapperDescriptorType
from typing import Any

from pytest_evosearch.core.comparison_signs import MIRRORED
from pytest_evosearch.core.comparison_signs import NEGATED
from pytest_evosearch.core.comparison_signs import ORDERINGS
from pytest_evosearch.instrument.distances import distance
from pytest_evosearch.instrument.distances import predicates
from pytest_evosearch.instrument.distances.lengths import wishes_of_length
from pytest_evosearch.instrument.probing.journal import Journal
from pytest_evosearch.instrument.probing.operations import OPERATIONS
from pytest_evosearch.instrument.probing.operations import Failure
from pytest_evosearch.instrument.probing.operations import raiser
from pytest_evosearch.instrument.probing.operations import same
from pytest_evosearch.instrument.probing.operations import truth
from pytest_evosearch.instrument.probing.probes import ConditionProbe
from pytest_evosearch.instrument.probing.set_wishes import is_set
from pytest_evosearch.instrument.probing.set_wishes import set_wishes
from pytest_evosearch.instrument.probing.slots import ProbeSlots
from pytest_evosearch.instrument.transformation import calls
from pytest_evosearch.instrument.transformation.plan import ConditionSite

MEMBERS_IN_HINT = 64
SAFE_KEYS = distance.SCALARS - {Decimal}
"""Types of keys whose hash never raises (a signalling NaN's does)."""

_bases_of = vars(type)["__mro__"].__get__

BUILTIN_TRUTH = distance.SCALARS | distance.SIZED | {re.Match}


class ComparisonProbe(ConditionProbe):
    """Watches ``left operator right``, and returns the result unchanged."""

    __slots__ = ("false_relation", "operate", "true_relation")

    def __init__(self, journal: Journal, slots: ProbeSlots, site: ConditionSite) -> None:
        self.operate = OPERATIONS[site.operation]
        self.true_relation = site.operation
        self.false_relation = NEGATED[site.operation]
        super().__init__(journal, slots, site)

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        if self.site.method == "evaluated":
            return self.evaluated
        return self.perform if self.tested else self.perform_later

    def watching_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.watching_method`."""
        expected, surprise = self.seen[1], self.evaluated
        if self.site.method == "evaluated":

            def watch_evaluated(result: Any, left: Any, right: Any) -> Any:
                return result if result is expected else surprise(result, left, right)

            return watch_evaluated
        if not self.tested:
            return self.perform_later
        operate = self.operate

        def watch(left: Any, right: Any, _measured: Any = None) -> Any:
            try:
                result = operate(left, right)
            except BaseException as error:
                return Failure(error)
            return result if result is expected else surprise(result, left, right)

        return watch

    def evaluated(self, result: Any, left: Any, right: Any) -> Any:
        """Note a result that was computed at the place of the comparison."""
        if result is True or result is False:
            self.note(result, left, right)
            return result
        return self._note_other(result, left, right)

    def perform(self, left: Any, right: Any, measured: Any = None) -> Any:
        """Compare once and note the result; the condition raises what the comparison raises."""
        try:
            result = self.operate(left, right)
        except BaseException as error:
            return Failure(error)
        if result is True or result is False:
            self.note(result, left, right, measured)
            return result
        return self._note_other(result, left, right)

    def perform_later(self, left: Any, right: Any, measured: Any = None) -> Callable[[], Any]:
        """Compare once, note the result, and return a function that returns it."""
        try:
            result = self.operate(left, right)
        except BaseException as error:
            return raiser(error)
        if result is True or result is False:
            self.note(result, left, right, measured)
        else:
            self._note_other(result, left, right)
        return partial(same, result)

    def operands_of(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """See `ConditionProbe.operands_of`."""
        return operands[:2]

    def _note_other(self, result: Any, left: Any, right: Any) -> Any:
        """Handle a result that is no bool: note its truth only where nothing else is used."""
        if self.tested:
            outcome = truth(result)
            if type(outcome) is bool:
                self.note(outcome, left, right)
            return outcome
        self.lose_patience()
        return result

    def is_text(self, operands: tuple[Any, ...]) -> bool:
        """See `ConditionProbe.is_text`: two texts, a text and constants, lengths of a text."""
        first, last = type(operands[0]), type(operands[-1])
        if first is str:
            return last is str or (last is tuple and self.site.literal_right)
        return last is str and len(operands) == 3 and first is int is type(operands[1])

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        relation = self.false_relation if outcome else self.true_relation
        return distance.nearness(relation, operands[0], operands[1])

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """See `ConditionProbe.comparisons`."""
        left, right, *measured = operands
        relation = self.false_relation if outcome else self.true_relation
        if is_set(left) and relation in ORDERINGS:
            return set_wishes(OPERATIONS[relation], left, right)
        if relation == "in":
            return _membership(left, right, literal=self.site.literal_left)
        length = self.site.detail if measured and measured[0] is not None else ""
        hints = []
        if length:
            now, size = (left, right) if length == "left" else (right, left)
            towards = relation if length == "left" else MIRRORED.get(relation, relation)
            hints = wishes_of_length(measured[0], now, towards, size)
        if relation in ("not in", "is", "is not"):
            return hints
        if not self.site.literal_left and length != "left":
            hints.append((relation, left, right))
        if not self.site.literal_right and length != "right":
            hints.append((MIRRORED[relation], right, left))
        return hints


def _membership(sought: Any, container: Any, *, literal: bool) -> list[tuple[str, Any, Any]]:
    if type(container) in (str, bytes):
        contains = [("contains", container, sought)]
        return contains if literal else [("in", sought, container)]
    wanted = distance.members(container, MEMBERS_IN_HINT)
    return [("in", sought, wanted)] if wanted else []


def _has_compiled_truth(kind: type) -> bool:
    """Say whether the truth of an instance runs no Python code.

    It does not for types that are always true, for ``sqlite3.Row``, and for subclasses that do not
    override ``__bool__`` and ``__len__`` of a built-in type.
    """
    for name in ("__bool__", "__len__"):
        for owner in _bases_of(kind):
            if name in vars(owner):
                return type(vars(owner)[name]) is WrapperDescriptorType
    return True


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

        def watch(value: Any) -> Any:
            outcome = truth(value)
            if outcome is not expected and type(outcome) is bool:
                note(outcome, value)
            return outcome

        return watch

    def test(self, value: Any) -> Any:
        """Return the truth of `value`, which is evaluated exactly once."""
        outcome = truth(value)
        if type(outcome) is bool:
            self.note(outcome, value)
        return outcome

    def look(self, value: Any) -> Any:
        """Return `value`; evaluate its truth only where the application cannot notice it."""
        kind = type(value)
        if kind in BUILTIN_TRUTH:
            self.note(bool(value), value)
        elif _has_compiled_truth(kind):
            outcome = truth(value)  # a NumPy array has none
            if type(outcome) is bool:
                self.note(outcome, value)
        return value

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        return distance.truth_nearness(operands[0], outcome)

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """See `ConditionProbe.comparisons`: a number that is to be none, such as a remainder."""
        value = operands[0]
        return [("==", value, 0)] if outcome and type(value) is int else []


class PredicateProbe(ConditionProbe):
    """Watches a predicate method or a regular expression."""

    __slots__ = ()

    def live_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.live_method`."""
        return self.evaluated if self.site.method == "evaluated" else self.perform

    def watching_method(self) -> Callable[..., Any]:
        """See `ConditionProbe.watching_method`."""
        if self.site.method != "evaluated":
            return self.live_method()
        usual: Any = self.seen[1]
        nothing = usual or None
        surprise = self.evaluated

        def watch(result: Any, *operands: Any) -> Any:
            if result is usual or result is nothing:
                return result
            return surprise(result, *operands)

        return watch

    def evaluated(self, result: Any, subject: Any, *arguments: Any) -> Any:
        """Note a result that was computed at the place of the call."""
        if self.tested:
            outcome = truth(result)
            if type(outcome) is bool:
                self.note(outcome, subject, arguments)
            return outcome
        self._look(result, subject, arguments)
        return result

    def operands_of(self, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """See `ConditionProbe.operands_of`."""
        subject, arguments = operands
        return (subject.pattern if type(subject) is re.Pattern else subject, *arguments)

    def _look(self, result: Any, subject: Any, arguments: tuple[Any, ...]) -> None:
        outcome = _outcome(self.site.operation, result, subject, arguments)
        if outcome is not None:
            self.note(outcome, subject, arguments)
        else:
            self.lose_patience()

    def perform(self, function: Any, *arguments: Any) -> Callable[[], Any]:
        """Call a built-in function once, note the result, and return a function that returns it.

        Any other function is returned, and called in the application's own frame.
        """
        if type(function) not in _BUILTIN_METHODS:
            self.lose_patience()
            return partial(function, *arguments)
        try:
            result = function(*arguments)
        except BaseException as error:
            return raiser(error)
        subject = getattr(function, "__self__", None)
        if self.site.operation in calls.FUNCTIONS:
            subject, *others = arguments
            self._look(result, subject, tuple(others))
        else:
            self._look(result, subject, arguments)
        return partial(same, result)

    def is_text(self, operands: tuple[Any, ...]) -> bool:
        """See `ConditionProbe.is_text`: of arguments only constants are hashed."""
        subject, arguments = operands
        if type(subject) is not str:
            return False
        return not arguments or (len(arguments) == 1 and self.site.literal_right)

    def nearness(self, outcome: bool, operands: tuple[Any, ...]) -> float:
        """See `ConditionProbe.nearness`."""
        subject, arguments = operands
        if self.site.operation == "get" and isinstance(subject, dict):
            subject = dict.copy(subject)
        return predicates.nearness(self.site.operation, subject, arguments, outcome)

    def comparisons(self, outcome: bool, operands: tuple[Any, ...]) -> list[tuple[str, Any, Any]]:
        """See `ConditionProbe.comparisons`."""
        name, (subject, arguments) = self.site.operation, operands
        if name in calls.SET_METHODS and is_set(subject):
            wants_more = outcome is (name == "isdisjoint")
            operate = calls.SET_METHODS[name]
            return set_wishes(operate, subject, arguments[0]) if wants_more else []
        if outcome:
            return []
        if name == "isinstance":
            return [(name, subject, predicates.type_names(arguments[0]))]
        if name in ("hasattr", "getattr"):
            return [("key", arguments[0], predicates.attributes(subject))]
        if name == "get":
            if not is_dict(subject):
                return []
            return [("key", arguments[0], tuple(dict.copy(subject))[:MEMBERS_IN_HINT])]
        if name in ("match", "fullmatch", "search"):
            pattern, text = predicates.pattern_text(subject, arguments)
            return [("match", text, pattern)] if pattern is not None else []
        return [(name, subject, arguments[0] if arguments else None)]


# A pattern's methods have their own type without a public name.
_BUILTIN_METHODS = (type("".startswith), type(re.compile("").match))


def is_dict(value: Any) -> bool:
    """Say whether a look-up in `value` succeeds exactly for its keys.

    Subclasses count, above all bodies that record reads of handlers, but not types that invent
    missing keys. This runs no code of the application.
    """
    bases = _bases_of(type(value))
    return dict in bases and not any("__missing__" in vars(base) for base in bases)


def _outcome(name: str, result: Any, subject: Any, arguments: tuple[Any, ...]) -> bool | None:
    """Return the outcome of a result in value context, None when it is unknown."""
    if name == "get":
        if not is_dict(subject):
            return None
        return result is not (arguments[1] if len(arguments) > 1 else None)
    if name == "getattr":
        return result is not arguments[1]
    if result is True or result is False:
        return bool(result)
    if is_set(result):
        return bool(result)
    if result is None or type(result) is re.Match:
        is_pattern = type(subject) is re.Pattern or subject is re
        return result is not None if is_pattern or subject is None else None
    return None
