from __future__ import annotations

import importlib.util
import json
import py_compile
import sys
from pathlib import Path
from types import ModuleType

from pytest_evosearch.write.verification.bytecode import link_bytecode


def loaded(source: Path) -> ModuleType:
    module = ModuleType(source.stem)
    module.__file__ = str(source)
    return module


def compiled(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    source = folder / f"{name}.py"
    source.write_text("VALUE = 1\n")
    py_compile.compile(str(source), cfile=importlib.util.cache_from_source(str(source)))
    return source


def test_bytecode_of_libraries_lies_where_an_interpreter_with_a_prefix_looks(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", None)
    source = compiled(tmp_path / "library", "one")
    compiled(tmp_path / "library", "other")
    rewritten = source.parent / "__pycache__" / f"one.{sys.implementation.cache_tag}-pytest-9.pyc"
    rewritten.write_bytes(b"rewritten")
    place = tmp_path / "place"

    link_bytecode(place, [loaded(source), json], tmp_path / "project")

    monkeypatch.setattr(sys, "pycache_prefix", str(place))
    assert Path(importlib.util.cache_from_source(str(source))).exists()
    assert Path(importlib.util.cache_from_source(json.__file__)).exists()
    names = {path.name.partition("-")[2] for path in place.rglob("one*")}
    assert len(names) == 2
    assert not list(place.rglob("other*"))


def test_bytecode_of_the_project_is_left_alone(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", None)
    source = compiled(tmp_path / "project", "shop")

    link_bytecode(tmp_path / "place", [loaded(source)], tmp_path / "project")

    assert not (tmp_path / "place").exists()


def test_modules_without_a_source_are_passed_over(tmp_path: Path) -> None:
    relative = ModuleType("relative")
    relative.__file__ = "somewhere.py"

    link_bytecode(tmp_path / "place", [sys, ModuleType("bare"), relative], tmp_path)

    assert not (tmp_path / "place").exists()
