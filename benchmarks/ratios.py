"""What a search and a start cost before and after a change, in one interleaved run.

    python -m benchmarks.ratios BEFORE AFTER [--rounds 3] [--evaluations 2000] [--output FOLDER]

BEFORE and AFTER are folders with two revisions of this repository (``git archive``).  They take
turns, so that whatever else the machine does hits both.  All times are of the processor, user and
system together; the medians of the rounds count, for a ratio that of the ratios.

    searches       all that is ours a call, on the four applications of `APPS`
    large program  a search of a generated program of 486 modules (`benchmarks.large_program`)
    start          ``--evosearch --collect-only`` of the book shop, beside ``--collect-only`` and
                   the import of the application, with and without bytecode

The table goes between the markers of ``ratios`` in ``profile.md`` of the output folder.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import applications
from benchmarks.environments import REPOSITORY
from benchmarks.environments import process_environment
from benchmarks.large_program import write_program

APPS = ("scs", "ncs", "news", "shop")
LARGE = "large program"
METER = Path(__file__).parent / "inside" / "metered_search.py"
LIMIT = 1800
"""Seconds of one process."""

MARKED = re.compile(r"(<!-- ratios -->\n\n).*?(\n\n<!-- end of ratios -->)", re.DOTALL)

Results = Mapping[str, Sequence[Mapping[str, Any]]]


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ratios", description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--evaluations", type=int, default=2000)
    parser.add_argument("--large", type=int, default=300, help="Evaluations of the large program")
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks"))
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure both revisions in turn, and write the table."""
    options = parse_arguments(arguments)
    trees = (options.before.resolve(), options.after.resolve())
    searches: dict[str, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    starts: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    with tempfile.TemporaryDirectory(prefix="evosearch-ratios-") as scratch:
        for turn in range(options.rounds):
            folder = Path(scratch) / str(turn)
            for name in (*APPS, LARGE):
                count = options.large if name == LARGE else options.evaluations
                for side, tree in enumerate(trees):
                    found = metered_search(name, tree, count, folder / f"{name}-{side}")
                    searches[name][side].append(found)
                    print(name, ("before", "after")[side], found, flush=True)
            for bytecode in (True, False):
                for side, tree in enumerate(trees):
                    for what, seconds in started(tree, bytecode, folder / f"{bytecode}{side}"):
                        starts[what][side].append(seconds)
                        print(what, ("before", "after")[side], round(seconds, 3), flush=True)
    document = options.output / "profile.md"
    text = document.read_text(encoding="utf-8")
    table = report(searches, starts, options)
    document.write_text(MARKED.sub(lambda m: m[1] + table + m[2], text), encoding="utf-8")
    print(table)


def metered_search(name: str, tree: Path, evaluations: int, folder: Path) -> dict[str, Any]:
    """Search a fresh copy of an application, and return what `inside.metered_search` tells."""
    copy_project(name, folder)
    meter = folder.with_suffix(".json")
    command = [
        *(sys.executable, "-m", "pytest", "-p", "pytest_evosearch.plugin"),
        *("-p", METER.stem),
        *(f"--evosearch={evaluations}x", "--evosearch-seed=1"),
    ]
    environment = environment_of(tree, bytecode=True) | {"METERED_SEARCH": str(meter)}
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=False, timeout=LIMIT
    )
    if not meter.exists():
        raise SystemExit(f"{name}, {tree}: nothing was measured\n{ran.stdout[-3000:].decode()}")
    found: dict[str, Any] = json.loads(meter.read_text(encoding="utf-8"))
    return found


def copy_project(name: str, folder: Path) -> None:
    """Copy one of `APPS`, or write the large program."""
    if name == LARGE:
        write_program(folder)
        return
    project = applications.BY_NAME[name].project
    assert project is not None
    ignored = shutil.ignore_patterns("evosearch", "__pycache__", ".pytest_cache", "test_*.py")
    shutil.copytree(project, folder, ignore=ignored)


def environment_of(tree: Path, *, bytecode: bool) -> dict[str, str]:
    """Return the variables of a process that takes the plugin from `tree`."""
    path = os.pathsep.join((str(tree), str(METER.parent)))
    environment = process_environment() | {"PYTHONPATH": path}
    if bytecode:
        del environment["PYTHONDONTWRITEBYTECODE"]
    return environment


def started(tree: Path, bytecode: bool, folder: Path) -> Iterable[tuple[str, float]]:
    """Yield what each start takes, the second time where there is bytecode."""
    shutil.copytree(
        REPOSITORY / "conftest_examples" / "bookshop",
        folder,
        ignore=shutil.ignore_patterns("evosearch", "__pycache__", ".pytest_cache"),
    )
    environment = environment_of(tree, bytecode=bytecode)
    kind = "with bytecode" if bytecode else "without bytecode"
    pytest = (sys.executable, "-m", "pytest", "-p", "pytest_evosearch.plugin")
    commands: dict[str, Sequence[str]] = {
        "collection": (*pytest, "--collect-only"),
        "import of the application": (sys.executable, "-c", "import flask, bookshop"),
        "plan": (*pytest, "--evosearch", "--collect-only"),
    }
    for what, command in commands.items():
        processor_seconds(command, folder, environment)
        yield f"{what}, {kind}", processor_seconds(command, folder, environment)


def processor_seconds(command: Sequence[str], folder: Path, environment: dict[str, str]) -> float:
    """Return what a command takes of the processor, with all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=True, timeout=LIMIT
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(
    searches: Mapping[str, tuple[Sequence[Any], Sequence[Any]]],
    starts: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    options: argparse.Namespace,
) -> str:
    """Write the table."""
    measured = (
        f"{time.strftime('%Y-%m-%d')}, {options.rounds} rounds, {options.evaluations} evaluations "
        f"({options.large} of the large program), medians of processor time."
    )
    lines = [
        measured,
        "",
        "| | before | after | after / before |",
        "| --- | --: | --: | --: |",
    ]
    for name, found in searches.items():
        lines.append(row(f"{name}: ours, ms a call", found, ours_of))
        if name == LARGE:
            lines.append(row(f"{name}: evaluations/s", found, speed_of))
    for what, seconds in starts.items():
        lines.append(row(f"{what}, s", seconds, float))
    same = [name for name, found in searches.items() if len(digests(found)) == 1]
    lines += ["", f"The same tests were found before and after: {', '.join(same) or 'nowhere'}."]
    return "\n".join(lines)


def row(what: str, found: tuple[Sequence[Any], Sequence[Any]], of: Callable[[Any], float]) -> str:
    """Write one row: the medians of both sides, and that of the ratios of each round."""
    before, after = (list(map(of, side)) for side in found)
    ratio = median(late / early for early, late in zip(before, after, strict=True))
    return f"| {what} | {median(before):.3g} | {median(after):.3g} | {ratio:.2f} |"


def ours_of(found: Mapping[str, Any]) -> float:
    """Return the milliseconds a call that are not the application's."""
    return 1000 * float(found["search"] - found["application"]) / int(found["calls"])


def speed_of(found: Mapping[str, Any]) -> float:
    """Return the evaluations a second of the processor."""
    return float(found["evaluations"] / found["search"])


def digests(found: tuple[Sequence[Any], Sequence[Any]]) -> set[str]:
    """Return the digests of what was found."""
    return {one["digest"] for side in found for one in side}


if __name__ == "__main__":
    main()
