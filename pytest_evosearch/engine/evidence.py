"""What only the finished run can give to the reports: sources, written tests, nearest misses."""

from __future__ import annotations

import math
import tokenize
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pytest_evosearch.core.chance import in_common
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import LINE
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.core.targets import subject_of
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.instrument.catalog import ModuleEntry
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.oracles.findings import UNSEEN
from pytest_evosearch.problem.http.descriptions.routes import code_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.report.curl import curl_script
from pytest_evosearch.report.misses import nearest_miss
from pytest_evosearch.report.outcome import BranchSide
from pytest_evosearch.report.outcome import SourceFile
from pytest_evosearch.report.outcome import SourceLine
from pytest_evosearch.report.outcome import UncoveredRow
from pytest_evosearch.report.outline import Outlines
from pytest_evosearch.report.reason_kinds import Reason
from pytest_evosearch.report.reasons import Knowledge
from pytest_evosearch.report.reasons import explain
from pytest_evosearch.report.reasons import is_near
from pytest_evosearch.settings.time_plan import REPLAY_SECONDS
from pytest_evosearch.write.content.specimen import Specimen

MOST_REPLAYS = 200
"""Largest number of closest tests that are executed again to see what they compared."""


def source_files(ready: Prepared, loop: SearchLoop) -> tuple[SourceFile, ...]:
    """Return every instrumented file with what the search covered of it."""
    recording = ready.recording
    if recording is None:
        return ()
    loaded = _loaded(recording, loop)
    return tuple(
        SourceFile(entry.path, read_source(entry.file), _source_lines(entry, loop, loaded))
        for entry in recording.catalog.modules()
    )


def _loaded(recording: Recording, loop: SearchLoop) -> frozenset[TargetId]:
    """Return what ran before the search, and therefore was not expected of tests.

    The background targets do not suffice: they grow with what runs between tests later.
    """
    return recording.background().difference(loop.archive.known)


def read_source(file: Path) -> str:
    """Return the text of a Python file in its own encoding; empty when it cannot be read."""
    try:
        with tokenize.open(file) as opened:
            return opened.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ""


def _source_lines(
    entry: ModuleEntry, loop: SearchLoop, loaded: frozenset[TargetId]
) -> tuple[SourceLine, ...]:
    ran: dict[int, TargetId] = {}
    sides: dict[int, list[BranchSide]] = {}
    for row in entry.plan.targets:
        if kind_of(row.name) == LINE:
            ran[row.line] = row.name
        elif kind_of(row.name) == BRANCH:
            score = COVERED if row.name in loaded else _score(loop, row.name)
            sides.setdefault(row.line, []).append(_side(row.name, score))
    return tuple(
        SourceLine(
            number,
            _is_covered(ran.get(number), loop, loaded),
            ran.get(number) in loaded,
            tuple(sides.get(number, ())),
        )
        for number in sorted({*ran, *sides})
    )


def _side(target: TargetId, score: float) -> BranchSide:
    place = target.split(" ")[1].rpartition(":")[2]
    ordinal = place.partition("#")[2]
    return BranchSide(target, subject_of(target)[2], score, int(ordinal) if ordinal else 1)


def _is_covered(
    target: TargetId | None, loop: SearchLoop, loaded: frozenset[TargetId]
) -> bool | None:
    if target is None:
        return None
    return loop.archive.is_covered(target) or target in loaded


def _score(loop: SearchLoop, target: TargetId) -> float:
    return COVERED if loop.archive.is_covered(target) else loop.archive.best.get(target, 0.0)


@dataclass(frozen=True)
class Uncovered:
    """The targets of the source that no test covers, with what was executed to explain them."""

    targets: Sequence[TargetId] = ()
    knowledge: Knowledge = field(
        default_factory=lambda: Knowledge(score=lambda _target: 0.0, controls=lambda _target: ())
    )
    scores: Mapping[TargetId, float] = field(default_factory=dict)
    reasons: Mapping[TargetId, Reason] = field(default_factory=dict)
    """Reasons that are known already: those of targets in views and in functions that ran."""
    nearest: Mapping[TargetId, str] = field(default_factory=dict)

    def rows(self) -> tuple[UncoveredRow, ...]:
        """Return a row for each target, with its reason; the application is not needed for it."""
        reasons = {
            target: self.reasons.get(target) or explain(target, self.knowledge)
            for target in self.targets
        }
        return tuple(
            UncoveredRow(
                target,
                self.scores.get(target, 0.0),
                reason.text,
                reason.kind.value,
                self.nearest.get(reason.evidence, ""),
                _condition(reason.evidence, self.knowledge),
            )
            for target, reason in reasons.items()
        )


def uncovered(ready: Prepared, loop: SearchLoop, seconds: float = REPLAY_SECONDS) -> Uncovered:
    """Return the targets of the source that no test covers, and explain those that were near.

    Executing tests again for this may take at most `seconds`.
    """
    recording = ready.recording
    if recording is None:
        return Uncovered()
    loaded = _loaded(recording, loop)
    targets = [
        target
        for target in recording.catalog.targets()
        if not loop.archive.is_covered(target) and target not in loaded
    ]
    knowledge = _knowledge(ready, recording, loop, loaded)
    reasons = {target: explain(target, knowledge) for target in _near(targets, knowledge)}
    evidence = [reason.evidence for reason in reasons.values()]
    nearest = _nearest_misses(ready, loop, evidence, seconds)
    return Uncovered(targets, knowledge, dict(loop.archive.best), reasons, nearest)


def _near(targets: Iterable[TargetId], knowledge: Knowledge) -> Iterator[TargetId]:
    """Yield those of `targets` that are in views and in functions that tests entered.

    Only their reasons name tests, which the application can execute again.
    """
    paths = {path for path, _name, _first in knowledge.entered}
    paths |= {path for path, _first in knowledge.handlers}
    for target in targets:
        path, line, _label = subject_of(target)
        if path in paths and is_near(path, line, knowledge):
            yield target


def _condition(evidence: TargetId, knowledge: Knowledge) -> str:
    """Return the source line of the condition to which the side `evidence` belongs, or nothing."""
    path, line, label = subject_of(evidence)
    return knowledge.outlines[path].text(line) if label and path in knowledge.outlines else ""


def _knowledge(
    ready: Prepared, recording: Recording, loop: SearchLoop, loaded: frozenset[TargetId]
) -> Knowledge:
    catalog = recording.catalog
    outlines = Outlines(
        {entry.path: partial(read_source, entry.file) for entry in catalog.modules()}
    )
    entered: dict[tuple[str, str, int], None] = {}
    for target in [*loop.archive.covered, *loop.archive.best]:
        if target in catalog:
            path, line = catalog.position(target)
            function = outlines[path].enclosing(line)
            if function is not None:
                entered[path, function.name, function.first] = None
    return Knowledge(
        score=lambda target: COVERED if target in loaded else _score(loop, target),
        controls=catalog.control_dependencies,
        outlines=outlines,
        entered=entered.keys(),
        handlers=_handlers(ready, recording),
        statuses={key: sorted(seen) for key, seen in loop.statistics.statuses.items()},
        refusals=loop.statistics.refusals,
        loaded=loaded,
        blocked=tuple(_blocked(ready, recording)),
        left_out=_left_out(ready, recording),
    )


def _blocked(ready: Prepared, recording: Recording) -> Iterator[str]:
    """Yield what the sandbox blocked, with places as targets name them."""
    for attempt in ready.handle.blocked():
        what, _, place = attempt.rpartition(" at ")
        file, _, line = place.rpartition(":")
        path = recording.catalog.path_of(os.path.abspath(file))
        yield f"{what} at {path}:{line}" if path is not None else attempt


def _handlers(ready: Prepared, recording: Recording) -> Mapping[tuple[str, int], tuple[str, ...]]:
    """Return the keys of the endpoints of each view function."""
    views = getattr(ready.handle.app, "view_functions", {})
    found: dict[tuple[str, int], list[str]] = {}
    for endpoint in ready.endpoints:
        place = _place_of(views.get(endpoint.name), endpoint.method, recording)
        if place is not None:
            found.setdefault(place, []).append(endpoint.key)
    return {place: tuple(keys) for place, keys in found.items()}


def _left_out(ready: Prepared, recording: Recording) -> frozenset[tuple[str, int]]:
    """Return the view functions of which no endpoint was searched."""
    searched = {endpoint.name for endpoint in ready.endpoints}
    views = getattr(ready.handle.app, "view_functions", {})
    places = [_place_of(views[name], "GET", recording) for name in views if name not in searched]
    return frozenset(place for place in places if place is not None)


def _place_of(view: Any, method: str, recording: Recording) -> tuple[str, int] | None:
    """Return path and first line of the view function; None when it has no probes."""
    code = code_of(view, method)
    path = recording.catalog.path_of(code.co_filename) if code is not None else None
    return (path, code.co_firstlineno) if path is not None else None


def _nearest_misses(
    ready: Prepared, loop: SearchLoop, targets: Sequence[TargetId], seconds: float
) -> dict[TargetId, str]:
    """Execute the closest test of each target again, and describe what its condition saw."""
    closest: dict[int, tuple[Individual, list[TargetId]]] = {}
    for target in dict.fromkeys(targets):
        evaluation = loop.archive.best_evaluation(target)
        if evaluation is not None:
            individual = evaluation.individual
            closest.setdefault(id(individual), (individual, []))[1].append(target)
    end = loop.meter.elapsed + seconds
    found = {}
    for individual, served in list(closest.values())[:MOST_REPLAYS]:
        if loop.meter.elapsed + ready.executor.expected_seconds(individual) > end:
            break
        fully = ready.executor.evaluate_fully(individual, frozenset(served))
        observation = observed(fully.evaluation)
        found.update({target: nearest_miss(target, observation) for target in served})
    return found


@dataclass(frozen=True)
class Reproduction:
    """How a fault can be reproduced."""

    traceback: str
    curl: str
    user: str | None
    message: str = ""
    """What is said each time, with gaps for chance; empty where it was not seen twice."""


@dataclass(frozen=True)
class Replays:
    """What needs the application, executed again while it is still set up."""

    uncovered: Uncovered
    faults: Mapping[TargetId, Reproduction]
    """Reproductions of the faults that no specimen shows."""
    untested: Mapping[TargetId, str] = field(default_factory=dict)
    """Why no specimen shows a fault, where the reason is known."""


NO_REPLAYS = Replays(Uncovered(), {})
"""Nothing that was executed again."""


def replays(
    ready: Prepared,
    loop: SearchLoop,
    specimens: Sequence[Specimen],
    why_untested: Callable[[TargetId], str] = lambda _target: "",
    seconds: float = REPLAY_SECONDS,
    fault_seconds: float = math.inf,
) -> Replays:
    """Execute again what the reports describe and no specimen shows.

    `why_untested` returns why a fault has no test.  The nearest misses may take at most `seconds`,
    the faults `fault_seconds`; later ones are shown as the search saw them first.
    """
    end = loop.meter.elapsed + fault_seconds
    shown = {specimen.fault.target for specimen in specimens if specimen.fault is not None}
    found = {
        target: _reproduction(target, ready, loop, end)
        for target in loop.statistics.faults
        if target not in shown
    }
    reproductions = {target: one for target, one in found.items() if one is not None}
    untested = {target: why_untested(target) for target in loop.statistics.faults}
    return Replays(uncovered(ready, loop, seconds), reproductions, untested)


def _reproduction(
    target: TargetId, ready: Prepared, loop: SearchLoop, end: float
) -> Reproduction | None:
    """Return requests, traceback and user of the shortest test that showed a fault.

    Where the fault does not occur again, return all requests of this test without a traceback.
    Where no test of it is left, or its test sends no requests now, return those of the first test
    that showed it.  The same holds where the test would last until after `end`.
    """
    evaluation = loop.archive.covered.get(target)
    exchanges = loop.statistics.fault_exchanges.get(target, ())
    if evaluation is not None and exchanges:
        seconds = ready.executor.expected_seconds(evaluation.individual)
        evaluation = evaluation if loop.meter.elapsed + seconds <= end else None
    if evaluation is not None:
        observation = observed(ready.executor.evaluate_fully(evaluation.individual).evaluation)
        for fault in observation.faults:
            if fault.target == target:
                exchanges = observation.exchanges[: fault.call + 1]
                hidden = fault.expectation == UNSEEN
                how = reproduction_of(exchanges, fault.position if hidden else "")
                first = loop.statistics.faults.get(target, fault)
                return replace(how, message=in_common((first.message, fault.message)))
        exchanges = observation.exchanges or exchanges
    if not exchanges:
        return None
    found = reproduction_of(exchanges)
    return found if evaluation is None else replace(found, traceback="")


def reproduction_of(exchanges: Sequence[Exchange], position: str = "") -> Reproduction:
    """Return how to reproduce the fault at the end of `exchanges`.

    `position` is the place of a fault that no response shows; empty for any other fault.
    """
    act = exchanges[-1]
    traceback = act.crash.traceback if act.crash is not None else ""
    hidden = [one.crash for one in act.hidden if one.crash.position == position]
    if hidden:
        traceback = hidden[0].traceback
    return Reproduction(traceback, curl_script(exchanges), act.user)
