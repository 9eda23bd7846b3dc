"""Holds the sizes of files, functions and classes.

Fields that change together are a part with a name of its own.  Lines of a file are all its lines,
those of a function are counted without its docstring.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent / "pytest_evosearch"

MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 40

LONGER_FILES = {
    # Verification runs load a copy of this one file as a plugin, without the package.
    "sut.sandbox.child_processes": 529,
}
"""Files with more lines than others, and why.  A number may only fall."""

LONGER_FUNCTIONS = {
    # Hot: run for each call of a search, or for each comparison; a call of a function is dear.
    "execution.call_sending.send": 71,
    "instrument.probing.probes.note": 46,
    "sut.clients.fast_client._call": 48,
    # A class whose base is an argument.
    "sut.queries.cursors.watched_cursor": 66,
    # One step after the other, each of which needs those before: the order is what they say.
    "bridge.applications.standalone.load_standalone": 67,
    "bridge.command_line.pytest_options.make_settings": 43,
    "bridge.session.pytest_runtestloop": 49,
    "engine.preparing.preparation.prepared": 63,
    "write.naming.candidates.name_candidates": 49,
    # Copied beside tests of a server, to be read there as one request.
    "sut.clients.server_client.request": 45,
}
"""Functions with more lines than others, and why.  A number may only fall."""

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
    "sut.fixture_texts.support_text.SupportText": 20,
    "sut.handle.AppHandle": 18,
    "sut.handle.Support": 15,
    "write.brief.Brief": 19,
    "write.writer.Writer": 13,
}
"""Records with more fields than others, and why.  A number may only fall."""

LARGER_CLASSES = {
    # What the algorithms ask of a problem is twelve methods by itself.
    "problem.http.http_problem.HttpProblem": 19,
    "genes.collections.ArrayGene": 13,
    "genes.collections.ObjectGene": 13,
    # Shares and ends of each phase, one property each.
    "settings.time_plan.TimePlan": 20,
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


def modules() -> Iterator[tuple[str, str]]:
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        yield name, path.read_text(encoding="utf-8")


def functions() -> Iterator[tuple[str, int]]:
    """Yield the functions of each module with their lines, the docstring left out."""
    for name, text in modules():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[0] if ast.get_docstring(node) is not None else None
                yield f"{name}.{node.name}", lines_of(node) - (lines_of(first) if first else 0)


def lines_of(node: ast.stmt) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def test_files_are_short() -> None:
    sizes = {name: text.count("\n") for name, text in modules()}
    check(sizes, MOST_LINES, LONGER_FILES)


def test_functions_are_short() -> None:
    longest: dict[str, int] = {}
    for name, size in functions():
        longest[name] = max(size, longest.get(name, 0))
    check(longest, MOST_LINES_OF_A_FUNCTION, LONGER_FUNCTIONS)


def test_records_have_few_fields() -> None:
    check({name: fields_of(node) for name, node in classes()}, MOST_FIELDS, LARGER_RECORDS)


def test_classes_have_few_public_methods() -> None:
    check({name: public_methods_of(node) for name, node in classes()}, MOST_METHODS, LARGER_CLASSES)
