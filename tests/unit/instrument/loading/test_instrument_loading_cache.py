from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from pytest_evosearch.instrument import Recording
from pytest_evosearch.instrument import Trace
from pytest_evosearch.instrument import install
from pytest_evosearch.instrument.loading import cache
from pytest_evosearch.instrument.loading import loader
from pytest_evosearch.instrument.transformation.plan import StoredPlan
from pytest_evosearch.instrument.transformation.plan import UnitPlan

SOURCE = """\
'''Docstring.'''
from contextlib import suppress
KINDS = {"a": 1, b"b": 2.5}
def f(a):
    with suppress(ValueError):
        if a in KINDS and any(x > 3 for x in a) or len(a) == 3:
            return int(a)
    return (lambda: a.startswith("x"))()
"""

Run = Callable[..., tuple[ModuleType, Recording, Trace]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def load(source: str = SOURCE, level: int = 3) -> tuple[ModuleType, Recording, Trace]:
        (tmp_path / "cached_subject.py").write_text(source, encoding="utf-8")
        sys.modules.pop("cached_subject", None)
        importlib.invalidate_caches()
        with install(["cached_subject"], level=level, cache=tmp_path / "kept") as recording:
            module = importlib.import_module("cached_subject")
            recording.begin()
            module.f("abc")
            trace = recording.end()
        sys.modules.pop("cached_subject", None)
        return module, recording, trace

    return load


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "kept").iterdir())


def test_a_second_start_neither_transforms_nor_differs(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first, before = run()
    monkeypatch.setattr(loader, "compile_instrumented", None)
    module, second, after = run()

    assert second.notices == []
    assert after == before
    assert before.comparisons
    assert second.catalog.targets() == first.catalog.targets()
    assert second.catalog.constants() == first.catalog.constants()
    assert [entry.plan for entry in second.catalog.modules()] == [
        entry.plan for entry in first.catalog.modules()
    ]
    assert module.__doc__ == "Docstring."


def test_a_changed_source_is_transformed_anew_in_the_same_file(run: Run, tmp_path: Path) -> None:
    run()
    _, recording, _ = run(SOURCE + "\nmore = 1\n")

    assert "line cached_subject.py:10" in recording.catalog
    assert len(kept(tmp_path)) == 1
    assert kept(tmp_path)[0].name.endswith(f".level3.{sys.implementation.cache_tag}.evosearch")


def test_levels_do_not_meet(run: Run, tmp_path: Path) -> None:
    for level in (1, 2, 3):
        _, recording, _ = run(level=level)
        assert recording.notices == []

    assert len(kept(tmp_path)) == 3


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 200])
def test_a_damaged_file_is_written_anew(run: Run, tmp_path: Path, damage: bytes) -> None:
    _, _, expected = run()
    (file,) = kept(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(damage or whole[: len(whole) // 2])
    _, recording, trace = run()

    assert recording.notices == []
    assert trace == expected
    assert file.read_bytes()[:32] == whole[:32]


def test_a_key_without_content_is_no_answer(run: Run, tmp_path: Path) -> None:
    run()
    (file,) = kept(tmp_path)
    file.write_bytes(file.read_bytes()[:40])
    _, recording, trace = run()

    assert recording.notices == []
    assert trace.scores


def test_a_folder_that_cannot_be_made_is_no_trouble(run: Run, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file", encoding="utf-8")
    _, recording, trace = run()

    assert recording.notices == []
    assert trace.scores


def test_a_fork_keeps_no_code_of_what_it_imports(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    (source,) = kept(tmp_path)
    source.unlink()

    monkeypatch.setattr(cache.os, "getpid", iter(range(1, 100)).__next__)
    run()

    assert kept(tmp_path) == []


def test_cached_code_is_respecialized(run: Run) -> None:
    run()
    module, recording, trace = run()
    recording.retire(recording.catalog.targets())
    recording.respecialize()

    assert module.f("abc") is False
    assert trace.scores


def test_ordinary_bytecode_files_are_left_alone(run: Run, tmp_path: Path) -> None:
    run()

    assert not (tmp_path / "__pycache__").exists()


@pytest.mark.parametrize("damage", ["removed", "another key"])
def test_a_plan_whose_file_is_gone_is_worked_out_again(
    run: Run, tmp_path: Path, damage: str
) -> None:
    _, first, _ = run()
    _, second, _ = run()
    (file,) = kept(tmp_path)
    if damage == "removed":
        file.unlink()
    else:
        file.write_bytes(b"x" * file.stat().st_size)

    assert second.catalog.targets() == first.catalog.targets()


def test_functions_that_do_not_run_are_not_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    source = SOURCE + "def g(a):\n    return a\n" * 3
    run(source)
    units: list[int] = []
    read = StoredPlan.unit

    def noted(plan: StoredPlan, number: int) -> UnitPlan:
        units.append(number)
        return read(plan, number)

    monkeypatch.setattr(StoredPlan, "unit", noted)
    run(source)

    assert set(units) <= {0, 1, 2}  # the module, `f` and its lambda
