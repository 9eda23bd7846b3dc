"""Search applications whose branches depend on queries, with queries as targets and without.

``python -m benchmarks.query_targets --seeds 10`` searches each module of `tests/quality/queries`
both ways, with the same seeds and the same number of evaluations, and prints how many branches
are covered: medians, and A12, the probability that a search with queries covers more (0.5: no
difference).
"""

from __future__ import annotations

import argparse
import importlib
import logging
import multiprocessing
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from benchmarks.statistics import median
from benchmarks.statistics import vargha_delaney
from benchmarks.trial import search_application

QUALITY = Path(__file__).parents[1] / "tests" / "quality"
FOLDER = QUALITY / "queries"
OF_THE_KIT = frozenset({"__init__", "rows"})

EVALUATIONS = 400


class Task(NamedTuple):
    """One search."""

    module: str
    seed: int
    queries: str
    """``on`` or ``off``."""
    evaluations: int


def modules() -> list[str]:
    """Return the applications."""
    return sorted({path.stem for path in FOLDER.glob("*.py")} - OF_THE_KIT)


def covered_branches(task: Task) -> int:
    """Search one application, and count the branches that are covered."""
    logging.disable(logging.CRITICAL)
    sys.path.insert(0, str(QUALITY))
    with tempfile.TemporaryDirectory() as folder:

        def create_app() -> Any:
            module = importlib.import_module(f"{FOLDER.name}.{task.module}")
            return module.create_app(str(Path(folder) / "rows.sqlite"))

        covered = search_application(
            create_app,
            packages=[FOLDER.name],
            evaluations=task.evaluations,
            seed=task.seed,
            tunables={"search.queries": task.queries},
        )
    place = f"{FOLDER.name}/{task.module}.py:"
    return sum(target.startswith("branch ") and place in target for target in covered)


def searched(tasks: Sequence[Task], jobs: int = 1) -> list[int]:
    """Search in processes of their own: what is imported there carries the probes of one search."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, maxtasksperchild=1) as pool:
        return pool.map(covered_branches, tasks, chunksize=1)


def row(module: str, without: Sequence[int], including: Sequence[int]) -> str:
    """Return an application's line."""
    effect = vargha_delaney(including, without)
    return f"{module}: {median(without):g} -> {median(including):g} branches, A12 {effect:.2f}"


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.query_targets", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="How many, from 1")
    parser.add_argument("--jobs", type=int, default=1, help="How many searches at once")
    parser.add_argument("--evaluations", type=int, default=EVALUATIONS, help="Of each search")
    parser.add_argument("--only", nargs="*", help="Names of applications; all by default")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    options = parse_arguments(arguments)
    for module in options.only or modules():
        counts = []
        for queries in ("off", "on"):
            tasks = [
                Task(module, seed, queries, options.evaluations)
                for seed in range(1, options.seeds + 1)
            ]
            counts.append(searched(tasks, options.jobs))
        print(row(module, *counts), *counts, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
