"""Run the benchmark: ``python -m benchmarks.run --apps ncs,scs --tools mio,random --seeds 5``.

Each job's result is a JSON file; a job that has one is not run again.  At the end the tables
and plots of everything that was asked for are written, and beside them what they are made of
(`evidence`), which counts as well: another machine goes on where one has stopped.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import queue
from collections.abc import Mapping
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any

from benchmarks import applications
from benchmarks import environments
from benchmarks import summary
from benchmarks.evidence import read_evidence
from benchmarks.evidence import write_evidence
from benchmarks.execute import execute
from benchmarks.jobs import Job
from benchmarks.jobs import plan
from benchmarks.reruns import WAYS
from benchmarks.rivals import requirements_of

HERE = Path(__file__).parent
RAW = HERE / "results" / "raw"
TABLES = HERE.parent / "docs" / "benchmarks"


def names(text: str) -> list[str]:
    """Split a list of names at its commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def application_names(text: str) -> list[str]:
    """Split a list of applications; ``all`` is every one."""
    chosen = [one.name for one in applications.ALL] if text == "all" else names(text)
    for name in chosen:
        if name not in applications.BY_NAME:
            known = ", ".join(applications.BY_NAME)
            raise argparse.ArgumentTypeError(f"{name!r} is no application; there are {known}")
    return chosen


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--apps", type=application_names, default=["ncs", "scs", "news"])
    parser.add_argument(
        "--tools", type=names, default=["mio", "random"], help="Algorithms and rivals"
    )
    parser.add_argument("--budgets", type=names, default=["60s"])
    parser.add_argument("--seeds", type=int, default=5, help="How many, from 1")
    parser.add_argument("--jobs", type=int, default=1, help="How many at once")
    parser.add_argument(
        "--pinned", action="store_true", help="Give each of the jobs a processor of its own"
    )
    parser.add_argument(
        "--reruns",
        type=int,
        choices=range(1, len(WAYS) + 1),
        default=len(WAYS),
        help="In how many ways a written suite is run again",
    )
    parser.add_argument("--results", type=Path, default=RAW, help="Folder of the raw results")
    parser.add_argument("--tables", type=Path, default=TABLES, help="Folder of tables and plots")
    parser.add_argument("--cache", type=Path, default=environments.default_cache())
    parser.add_argument("--again", action="store_true", help="Run what has a result anew")
    parser.add_argument("--summary-only", action="store_true", help="Run nothing")
    return parser.parse_args(arguments)


def result_path(results: Path, job: Job) -> Path:
    """Return where the result of a job is kept."""
    return results / f"{job.key}.json"


def run_jobs(jobs: Sequence[Job], options: argparse.Namespace) -> None:
    """Run the jobs that have no result yet, several at once."""
    options.results.mkdir(parents=True, exist_ok=True)
    for job in jobs:  # one after another: two jobs must not install at once
        environments.prepare(job.application, options.cache, requirements_of(job.tool))
    run_job = functools.partial(execute, cache=options.cache, ways=options.reruns)
    with pool_of(options.jobs, pinned=options.pinned) as pool:
        running = {pool.submit(run_job, job): job for job in jobs}
        for number, future in enumerate(as_completed(running), start=1):
            job, result = running[future], future.result()
            path = result_path(options.results, job)
            write_result(path if "error" not in result else path.with_suffix(".failed"), result)
            print(f"{number}/{len(jobs)} {job.key}: {describe(result)}", flush=True)


def pool_of(size: int, *, pinned: bool) -> ThreadPoolExecutor:
    """Return threads that run jobs; if `pinned`, each on a processor of its own.

    What a thread starts runs on its processor alone, which it also sees as the only one.

    Raises:
        SystemExit: when there are fewer processors than pinned threads.

    """
    if not pinned:
        return ThreadPoolExecutor(size)
    processors: queue.SimpleQueue[int] = queue.SimpleQueue()
    available = sorted(os.sched_getaffinity(0))
    if size > len(available):
        raise SystemExit(f"--pinned: {size} jobs at once, but {len(available)} processors")
    for processor in available:
        processors.put(processor)
    return ThreadPoolExecutor(size, initializer=lambda: os.sched_setaffinity(0, {processors.get()}))


def write_result(path: Path, result: dict[str, Any]) -> None:
    """Write a result whole or not at all, so that an interrupted run can be resumed."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


def describe(result: dict[str, Any]) -> str:
    """Say in one line what came of a job."""
    if "error" in result:
        return f"{result['error']}; its .failed file has what it printed"
    suite, reruns = result["suite"], result.get("reruns")
    lines, branches = (
        f"{suite['covered'][kind]}/{suite['total'][kind]} {kind}" for kind in ("lines", "branches")
    )
    again = f"re-runs {reruns['passed']}/{reruns['of']}, " if reruns else ""
    return (
        f"{lines}, {branches}, {len(suite['faults'])} faults, {again}"
        f"exit {result['exit_code']}, {result['seconds']:.0f} s"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing and write the tables."""
    options = parse_arguments(arguments)
    chosen = [applications.BY_NAME[name] for name in options.apps]
    jobs = plan(chosen, options.tools, options.budgets, range(1, options.seeds + 1))
    kept = {} if options.again else read_evidence(options.tables, jobs)
    if not options.summary_only:
        missing = [job for job in jobs if options.again or not is_done(options.results, job, kept)]
        run_jobs(missing, options)
    results = [
        json.loads(path.read_text(encoding="utf-8")) if path.exists() else kept[job.key]
        for job, path in ((job, result_path(options.results, job)) for job in jobs)
        if is_done(options.results, job, kept)
    ]
    for path in summary.write(results, options.tables, command(options)):
        print(f"wrote {path}")
    if results:
        print(f"wrote {write_evidence(options.tables, results)}")


def is_done(results: Path, job: Job, kept: Mapping[str, Any]) -> bool:
    """Say whether there is a result of a job, on this machine or beside the tables."""
    return job.key in kept or result_path(results, job).exists()


def command(options: argparse.Namespace) -> str:
    """Write the command that reproduces the tables."""
    pinned = f" --jobs {options.jobs} --pinned" if options.pinned else ""
    return (
        f"python -m benchmarks.run --apps {','.join(options.apps)}"
        f" --tools {','.join(options.tools)} --budgets {','.join(options.budgets)}"
        f" --seeds {options.seeds}{pinned}"
    )


if __name__ == "__main__":
    main()
