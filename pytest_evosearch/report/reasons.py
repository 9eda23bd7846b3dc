"""Why a target was not covered: one kind, one sentence.

    the condition was evaluated            it never went this way, and how near it came
    its exception handler was not entered  the exception never occurred
    it hangs on a side never taken         the reason of that side, further up
    nothing above it is open               the function never entered, or always left before
    the function was never entered         its endpoint says why, or it was never called

It is a pure function of what the search knows at its end.  Where the reason cannot be decided, it
reports what was seen, and does not guess.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import line_target
from pytest_evosearch.core.targets import status_target
from pytest_evosearch.core.targets import subject_of
from pytest_evosearch.report.outline import FunctionSpan
from pytest_evosearch.report.outline import Outline
from pytest_evosearch.report.reason_kinds import OF_CONDITIONS
from pytest_evosearch.report.reason_kinds import Kind
from pytest_evosearch.report.reason_kinds import Reason

ROUTING = frozenset({301, 308, 404, 405})
"""Statuses that the URL map gives by itself, to every caller."""

MEASURED = frozenset({"true", "false", "returned", "raised", "found", "missing", "completed"})
"""Labels of sides whose score is above 0 as soon as they were evaluated."""

LONGEST_STEP = 60
"""Characters of a source line that a reason quotes, at most."""

_NO_OUTLINE = Outline()


@dataclass(frozen=True)
class Knowledge:
    """What the search knows at its end."""

    score: Callable[[TargetId], float]
    """Returns the best score of a target: 1.0 for covered targets and what ran while loading."""
    controls: Callable[[TargetId], Sequence[TargetId]]
    """Returns the branch sides of which one comes directly before a target."""
    outlines: Mapping[str, Outline] = field(default_factory=dict)
    """Path -> outline of the source file."""
    entered: Collection[tuple[str, str, int]] = ()
    """(path, name, first line) of the functions in which a test covered something."""
    handlers: Mapping[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)
    """(path, first line) of a view function -> keys of its endpoints."""
    statuses: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Endpoint -> statuses of its responses."""
    refusals: Mapping[str, Collection[int]] = field(default_factory=dict)
    """Endpoint -> statuses by which it refused callers."""
    loaded: Collection[TargetId] = frozenset()
    """Targets that were reached only while the application was loaded, and in no test."""
    blocked: Sequence[str] = ()
    """What the sandbox blocked: ``connect to api.example.com:443 at shop/mail.py:12``."""
    left_out: Collection[tuple[str, int]] = ()
    """(path, first line) of view functions whose endpoints the user excluded."""


def explain(target: TargetId, knowledge: Knowledge) -> Reason:
    """Return why `target` is not covered."""
    return _explain(target, knowledge, frozenset())


def _explain(target: TargetId, known: Knowledge, above: frozenset[TargetId]) -> Reason:
    path, line, label = subject_of(target)
    outline = known.outlines.get(path, _NO_OUTLINE)
    around = outline.enclosing(line)
    if around is not None and not _is_entered(path, around, known):
        # Its conditions cannot say more, and a large program has ten thousands of such targets.
        return _of_function(path, line, outline, known)
    if label == "except" and not _open_controls(target, known):
        return _of_handler(path, line, outline, known)
    if label and known.score(target) > 0.0:
        return _of_condition(target, known)
    if label and known.score(line_target(path, line)) >= COVERED:
        return _of_line(target, known)
    open_controls = [one for one in _open_controls(target, known) if one not in above]
    if open_controls:
        nearest = max(open_controls, key=known.score)
        return _behind(_explain(nearest, known, above | {target}), nearest)
    return _of_function(path, line, outline, known)


def _open_controls(target: TargetId, known: Knowledge) -> list[TargetId]:
    """Return the sides directly before `target`; none if one of them was taken."""
    controls = list(known.controls(target))
    return [] if any(known.score(one) >= COVERED for one in controls) else controls


def _of_handler(path: str, line: int, outline: Outline, known: Knowledge) -> Reason:
    """Return the reason for an ``except`` that was never entered."""
    caught = outline.caught.get(line, "it")
    bodies = [(first, last) for first, last, handler in outline.tries if handler == line]
    evidence = _last_that_ran(path, range(bodies[0][0], line), known) if bodies else 0
    shown = line_target(path, evidence) if evidence else ""
    return Reason(Kind.EXCEPTION, f"no call raised {caught}", shown)


def _of_condition(target: TargetId, known: Knowledge) -> Reason:
    """Return the reason for a side whose condition was evaluated."""
    label = subject_of(target)[2]
    return Reason(Kind.CONDITION, _never(label) + _closeness(known.score(target)), target)


def _of_line(target: TargetId, known: Knowledge) -> Reason:
    """Return the reason for a side of which nothing was recorded, though its line ran."""
    path, line, label = subject_of(target)
    evidence = line_target(path, line)
    if evidence in known.loaded:
        return Reason(Kind.UNREACHABLE, "decided while the application was loaded")
    if label in ("true", "false") and "#" in target:
        return Reason(Kind.CONDITION, "an earlier part of the line always decided", evidence)
    if label in MEASURED:
        return Reason(Kind.CONDITION, "this part of the line was never evaluated", evidence)
    return replace(_of_condition(target, known), evidence=evidence)


def _closeness(score: float) -> str:
    if score <= 0.0:
        return ""
    return f", at best {score:.0%} of the way" if score >= 0.005 else ", nowhere near it"


def _never(label: str) -> str:
    """Return what did not happen, for a side of a condition."""
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
    """Return the reason for what depends on an open side, made from the reason of this side."""
    path, line, _ = subject_of(control)
    of_that_line = subject_of(reason.evidence)[:2] == (path, line)
    if reason.kind not in OF_CONDITIONS or not (of_that_line or reason.kind is Kind.EXCEPTION):
        return reason
    kind = Kind.BEHIND if reason.kind is Kind.CONDITION else reason.kind
    return Reason(kind, f"line {line}: {reason.text}", reason.evidence)


def is_near(path: str, line: int, known: Knowledge) -> bool:
    """Say whether a line is in a view, or in a function in which a test covered something."""
    function = known.outlines.get(path, _NO_OUTLINE).enclosing(line)
    if function is None:
        return False
    return (path, function.first) in known.handlers or _is_entered(path, function, known)


def _is_entered(path: str, function: FunctionSpan, known: Knowledge) -> bool:
    return (path, function.name, function.first) in known.entered


def _of_function(path: str, line: int, outline: Outline, known: Knowledge) -> Reason:
    function = outline.enclosing(line)
    if function is None:
        return Reason(Kind.UNREACHABLE, "it is at module level, which ran before the search")
    if _is_entered(path, function, known):
        return _of_early_exit(path, line, function, known)
    endpoints = known.handlers.get((path, function.first), ())
    if endpoints:
        return _of_endpoint(endpoints, known)
    if (path, function.first) in known.left_out:
        return Reason(Kind.UNREACHABLE, "its endpoint was left out (--evosearch-only or -skip)")
    return _of_uncalled(function)


def _of_early_exit(path: str, line: int, function: FunctionSpan, known: Knowledge) -> Reason:
    endpoints = known.handlers.get((path, function.first), ())
    statuses = _statuses(endpoints, known)
    if statuses and _locked(endpoints, known).issuperset(statuses):
        return _of_endpoint(endpoints, known)
    last = _last_that_ran(path, range(function.first, line), known)
    evidence = line_target(path, last) if last else ""
    outline = known.outlines[path]
    refused = next(_refusals(path, range(function.first, line + 1), known), "")
    if refused:
        return Reason(Kind.SANDBOX, refused, evidence)
    if not last:
        return Reason(Kind.CUT_SHORT, f"{function.name}() was always left before")
    text = f"{function.name}() was always left by line {last}: {_step(outline, last)}"
    return Reason(Kind.CUT_SHORT, text, evidence)


def _last_that_ran(path: str, lines: Iterable[int], known: Knowledge) -> int:
    """Return the last of `lines` that a test ran; 0 for none."""
    ran = (number for number in lines if known.score(line_target(path, number)) >= COVERED)
    return max(ran, default=0)


def _step(outline: Outline, line: int) -> str:
    text = outline.text(line)
    return text if len(text) <= LONGEST_STEP else f"{text[: LONGEST_STEP - 1]}…"


def _refusals(path: str, lines: Container[int], known: Knowledge) -> Iterator[str]:
    """Yield what the sandbox blocked on one of `lines`."""
    for attempt in known.blocked:
        what, _, place = attempt.rpartition(" at ")
        where, _, number = place.rpartition(":")
        if where == path and number.isdigit() and int(number) in lines:
            yield f"the sandbox refused to {what} on line {number}"


def _statuses(endpoints: Sequence[str], known: Knowledge) -> list[int]:
    return sorted({one for key in endpoints for one in known.statuses.get(key, ())})


def _locked(endpoints: Sequence[str], known: Knowledge) -> frozenset[int]:
    """Return the statuses by which endpoints require a user, or another user."""
    return frozenset(one for key in endpoints for one in known.refusals.get(key, ()))


def _of_endpoint(endpoints: Sequence[str], known: Knowledge) -> Reason:
    statuses = _statuses(endpoints, known)
    keys = ", ".join(endpoints)
    if not statuses:
        return Reason(Kind.NOT_ANSWERED, f"{keys} never answered")
    listed = ", ".join(str(status) for status in statuses)
    locked = _locked(endpoints, known)
    turned_away = [status for status in statuses if status in locked]
    if turned_away and locked.union(ROUTING).issuperset(statuses):
        evidence = _status_seen(endpoints, turned_away[0], known)
        return Reason(Kind.NEEDS_USER, f"{keys} answered only {listed}", evidence)
    evidence = _status_seen(endpoints, statuses[0], known)
    return Reason(Kind.NOT_ANSWERED, f"{keys} answered {listed} before its view ran", evidence)


def _status_seen(endpoints: Sequence[str], status: int, known: Knowledge) -> TargetId:
    return next(
        status_target(key, status) for key in endpoints if status in known.statuses.get(key, ())
    )


def _of_uncalled(function: FunctionSpan) -> Reason:
    for decorator in function.decorators:
        if "cli.command" in decorator or decorator.startswith("click."):
            return Reason(Kind.UNREACHABLE, f"{function.name}() is a command, no request runs it")
        if "errorhandler" in decorator:
            return Reason(Kind.EXCEPTION, f"no call made the error that {function.name}() handles")
    return Reason(Kind.NOT_CALLED, f"{function.name}() was never called")
