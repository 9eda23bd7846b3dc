"""Search the applications of `tests/quality/pages` with and without walks.

    python -m benchmarks.pages --seeds 5 --evaluations 600 walks.share=0 walks.share=0.33

Each argument is one way to search: tunables, divided by commas.  A row says how many seeds found
the planted fault, and the median of evaluations and requests of the searches, which end there.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import sys
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.trial import searched
from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.settings.checked import Settings

FOLDER = Path(__file__).parents[1] / "tests" / "quality" / "pages"

PAGES = ("wizard", "shop", "forum", "board", "admin")
ANSWERS = ("orders", "loans", "budgets", "bookings")
"""Applications with HTML, and those that answer with JSON."""


@dataclass(frozen=True)
class Found:
    """What one search found."""

    goal: bool
    evaluations: int
    requests: int
    covered: int
    states: int
    longest_path: int


def goal_line(module: str) -> int:
    """Return the number of the line with the planted fault."""
    lines = (FOLDER / f"{module}.py").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if "# goal" in line)


@contextmanager
def applications_importable() -> Iterator[None]:
    """Let the applications be imported anew, and forget them afterwards."""
    forget()
    sys.path.insert(0, str(FOLDER.parent))
    try:
        yield
    finally:
        sys.path.remove(str(FOLDER.parent))
        forget()


def forget() -> None:
    """Forget the modules of the applications."""
    for name in [one for one in sys.modules if one.split(".")[0] == FOLDER.name]:
        del sys.modules[name]


def finished(
    module: str,
    seed: int,
    evaluations: int,
    tunables: dict[str, str],
    stop: Callable[[SearchLoop], str | None] | None = None,
) -> SearchLoop:
    """Return the loop after a search, which ends with the planted fault, or as `stop` says."""

    def create_app() -> Any:
        return importlib.import_module(f"{FOLDER.name}.{module}").create_app()

    settings = Settings(
        budget=Budget.parse(f"{evaluations}x"),
        seed=seed,
        rootdir=FOLDER.parent,
        tunables=tunables,
    )
    with applications_importable():
        if stop is not None:
            return searched(settings, create_app, [FOLDER.name], stop=stop)
        return searched(settings, create_app, [FOLDER.name], is_goal=goal_of(module))


def goal_of(module: str) -> Callable[[str], bool]:
    """Return a function that says whether a target is the line of the planted fault."""
    goal = f"{FOLDER.name}/{module}.py:{goal_line(module)}"
    return lambda target: target.startswith("line ") and target.endswith(goal)


def search(module: str, seed: int, evaluations: int, tunables: dict[str, str]) -> Found:
    """Search one application until its planted fault is found, or the budget is spent."""
    loop = finished(module, seed, evaluations, tunables)
    walking = loop.occasions.walking
    assert walking is not None
    return Found(
        any(map(goal_of(module), loop.archive.covered)),
        loop.meter.evaluations,
        walking.requests,
        len(loop.archive.covered),
        len(walking.walks.guide.states.records),
        walking.walks.guide.states.longest_path,
    )


def row(module: str, way: str, found: Sequence[Found]) -> str:
    """Return the line for one application, searched in one way with several seeds."""
    goals = sum(one.goal for one in found)
    numbers = ("evaluations", "requests", "covered", "states", "longest_path")
    shown = [f"{median(getattr(one, name) for one in found):.0f}" for name in numbers]
    return " | ".join((module, way, f"{goals} of {len(found)}", *shown))


def main(arguments: Sequence[str] | None = None) -> int:
    """Search everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ways", nargs="+", help="NAME=VALUE,NAME=VALUE of --evosearch-set")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--evaluations", type=int, default=600)
    parser.add_argument("--applications", default=",".join((*PAGES, *ANSWERS)))
    chosen = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    print("application | way | found | evaluations | requests | covered | states | longest path")
    for module in chosen.applications.split(","):
        for way in chosen.ways:
            tunables = dict(pair.split("=", 1) for pair in way.split(","))
            seeds = range(1, chosen.seeds + 1)
            found = [search(module, seed, chosen.evaluations, tunables) for seed in seeds]
            print(row(module, way, found), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
