from __future__ import annotations

from pathlib import Path

from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import plugin_arguments

TELLING = """
def pytest_configure(config):
    print("configured", __name__)
"""


def test_one_option_registers_all_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "telling.txt").write_text(TELLING)
    names = ("third", "first", "second")
    arguments = plugin_arguments(tmp_path, [(one, str(tmp_path / "telling.txt")) for one in names])
    process = PytestProcess(tmp_path)
    environment = {"PYTHONPATH": process.search_path(tmp_path)}
    _code, output = process.run(["-m", "pytest", "-q", *arguments], 60, environment)
    told = [line.split()[1] for line in output.splitlines() if line.startswith("configured")]
    assert arguments.count("-p") == 1
    # The hook of what is registered last is called first.
    assert told == ["second", "first", "third"]
