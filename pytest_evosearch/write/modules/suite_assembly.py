"""Assembles module texts from a plan, the present verdicts, and people's changes."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.modules.ledger import Definition
from pytest_evosearch.write.modules.ledger import ExistingModule
from pytest_evosearch.write.modules.ledger import Kept
from pytest_evosearch.write.modules.ledger import Ledger
from pytest_evosearch.write.modules.ledger import digest
from pytest_evosearch.write.modules.ledger import kept_of
from pytest_evosearch.write.modules.module_texts import LONGEST_MODULE
from pytest_evosearch.write.modules.module_texts import PREFIX
from pytest_evosearch.write.modules.module_texts import Function
from pytest_evosearch.write.modules.module_texts import Module
from pytest_evosearch.write.modules.module_texts import constant_sources
from pytest_evosearch.write.modules.module_texts import header_of
from pytest_evosearch.write.modules.module_texts import print_functions
from pytest_evosearch.write.modules.module_texts import shared_constants
from pytest_evosearch.write.modules.printing import MODULE_MARK
from pytest_evosearch.write.modules.printing import module_mark
from pytest_evosearch.write.modules.printing import print_test
from pytest_evosearch.write.modules.shared_openings import Opening
from pytest_evosearch.write.modules.shared_openings import print_opening
from pytest_evosearch.write.modules.shared_openings import share_openings
from pytest_evosearch.write.naming.planned_functions import Verdicts
from pytest_evosearch.write.naming.planned_functions import build_planned
from pytest_evosearch.write.naming.suite_plan import Plan
from pytest_evosearch.write.naming.suite_plan import Planned

Built = tuple[WrittenTest, tuple[int, ...]]
"""A test and the specimens that it shows."""

OVERHEAD = 30
"""Approximate lines of a module besides its tests."""

TOLERANCE = 1.25
"""Factor by which a module may exceed its length before it is split."""

FEWEST_WARNED = 3
"""Fewest tests with a warning for the whole module to allow it.

They must also be at least half of the module's tests.
"""


@dataclass(frozen=True)
class Draft:
    """The complete input for the texts."""

    plan: Plan
    specimens: Sequence[Specimen]
    around: Surroundings
    layout: Layout
    tool: str
    command: str
    existing: Mapping[str, ExistingModule] = field(default_factory=dict)
    ledger: Ledger = field(default_factory=Ledger)
    namesakes: frozenset[str] = frozenset()
    """Names of files that would hide a module of this folder when pytest imports both."""
    stays: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Unchanged tests of an earlier run -> specimens that they show."""
    wandering: tuple[str, ...] = ()
    """Classes of warnings that appear sometimes in one test, sometimes in another."""
    extent: str = ""
    """How the tests were verified; empty where all were, in all circumstances."""


@dataclass
class Assembly:
    """The texts to write, and the places of tests."""

    texts: dict[str, str] = field(default_factory=dict)
    """File name -> source."""
    functions: dict[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    """(file, test) of everything generated -> specimens, one for each row."""
    digests: dict[str, str] = field(default_factory=dict)
    added: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """File name -> digests of the project's own additions to the text."""
    wandering: tuple[str, ...] = ()
    """Classes of warnings that every module allows."""
    skipped: dict[int, str] = field(default_factory=dict)
    """Specimens that cannot be written to any file -> reason."""

    @property
    def ledger(self) -> Ledger:
        """The ledger to remember."""
        return Ledger(self.digests, added=self.added)


def assemble(draft: Draft, verdicts: Verdicts) -> Assembly:
    """Return the texts of all modules."""
    assembly = Assembly(wandering=draft.wandering)
    modules: dict[str, list[Planned]] = {}
    for planned in draft.plan.tests:
        modules.setdefault(planned.module, []).append(planned)
    for name, members in modules.items():
        _assemble_module(name, members, draft, verdicts, assembly)
    for file, module in draft.existing.items():
        if file not in assembly.texts and module.readable:
            _keep_leftovers(file, draft, assembly)
    return assembly


def _assemble_module(
    name: str, members: Sequence[Planned], draft: Draft, verdicts: Verdicts, assembly: Assembly
) -> None:
    tests: list[Built] = []
    renaming = draft.plan.renaming(name)
    for planned in members:
        tests += build_planned(
            planned, draft.specimens, draft.around, verdicts, draft.plan, renaming
        )
    if not tests:
        return
    elsewhere = _edited_elsewhere(name, draft, [test.name for test, _ in tests])
    for part in _parts(tests, draft.layout):
        file = _free_file(name, assembly, draft)
        if not draft.existing.get(file, ExistingModule()).readable:
            reason = f"{file} is no longer valid Python: fix or remove it"
            assembly.skipped.update((index, reason) for _, rows in part for index in rows)
            continue
        kept = _kept(file, draft, [test.name for test, _ in part])
        written = [
            (test, rows) for test, rows in part if test.name not in elsewhere - set(kept.edited)
        ]
        _assemble_file(file, name, written, kept, draft, assembly)


def _free_file(name: str, assembly: Assembly, draft: Draft) -> str:
    """Return ``test_evosearch_users.py``, or the first free of ``_2``, ``_3`` ..."""
    taken = {file.removesuffix(".py") for file in (*assembly.texts, *draft.namesakes)}
    return f"{first_free([f'{PREFIX}{name}'], taken)}.py"


def _parts(tests: Sequence[Built], layout: Layout) -> list[list[Built]]:
    """Split the tests of a module into parts of about equal length, none much too long."""
    shortened, _openings = share_openings([test for test, _ in tests], layout)
    heights = [len(print_test(test, layout, {})) + 2 for test in shortened]
    number = math.ceil(sum(heights) / (LONGEST_MODULE * TOLERANCE - OVERHEAD))
    parts: list[list[Built]] = [[] for _ in range(max(1, number))]
    lines = 0
    for built, height in zip(tests, heights, strict=True):
        place = lines * len(parts) // max(1, sum(heights))
        parts[place].append(built)
        lines += height
    return [part for part in parts if part]


def _kept(file: str, draft: Draft, regenerated: Sequence[str]) -> Kept:
    existing = draft.existing.get(file)
    if existing is None or not existing.readable:
        return Kept()
    return kept_of(file, existing, draft.ledger, regenerated, draft.stays)


def _edited_elsewhere(name: str, draft: Draft, regenerated: Sequence[str]) -> set[str]:
    """Return the names of edited tests in any part of a module: they are not written again."""
    found: set[str] = set()
    for file in draft.existing:
        part_of_module = re.fullmatch(rf"{PREFIX}{name}(_\d+)?\.py", file)
        if part_of_module and draft.ledger.tests is not None:
            found.update(_kept(file, draft, regenerated).edited)
    return found


def _assemble_file(
    file: str,
    name: str,
    tests: Sequence[Built],
    kept: Kept,
    draft: Draft,
    assembly: Assembly,
) -> None:
    fresh = [(test, rows) for test, rows in tests if test.name not in kept.edited]
    taken = {one for definition in kept.supporting for one in definition.names}
    marked = () if MODULE_MARK in taken else _common_warnings(fresh, draft)
    fresh = [(_without_warnings(test, marked), rows) for test, rows in fresh]
    fresh, openings = _with_openings(fresh, kept, taken, draft)
    bodies = [opening.calls for opening in openings] + [test.calls for test, _ in fresh]
    constants = shared_constants(bodies, taken)
    printed = {one.name: one for one in print_functions(fresh, draft.layout, constants)}
    functions = _functions(file, tests, printed, kept, draft, assembly)
    sources = constant_sources(constants, bodies, draft.layout)
    sources = [*module_mark(marked, draft.layout), *sources]
    assembly.texts[file] = Module(
        name=file,
        header=header_of(name, draft.tool, draft.command, draft.around.faults, draft.extent),
        functions=(
            *_definitions(kept.supporting),
            *_fixtures(file, openings, constants, kept, draft, assembly),
            *_in_known_order(functions, list(draft.existing.get(file, ExistingModule()).tests)),
        ),
        constants=(*_assignments(kept.supporting), *sources),
        extra_imports=_imports(kept.supporting),
    ).text


def _functions(
    file: str,
    tests: Sequence[Built],
    printed: Mapping[str, Function],
    kept: Kept,
    draft: Draft,
    assembly: Assembly,
) -> list[Function]:
    """Return the tests of a module: new ones, those that people edited, and what they left."""
    functions: list[Function] = []
    for test, rows in _readable(tests, printed, assembly):
        function = printed.get(test.name)
        if function is None:
            functions.append(_verbatim(test.name, kept.edited[test.name]))
            _remember(assembly, draft, file, test.name)
        elif digest(function.source) not in kept.renamed_digests:
            functions.append(function)
            assembly.functions[(file, test.name)] = rows
            assembly.digests[f"{file}::{test.name}"] = digest(function.source)
    written = {test.name for test, _ in tests}
    for leftover, source in kept.edited.items():
        if leftover not in written:
            functions.append(_verbatim(leftover, source))
            _remember(assembly, draft, file, leftover)
    return functions


def _readable(
    tests: Sequence[Built], printed: Mapping[str, Function], assembly: Assembly
) -> Iterator[Built]:
    """Yield the tests that are valid Python; an invalid one (our mistake) costs no other."""
    for test, rows in tests:
        function = printed.get(test.name)
        try:
            if function is not None:
                ast.parse(function.source)
        except (SyntaxError, ValueError) as error:
            reason = f"{test.name} would not be valid Python: {error}"
            assembly.skipped.update((index, reason) for index in rows)
        else:
            yield test, rows


def _common_warnings(tests: Sequence[Built], draft: Draft) -> tuple[str, ...]:
    """Return the warnings that a module allows, as one mark instead of many."""
    issued = Counter(warning for test, _ in tests for warning in test.warnings)
    common = {
        warning
        for warning, times in issued.items()
        if times >= FEWEST_WARNED and times * 2 >= len(tests)
    }
    return tuple(sorted({*draft.wandering, *common}))


def _without_warnings(test: WrittenTest, marked: Sequence[str]) -> WrittenTest:
    left = tuple(one for one in test.warnings if one not in marked)
    return replace(test, warnings=left) if left != test.warnings else test


def _with_openings(
    tests: Sequence[Built], kept: Kept, taken: AbstractSet[str], draft: Draft
) -> tuple[list[Built], list[Opening]]:
    """Let the tests of a file share their first calls; kept fixtures are reused.

    `taken` are the names in the file.
    """
    present = {digest(one.source): one.names[0] for one in kept.supporting if one.is_block}
    shortened, openings = share_openings(
        [test for test, _ in tests],
        draft.layout,
        taken | draft.around.taken_fixtures,
        present,
    )
    return [(test, rows) for test, (_, rows) in zip(shortened, tests, strict=True)], openings


def _fixtures(
    file: str,
    openings: Sequence[Opening],
    constants: Mapping[str, str],
    kept: Kept,
    draft: Draft,
    assembly: Assembly,
) -> list[Function]:
    """Return the printed openings; remember them and kept ones like tests."""
    for one in kept.supporting:
        if one.is_block:
            _remember(assembly, draft, file, one.names[0])
    functions = []
    for opening in openings:
        lines = print_opening(opening, draft.layout, constants)
        functions.append(Function(opening.name, tuple(lines)))
        assembly.digests[f"{file}::{opening.name}"] = digest(functions[-1].source)
    return functions


def _in_known_order(functions: Sequence[Function], known: Sequence[str]) -> list[Function]:
    """Keep the order of existing tests; new ones follow in their own order."""
    places = {name: place for place, name in enumerate(known)}
    return sorted(functions, key=lambda function: places.get(function.name, len(places)))


def _verbatim(name: str, source: str) -> Function:
    return Function(name, tuple(source.splitlines()))


def _definitions(supporting: Sequence[Definition]) -> list[Function]:
    """Return the functions and classes that people added."""
    return [_verbatim(one.names[0], one.source) for one in supporting if one.is_block and one.names]


def _assignments(supporting: Sequence[Definition]) -> list[str]:
    return [one.source for one in supporting if not one.is_block and not one.is_import]


def _imports(supporting: Sequence[Definition]) -> frozenset[str]:
    return frozenset(_without_comments(one.source) for one in supporting if one.is_import)


def _without_comments(source: str) -> str:
    """Return an import without the comments above it, which belong to the head of the module."""
    return "\n".join(line for line in source.splitlines() if not line.startswith("#"))


def _remember(assembly: Assembly, draft: Draft, file: str, name: str) -> None:
    """Keep the digest of an edited test, so that it counts as edited next time."""
    address = f"{file}::{name}"
    if address in draft.stays:
        assembly.functions[file, name] = draft.stays[address]
    known = (draft.ledger.tests or {}).get(address)
    if known is not None:
        assembly.digests[address] = known


def _keep_leftovers(file: str, draft: Draft, assembly: Assembly) -> None:
    """Write a module without generated tests that still contains a person's code."""
    kept = _kept(file, draft, ())
    if not kept.edited and not kept.supporting:
        return
    name = file.removeprefix(PREFIX).removesuffix(".py")
    whole = re.sub(r"_\d+$", "", name)
    is_part = f"{PREFIX}{whole}.py" in draft.existing
    _assemble_file(file, whole if is_part else name, (), kept, draft, assembly)
