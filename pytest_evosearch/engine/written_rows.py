"""Rows of the reports about what was written, and what was left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.evidence import read_source
from pytest_evosearch.engine.preparing.description import routed_endpoints
from pytest_evosearch.engine.preparing.preparation import Prepared
from pytest_evosearch.report.outcome import Answer
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import GeneratedRow
from pytest_evosearch.sut.finding.unsearchable import unsearchable
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.writer import WrittenSuite

LEFT_OUT = "endpoint left out (--evosearch-only, --evosearch-skip; static files by default)"

DOWN = "it is down"

HELD_BACK = "blocked by the sandbox"

TOO_LATE = "imported before the search could watch it"

NOT_INSTRUMENTED = "not watched, or not to the end"


def skipped_rows(ready: Prepared) -> tuple[DroppedRow, ...]:
    """Return what the run ignored or prevented, each with the reason."""
    searched = {endpoint.key for endpoint in ready.endpoints}
    routed = [endpoint.key for endpoint in routed_endpoints(ready.handle.app)]
    recording = ready.recording
    late = recording.already_imported() if recording is not None else ()
    plain = dict.fromkeys(recording.notices) if recording is not None else {}
    missed = [] if ready.handle.outside else unsearchable(ready.handle.app)
    return (
        *(DroppedRow(f"{one.kind} {one.name}", one.reason) for one in missed),
        *(DroppedRow(key, LEFT_OUT) for key in routed if key not in searched),
        *(
            DroppedRow(f"service {name}", f"{DOWN}: {why}")
            for name, why in ready.executor.services.items()
        ),
        *(DroppedRow(attempt, HELD_BACK) for attempt in ready.handle.blocked()),
        *(DroppedRow(name, TOO_LATE) for name in late),
        *(DroppedRow(notice, NOT_INSTRUMENTED) for notice in plain),
    )


def generated_rows(
    specimens: Sequence[Specimen], suite: WrittenSuite, root: Path
) -> tuple[GeneratedRow, ...]:
    """Return a row for each written test function, by name."""
    shown: dict[str, list[Specimen]] = {}
    for index, name in suite.test_of.items():
        shown.setdefault(name, []).append(specimens[index])
    covered = {
        name: frozenset().union(*(one.vouched for one in group)) for name, group in shown.items()
    }
    only = _only_there(covered)
    texts = {name: text for file in suite.files for name, text in _test_texts(file, root)}
    rows = []
    for name in sorted(shown):
        first, last, source = texts.get(name, (0, 0, ""))
        answers = [
            Answer(exchange.request.endpoint, exchange.status)
            for specimen in shown[name]
            for exchange in specimen.exchanges
        ]
        fault = any(specimen.fault is not None for specimen in shown[name])
        rows.append(
            GeneratedRow(
                name, source, first, last, tuple(answers), len(covered[name]), only[name], fault
            )
        )
    return tuple(rows)


def _only_there(covered: Mapping[str, frozenset[TargetId]]) -> dict[str, tuple[TargetId, ...]]:
    """Return for each test the targets that no other test covers, sorted."""
    tests_of: dict[TargetId, int] = {}
    for targets in covered.values():
        for target in sorted(targets):
            tests_of[target] = tests_of.get(target, 0) + 1
    return {
        name: tuple(sorted(target for target in targets if tests_of[target] == 1))
        for name, targets in covered.items()
    }


def _test_texts(file: str, root: Path) -> Iterator[tuple[str, tuple[int, int, str]]]:
    """Yield (``file::test``, (first line, last line, source)) for each test of a module."""
    text = read_source(root / file)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    lines = text.splitlines()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            last = node.end_lineno or node.lineno
            yield f"{file}::{node.name}", (first, last, "\n".join(lines[first - 1 : last]))
