"""Search each planted needle with ten seeds: ``python -m benchmarks.needles --seeds 10``.

A needle is a small application of `tests/quality/needles` with one line that is hard to reach.
Its declaration says within how many evaluations it is to be found, and how many of the first ten
seeds find it.  The command measures that anew and ends with 1 where a declaration is not true.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import multiprocessing
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.trial import search_application

QUALITY = Path(__file__).parents[1] / "tests" / "quality"
FOLDER = QUALITY / "needles"
MEASURED_SEEDS = 10


@dataclass(frozen=True)
class Needle:
    """A module of `needles`, how many evaluations finding its goal may take, and who finds it."""

    module: str
    evaluations: int
    found: int | None = None
    """How many of the seeds from 1 to 10 find it, by this command; None: not measured yet."""
    database: bool = False


NEEDLES = (
    Needle("text_constant", 1000, found=10),
    Needle("replaced_body", 1000, found=10),
    Needle("parsed_body", 1000, found=10),
    Needle("asked_type", 1000, found=10),
    Needle("caught_message", 300, found=10),
    Needle("passed_on", 1000, found=10),
    Needle("rows_of_body", 2000, found=10),
    Needle("wide_integer", 1000, found=10),
    Needle("date_window", 2000, found=10),
    Needle("checksum", 3000, found=10),
    Needle("card_number", 400, found=10),
    Needle("book_number", 400, found=10),
    Needle("bank_account", 800, found=6),
    Needle("barcode", 400, found=10),
    Needle("lifecycle", 6000, found=10),
    Needle("database_value", 2000, found=10, database=True),
    Needle("registered_login", 4000, found=10),
    Needle("mailed_confirmation", 1000, found=10),
    Needle("guarded_forum", 600, found=10),
    Needle("forms_once_more", 120, found=10),
    Needle("scripted_board", 400, found=10),
    Needle("nested_projects", 900, found=9),
    Needle("basic_challenge", 600, found=10),
    Needle("redirected_paste", 100, found=9),
    Needle("misleading_token", 90),
    Needle("uploaded_scan", 300, found=10),
    Needle("question_number", 300, found=10),
    Needle("answer_list", 600, found=10),
    Needle("checked_by_marshmallow", 150, found=10),
    Needle("checked_by_pydantic", 150, found=10),
    Needle("checked_by_wtforms", 150, found=10),
    Needle("checked_by_jsonschema", 150, found=10),
    Needle("checked_by_reqparse", 150, found=10),
)


def goal_line(module: str) -> int:
    """Find the line that the comment marks."""
    source = (FOLDER / f"{module}.py").read_text(encoding="utf-8").splitlines()
    marked = [number for number, line in enumerate(source, start=1) if line.endswith("# goal")]
    assert len(marked) == 1
    return marked[0]


def make_database(folder: Path) -> str:
    """Make the database that holds a value which the code does not know."""
    path = folder / "vouchers.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE voucher (code TEXT, amount INTEGER)")
        database.execute("INSERT INTO voucher VALUES ('zq7-kestrel-0042', 25)")
    return str(path)


def forget_needles() -> None:
    """Make the next search import the applications anew, under its own instrumentation."""
    for name in [name for name in sys.modules if name.partition(".")[0] == FOLDER.name]:
        del sys.modules[name]


@contextmanager
def needles_importable() -> Iterator[None]:
    """Let the package of needles be imported, and forget it afterwards."""
    sys.path.insert(0, str(QUALITY))
    forget_needles()
    try:
        yield
    finally:
        forget_needles()
        sys.path.remove(str(QUALITY))


def finds(needle: Needle, seed: int, folder: Path) -> bool:
    """Search one needle's application and say whether its goal was covered."""
    arguments = [make_database(folder)] if needle.database else []
    goal = f"{FOLDER.name}/{needle.module}.py:{goal_line(needle.module)}"

    def create_app() -> Any:
        module = importlib.import_module(f"{FOLDER.name}.{needle.module}")
        app = module.create_app(*arguments)
        app.config["TESTING"] = True
        return app

    def is_goal(target: str) -> bool:
        return target.startswith("line ") and target.endswith(goal)

    with needles_importable():
        covered = search_application(
            create_app,
            packages=[FOLDER.name],
            evaluations=needle.evaluations,
            seed=seed,
            is_goal=is_goal,
        )
    return any(map(is_goal, covered))


def measure(task: tuple[Needle, int]) -> bool:
    """Search in the process of a pool."""
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        return finds(*task, Path(folder))


def fresh_processes(jobs: int) -> ProcessPoolExecutor:
    """Return spawned processes for `measure`.

    What this process has imported carries no probes, and loaded libraries change the course of a
    search: the same seed needs 192 evaluations or 304 for ``guarded_forum``.
    """
    return ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.needles", description=__doc__)
    parser.add_argument("--seeds", type=int, default=MEASURED_SEEDS, help="How many, from 1")
    parser.add_argument("--jobs", type=int, default=1, help="How many searches at once")
    parser.add_argument("--only", nargs="*", help="Names of needles; all by default")
    return parser.parse_args(arguments)


def row(needle: Needle, outcomes: Sequence[bool]) -> tuple[str, bool]:
    """Return a needle's line, and whether its declaration is true as far as was measured."""
    missed = [seed for seed, found in enumerate(outcomes, start=1) if not found]
    line = f"{needle.module}: {sum(outcomes)} of {len(outcomes)}"
    if missed:
        line += f", missed by {', '.join(map(str, missed))}"
    is_told = needle.found is not None and len(outcomes) == MEASURED_SEEDS
    is_true = not is_told or sum(outcomes) == needle.found
    return (line if is_true else f"{line}; its declaration says {needle.found}"), is_true


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    options = parse_arguments(arguments)
    all_true = True
    with fresh_processes(options.jobs) as pool:
        for needle in NEEDLES:
            if options.only and needle.module not in options.only:
                continue
            tasks = [(needle, seed) for seed in range(1, options.seeds + 1)]
            line, is_true = row(needle, list(pool.map(measure, tasks)))
            print(line, flush=True)
            all_true = all_true and is_true
    return 0 if all_true else 1


if __name__ == "__main__":
    sys.exit(main())
