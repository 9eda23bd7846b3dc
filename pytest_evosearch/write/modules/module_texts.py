"""Module texts: header, imports, constants, tests."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field

from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import has_comment
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.written_calls import WrittenCall
from pytest_evosearch.write.modules.printing import payloads_of
from pytest_evosearch.write.modules.printing import print_test
from pytest_evosearch.write.naming.suite_plan import FAULTS
from pytest_evosearch.write.naming.suite_plan import MIXED

LONGEST_MODULE = 300
"""Most lines of a module; longer ones are split."""

PREFIX = "test_evosearch_"
"""Prefix of every module's name: basenames must be unique where folders are no packages."""

TERMS = "These tests are in the public domain (CC0): use them in any way."

STANDARD_IMPORTS = {
    **{name: f"import {name}" for name in ("io", "json", "math", "re", "httpx", "requests")},
    "ElementTree": "from xml.etree import ElementTree",
    "ANY": "from unittest.mock import ANY",
}
"""Name used in a test -> its import."""


@dataclass(frozen=True)
class Function:
    """One printed test or fixture."""

    name: str
    lines: tuple[str, ...]
    specimens: tuple[int, ...] = ()
    imports: frozenset[str] = frozenset()

    @property
    def source(self) -> str:
        """The text of the function, including decorators."""
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Module:
    """One module to write."""

    name: str
    """File name, ``test_evosearch_users.py``."""
    header: str
    functions: tuple[Function, ...]
    constants: tuple[str, ...] = ()
    """Source of each shared constant."""
    extra_imports: frozenset[str] = field(default_factory=frozenset)

    @property
    def text(self) -> str:
        """The source of the module."""
        return module_text(self)


def module_text(module: Module) -> str:
    """Return the source of a module in black's and isort's style."""
    lines = module.header.splitlines()
    imports = import_lines(module)
    if imports:
        lines.extend(imports)
    if module.constants:
        lines.append("")
        lines.extend("\n".join(module.constants).splitlines())
    for function in module.functions:
        lines.extend(["", "", *function.lines])
    return "\n".join(lines) + "\n"


def import_lines(module: Module) -> list[str]:
    """Return the imports that the functions need: standard library first, then others."""
    code = "\n".join([*module.constants, *(function.source for function in module.functions)])
    used = names_used(code)
    needed = {line for name, line in STANDARD_IMPORTS.items() if name in used}
    others = {line for function in module.functions for line in function.imports}
    others |= module.extra_imports
    if "pytest" in used:
        others.add("import pytest")
    return _import_block(needed, others)


def with_standard_imports(text: str) -> str:
    """Return a module with exactly those of `STANDARD_IMPORTS` that it uses."""
    tree = ast.parse(text)
    used = names_used(text)
    lines = text.splitlines()
    present = [line for line in STANDARD_IMPORTS.values() if line in lines]
    wanted = [line for name, line in STANDARD_IMPORTS.items() if name in used]
    if set(present) == set(wanted):
        return text
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    start = tree.body[0].end_lineno or 0
    end = max((node.end_lineno or 0 for node in imports), default=start)
    others = [line for line in lines[start:end] if line.strip() and line not in present]
    return "\n".join([*lines[:start], *_import_block(wanted, others), *lines[end:]]) + "\n"


def _import_block(needed: Iterable[str], others: Iterable[str]) -> list[str]:
    """Return imports in isort's style, with a blank line above."""
    every = {*needed, *others}
    standard = sorted((line for line in every if _is_standard(line)), key=_import_order)
    third_party = sorted(every - set(standard), key=_import_order)
    gap = [""] if standard and third_party else []
    return ["", *standard, *gap, *third_party] if every else []


def names_used(code: str) -> set[str]:
    """Return every name that `code` mentions."""
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def _strip_strings(code: str) -> str:
    """Return `code` without the content of plain string literals and comments."""
    literal = re.compile(r"""(f?)("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|#[^\n]*""")
    return literal.sub(lambda match: match[0] if match[1] else '""', code)


def _is_standard(line: str) -> bool:
    return line.split()[1].partition(".")[0] in sys.stdlib_module_names


def _import_order(line: str) -> tuple[bool, str, str]:
    """Return a sort key: plain imports before ``from`` imports, each by module."""
    return (line.startswith("from"), line.split()[1].lower(), line)


_FAULT_HEADERS = {
    "xfail": (
        "each test fails today and is marked so.",
        (
            "When you fix one, pytest reports XPASS(strict) as a failure: delete its ``xfail``\n"
            "mark and the test guards the fix.  See them all with:  pytest -rx"
        ),
    ),
    "raises": (
        "each test shows one of today's failures.",
        "When you fix one, its test fails: say there what the application should do instead.",
    ),
    "fail": (
        "each test fails today.",
        "When you fix one, its test passes and guards the fix.",
    ),
}
"""How faults are written -> end of the first line, and what to do."""


def header_of(name: str, tool: str, command: str, faults: str = "xfail", extent: str = "") -> str:
    """Return the docstring of the module `name` (a resource, ``faults`` or ``app``).

    `extent` says how the tests were verified, where the time was too short for everything.
    """
    verified = "".join(f"{line}\n" for line in _sentence(extent))
    if name == FAULTS:
        summary, advice = _FAULT_HEADERS.get(faults, _FAULT_HEADERS["xfail"])
        return (
            f'"""Faults found by {tool}: {summary}\n\n'
            f"{advice}\n\n"
            f"{_regeneration(command)}\n"
            "Tests you edit or rename are kept when the file is regenerated.\n"
            f'{verified}{TERMS}\n"""'
        )
    subject = "the application" if name == MIXED else f"``{name}``"
    return (
        f'"""Tests for {subject}, generated by {tool}.\n\n'
        f"{_regeneration(command)}\n"
        "Needs only pytest and this project's own fixtures; the plugin is not needed to run\n"
        "this file.  Tests you edit or rename are kept when the file is regenerated.\n"
        f'{verified}{TERMS}\n"""'
    )


def _sentence(text: str) -> list[str]:
    """Return `text` as lines of a docstring, with a capital letter and a full stop."""
    return textwrap.wrap(f"{text[0].upper()}{text[1:]}.", 79) if text else []


def _regeneration(command: str) -> str:
    """Return the line about regeneration; a long command gets lines of its own."""
    safe = command.replace("\\", "/").replace('"""', "'''")  # as it is typed in a shell
    line = f"Regenerate with:  {safe}"
    if len(line) <= 79:
        return line
    return "\n".join(["Regenerate with:", "", *_wrapped(safe), ""])


def _wrapped(command: str) -> list[str]:
    return textwrap.wrap(
        command,
        79,
        initial_indent="    ",
        subsequent_indent="        ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def print_functions(
    tests: Sequence[tuple[WrittenTest, tuple[int, ...]]],
    layout: Layout,
    constants: Mapping[str, str],
) -> list[Function]:
    """Return the printed tests; `constants` maps the code of payloads to names."""
    functions = []
    for test, specimens in tests:
        lines = tuple(print_test(test, layout, constants))
        functions.append(Function(test.name, lines, specimens, _library_imports(test)))
    return functions


def _library_imports(test: WrittenTest) -> frozenset[str]:
    mark = test.mark
    if mark is None or not mark.module or mark.mode == "fail":
        return frozenset()
    return frozenset({f"from {mark.module} import {mark.exception}"})


def shared_constants(
    bodies: Iterable[Sequence[WrittenCall]], taken: AbstractSet[str] = frozenset()
) -> dict[str, str]:
    """Return code -> name of payloads with two or more keys that are sent twice or more.

    `bodies` are the calls of each test and fixture. Only payloads of successful calls count: a
    refused payload must be visible in its test. Names in `taken` are not used.
    """
    counts: dict[str, int] = {}
    nouns: dict[str, str] = {}
    for calls in bodies:
        for payload in payloads_of(calls):
            node, code = payload.node, one_line(payload.node)
            if len(node.items) < 2 or has_comment(node) or not _is_constant(node):
                continue
            counts[code] = counts.get(code, 0) + 1
            if payload.is_served:
                nouns.setdefault(code, payload.noun)
    constants: dict[str, str] = {}
    for code, noun in nouns.items():
        if counts[code] >= 2:
            constants[code] = _constant_name(noun, {*constants.values(), *taken})
    return constants


def _is_constant(payload: Group) -> bool:
    """Say whether a payload consists only of literals, without variables and open files."""
    code = _strip_strings(one_line(payload))
    return not re.search(r"[A-Za-z_]", re.sub(r"\b(None|True|False|float|b|f)\b", "", code))


def _constant_name(noun: str, taken: Iterable[str]) -> str:
    name = noun.upper()
    return first_free((name, f"OTHER_{name}"), set(taken))


def constant_sources(
    constants: Mapping[str, str], bodies: Iterable[Sequence[WrittenCall]], layout: Layout
) -> list[str]:
    """Return the assignments of the shared constants."""
    payloads = [payload for calls in bodies for payload in payloads_of(calls)]
    nodes = {one_line(payload.node): payload.node for payload in payloads}
    return [
        "\n".join(layout.statement(f"{name} = ", nodes[code] if code in nodes else node_of(code)))
        for code, name in constants.items()
    ]
