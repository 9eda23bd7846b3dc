"""Prints one test function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.free_names import is_identifier
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import LOG_IN
from pytest_evosearch.core.vocabulary import PASSWORD
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.xml_places import XML
from pytest_evosearch.sut.import_statements import importable
from pytest_evosearch.write.code.layout import INDENT
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.content.assertions import PIECE
from pytest_evosearch.write.content.assertions import assertion_lines
from pytest_evosearch.write.content.assertions import document_of
from pytest_evosearch.write.content.assertions import piece_of
from pytest_evosearch.write.content.builder import Rows
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.endpoint_words import ROOT
from pytest_evosearch.write.content.endpoint_words import resource_of
from pytest_evosearch.write.content.expectations import expected_subject
from pytest_evosearch.write.content.faults import FaultMark
from pytest_evosearch.write.content.variables import ACTIONS
from pytest_evosearch.write.content.variables import DEEDS
from pytest_evosearch.write.content.variables import VERBS
from pytest_evosearch.write.content.written_calls import WrittenCall
from pytest_evosearch.write.naming.variants import CHANGE

_IMPORTING = ("import ", "from ")
"""Beginnings of import statements."""

MODULE_MARK = "pytestmark"
"""The name under which pytest looks for marks of a whole module."""


def _ignoring(warning: str) -> str:
    """Return the filter that allows a warning, told by its class, or by its words and a class."""
    return f"ignore:{warning}" if ":" in warning else f"ignore::{warning}"


def module_mark(warnings: Sequence[str], layout: Layout) -> list[str]:
    """Return the statement that allows `warnings` in all tests of a module, if there are any."""
    ignored = [Text(_ignoring(warning)) for warning in warnings]
    if not ignored:
        return []
    mark = call("pytest.mark.filterwarnings", *ignored)
    return ["\n".join(layout.statement(f"{MODULE_MARK} = ", mark))]


def print_test(test: WrittenTest, layout: Layout, constants: Mapping[str, str]) -> list[str]:
    """Return the lines of a test; `constants` maps the code of a payload to its name."""
    lines: list[str] = []
    if test.rows is not None:
        lines.extend(parametrize_lines(test.rows, layout))
    if test.mark is not None and test.mark.mode == "xfail":
        lines.extend(_xfail(test.mark, layout))
    for warning in test.warnings:
        mark = call("@pytest.mark.filterwarnings", Text(_ignoring(warning)))
        lines.extend(layout.statement("", mark))
    raises = test.mark if test.mark is not None and test.mark.mode == "raises" else None
    body = body_lines(test.calls, layout, constants, raises)
    arguments, unmentioned = _requested(test, body)
    if unmentioned:
        mark = call("@pytest.mark.usefixtures", *map(Text, unmentioned))
        lines.extend(layout.statement("", mark))
    columns = test.rows.names if test.rows is not None else ()
    return [*lines, *signature_lines(test.name, (*arguments, *columns), layout), *body]


def _requested(test: WrittenTest, body: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the fixtures that a body mentions, and those that only need to be set up."""
    mentioned, _ = names_of(body)
    opening = (test.opening,) if test.opening else ()
    requested = dict.fromkeys((*test.fixtures, *opening))
    return (
        [name for name in requested if name in mentioned],
        [name for name in requested if name not in mentioned],
    )


def names_of(lines: Sequence[str]) -> tuple[set[str], set[str]]:
    """Return the names in the lines of a body, and the names that they assign."""
    tree = ast.parse("\n".join(["def body():", *lines, "    pass"]))
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    assigned = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return {node.id for node in names if isinstance(node.ctx, ast.Load)}, assigned


@dataclass(frozen=True)
class Payload:
    """A body that a test sends."""

    noun: str
    """Noun for the payload: ``user``."""
    node: Group
    is_served: bool
    """Whether the call succeeds: a wrong body must be visible in its own test."""


_SECRETS = PASSWORD.words(Certainty.LIKELY)
_NAMED = re.compile(
    r"(?:^|_)(?:user(?:name)?|login|account|nick(?:name)?|e_?mail|name|client|key|id)(?:_|$)"
)
"""Names of the second part of credentials; a book with a secret has none."""
_GENERIC_NOUNS = (ROOT, "", "account", *LOG_IN.words(Certainty.LIKELY))
"""Nouns of endpoints that say nothing about the body."""


def payloads_of(calls: Iterable[WrittenCall]) -> list[Payload]:
    """Return the sent bodies, as candidates for constants."""
    found = []
    for written in calls:
        for keyword, value in written.arguments:
            node = node_of(value)
            if keyword in ("json", "data") and isinstance(node, Group) and node.opening == "{":
                base = base_of(node)
                served = base is not None or _is_served(written)
                found.append(Payload(_noun(written, keyword, value), base or node, served))
    return found


def _is_served(written: WrittenCall) -> bool:
    """Say whether a call asserts success: a form that is shown again is a refusal."""
    if written.status >= 400 or written.status == 0:
        return False
    shown_again = written.status == 200 and any(fact.kind == "contains" for fact in written.facts)
    return not (shown_again and written.method == "POST")


def _noun(written: WrittenCall, keyword: str, payload: object) -> str:
    """Return a noun for a body: ``user`` where users are posted, else ``payload`` or ``form``."""
    noun = resource_noun(written)
    fields = payload if isinstance(payload, dict) else {}
    names = [snake_case(str(field)) for field in fields]
    if any(name in _SECRETS for name in names) and (
        noun in _GENERIC_NOUNS or (len(names) == 2 and any(map(_NAMED.search, names)))
    ):
        return "credentials"
    if noun in _GENERIC_NOUNS or not is_identifier(noun):
        return "payload" if keyword == "json" else "form"
    return noun


def resource_noun(written: WrittenCall) -> str:
    """Return the resource of a call without its verb: ``post`` for ``/posts/new``."""
    pieces = [part if isinstance(part, str) else f"{{{part.name}}}" for part in written.path]
    parts = singular(resource_of("".join(pieces))).split("_")
    acts = ACTIONS.keys() | DEEDS.keys()
    while parts and (parts[-1] in acts or (len(parts) > 1 and parts[-1] in VERBS)):
        del parts[-1]
    return singular("_".join(parts))


def base_of(payload: Group) -> Group | None:
    """Return the dict to which ``**change`` is applied, None when a payload is written out."""
    if not payload.items or payload.items[-1].value != Atom(f"**{CHANGE}"):
        return None
    return Group(payload.opening, payload.items[:-1], payload.closing)


def parametrize_lines(rows: Rows, layout: Layout) -> list[str]:
    """Return the decorator with the rows of a test."""
    if len(rows.names) == 1:
        names, values = node_of(rows.names[0]), node_of([row[0] for row in rows.values])
    else:
        names, values = node_of(rows.names), node_of(list(rows.values))
    items = [Item(names), Item(values)]
    if rows.ids:
        items.append(Item(node_of(list(rows.ids)), "ids="))
    return layout.statement("", Group("@pytest.mark.parametrize(", tuple(items), ")"))


def _xfail(mark: FaultMark, layout: Layout) -> list[str]:
    items = (
        Item(Atom(mark.exception), "raises="),
        Item(Atom("True"), "strict="),
        Item(Text(mark.reason), "reason="),
    )
    return layout.statement("", Group("@pytest.mark.xfail(", items, ")"))


def signature_lines(name: str, arguments: Sequence[str], layout: Layout) -> list[str]:
    """Return the ``def`` line of a test or a fixture."""
    items = tuple(Item(Atom(argument)) for argument in arguments)
    return layout.statement("def ", Group(f"{name}(", items, ")", is_call=True), suffix=":")


def body_lines(
    calls: Sequence[WrittenCall],
    layout: Layout,
    constants: Mapping[str, str],
    raises: FaultMark | None = None,
) -> list[str]:
    """Return calls and their assertions, with the last call inside ``raises`` if it crashes."""
    imports, calls = _imports_first(calls)
    blocks: list[list[str]] = [_code(imports, layout)]
    last = len(calls) - 1
    for index, written in enumerate(calls):
        if written.before:
            blocks.append(_code(written.before, layout))
        if index == last and raises is not None:
            blocks.append(_raising(written, layout, constants, raises))
            continue
        act = _sending(written, layout, constants)
        checks = assertion_lines(written.facts, written.variable, layout)
        # One call: separate act and assertions. Several: each call with its assertions.
        blocks.extend([act, checks] if last == 0 else [act + checks])
    lines: list[str] = []
    for block in blocks:
        if block:
            lines.extend([*([""] if lines else []), *block])
    return lines


def _imports_first(calls: Sequence[WrittenCall]) -> tuple[list[str], list[WrittenCall]]:
    """Return the imports of the calls' rows, for the head of the function, and the other code."""
    imports: list[str] = []
    rest = []
    for written in calls:
        before = list(written.before)
        own = list(takewhile(lambda line: not line or line.startswith(_IMPORTING), before))
        for line in own:
            if line not in imports if line else imports and imports[-1]:
                imports.append(line)
        rest.append(replace(written, before=tuple(before[len(own) :])))
    while imports and not imports[-1]:
        del imports[-1]
    return imports, rest


def _code(statements: Iterable[str], layout: Layout) -> list[str]:
    return layout.requoted(importable("\n".join(_indented(statements))).splitlines())


def _indented(statements: Iterable[str]) -> list[str]:
    return [f"{' ' * INDENT}{statement}" if statement else "" for statement in statements]


def _sending(
    written: WrittenCall, layout: Layout, constants: Mapping[str, str], depth: int = 1
) -> list[str]:
    node = with_constants(written.node(), constants)
    named = written.facts or written.is_streamed or _is_used(written)
    indent = " " * INDENT * depth
    lines = layout.requoted([f"{indent}{statement}" for statement in written.mailed])
    lines += layout.statement(f"{written.variable} = " if named else "", node, depth)
    if any(fact.kind.startswith(PIECE) for fact in written.facts):
        read = call("next", Item(call(f"{written.variable}.iter_encoded")))
        lines += layout.statement(f"{piece_of(written.variable)} = ", read, depth)
    if any(fact.kind.startswith(XML) for fact in written.facts):
        read = call("ElementTree.fromstring", Atom(f"{written.variable}.data"))
        lines += layout.statement(f"{document_of(written.variable)} = ", read, depth)
    if written.is_streamed:
        lines += layout.statement("", call(f"{written.variable}.get_data"), depth)
    return lines


def _is_used(written: WrittenCall) -> bool:
    """Say whether a later call may use the response although no assertion does."""
    return written.variable != "response"


def _raising(
    written: WrittenCall, layout: Layout, constants: Mapping[str, str], mark: FaultMark
) -> list[str]:
    """Return a test's act for an expected exception."""
    if mark.exception == "AssertionError":
        return [*_sending(written, layout, constants), "", *_today(written, layout)]
    arguments = [Item(Atom(mark.exception))]
    if mark.match:
        arguments.append(Item(Atom(raw_string(mark.match)), "match="))
    lines = layout.statement("with ", call("pytest.raises", *arguments), 1, ":")
    return [*lines, *_sending(replace(written, facts=()), layout, constants, 2)]


def _today(written: WrittenCall, layout: Layout) -> list[str]:
    """Return the opposite of the expected behaviour: what the application does today."""
    expected = next((fact for fact in written.facts if fact.kind == "expected"), None)
    if expected is None or not isinstance(expected.value, Expectation):
        return [f"    assert {written.variable}.status_code >= 500"]
    client = str(expected.path[0])
    subject = expected_subject(expected.value, written.variable, client, holds=False)
    return layout.assertion(subject)


def raw_string(pattern: str) -> str:
    """Return the literal of a regular expression, raw when it contains backslashes."""
    plain = one_line(Text(pattern))
    if "\\" not in pattern or not pattern.isprintable() or pattern.endswith("\\"):
        return plain
    if '"' not in pattern:
        return f'r"{pattern}"'
    return f"r'{pattern}'" if "'" not in pattern else plain


def with_constants(node: Group, constants: Mapping[str, str]) -> Group:
    """Return a call with the names of shared payloads."""
    items = []
    for item in node.items:
        value = item.value
        if item.prefix in ("json=", "data=") and isinstance(value, Group):
            value = _named_payload(value, constants)
        items.append(Item(value, item.prefix, item.comment))
    return Group(node.opening, tuple(items), node.closing, node.is_call)


def _named_payload(payload: Group, constants: Mapping[str, str]) -> Node:
    base = base_of(payload)
    name = constants.get(one_line(base or payload))
    if name is None:
        return payload
    if base is None:
        return Atom(name)
    return Group("{", (Item(Atom(f"**{name}")), payload.items[-1]), "}")
