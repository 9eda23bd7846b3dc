"""Hold the time of whole commands against their budget: ``python -m benchmarks.timekeeping``.

Each application is searched once, one after the other.  A line a command says how long it took, how
long it may take (on two processors 1.25 times the budget and ten seconds, on one 1.5 times and 15
seconds), and what the written tests cover.  It ends with 1 where a command took longer.

    --set plan.beside=never   the same with other settings, in another file of results
    --units                   with functions and classes that HTTP does not reach
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import applications
from benchmarks.environments import default_cache
from benchmarks.execute import budget_in_seconds
from benchmarks.execute import execute
from benchmarks.jobs import Job
from benchmarks.run import application_names
from benchmarks.run import names

TWELVE_AND_TWO = [
    *(one.name for one in applications.ALL),
    *(one.name for one in applications.SLOW),
]

ALLOWED = {1: (1.5, 15.0), 2: (1.25, 10.0)}
"""Processors -> the factor of the budget, and the seconds beside it."""


def allowed(budget: str, processors: int) -> float:
    """Return how long a command may take."""
    factor, seconds = ALLOWED[min(2, processors)]
    return factor * budget_in_seconds(budget) + seconds


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timekeeping", description=__doc__)
    parser.add_argument("--apps", type=application_names, default=TWELVE_AND_TWO)
    parser.add_argument("--budgets", type=names, default=["60s"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], help="As --evosearch-set")
    parser.add_argument("--units", action="store_true", help="Search functions and classes, too")
    parser.add_argument("--results", type=Path, help="Where a JSON object a command is appended")
    parser.add_argument("--cache", type=Path, default=default_cache())
    return parser.parse_args(arguments)


def job_of(name: str, budget: str, options: argparse.Namespace) -> Job:
    """Return the search of an application with the settings that were asked for."""
    application = applications.BY_NAME[name]
    settings = [f"--evosearch-set={one}" for one in options.set]
    settings += ["--evosearch-units"] if options.units else []
    application = replace(application, arguments=(*application.arguments, *settings))
    return Job(application, "mio", budget, options.seed)


def line_of(job: Job, result: dict[str, Any], limit: float) -> str:
    """Say in one line how long a command took, and what came of it."""
    told = f"{job.application.name:12} {job.budget:>5} {result.get('seconds', 0.0):7.1f} s"
    told += f" of {limit:.0f}"
    if "error" in result:
        return f"{told}  {result['error']}"
    covered, total = result["suite"]["covered"], result["suite"]["total"]
    parts = [f"{covered[kind]}/{total[kind]} {kind}" for kind in ("lines", "branches")]
    return f"{told}  {', '.join(parts)}, {len(result['suite']['faults'])} faults"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the commands, and return 1 where one took too long."""
    options = parse_arguments(arguments)
    processors = len(os.sched_getaffinity(0))
    late = []
    for budget in options.budgets:
        limit = allowed(budget, processors)
        for name in options.apps:
            job = job_of(name, budget, options)
            result = execute(job, options.cache)
            print(line_of(job, result, limit), flush=True)
            if options.results is not None:
                with options.results.open("a", encoding="utf-8") as file:
                    file.write(
                        json.dumps({**result, "set": options.set, "units": options.units}) + "\n"
                    )
            if "error" in result or result["seconds"] > limit:
                late.append(f"{name} {budget}")
    print(f"later than allowed, or failed: {', '.join(late) or 'none'} ({processors} processors)")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
