from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.public_places import public_module
from pytest_evosearch.problem.units.unit_code import inherited_units


@pytest.mark.parametrize(
    ("only", "skip", "names"),
    [
        (("string.Formatter.vformat",), (), ["Formatter", "Formatter.vformat"]),
        (("string:Formatter.vformat",), (), ["Formatter", "Formatter.vformat"]),
        ((), ("string.Formatter",), []),
    ],
)
def test_patterns_choose_methods_together_with_their_class(
    only: tuple[str, ...], skip: tuple[str, ...], names: list[str]
) -> None:
    found = [one.name for one in units_of(["string:Formatter"], only, skip)]

    assert found == names


def test_package_without_units_of_its_own_stands_for_its_public_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "walled_garden"
    package.mkdir()
    (package / "__init__.py").write_text("from walled_garden.beds import dig\n")
    (package / "beds.py").write_text("def dig(depth): return depth\n")
    (package / "_roots.py").write_text("def grow(): return 1\n")
    (package / "broken.py").write_text("import no_such_module\n")
    monkeypatch.syspath_prepend(tmp_path)

    assert [one.key for one in units_of(["walled_garden"])] == ["walled_garden.beds:dig"]


def test_what_a_package_gives_to_others_is_its_own_though_private_modules_define_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "walled_shed"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from walled_shed._tools import Spade, sharpen, oil\n"
        "__all__ = ['Spade', 'sharpen']\n"
        "Spade.__module__ = 'walled_shed'\n"
    )
    (package / "_tools.py").write_text(
        "class Spade:\n"
        "    def dig(self, depth): return depth\n"
        "def sharpen(tool): return tool\n"
        "def oil(tool): return tool\n"
    )
    (package / "beds.py").write_text("def water(litres): return litres\n")
    monkeypatch.syspath_prepend(tmp_path)

    found = units_of(["walled_shed"])

    made = ["walled_shed:Spade", "walled_shed:Spade.dig", "walled_shed._tools:sharpen"]
    assert [one.key for one in found] == [*made, "walled_shed.beds:water"]
    given = found[: len(made)]
    assert {one.source for one in given} == {"walled_shed._tools"}
    assert {public_module(one.module, one.name) for one in given} == {"walled_shed"}


def test_a_package_stands_for_what_it_defines_itself_and_for_its_public_modules() -> None:
    found = {one.key for one in units_of(["json"])}

    assert {"json:loads", "json.decoder:JSONDecoder", "json.encoder:JSONEncoder"} <= found
    assert {one.key for one in units_of(["json:loads"])} == {"json:loads"}


def test_another_name_for_a_method_is_no_unit_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "walled_garden_sums.py").write_text(
        "class Sum:\n"
        "    def __add__(self, other): return 1\n"
        "    __radd__ = __add__\n"
        "    def __rsub__(self, other): return 2\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    found = [one.name for one in units_of(["walled_garden_sums"])]

    assert found == ["Sum", "Sum.__add__", "Sum.__rsub__"]


def test_a_function_that_its_module_does_not_give_to_others_is_no_unit_unless_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "walled_garden_doors.py").write_text(
        "__all__ = ['knock']\ndef knock(): return 1\ndef hinge(): return 2\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    assert [one.name for one in units_of(["walled_garden_doors"])] == ["knock"]
    assert [one.name for one in units_of(["walled_garden_doors:hinge"])] == ["hinge"]


def test_a_constructor_is_tested_where_it_is_defined_or_on_the_first_class_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "walled_garden_tools.py").write_text(
        "class Tool:\n"
        "    def __init__(self, name): self.name = name\n"
        "class Spade(Tool): pass\n"
        "class Saw(Tool):\n"
        "    def __init__(self): self.teeth = 9\n"
        "class _Bed:\n"
        "    def __init__(self, rows): self.rows = rows\n"
        "    def sow(self): raise NotImplementedError\n"
        "class Lettuce(_Bed):\n"
        "    def sow(self): return 1\n"
        "class Carrot(_Bed):\n"
        "    def sow(self): return 2\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    found = inherited_units(units_of(["walled_garden_tools"]))

    assert found == {"walled_garden_tools:Spade", "walled_garden_tools:Carrot"}
