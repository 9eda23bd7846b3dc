from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytest_evosearch.write.verification.collecting import with_garbage_collected

TESTS = """
async def view():
    pass


def test_leaks():
    cycle = [view()]
    cycle.append(cycle)


def test_passes():
    pass
"""


def test_pytest_ends_without_an_error_for_what_a_test_leaves(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(with_garbage_collected(None))
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [*command, "-p", "no:randomly"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "never awaited" not in run.stdout + run.stderr
