"""Remembers written tests, so that regeneration never changes edited ones.

The ledger is a JSON file beside the tests, to be committed with them: for every test, and every
fixture that tests share, the digest of its source. A test with another digest was edited. A test
that the ledger does not know was written or renamed by hand. Both are kept unchanged. The ledger
also says which run wrote which tests: a repeated run starts without its own tests, as the first
time.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass

LEDGER = ".evosearch.json"
"""Name of the file: hidden in listings, but not from ``git add``."""

VERSION = 1


@dataclass(frozen=True)
class Ledger:
    """Digests of written tests: ``file::test`` -> digest; None when nothing is remembered."""

    tests: Mapping[str, str] | None = None
    runs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Command with its seed -> sorted tests that this run wrote."""
    added: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """File -> digests of additions by the project's own hook, which it will add again."""

    @classmethod
    def parse(cls, text: str | None) -> Ledger:
        """Read a ledger; an unreadable one counts as missing."""
        try:
            content = json.loads(text) if text else None
        except ValueError:
            return cls()
        if not isinstance(content, dict) or content.get("version") != VERSION:
            return cls()
        tests, runs = content.get("tests"), content.get("runs", {})
        if not isinstance(tests, dict) or not isinstance(runs, dict):
            return cls()
        added = content.get("added", {})
        return cls(dict(tests), _texts_by_name(runs), _texts_by_name(added))

    def knows(self, file: str, name: str, source: str) -> bool:
        """Say whether a test or a fixture is unchanged since it was written."""
        return (self.tests or {}).get(f"{file}::{name}") == digest(source)

    def dump(self) -> str:
        """Return the ledger as text, equal for equal content."""
        content = {"version": VERSION, "runs": dict(self.runs), "tests": dict(self.tests or {})}
        if self.added:
            content["added"] = dict(self.added)
        return json.dumps(content, indent=1, sort_keys=True) + "\n"


def _texts_by_name(content: object) -> dict[str, tuple[str, ...]]:
    lists = content.items() if isinstance(content, dict) else ()
    return {name: tuple(map(str, one)) for name, one in lists if isinstance(one, list)}


def signed(ledger: Ledger, known: Ledger, run: str) -> Ledger:
    """Return `ledger` with `run` as the writer of each test, unless `known` names another writer.

    A test is identified by its digest, because it may have moved to another module.
    """
    before, tests = known.tests or {}, ledger.tests or {}
    writers = {
        before[address]: writer
        for writer, written in known.runs.items()
        for address in written
        if address in before
    }
    runs: dict[str, list[str]] = {}
    for address in sorted(tests):
        runs.setdefault(writers.get(tests[address], run), []).append(address)
    return replace(ledger, runs={writer: tuple(written) for writer, written in runs.items()})


def digest(source: str) -> str:
    """Return the digest of a test's source, without its name and trailing spaces."""
    lines = [line.rstrip() for line in source.strip().splitlines()]
    nameless = re.sub(
        r"^(async )?def \w+\(", "def (", "\n".join(lines), count=1, flags=re.MULTILINE
    )
    return hashlib.sha256(nameless.encode("utf-8", "replace")).hexdigest()[:16]


@dataclass(frozen=True)
class Definition:
    """A top-level statement of an existing module."""

    names: tuple[str, ...]
    """Names that it defines."""
    source: str
    is_test: bool
    is_import: bool
    is_block: bool
    """Whether it is a function or a class."""


@dataclass(frozen=True)
class ExistingModule:
    """A generated module as it is on disk."""

    definitions: tuple[Definition, ...] = ()
    readable: bool = True
    """False when it is not valid Python: then the whole file is left alone."""

    @property
    def tests(self) -> dict[str, str]:
        """Name -> source of every top-level test function."""
        return {one.names[0]: one.source for one in self.definitions if one.is_test}

    def without(self, digests: Collection[str]) -> ExistingModule:
        """Return the module without non-test definitions that have one of these digests."""
        if not digests:
            return self
        left = (one for one in self.definitions if one.is_test or digest(one.source) not in digests)
        return replace(self, definitions=tuple(left))

    @property
    def blocks(self) -> dict[str, str]:
        """Name -> source of every top-level function and class, including tests."""
        return {one.names[0]: one.source for one in self.definitions if one.is_block}


def parse_existing(text: str) -> ExistingModule:
    """Split an existing module; comments directly above a definition belong to it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ExistingModule(readable=False)
    lines = text.splitlines()
    found: list[Definition] = []
    previous_end = 0
    for node in tree.body:
        start = first_line(node)
        while start - 1 > previous_end and lines[start - 2].startswith("#"):
            start -= 1
        end = node.end_lineno or start
        source = "\n".join(lines[start - 1 : end])
        previous_end = end
        if not _is_docstring(node, tree):
            found.append(_definition(node, source))
    return ExistingModule(tuple(found))


def first_line(node: ast.stmt) -> int:
    """Return the first line of a statement, including its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _is_docstring(node: ast.stmt, tree: ast.Module) -> bool:
    return (
        node is tree.body[0]
        and isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _definition(node: ast.stmt, source: str) -> Definition:
    is_import = isinstance(node, (ast.Import, ast.ImportFrom))
    names = tuple(_defined_names(node))
    is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    is_test = is_function and bool(names) and names[0].startswith("test")
    is_block = is_function or isinstance(node, ast.ClassDef)
    return Definition(names, source, is_test, is_import, is_block)


def _defined_names(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    return sorted(
        {
            name.id
            for name in ast.walk(node)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        }
    )


@dataclass(frozen=True)
class Kept:
    """Parts of an existing module that must not change."""

    edited: Mapping[str, str] = field(default_factory=dict)
    """Name -> unchanged source of edited tests."""
    supporting: tuple[Definition, ...] = ()
    """Constants, functions, fixtures and imports that the kept tests use."""
    renamed_digests: frozenset[str] = frozenset()
    """Digests of our tests that exist under another name: not to be written again."""


def kept_of(
    file: str,
    existing: ExistingModule,
    ledger: Ledger,
    regenerated: Sequence[str],
    stays: Collection[str] = (),
) -> Kept:
    """Decide which parts of `existing` are kept; `regenerated` names the tests to write now.

    Kept are the user's changes, and the tests in `stays` (``file::test``).
    """
    edited: dict[str, str] = {}
    renamed: set[str] = set()
    for name, source in existing.tests.items():
        if ledger.tests is None:
            if name not in regenerated:
                edited[name] = source
            continue
        known = ledger.tests.get(f"{file}::{name}")
        if known == digest(source) and f"{file}::{name}" not in stays:
            continue
        edited[name] = source
        if known is None and digest(source) in ledger.tests.values():
            renamed.add(digest(source))
    by_hand = _written_by_hand(file, existing, ledger)
    if not edited and not by_hand:
        return Kept()
    return Kept(edited, _supporting(existing, edited, by_hand), frozenset(renamed))


def _written_by_hand(file: str, existing: ExistingModule, ledger: Ledger) -> list[Definition]:
    """Return functions and classes that are no tests, except unchanged fixtures of ours."""
    others = [one for one in existing.definitions if one.is_block and not one.is_test]
    return [one for one in others if not ledger.knows(file, one.names[0], one.source)]


def _supporting(
    existing: ExistingModule, edited: Mapping[str, str], by_hand: Sequence[Definition]
) -> tuple[Definition, ...]:
    """Return every non-test definition that the kept code needs, in source order."""
    needed = {name for source in edited.values() for name in _names_in(source)} | {"pytestmark"}
    chosen = list(by_hand)
    for one in by_hand:
        needed |= _names_in(one.source)
    while True:
        more = [
            one
            for one in existing.definitions
            if not one.is_test and one not in chosen and needed.intersection(one.names)
        ]
        if not more:
            break
        chosen.extend(more)
        needed = needed.union(*(_names_in(one.source) for one in more))
    return tuple(one for one in existing.definitions if one in chosen)


def _names_in(source: str) -> set[str]:
    tree = ast.parse(source)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    # A fixture is used by its name in an argument, or in a mark.
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return names | marked_fixtures(tree)


def marked_fixtures(tree: ast.AST) -> set[str]:
    """Return the names in ``pytest.mark.usefixtures(...)``."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    marks = [call for call in calls if getattr(call.func, "attr", "") == "usefixtures"]
    named = [argument for mark in marks for argument in mark.args]
    return {str(one.value) for one in named if isinstance(one, ast.Constant)}
