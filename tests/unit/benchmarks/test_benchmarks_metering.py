from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.metering import run_metered


def metered(project, code, time_limit=30.0, tests=None):
    return run_metered([sys.executable, "-c", code], project, os.environ, time_limit, tests)


def test_output_errors_and_exit_code_are_told(tmp_path):
    code = "import sys; print('found'); print('warned', file=sys.stderr); sys.exit(3)"

    finished = metered(tmp_path, code)

    assert (finished.exit_code, finished.output, finished.errors) == (3, "found\n", "warned\n")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells")
def test_memory_is_what_the_process_had_at_most(tmp_path):
    space = bytearray(150 * 2**20)  # of the process around it, which must not count
    large = "import time; bytearray(b'a') * (150 * 2 ** 20); time.sleep(0.5)"

    assert metered(tmp_path, "import time; time.sleep(0.5)").peak_memory < 50
    assert 150 <= metered(tmp_path, large).peak_memory < 200
    del space


def test_first_test_is_timed(tmp_path):
    folder = tmp_path / "tests"
    code = (
        "import pathlib, time; time.sleep(0.3); folder = pathlib.Path('tests'); folder.mkdir();"
        "(folder / 'test_one.py').touch(); time.sleep(0.7)"
    )

    finished = metered(tmp_path, code, tests=folder)

    assert 0.3 <= finished.first_test < finished.seconds
    assert metered(tmp_path, "pass", tests=tmp_path / "none").first_test is None


def test_what_takes_too_long_is_ended(tmp_path):
    with pytest.raises(subprocess.TimeoutExpired):
        metered(tmp_path, "import time; time.sleep(60)", time_limit=0.5)
