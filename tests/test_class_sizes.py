"""Holds the sizes of classes: fields that change together are a part with a name of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent / "pytest_evosearch"

MOST_FIELDS = 12
MOST_METHODS = 12

LARGER_RECORDS = {
    # Hooks of projects read these as they are.
    "problem.http.exchanges.exchange.Exchange": 22,
    "problem.http.exchanges.exchange.Request": 17,
    "report.outcome.FaultRow": 15,
    "sut.handle.User": 13,
    # One row of a table for each kind of driver.
    "sut.database_servers.driver.Driver": 16,
    # Instrumented code makes it by position.
    "instrument.transformation.plan.ConditionSite": 13,
    # One object for each run, handed from the application to its performer and writer.
    "engine.preparing.admitted_users.AdmittedUsers": 17,
    "engine.preparing.ready_search.Prepared": 21,
    "execution.conversation.Conversation": 18,
    "execution.equipment.Surroundings": 22,
    "write.content.builder.Surroundings": 13,
    "sut.fixture_texts.support_text.SupportText": 20,
    "sut.handle.AppHandle": 18,
    "sut.handle.Support": 15,
    "write.brief.Brief": 20,
    "write.writer.Writer": 13,
}
"""Records with more fields than others, and why.  A number may only fall."""

LARGER_CLASSES = {
    # What the algorithms ask of a problem is twelve methods by itself.
    "problem.http.http_problem.HttpProblem": 19,
    "genes.collections.ArrayGene": 13,
    "genes.collections.ObjectGene": 13,
    # Shares, ends and overtime of each phase, one property each.
    "settings.time_plan.TimePlan": 22,
    "engine.timetable.Timetable": 13,
    # One method for each kind of condition that instrumented code reports.
    "instrument.probing.probes.ConditionProbe": 16,
    "instrument.recording.Recording": 14,
    # One method for each function of `os` and `sys` that it stands in for.
    "sut.sandbox.process_ends.ProcessEnds": 20,
    # What reports a comparison is one method for each kind, and a child puts it to rest.
    "instrument.probing.weighing.Scales": 13,
    "bridge.applications.fixture_candidates.ProjectFixtures": 14,
    # The interface of a socket, and of one that speaks TLS.
    "problem.http.descriptions.parameters.EndpointModel": 15,
}
"""Classes with more public methods than others, and why.  A number may only fall."""


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for path in sorted(ROOT.rglob("*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield f"{module}.{node.name}", node


def fields_of(node: ast.ClassDef) -> int:
    """Count the fields of a dataclass or named tuple; 0 for other classes."""
    marks = [*map(ast.unparse, node.decorator_list), *map(ast.unparse, node.bases)]
    if not any("dataclass" in mark or mark == "NamedTuple" for mark in marks):
        return 0
    annotated = [one for one in node.body if isinstance(one, ast.AnnAssign)]
    return sum("ClassVar" not in ast.unparse(one.annotation) for one in annotated)


def public_methods_of(node: ast.ClassDef) -> int:
    """Count methods and properties; what a visitor or plugin is called back by does not count."""
    names = [one.name for one in node.body if isinstance(one, ast.FunctionDef)]
    return sum(not name.startswith(("_", "visit_", "pytest_")) for name in names)


def check(sizes: Mapping[str, int], most: int, larger: Mapping[str, int]) -> None:
    assert {name: size for name, size in sizes.items() if size > larger.get(name, most)} == {}
    shrunk = {name: sizes.get(name) for name, known in larger.items() if sizes.get(name) != known}
    assert shrunk == {}, "lower the number, or take the row away"


def test_records_have_few_fields() -> None:
    check({name: fields_of(node) for name, node in classes()}, MOST_FIELDS, LARGER_RECORDS)


def test_classes_have_few_public_methods() -> None:
    check({name: public_methods_of(node) for name, node in classes()}, MOST_METHODS, LARGER_CLASSES)
