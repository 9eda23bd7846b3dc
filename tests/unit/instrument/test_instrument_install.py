from __future__ import annotations

import gc
import importlib
import importlib.resources
import inspect
import sys
from pathlib import Path

import pytest

from pytest_evosearch.instrument import Recording
from pytest_evosearch.instrument import Selection
from pytest_evosearch.instrument import install
from pytest_evosearch.instrument.probing.slots import ProbeSlots


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "shopdemo/__init__.py": "",
        "shopdemo/pricing.py": "def price(n):\n    return n if n > 3 else 3\n",
        "shopdemo/data.txt": "hello",
        "shopdemo/tests/test_pricing.py": "x = 1\n",
        "spacedemo/part.py": "def f(): return 1\n",
        "standalone_demo.py": "def f(): return 1\n",
        "broken_demo.py": "def f(:\n",
        ".hidden/hidden_demo.py": "x = 1\n",
        "env/pyvenv.cfg": "",
        "env/lib/env_demo.py": "x = 1\n",
        "conftest_demo/conftest.py": "x = 1\n",
        "generated/generated_demo.py": "x = 1\n",
        "case_demo/tests.py": "import unittest\n\nclass C(unittest.TestCase):\n    pass\n",
        "laboratory_demo/tests.py": "x = 1\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if "demo" in name:
            del sys.modules[name]


def imported(recording: Recording, name: str) -> bool:
    importlib.import_module(name)
    return any(module.name == name for module in recording.catalog.modules())


def test_packages_are_instrumented_by_name(project: Path) -> None:
    with install(["shopdemo"]) as recording:
        assert imported(recording, "shopdemo.pricing")
        assert not imported(recording, "standalone_demo")
        assert "line shopdemo/pricing.py:2" in recording.catalog.targets()
        assert recording.catalog.path_of(str(project / "shopdemo/pricing.py"))


def test_the_time_for_making_instrumented_code_is_known(project: Path) -> None:
    with install(["shopdemo"]) as recording:
        assert recording.transforming_seconds == 0.0
        assert imported(recording, "shopdemo.pricing")
        assert recording.transforming_seconds > 0.0


def test_a_project_may_lie_in_its_own_environment(project: Path) -> None:
    (project / "pyvenv.cfg").touch()
    with install((), root=project) as recording:
        assert imported(recording, "standalone_demo")


def test_a_root_selects_the_project_and_nothing_foreign(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(project / "env/lib")
    monkeypatch.syspath_prepend(project / ".hidden")
    monkeypatch.syspath_prepend(project / "generated")
    with install(Selection(root=project, exclude=(project / "generated",))) as recording:
        assert imported(recording, "shopdemo.pricing")
        assert imported(recording, "spacedemo.part")
        assert imported(recording, "standalone_demo")
        assert imported(recording, "laboratory_demo.tests")
        tests = ("shopdemo.tests.test_pricing", "case_demo.tests")
        for name in ("env_demo", "hidden_demo", "generated_demo", *tests):
            assert not imported(recording, name)
        assert "line spacedemo/part.py:1" in recording.catalog.targets()


def test_names_can_be_excluded(project: Path) -> None:
    selection = Selection(packages=("shopdemo",), exclude=("shopdemo.pricing",))
    with install(selection) as recording:
        assert not imported(recording, "shopdemo.pricing")


def test_paths_are_relative_to_the_root_when_inside(project: Path) -> None:
    with install(["shopdemo"], root=project.parent) as recording:
        importlib.import_module("shopdemo.pricing")
        assert f"line {project.name}/shopdemo/pricing.py:2" in recording.catalog.targets()


def test_modules_that_came_too_early_are_reported(project: Path) -> None:
    importlib.import_module("shopdemo.pricing")

    with install(["shopdemo"]) as recording:
        assert recording.already_imported() == ("shopdemo", "shopdemo.pricing")


def test_no_bytecode_is_written_or_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    with install(["shopdemo"]) as recording:
        assert imported(recording, "shopdemo.pricing")
    assert not list(project.glob("shopdemo/__pycache__/*"))

    del sys.modules["shopdemo.pricing"]
    plain = importlib.import_module("shopdemo.pricing")
    assert list(project.glob("shopdemo/__pycache__/pricing*"))
    assert not any(isinstance(each, ProbeSlots) for each in plain.price.__code__.co_consts)


def test_a_syntax_error_is_the_application_s_own(project: Path) -> None:
    with install(["broken_demo"]) as recording, pytest.raises(SyntaxError) as caught:
        importlib.import_module("broken_demo")

    assert caught.value.__context__ is None
    assert recording.notices == []


def test_what_cannot_be_transformed_is_loaded_plain(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("pytest_evosearch.instrument.transformation.compilation.instrument", fail)
    with install(["shopdemo"]) as recording:
        module = importlib.import_module("shopdemo.pricing")

    assert module.price(5) == 5
    assert any("pricing.py is not instrumented: RecursionError" in n for n in recording.notices)


def test_resources_and_sources_keep_working(project: Path) -> None:
    with install(["shopdemo"]):
        package = importlib.import_module("shopdemo")
        pricing = importlib.import_module("shopdemo.pricing")

        assert importlib.resources.files(package).joinpath("data.txt").read_text() == "hello"
        assert inspect.getsource(pricing.price).startswith("def price(n):")


def test_reloading_keeps_the_targets(project: Path) -> None:
    with install(["shopdemo"]) as recording:
        pricing = importlib.import_module("shopdemo.pricing")
        before = recording.catalog.targets()
        importlib.reload(pricing)

        recording.begin()
        pricing.price(1)
        assert recording.catalog.targets() == before
        assert recording.end().score("line shopdemo/pricing.py:2") == 1.0


def test_the_finder_goes_away(project: Path) -> None:
    before = list(sys.meta_path)
    with install(["shopdemo"]):
        assert len(sys.meta_path) == len(before) + 1
    assert sys.meta_path == before


def test_a_second_installation_leaves_the_first_its_modules(project: Path) -> None:
    with install(["shopdemo"]) as outer, install(["shopdemo"]) as inner:
        importlib.import_module("shopdemo.pricing")

        assert len(outer.catalog) > 0
        assert len(inner.catalog) == 0


def test_a_module_that_does_not_exist_is_still_missing(project: Path) -> None:
    with install(["shopdemo"]), pytest.raises(ModuleNotFoundError):
        importlib.import_module("shopdemo.nothing")


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_collector_is_left_as_it_was(project: Path, enabled: bool) -> None:
    before = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with install(["shopdemo"]):
            importlib.import_module("shopdemo.pricing")
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if before else gc.disable)()
