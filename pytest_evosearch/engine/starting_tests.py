"""The first tests of a search: tests that are known to be useful.

    written earlier     by runs with another seed, budget or algorithm
    the project's own   as they were recorded, and as their source has them

A run that is repeated starts as it did the first time, without the tests that it wrote itself.  So
it finds the same again.  Any other run builds on these tests, and need not find again what they
cover.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pytest_evosearch.engine.preparing.folders import output_folder
from pytest_evosearch.engine.preparing.preparation import Prepared
from pytest_evosearch.engine.preparing.recorded_examples import examples_from
from pytest_evosearch.engine.writing import run_name
from pytest_evosearch.problem.examples.reader import read_tests
from pytest_evosearch.problem.examples.values import ExampleTest
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.write.modules.ledger import LEDGER
from pytest_evosearch.write.modules.module_files import read_ledger
from pytest_evosearch.write.modules.module_texts import PREFIX


def examples(settings: Settings, ready: Prepared) -> Iterator[Individual]:
    """Yield the requests of earlier written tests and of the project's own, each sequence once."""
    folder = output_folder(settings, ready.handle.support)
    earlier = _written_earlier(folder, run_name(settings))
    recorded = examples_from(ready.handle.tests.recorded)
    own = read_tests(_texts(ready.handle.tests.files))
    return ready.problem.individuals_from([*earlier, *recorded, *own])


def _written_earlier(folder: Path, run: str) -> list[ExampleTest]:
    """Read the tests of an earlier suite, without those that `run` has written."""
    repeated = set(read_ledger(folder / LEDGER).runs.get(run, ()))
    tests = read_tests(_texts(sorted(folder.glob(f"{PREFIX}*.py"))))
    return [test for test in tests if Path(test.name).name not in repeated]


def _texts(files: Iterable[Path]) -> dict[str, str]:
    """Read `files`; skip those that cannot be read."""
    found = {}
    for path in files:
        with suppress(OSError, UnicodeDecodeError):
            found[str(path)] = path.read_text(encoding="utf-8")
    return found
