from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from pytest_evosearch.sut.green_threads import pytest_load_initial_conftests
from pytest_evosearch.sut.green_threads import pytest_unconfigure
from pytest_evosearch.sut.green_threads import unpatched_standard_library

MONKEY = """
PATCHED = []

def patch_all(thread=True):
    PATCHED.append("all")

def patch_socket():
    PATCHED.append("socket")

def is_module_patched(name):
    return name in PATCHED
"""
PATCHER = """
PATCHED = []

def monkey_patch(**on):
    PATCHED.append("all")

def original(name):
    return name
"""


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Packages that look like gevent and eventlet, whether or not these are installed."""
    for package, module, text in (
        ("gevent", "monkey", MONKEY),
        ("eventlet", "patcher", PATCHER),
    ):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(f"from {package} import {module}\n")
        (tmp_path / package / f"{module}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_of_them(name)}
    yield
    for name in list(sys.modules):
        if _is_of_them(name):
            del sys.modules[name]
    sys.modules.update(kept)


def _is_of_them(name: str) -> bool:
    return name.partition(".")[0] in ("gevent", "eventlet")


@pytest.mark.usefixtures("libraries")
def test_what_is_imported_inside_patches_nothing() -> None:
    with unpatched_standard_library():
        monkey, patcher = import_module("gevent.monkey"), import_module("eventlet.patcher")
        assert monkey.patch_all(thread=False)
        monkey.patch_socket()
        patcher.monkey_patch(os=True)

    assert not monkey.PATCHED
    assert not monkey.is_module_patched("socket")
    assert not patcher.PATCHED
    assert patcher.original("os") == "os"


@pytest.mark.usefixtures("libraries")
def test_other_imports_and_later_ones_are_as_ever() -> None:
    before = list(sys.meta_path)
    with unpatched_standard_library():
        import_module("gevent")
        del sys.modules["gevent.monkey"]
    monkey = import_module("gevent.monkey")
    monkey.patch_all()

    assert monkey.PATCHED == ["all"]
    assert sys.meta_path == before


@pytest.mark.parametrize(("asked", "patched"), [("1", []), ("", ["all"])])
def test_a_verification_run_that_asks_for_it_is_left_unpatched(
    libraries: None, monkeypatch: pytest.MonkeyPatch, asked: str, patched: list[str]
) -> None:
    monkeypatch.setenv("EVOSEARCH_VERIFY_UNPATCHED", asked)
    pytest_load_initial_conftests()
    try:
        monkey = import_module("gevent.monkey")
        monkey.patch_all()
    finally:
        pytest_unconfigure()

    assert patched == monkey.PATCHED
