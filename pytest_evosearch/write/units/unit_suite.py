"""Writes tests of units: one file for each module, beside its place until the tests hold."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.atomic import write_atomically
from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import recipes_in
from pytest_evosearch.problem.units.public_places import public_module
from pytest_evosearch.problem.units.results import parts_of
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.write.code.formatting import project_layout
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.modules.ledger import LEDGER
from pytest_evosearch.write.modules.ledger import Kept
from pytest_evosearch.write.modules.ledger import Ledger
from pytest_evosearch.write.modules.ledger import digest
from pytest_evosearch.write.modules.ledger import kept_of
from pytest_evosearch.write.modules.ledger import signed
from pytest_evosearch.write.modules.module_files import check_writable
from pytest_evosearch.write.modules.module_files import discard_files
from pytest_evosearch.write.modules.module_files import existing_modules
from pytest_evosearch.write.modules.module_files import prepare_folder
from pytest_evosearch.write.modules.module_files import read_ledger
from pytest_evosearch.write.modules.module_files import relative
from pytest_evosearch.write.modules.module_files import write_ledger
from pytest_evosearch.write.modules.module_texts import PREFIX
from pytest_evosearch.write.modules.module_texts import Function
from pytest_evosearch.write.modules.module_texts import Module
from pytest_evosearch.write.modules.module_texts import header_of
from pytest_evosearch.write.stage import staged
from pytest_evosearch.write.units.related_units import name_of_relation
from pytest_evosearch.write.units.related_units import relation_lines
from pytest_evosearch.write.units.spelled_values import Spelling
from pytest_evosearch.write.units.unit_functions import UnitFunction
from pytest_evosearch.write.units.unit_names import has_acting_option
from pytest_evosearch.write.units.unit_names import longer_names
from pytest_evosearch.write.units.unit_names import name_of_test
from pytest_evosearch.write.units.unit_names import name_of_unit
from pytest_evosearch.write.units.unit_names import names_with_options
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen
from pytest_evosearch.write.units.unit_tables import FEWEST_ROWS
from pytest_evosearch.write.units.unit_tables import MOST_ROWS
from pytest_evosearch.write.units.unit_tables import Form
from pytest_evosearch.write.units.unit_tables import form_of
from pytest_evosearch.write.units.unit_tables import table_lines
from pytest_evosearch.write.verification.verdicts import Failure
from pytest_evosearch.write.verification.verify import Verifier
from pytest_evosearch.write.written_suite import WrittenSuite

NAMES = "some names of tests"
TEXTS = "some texts of tests"
"""How notices name these parts."""

MOST_ROUNDS = 5
"""Most verifications of one suite; each drops the tests that failed in it."""


@dataclass(frozen=True)
class UnitBrief:
    """Where tests of units are written, and what their headers say."""

    folder: Path
    root: Path
    command: str
    run: str
    version: str
    safe: Safekeeping | None = None
    fence: Fence = field(default_factory=Fence)
    """Collects failures of names and texts of single tests."""
    mark: str = ""
    """The mark of the project's tests that are coroutines."""


@dataclass
class _Draft:
    """The specimens, and which of them are still to be written."""

    specimens: Sequence[UnitSpecimen]
    brief: UnitBrief
    layout: Layout
    dropped: dict[int, str] = field(default_factory=dict)
    """Specimen -> why it has no test."""
    texts: dict[str, str] = field(default_factory=dict)
    functions: dict[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    """(file, test) -> specimens, one for each row."""
    digests: dict[str, str] = field(default_factory=dict)
    is_unproven: bool = False
    """Whether verification had no results for single tests."""


def write_units(
    specimens: Sequence[UnitSpecimen], brief: UnitBrief, verifier: Verifier | None
) -> WrittenSuite:
    """Write `specimens` as pytest modules, and keep those that `verifier` confirms."""
    check_writable(brief.folder)
    safe = brief.safe or Safekeeping(brief.root)
    draft = _Draft(specimens, brief, project_layout(brief.root))
    with staged(brief.folder, brief.root, safe) as stage:
        made = prepare_folder(stage.folder, Support())
        notice = _written_until_it_holds(draft, stage.folder, verifier)
        if not draft.texts:
            discard_files(stage.folder, made)
        edited = stage.settle()
    if edited:
        notice = f"edited during verification, left unchanged: {', '.join(edited)}"
    return _summary(draft, notice)


def _written_until_it_holds(draft: _Draft, folder: Path, verifier: Verifier | None) -> str:
    """Write and verify in turn, and drop what fails; return a notice, or an empty text."""
    for _ in range(MOST_ROUNDS):
        _write(draft, folder)
        if verifier is None or not draft.functions:
            return ""
        verdict = verifier(folder, len(draft.functions))
        if verdict.broken:
            draft.is_unproven = True
            return verdict.broken
        failing = _specimens_of(verdict.failures, draft)
        if not failing:
            return "; ".join(verdict.notices)
        draft.dropped.update(failing)
    _write(draft, folder)
    return ""


def _specimens_of(failures: Iterable[Failure], draft: _Draft) -> dict[int, str]:
    found: dict[int, str] = {}
    for failure in failures:
        for (file, test), members in draft.functions.items():
            if file == failure.file and failure.test in ("", test):
                rows = members if failure.row is None else members[failure.row : failure.row + 1]
                found.update(dict.fromkeys(rows or members, failure.reason))
    return found


def _write(draft: _Draft, folder: Path) -> None:
    """Write all modules, with what people edited in them."""
    draft.texts, draft.functions, draft.digests = {}, {}, {}
    ledger = read_ledger(draft.brief.folder / LEDGER)
    existing = existing_modules(draft.brief.folder) if draft.brief.folder.is_dir() else {}
    by_module: dict[str, list[int]] = {}
    for index, specimen in enumerate(draft.specimens):
        members = by_module.setdefault(_home_of(specimen.unit), [])
        if index not in draft.dropped:
            members.append(index)
    for module, members in by_module.items():
        file = _file_of(module)
        functions = _functions(module, members, draft)
        kept = Kept()
        if file in existing:
            if not existing[file].readable:
                reason = f"{file} is no longer valid Python: fix or remove it"
                draft.dropped.update(dict.fromkeys(members, reason))
                continue
            names = [function.name for function in functions]
            kept = kept_of(file, existing[file], ledger, names)
        _assemble(file, module, functions, kept, ledger, draft)
    for file, text in draft.texts.items():
        write_atomically(folder / file, text)
    searched = {_file_of(_home_of(one.unit)) for one in draft.specimens}
    for file in searched - draft.texts.keys():
        if file not in existing or existing[file].readable:
            (folder / file).unlink(missing_ok=True)  # all its tests were ours, and unchanged
    others = {
        address: known
        for address, known in (ledger.tests or {}).items()
        if address.partition("::")[0] not in searched
    }
    signature = signed(Ledger({**others, **draft.digests}), ledger, draft.brief.run)
    write_ledger(folder / LEDGER, signature)


def _home_of(unit: Unit) -> str:
    """Return the module in whose file the tests of a unit are."""
    return public_module(unit.module, unit.name)


def _file_of(module: str) -> str:
    """Return the name of a file, which differs from those of the application's tests."""
    return f"{PREFIX}units_{module.replace('.', '_')}.py"


def _assemble(
    file: str,
    module: str,
    functions: Sequence[Function],
    kept: Kept,
    ledger: Ledger,
    draft: _Draft,
) -> None:
    written: list[Function] = []
    for function in functions:
        if function.name in kept.edited or digest(function.source) in kept.renamed_digests:
            continue
        written.append(function)
        draft.functions[file, function.name] = function.specimens
        draft.digests[f"{file}::{function.name}"] = digest(function.source)
    for name, source in kept.edited.items():
        written.append(Function(name, tuple(source.splitlines())))
        known = (ledger.tests or {}).get(f"{file}::{name}")
        if known is not None:
            draft.digests[f"{file}::{name}"] = known
    if not written:
        return
    supporting = kept.supporting
    draft.texts[file] = Module(
        name=file,
        header=header_of(module, f"pytest-evosearch {draft.brief.version}", draft.brief.command),
        functions=(
            *(
                Function(one.names[0], tuple(one.source.splitlines()))
                for one in supporting
                if one.is_block and one.names
            ),
            *written,
        ),
        constants=tuple(one.source for one in supporting if not one.is_block and not one.is_import),
        extra_imports=frozenset(one.source for one in supporting if one.is_import),
    ).text


def _functions(module: str, members: Sequence[int], draft: _Draft) -> list[Function]:
    """Return the tests of one module: tables, and tests that stand alone."""
    fence = draft.brief.fence
    taken = _names_by_module([draft.specimens[index] for index in members])
    groups: dict[object, list[int]] = {}
    for index in members:
        specimen = draft.specimens[index]
        form = fence.run(TEXTS, form_of, specimen, Spelling(module, taken), otherwise=None)
        groups.setdefault(index if form is None else form, []).append(index)
    found: list[Function] = []
    names: set[str] = set()
    for shared, rows in groups.items():
        parts = [rows[at : at + MOST_ROWS] for at in range(0, len(rows), MOST_ROWS)]
        for part in parts:
            if isinstance(shared, Form) and len(part) >= FEWEST_ROWS:
                given = part, Spelling(module, taken, mark=draft.brief.mark), names, draft
                table = fence.run(TEXTS, _table, *given, otherwise=None)
                if table is not None:
                    found.append(table)
                    continue
            for index in part:
                given_alone = index, Spelling(module, taken, mark=draft.brief.mark), names, draft
                alone = fence.run(TEXTS, _alone, *given_alone, otherwise=None)
                if alone is not None:
                    found.append(alone)
                else:
                    draft.dropped.setdefault(index, "its text could not be made")
    return found


def _table(rows: Sequence[int], spelling: Spelling, names: set[str], draft: _Draft) -> Function:
    specimens = [draft.specimens[index] for index in rows]
    fence = draft.brief.fence
    candidates = [_common_name(specimens, fence)]
    if candidates[0] == _name(specimens[0], fence):
        idle = frozenset[str].intersection(*(one.idle for one in specimens))
        shown = replace(specimens[0], idle=idle)
        candidates += fence.run(NAMES, names_with_options, shown, otherwise=[])
        candidates[:0] = _with_acting(shown, fence)
    lines = table_lines("test", specimens, spelling, draft.layout)
    return _named(candidates, lines, rows, spelling, names)


def _alone(index: int, spelling: Spelling, names: set[str], draft: _Draft) -> Function | None:
    specimen = draft.specimens[index]
    if specimen.relation is not None:
        name = name_of_relation(specimen.relation)
        lines = relation_lines("test", specimen, specimen.relation, spelling, draft.layout)
        return _named([name], lines, [index], spelling, names)
    printed = UnitFunction(specimen, spelling, draft.layout).lines("test")
    if printed is None:
        draft.dropped[index] = "its result cannot be asserted"
        return None
    fence = draft.brief.fence
    longer = fence.run(NAMES, longer_names, specimen, otherwise=[])
    candidates = [*_with_acting(specimen, fence), _name(specimen, fence), *longer]
    if names.issuperset(candidates) and _is_covered_by_others(specimen, draft):
        draft.dropped[index] = "another test of its name covers as much"
        return None
    return _named(candidates, printed, [index], spelling, names)


def _is_covered_by_others(specimen: UnitSpecimen, draft: _Draft) -> bool:
    """Say whether other written tests of a unit run all the code that a test runs."""
    others = frozenset().union(
        *(
            one.targets
            for at, one in enumerate(draft.specimens)
            if one is not specimen and at not in draft.dropped and one.unit == specimen.unit
        )
    )
    return all(one in others for one in specimen.targets if kind_of(one) != STATUS)


def _named(
    candidates: Sequence[str],
    lines: Sequence[str],
    rows: Sequence[int],
    spelling: Spelling,
    names: set[str],
) -> Function:
    """Return a test under the first free name."""
    free = first_free(candidates, names)
    names.add(free)
    head = f"async def {free}(" if spelling.awaits else f"def {free}("
    text = [line.replace("def test(", head, 1) for line in lines]
    if spelling.awaits:
        text.insert(0, f"@pytest.mark.{spelling.mark}")
    return Function(free, tuple(text), tuple(rows), frozenset(spelling.imports))


def _name(specimen: UnitSpecimen, fence: Fence) -> str:
    return fence.run(NAMES, name_of_test, specimen, otherwise=name_of_unit(specimen.unit))


def _with_acting(specimen: UnitSpecimen, fence: Fence) -> list[str]:
    """Return the name with the options of a test where one acts: it says what is tested."""
    acts = has_acting_option(specimen)
    return fence.run(NAMES, names_with_options, specimen, otherwise=[]) if acts else []


def _common_name(specimens: Sequence[UnitSpecimen], fence: Fence) -> str:
    names = {_name(one, fence) for one in specimens}
    return names.pop() if len(names) == 1 else name_of_unit(specimens[0].unit)


def _names_by_module(specimens: Iterable[UnitSpecimen]) -> dict[str, str]:
    """Return each first name that tests mention -> the one module that it is imported from."""
    found: dict[str, str] = {}
    for specimen in specimens:
        alike = specimen.result.alike
        values: list[object] = [specimen.result.value, alike and alike.kind]
        for one in (one for row in (specimen, *specimen.rows) for one in row.test.calls):
            named = specimen.units[one.unit]
            found.setdefault(named.name.partition(".")[0], _home_of(named))
            values += one.values().values()
        for value in values:
            for part in parts_of(value):
                for recipe in recipes_in(part):
                    if isinstance(recipe, Made):
                        recipe = recipe.function
                    if isinstance(recipe, Named) and recipe.module != "builtins":
                        module = public_module(recipe.module, recipe.name)
                        found.setdefault(recipe.name.partition(".")[0], module)
    return found


def _summary(draft: _Draft, notice: str) -> WrittenSuite:
    def address(file: str, test: str) -> str:
        return f"{relative(draft.brief.folder / file, draft.brief.root)}::{test}"

    return WrittenSuite(
        files=[
            relative(draft.brief.folder / name, draft.brief.root) for name in sorted(draft.texts)
        ],
        tests=len(draft.functions),
        dropped=[
            (draft.specimens[index].unit.key, reason)
            for index, reason in sorted(draft.dropped.items())
        ],
        unverified=[address(*one) for one in draft.functions] if draft.is_unproven else [],
        test_of={
            index: address(file, test)
            for (file, test), members in draft.functions.items()
            for index in members
        },
        reasons=draft.dropped,
        notice=notice,
    )
