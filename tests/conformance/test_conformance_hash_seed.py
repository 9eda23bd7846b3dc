from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest_evosearch
from pytest_evosearch.search.algorithms import ALGORITHMS

SCRIPT = """
from pytest_evosearch.minimize.set_cover import smallest_suite
from pytest_evosearch.search.algorithms import ALGORITHMS
from pytest_evosearch.search.conformance import drive
from pytest_evosearch.search.toy import numbers, sequence

for name in ALGORITHMS.names:
    for problem in (numbers(6), sequence()):
        run = drive(ALGORITHMS.get(name), problem, 250)
        print(name, run.executed, list(run.archive.covered), run.archive.open_targets())
targets = [f"target {number}" for number in range(60)]
suite = {key: frozenset(targets[key * 7 % 50 : key * 7 % 50 + 9]) for key in range(40)}
print(smallest_suite(suite, lambda key: (key % 4 + 1, key)))
"""


def output_under(hash_seed: int) -> str:
    root = str(Path(pytest_evosearch.__file__).parents[1])
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": root}
    finished = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    return finished.stdout


def test_no_algorithm_depends_on_the_hash_seed() -> None:
    first = output_under(1)
    assert len(first.splitlines()) == 2 * len(ALGORITHMS.names) + 1
    assert output_under(2) == first
