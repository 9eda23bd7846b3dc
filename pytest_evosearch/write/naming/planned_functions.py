"""Builds the functions of a module as they are planned."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.content.builder import Detail
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.builder import build_test
from pytest_evosearch.write.content.builder import named
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.naming.suite_names import Renaming
from pytest_evosearch.write.naming.suite_plan import Plan
from pytest_evosearch.write.naming.suite_plan import Planned
from pytest_evosearch.write.naming.suite_plan import _asserted
from pytest_evosearch.write.naming.suite_plan import _endpoint
from pytest_evosearch.write.naming.variants import merge


@dataclass(frozen=True)
class Verdicts:
    """What verification has decided so far."""

    lowered: AbstractSet[int] = frozenset()
    """Specimens that only assert their status."""
    struck: AbstractSet[int] = frozenset()
    """Specimens that are not written."""
    warnings: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Specimens that warnings made fail -> classes of the warnings."""
    populated: AbstractSet[int] = frozenset()
    """Specimens that do not hold without the accounts that fixtures make."""


def build_planned(
    planned: Planned,
    specimens: Sequence[Specimen],
    around: Surroundings,
    verdicts: Verdicts,
    plan: Plan,
    renaming: Renaming,
) -> list[tuple[WrittenTest, tuple[int, ...]]]:
    """Return the functions of one planned test with the specimens that each shows.

    Usually one; rows that only assert their status, or that no longer merge, become
    functions of their own, with names of their own.
    """
    alive = [index for index in planned.specimens if index not in verdicts.struck]
    if around.spared and any(index in verdicts.populated for index in alive):
        around = replace(around, spared=frozenset())
    full = [index for index in alive if index not in verdicts.lowered]
    lowered = [index for index in alive if index in verdicts.lowered]
    functions: list[tuple[WrittenTest, tuple[int, ...]]] = []
    for members, detail in ((full, Detail.FULL), (lowered, Detail.STATUS)):
        tests = {index: build_test(specimens[index], around, detail) for index in members}
        for test, rows in _merged(planned, tests, specimens, plan):
            asserted = _asserted([tests[index] for index in rows])
            name = _name_of(planned, rows, asserted, detail, renaming)
            issued = {one for index in rows for one in specimens[index].consequences.warnings}
            issued.update(one for index in rows for one in verdicts.warnings.get(index, ()))
            finished = replace(named(test, name), warnings=tuple(sorted(issued)))
            functions.append((finished, rows))
    return functions


def _merged(
    planned: Planned,
    tests: Mapping[int, WrittenTest],
    specimens: Sequence[Specimen],
    plan: Plan,
) -> list[tuple[WrittenTest, tuple[int, ...]]]:
    """Return one table of the tests of one detail, or each by itself."""
    merged = None
    if len(tests) > 1:
        labels = dict(zip(planned.specimens, planned.labels, strict=True))
        served = plan.bases.get(_endpoint(specimens[next(iter(tests))]), ())
        phrases = [labels.get(index, "") for index in tests]
        merged = merge(list(tests.values()), planned.subject, phrases, served)
    if merged is not None:
        return [(merged, tuple(tests))]
    return [(test, (index,)) for index, test in tests.items()]


def _name_of(
    planned: Planned,
    rows: tuple[int, ...],
    asserted: tuple[str, ...],
    detail: Detail,
    renaming: Renaming,
) -> str:
    """Return the planned name of a test that is as it was planned, else one of its own."""
    if (rows, asserted, detail) == (planned.specimens, planned.asserted, Detail.FULL):
        return renaming.keep(planned.name)
    group = replace(planned.group, members=rows)
    return renaming.name(planned.name, group, asserted, detail is Detail.STATUS)
