"""Measures the coverage of the written tests with coverage.py, in a fresh interpreter."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scratch import scratch_folder
from pytest_evosearch.settings.phase_shares import MEASURING_SECONDS
from pytest_evosearch.settings.time_plan import LEAST_RUN_SECONDS
from pytest_evosearch.write.verification.circumstances import CHEAPLY
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import CHEAPER
from pytest_evosearch.write.verification.recorded_run import ENDING
from pytest_evosearch.write.verification.recorded_run import ORPHANED
from pytest_evosearch.write.verification.recorded_run import TRACES
from pytest_evosearch.write.verification.recorded_run import plugin_arguments
from pytest_evosearch.write.verification.recorded_run import temporary_folders

_REPORT = """
import sys
import coverage
configuration, report, *files = sys.argv[1:]
measured = coverage.Coverage(config_file=configuration)
measured.load()
measured.json_report(morfs=files, outfile=report)
"""


_DOCSTRING = re.compile(rb'\A"""[^"]*"""')


@dataclass(frozen=True)
class SuiteCoverage:
    """coverage.py's result for the written suite."""

    covered_lines: int
    total_lines: int
    covered_branches: int
    total_branches: int
    lines: Mapping[str, tuple[int, ...]]
    """File (in its given form) -> executed lines."""


@dataclass
class Measurement:
    """Measures a suite once for each state of its files."""

    process: PytestProcess
    source_files: Sequence[Path]
    time_left: Callable[[], float] = lambda: MEASURING_SECONDS
    """Returns the seconds for a measurement; without any, none begins.

    A longer measurement is stopped, because part of the tests would give wrong numbers.
    """
    _measured: tuple[Mapping[str, bytes], SuiteCoverage | None] | None = None

    def take(self, folder: Path) -> None:
        """Measure `folder` beside other runs; repeat a failed measurement alone."""
        if self._is_measured(folder) or self._is_hopeless:
            return
        files = _contents(folder)
        coverage, code = _measure(folder, self.process, self.source_files, self._seconds())
        # A measurement that was cut off would be cut off again.
        self._measured = (files, coverage) if code in (0, None) else None

    def result(self, folder: Path) -> SuiteCoverage | None:
        """Return the coverage of the present state of `folder`."""
        if not self._is_measured(folder):
            if self._is_hopeless:
                return None
            files = _contents(folder)
            coverage, _ = _measure(folder, self.process, self.source_files, self._seconds())
            self._measured = (files, coverage)
        return self._measured[1] if self._measured is not None else None

    @property
    def _is_hopeless(self) -> bool:
        return self.time_left() <= 0

    def _seconds(self) -> float:
        return min(MEASURING_SECONDS, max(LEAST_RUN_SECONDS, self.time_left()))

    def _is_measured(self, folder: Path) -> bool:
        return self._measured is not None and self._measured[0] == _contents(folder)


def _contents(folder: Path) -> Mapping[str, bytes]:
    """Return the contents of the modules in `folder`, independent of its path.

    Docstrings of modules, which say how the tests were verified, do not affect coverage.
    """
    return {
        path.relative_to(folder).as_posix(): _DOCSTRING.sub(b"", path.read_bytes(), 1)
        for path in sorted(folder.rglob("*.py"))
    }


def measure(
    folder: Path, process: PytestProcess, source_files: Sequence[Path]
) -> SuiteCoverage | None:
    """Run `folder` under coverage.py, and return what it covers in `source_files`.

    Return None when coverage.py is missing, nothing was measured, or the run was cut off.
    """
    return _measure(folder, process, source_files)[0]


def _measure(
    folder: Path,
    process: PytestProcess,
    source_files: Sequence[Path],
    seconds: float = MEASURING_SECONDS,
) -> tuple[SuiteCoverage | None, int | None]:
    """Return the coverage, and the exit code of the tests."""
    if not source_files:
        return None, None
    with scratch_folder("coverage") as scratch:
        configuration = scratch / "coveragerc"
        configuration.write_bytes(os.fsencode(_configuration(scratch, source_files)))
        report = scratch / "report.json"
        command = ["-m", "coverage", "run", f"--rcfile={configuration}", "-m", "pytest"]
        command += plugin_arguments(scratch, [ORPHANED, *CHEAPER, ENDING, TRACES])
        command += [*process.pytest_arguments(folder, scratch), temporary_folders(scratch)]
        spelled = _spelling([scratch, *source_files])
        extra = {**CHEAPLY, **spelled, "PYTHONPATH": process.search_path(scratch)}
        code, _ = process.run(command, seconds, extra)
        if code is None:
            return None, code
        files = [str(path) for path in source_files]
        reading = ["-c", _REPORT, str(configuration), str(report), *files]
        process.run(reading, MEASURING_SECONDS, spelled)
        try:
            content = json.loads(report.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None, code
    return _read_report(content, process.root), code


def _spelling(paths: Sequence[Path]) -> Mapping[str, str]:
    """Return variables that make an interpreter read names as UTF-8 in another locale.

    Otherwise, coverage.py's configuration and data cannot contain some names of files.
    """
    try:
        "".join(map(str, paths)).encode("utf-8")
    except UnicodeEncodeError:
        return {"PYTHONUTF8": "1"}
    return {}


def _configuration(scratch: Path, source_files: Sequence[Path]) -> str:
    listed = "".join(f"\n    {path}" for path in source_files)
    return (
        "[run]\nbranch = True\nparallel = False\n"
        f"data_file = {scratch / 'data'}\ninclude ={listed}\n"
        "disable_warnings = no-data-collected, module-not-imported, already-imported\n"
        "[report]\nignore_errors = True\n"
    )


def _as_read_here(name: str) -> str:
    """Return the name of a file in this process's spelling, whatever the locale's encoding."""
    return os.fsdecode(name.encode("utf-8", "surrogateescape"))


def _read_report(content: Mapping[str, object], root: Path) -> SuiteCoverage | None:
    totals, files = content.get("totals"), content.get("files")
    if not isinstance(totals, dict) or not isinstance(files, dict):
        return None
    lines = {
        str(Path(root, _as_read_here(name))): tuple(entry.get("executed_lines", ()))
        for name, entry in files.items()
    }
    return SuiteCoverage(
        covered_lines=int(totals.get("covered_lines", 0)),
        total_lines=int(totals.get("num_statements", 0)),
        covered_branches=int(totals.get("covered_branches", 0)),
        total_branches=int(totals.get("num_branches", 0)),
        lines=lines,
    )
