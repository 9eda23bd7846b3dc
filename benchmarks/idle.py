"""What the plugin costs a pytest run that asks nothing of it: its import, beside pytest's own.

    python -m benchmarks.idle [ROUNDS]

Every round starts a fresh interpreter that reads bytecode, as installed packages do, and takes
turns: the import of pytest, then of what an idle run needs of the plugin.  Medians and quickest.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

BUDGET = 5.0
"""Milliseconds that the plugin may cost everybody who has it installed."""

MEASURE = """
import time
started = time.process_time()
import pytest, _pytest.pytester
between = time.process_time()
import pytest_evosearch.plugin
import pytest_evosearch.bridge.command_line.pytest_options
import pytest_evosearch.hookspecs
print(between - started, time.process_time() - between)
"""


def measure(bytecode: str) -> tuple[float, float]:
    """Return the CPU milliseconds of importing pytest and then the plugin."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
    output = subprocess.run(
        [sys.executable, "-c", MEASURE], check=True, capture_output=True, text=True, env=environment
    ).stdout
    first, second = output.split()
    return float(first) * 1000, float(second) * 1000


def main(rounds: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as bytecode:
        measure(bytecode)
        times = [measure(bytecode) for _ in range(rounds)]
    for name, column in (("pytest", 0), ("the idle plugin", 1)):
        taken = [each[column] for each in times]
        print(f"{name}: {statistics.median(taken):.1f} ms, quickest {min(taken):.1f} ms")
    shares = [second / first for first, second in times]
    print(f"the plugin / pytest: {statistics.median(shares):.3f} (budget {BUDGET:.0f} ms)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
