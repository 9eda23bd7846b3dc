from __future__ import annotations

from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from pytest_evosearch.instrument.catalog import Catalog
from pytest_evosearch.instrument.catalog import ModuleEntry
from pytest_evosearch.instrument.transformation.nodes import unit_of
from pytest_evosearch.instrument.transformation.plan import ModulePlan
from pytest_evosearch.instrument.transformation.transform import instrument

SOURCE = '''\
"""Docstring."""

def f(a, b):
    """Docstring."""
    if a and b:
        x = 1
    elif not a:
        x = "two"
    else:
        return 3.5
    for i in b:
        while i:
            i -= 1
        else:
            x = 4
    try:
        y = [j for j in b if j if j > 1]
    except ValueError:
        y = b"b"
    if y:
        raise KeyError
    z: "annotation" = (lambda: a or b)()
    match z:
        case 1:
            pass
        case _ if a:
            pass
    return z
'''


def catalog_of(source: str, path: str = "pkg/m.py", level: int = 3) -> Catalog:
    catalog = Catalog()
    catalog.add(ModuleEntry("pkg.m", path, Path("/x") / path, instrument(source, path, level)[1]))
    return catalog


def test_targets_are_ordered_by_path_whatever_the_order_of_imports() -> None:
    first, second = (
        ModuleEntry(
            name, f"{name}.py", Path(f"{name}.py"), instrument("x = 1\n", f"{name}.py", 3)[1]
        )
        for name in ("a", "b")
    )
    forwards, backwards = Catalog(), Catalog()
    for entry in (first, second):
        forwards.add(entry)
    for entry in (second, first):
        backwards.add(entry)

    assert forwards.targets() == backwards.targets() == ["line a.py:1", "line b.py:1"]
    assert forwards.targets("b.py") == ["line b.py:1"]
    assert len(forwards) == 2


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("line pkg/m.py:5", ()),
        ("branch pkg/m.py:5 true", ()),
        ("branch pkg/m.py:5#3 true", ("branch pkg/m.py:5#2 true",)),
        ("line pkg/m.py:6", ("branch pkg/m.py:5 true",)),
        ("line pkg/m.py:7", ("branch pkg/m.py:5 false",)),
        ("line pkg/m.py:8", ("branch pkg/m.py:7 true",)),
        ("line pkg/m.py:10", ("branch pkg/m.py:7 false",)),
        ("line pkg/m.py:12", ("branch pkg/m.py:11 entered",)),
        ("line pkg/m.py:13", ("branch pkg/m.py:12 true",)),
        ("line pkg/m.py:15", ("branch pkg/m.py:12 false",)),
        ("branch pkg/m.py:17#2 true", ("branch pkg/m.py:17 true",)),
        ("line pkg/m.py:19", ("branch pkg/m.py:18 except",)),
        ("line pkg/m.py:21", ("branch pkg/m.py:20 true",)),
        ("line pkg/m.py:22", ("branch pkg/m.py:20 false",)),
        ("branch pkg/m.py:22 true", ()),
        ("line pkg/m.py:25", ("branch pkg/m.py:24 case 1",)),
        ("branch pkg/m.py:23 no case", ("branch pkg/m.py:20 false",)),
        ("line pkg/m.py:28", ("branch pkg/m.py:20 false",)),
        ("line somewhere/else.py:1", ()),
    ],
)
def test_control_dependencies_are_the_nearest_side(target: str, expected: tuple[str, ...]) -> None:
    assert catalog_of(SOURCE).control_dependencies(target) == expected


def test_every_control_dependency_is_a_target_that_comes_first() -> None:
    catalog = catalog_of(SOURCE)
    known = catalog.targets()

    for target in known:
        for control in catalog.control_dependencies(target):
            assert known.index(control) < known.index(target)


def test_positions_and_constants() -> None:
    catalog = catalog_of(SOURCE)

    assert catalog.position("branch pkg/m.py:5#2 false") == ("pkg/m.py", 5)
    assert ("two", 8) in catalog.constants("pkg/m.py")
    assert (3.5, 10) in catalog.constants()
    assert (b"b", 19) in catalog.constants()
    assert not {"Docstring.", "annotation"} & {value for value, _ in catalog.constants()}
    with pytest.raises(KeyError):
        catalog.position("line nowhere.py:1")


def test_names_do_not_depend_on_the_level() -> None:
    everything = set(catalog_of(SOURCE).targets())

    assert set(catalog_of(SOURCE, level=1).targets()) < everything


def lines(source: str) -> set[int]:
    return {row.line for row in instrument(source, "m.py", 3)[1].targets}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = 1\nb = 2  # pragma: no cover\n", {1}),
        ("if a:  # pragma: no cover\n    b = 1\nelse:\n    c = 1\n", {4}),
        ("if a:\n    b = 1\nelse:  # pragma: no cover\n    c = 1\n", {1, 2}),
        ("def f():  # pragma: no cover\n    if x:\n        y = 1\nz = 1\n", {4}),
        ("@d  # pragma: no cover\ndef f():\n    y = 1\nz = 1\n", {4}),
        ("try:\n    a = 1\nexcept E:  # pragma: no cover\n    b = 1\n", {1, 2}),
        ("for i in x:  # pragma: no cover\n    a = 1\nb = (1,\n  2)  # pragma: NO COVER\n", set()),
        ("class K:  # pragma: no cover\n    a = 1\n", set()),
        (
            "match x:\n    case 1:  # pragma: no cover\n        a = 1\n    case _:\n        b = 2",
            {1, 4, 5},
        ),
        ("if 0:\n    a = 1\nelse:\n    b = 1\n", {1, 4}),
        ("if __name__ == '__main__':\n    a = 1\n", {1}),
        ("if TYPE_CHECKING:\n    a = 1\n", {1}),
        ("if not typing.TYPE_CHECKING:\n    a = 1\nelse:\n    b = 1\n", {1, 2}),
        ("while True:\n    a = 1\n", {1, 2}),
        ("'doc'\nx: int\n...\nglobal x\n", {2}),
    ],
)
def test_what_is_excluded_or_cannot_run_is_no_target(source: str, expected: set[int]) -> None:
    assert lines(source) == expected


def test_constant_conditions_have_no_branches() -> None:
    names = [
        row.name for row in instrument("while True:\n    x = 1 if 0 else 2\n", "m", 3)[1].targets
    ]

    assert names == ["line m:1", "line m:2"]


def test_every_slot_of_the_plan_is_in_the_code() -> None:
    tree, plan = instrument(SOURCE, "m.py", 3)
    names: set[tuple[int | None, str]] = set()

    def collect(code: CodeType) -> None:
        units = {unit_of(constant) for constant in code.co_consts}
        names.update((unit, name) for unit in units for name in code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                collect(constant)

    collect(compile(tree, "m.py", "exec"))
    slots = {
        (number, site.slot)
        for number, unit in enumerate(plan.units)
        for site in [*unit.hits, *unit.conditions]
        if number or site.slot[0] == "c"
    }

    assert slots <= names
    assert len(plan.units) > 2


def test_plans_are_independent() -> None:
    plans: list[Any] = [ModulePlan("a"), ModulePlan("b")]
    plans[0].add_line(1, ())

    assert plans[1].targets == []
