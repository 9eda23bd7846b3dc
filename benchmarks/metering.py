"""Runs a command and meters it: its time, its memory, and when it wrote its first test."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

GLANCE = 0.2
"""Seconds between two looks at the process and at what it wrote."""

MEBIBYTE = 1024
"""KiB, in which Linux counts the memory of a process."""


@dataclass(frozen=True)
class Metered:
    """How a command ended, and what it took."""

    exit_code: int
    output: str
    errors: str
    seconds: float
    peak_memory: int | None
    """MiB that the process itself had at most, its children aside; None where nobody tells."""
    first_test: float | None
    """Seconds until there was a test module; None when there never was one."""

    def describe(self) -> dict[str, float | None]:
        """Return the figures, ready for JSON."""
        return {
            "seconds": self.seconds,
            "peak_memory": self.peak_memory,
            "first_test": self.first_test,
        }


def high_water(process: int) -> int | None:
    """Return the MiB that a running process had at most, as Linux tells.

    Not ``ru_maxrss``: that begins with the size of the process from which it was forked.
    """
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    sizes = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(sizes[0]) // MEBIBYTE if sizes else None


def _has_tests(folder: Path) -> bool:
    """Say whether there is a test module; the folder may be removed while it is searched."""
    with suppress(OSError):
        return any(folder.rglob("test_*.py"))
    return False


def run_metered(
    command: Sequence[str],
    project: Path,
    environment: Mapping[str, str],
    time_limit: float,
    tests: Path | None = None,
) -> Metered:
    """Run `command` in `project`, and watch for test modules in `tests`.

    Raises:
        subprocess.TimeoutExpired: when it takes longer than `time_limit` seconds; it is ended.

    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.monotonic()
        process = subprocess.Popen(
            command, cwd=project, env=dict(environment), stdout=output, stderr=errors
        )
        first_test, peak_memory = None, None
        while True:
            peak_memory = high_water(process.pid) or peak_memory
            finished = process.poll() is not None
            elapsed = time.monotonic() - started
            if first_test is None and tests is not None and _has_tests(tests):
                first_test = round(elapsed, 2)
            if finished:
                break
            if elapsed > time_limit:
                process.kill()
                process.wait()
                raise subprocess.TimeoutExpired(command, time_limit)
            time.sleep(GLANCE)
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
        return Metered(
            process.returncode,
            *texts,
            seconds=round(elapsed, 2),
            peak_memory=peak_memory,
            first_test=first_test,
        )
