from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_evosearch.write.plugins import perturbation
from pytest_evosearch.write.plugins.perturbation import _Pauses


@pytest.mark.parametrize(
    ("allowed", "pauses"), [(None, 20), ("30", 6), ("1000", 20)], ids=["no limit", "short", "long"]
)
def test_pauses_take_a_share_of_the_seconds_that_a_run_has(
    monkeypatch: pytest.MonkeyPatch, allowed: str | None, pauses: int
) -> None:
    monkeypatch.setenv("EVOSEARCH_VERIFY_PAUSE", "1")
    monkeypatch.delenv("EVOSEARCH_VERIFY_SECONDS", raising=False)
    if allowed is not None:
        monkeypatch.setenv("EVOSEARCH_VERIFY_SECONDS", allowed)
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    monkeypatch.setattr(
        "pytest_evosearch.write.plugins.perturbation._has_busy_threads", lambda: True
    )

    given = _Pauses()
    for _ in range(50):
        given.before_call()

    assert len(slept) == pauses


SHUFFLING = """
import pytest

@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items):
    items[:] = [items[place] for place in (2, 0, 3, 1)]
    yield
"""
"""Reorders as early as pytest-randomly does."""

TESTS = "".join(f"def test_{name}():\n    pass\n" for name in "dacb")


def shuffled(names: str, seed: int) -> str:
    found = list(names)
    random.Random(seed).shuffle(found)
    return "".join(found)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("collected", "dacb"),
        ("reversed", "bcad"),
        ("1", shuffled("dacb", 1)),
        ("", "cdba"),
    ],
)
def test_order_of_the_files_is_known_where_a_plugin_shuffles_them(
    tmp_path: Path, order: str, expected: str
) -> None:
    (tmp_path / "conftest.py").write_text(SHUFFLING)
    (tmp_path / "test_some.py").write_text(TESTS)
    log = tmp_path / "log"
    folder = str(Path(perturbation.__file__).parent)
    told = {"PYTHONPATH": folder, "EVOSEARCH_VERIFY_LOG": str(log), "EVOSEARCH_VERIFY_ORDER": order}

    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "perturbation", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, **told, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        check=True,
        capture_output=True,
    )

    entries = map(json.loads, log.read_text().splitlines())
    started = [entry["started"] for entry in entries if "started" in entry]
    assert "".join(one[-1] for one in started) == expected
