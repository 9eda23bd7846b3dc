"""Why a target was not covered: one kind, one sentence.

    the condition was evaluated            constant, or never went this way
    its exception handler was not entered  the exception never occurred
    it hangs on a side never taken         the reason of that side, further up
    nothing above it is open               the function never entered, or always left before

A pure function over what the search knows when it ends.  What cannot be decided is told as
what was seen, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from enum import Enum

from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import line_target
from pytest_evosearch.report.outline import FunctionSpan
from pytest_evosearch.report.outline import Outline

LOCKED_STATUSES = frozenset({401, 403})
"""Answers that ask for a user, or for another one."""

REDIRECTS = frozenset({302, 303, 307})
"""Before a view ran, a redirect leads to the log-in page."""

MEASURED = frozenset({"true", "false", "returned", "raised", "found", "missing", "completed"})
"""Labels of sides that have a score above 0 as soon as they were evaluated."""

LONGEST_STEP = 60
"""Characters of a line of source that a reason quotes."""

_SUBJECT = re.compile(r"^\w+ (?P<path>.+?):(?P<line>\d+)(?:#\d+)?(?: (?P<label>.+))?$")


class Kind(str, Enum):
    """The kinds of reasons; the value goes into reports."""

    CONDITION = "condition"
    BEHIND = "behind"
    CONSTANT = "constant"
    EXCEPTION = "exception"
    CUT_SHORT = "cut-short"
    NEEDS_USER = "needs-user"
    SANDBOX = "sandbox"
    NOT_ANSWERED = "not-answered"
    NOT_CALLED = "not-called"
    UNREACHABLE = "unreachable"


TITLES = {
    Kind.CONDITION: "A condition that never went this way",
    Kind.BEHIND: "Behind a condition that never went the right way",
    Kind.CONSTANT: "A condition that no request changes",
    Kind.EXCEPTION: "A handler of an exception that never occurred",
    Kind.CUT_SHORT: "The function was always left before",
    Kind.NEEDS_USER: "Needs a user who may",
    Kind.SANDBOX: "Blocked by the sandbox",
    Kind.NOT_ANSWERED: "The endpoint never ran its view",
    Kind.NOT_CALLED: "The function was never called",
    Kind.UNREACHABLE: "No request leads there",
}
"""Headings of groups, in the order in which reports show them."""


@dataclass(frozen=True)
class Reason:
    """Why a target is uncovered."""

    kind: Kind
    text: str
    """One clause, without a full stop."""


@dataclass(frozen=True)
class Knowledge:
    """What the search knows when it ends."""

    score: Callable[[TargetId], float]
    """Best score of a target, 1.0 for covered ones and for what ran while loading."""
    controls: Callable[[TargetId], Sequence[TargetId]]
    """Branch sides of which one comes right before a target."""
    outlines: Mapping[str, Outline] = field(default_factory=dict)
    """Path -> outline of the source file."""
    entered: Collection[tuple[str, str, int]] = ()
    """(path, name, first line) of the functions in which something was covered by a test."""
    handlers: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    """(path, first line) of a view function -> keys of its endpoints."""
    statuses: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Endpoint -> statuses that it answered with."""
    loaded: Collection[TargetId] = frozenset()
    """What ran while the application was loaded, and in no test."""
    blocked: Sequence[str] = ()
    """What the sandbox held back: ``connect to api.example.com:443 at shop/mail.py:12``."""


def explain(target: TargetId, knowledge: Knowledge) -> Reason:
    """Return why `target` is not covered."""
    return _explain(target, knowledge, frozenset())


def _explain(target: TargetId, known: Knowledge, above: frozenset[TargetId]) -> Reason:
    path, line, label = subject_of(target)
    outline = known.outlines.get(path, Outline())
    if label == "except" and not _open_controls(target, known):
        function = outline.enclosing(line)
        if function is None or _is_entered(path, function, known):
            return Reason(Kind.EXCEPTION, f"no call raised {outline.caught.get(line, 'it')}")
    elif label and known.score(target) > 0.0:
        return _of_condition(line, label, known.score(target), outline)
    elif label and known.score(line_target(path, line)) >= COVERED:
        return _of_line(target, outline, known)
    open_controls = [one for one in _open_controls(target, known) if one not in above]
    if open_controls:
        nearest = max(open_controls, key=known.score)
        return _behind(_explain(nearest, known, above | {target}), nearest)
    return _of_function(path, line, outline, known)


def subject_of(target: TargetId) -> tuple[str, int, str]:
    """Return (path, line, label) of a target of the source; the label of a line is empty."""
    found = _SUBJECT.match(target)
    if found is None:
        return "", 0, ""
    return found["path"], int(found["line"]), found["label"] or ""


def _open_controls(target: TargetId, known: Knowledge) -> list[TargetId]:
    """Return the sides right before `target`, unless one of them was taken."""
    controls = list(known.controls(target))
    return [] if any(known.score(one) >= COVERED for one in controls) else controls


def _of_condition(line: int, label: str, score: float, outline: Outline) -> Reason:
    constant = outline.constant_conditions.get(line)
    if constant is not None and label in ("true", "false"):
        return Reason(Kind.CONSTANT, f"no request changes {constant}")
    return Reason(Kind.CONDITION, _never(label) + _closeness(score))


def _of_line(target: TargetId, outline: Outline, known: Knowledge) -> Reason:
    """Return the reason of a side whose line ran, though nothing was recorded of the side."""
    path, line, label = subject_of(target)
    if line_target(path, line) in known.loaded:
        return Reason(Kind.UNREACHABLE, "decided while the application was loaded")
    if label in MEASURED and "#" in target:
        return Reason(Kind.CONDITION, "an earlier part of the line always decided")
    if label in MEASURED:
        return Reason(Kind.CONDITION, f"the call on the line never answered {label}")
    return _of_condition(line, label, 0.0, outline)


def _closeness(score: float) -> str:
    if score <= 0.0:
        return ""
    return f", at best {score:.0%} of the way" if score >= 0.005 else ", nowhere near it"


def _never(label: str) -> str:
    """Say what did not happen for a side of a condition."""
    sentences = {
        "true": "evaluated, but never true",
        "false": "evaluated, but never false",
        "entered": "the loop had nothing to loop over",
        "exhausted": "the loop never ran to its end",
        "except": "the exception never occurred",
        "returned": "the conversion never succeeded",
        "raised": "the conversion never failed",
        "found": "the key was never found",
        "missing": "the key was never missing",
        "no case": "some case always matched",
        "called": "the lambda was never called",
        "swallowed": "the context manager had no exception to swallow",
        "completed": "the statement always raised before it was done",
    }
    if label.startswith("case "):
        return f"{label} never matched"
    return sentences.get(label, f"never {label}")


def _behind(reason: Reason, control: TargetId) -> Reason:
    """Turn the reason of an open side into one for what depends on it."""
    if reason.kind not in (Kind.CONDITION, Kind.CONSTANT, Kind.EXCEPTION):
        return reason
    kind = Kind.BEHIND if reason.kind is Kind.CONDITION else reason.kind
    _, line, _ = subject_of(control)
    return Reason(kind, f"line {line}: {reason.text}")


def _is_entered(path: str, function: FunctionSpan, known: Knowledge) -> bool:
    return (path, function.name, function.first) in known.entered


def _of_function(path: str, line: int, outline: Outline, known: Knowledge) -> Reason:
    function = outline.enclosing(line)
    if function is None:
        return Reason(Kind.UNREACHABLE, "stands at module level, which ran before the search")
    if _is_entered(path, function, known):
        return _of_early_exit(path, line, function, known)
    endpoints = known.handlers.get((path, function.first), ())
    if endpoints:
        return _of_endpoint(endpoints, known)
    return _of_uncalled(path, function, known)


def _of_early_exit(path: str, line: int, function: FunctionSpan, known: Knowledge) -> Reason:
    endpoints = known.handlers.get((path, function.first), ())
    statuses = _statuses(endpoints, known)
    if statuses and LOCKED_STATUSES.issuperset(statuses):
        return _of_endpoint(endpoints, known)
    for attempt in known.blocked:
        what, _, place = attempt.rpartition(" at ")
        where, _, number = place.rpartition(":")
        inside = where == path and number.isdigit() and function.first <= int(number) <= line
        if inside:
            return Reason(Kind.SANDBOX, f"the sandbox refused to {what} on line {number}")
    return Reason(Kind.CUT_SHORT, _last_step(path, line, function, known))


def _last_step(path: str, line: int, function: FunctionSpan, known: Knowledge) -> str:
    """Say on which line before `line` the function was left: the last one that ran."""
    ran = [
        number
        for number in range(function.first, line)
        if known.score(line_target(path, number)) >= COVERED
    ]
    if not ran:
        return f"{function.name}() was always left before"
    lines = known.outlines[path].lines
    text = " ".join(lines[ran[-1] - 1].split()) if ran[-1] <= len(lines) else ""
    shortened = text if len(text) <= LONGEST_STEP else f"{text[: LONGEST_STEP - 1]}…"
    return f"{function.name}() was always left by line {ran[-1]}: {shortened}"


def _statuses(endpoints: Sequence[str], known: Knowledge) -> list[int]:
    return sorted({one for key in endpoints for one in known.statuses.get(key, ())})


def _of_endpoint(endpoints: Sequence[str], known: Knowledge) -> Reason:
    statuses = _statuses(endpoints, known)
    keys = ", ".join(endpoints)
    if not statuses:
        return Reason(Kind.NOT_ANSWERED, f"{keys} never answered")
    listed = ", ".join(str(status) for status in statuses)
    locked = LOCKED_STATUSES.union(REDIRECTS)
    if locked.issuperset(statuses):
        return Reason(Kind.NEEDS_USER, f"{keys} answered only {listed}")
    return Reason(Kind.NOT_ANSWERED, f"{keys} answered {listed} before its view ran")


def _of_uncalled(path: str, function: FunctionSpan, known: Knowledge) -> Reason:
    for decorator in function.decorators:
        if "cli.command" in decorator or decorator.startswith("click."):
            return Reason(Kind.UNREACHABLE, f"{function.name}() is a command, no request runs it")
        if "errorhandler" in decorator:
            return Reason(Kind.EXCEPTION, f"no call made the error that {function.name}() handles")
    places = list(_references(path, function, known))
    implicit = function.name.startswith("__") or function.decorators
    if not places and not implicit:
        return Reason(Kind.UNREACHABLE, f"nothing in the source refers to {function.name}()")
    unreached = [
        f"{place}:{line}"
        for place, line in places
        if known.score(line_target(place, line)) < COVERED
    ]
    if places and len(unreached) == len(places) <= 3:
        callers = " and ".join(unreached)
        return Reason(
            Kind.NOT_CALLED, f"{function.name}() is used only at {callers}, never reached"
        )
    return Reason(Kind.NOT_CALLED, f"{function.name}() was never called")


def _references(path: str, function: FunctionSpan, known: Knowledge) -> Iterator[tuple[str, int]]:
    """Yield where the source names `function`, its own body aside."""
    for place, outline in known.outlines.items():
        for line in outline.references.get(function.name, ()):
            if place != path or not function.holds(line):
                yield place, line
