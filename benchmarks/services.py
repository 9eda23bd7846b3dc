"""Search the applications of `tests/quality/services`: ``python -m benchmarks.services --seeds 5``.

A row says how many seeds found the planted fault, the median evaluation after which they had it,
the median share of covered branches, and which branches no seed covered.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.trial import searched
from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.settings.checked import Settings

QUALITY = Path(__file__).parents[1] / "tests" / "quality"

FAULTS = {
    "price_of_today": "ZeroDivisionError",
    "tried_again": "RuntimeError",
    "first_result": "IndexError",
    "asked_in_a_loop": "NotImplementedError",
    "not_found_there": "service failure",
    "log_in_elsewhere": "AssertionError",
    "payment": "PermissionError",
    "breaker": "CircuitOpenError",
    "two_agree": "IndexError",
    "template_by_answer": "UndefinedError",
    "asked_by_a_thread": "OverflowError",
    "behind_a_proxy": "ZeroDivisionError",
    "weather_of_city": "OverflowError",
    "all_pages": "EOFError",
    "feed_in_xml": "ArithmeticError",
    "page_by_selectors": "StopAsyncIteration",
    "file_in_bucket": "BufferError",
    "row_in_table": "ChildProcessError",
    "cache_in_front": "StopIteration",
    "paid_by_webhook": "FloatingPointError",
    "in_async_view": "ProcessLookupError",
    "said_in_text": "InterruptedError",
    "preview_of_address": "BlockingIOError",
    "titles_found": "MemoryError",
    "tags_of_file": "ConnectionAbortedError",
    "place_on_map": "MemoryError",
}
"""Application -> the kind of its planted fault."""


@dataclass(frozen=True)
class Outcome:
    """What one search found."""

    after: int | None
    """The evaluation that found the fault; None where none did."""
    seconds: float
    covered: frozenset[str]
    open: frozenset[str]
    """Names of branches."""


def forget_applications() -> None:
    """Make the next search import the applications anew, under its own instrumentation."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "services"]:
        del sys.modules[name]


def search_once(name: str, seed: int, evaluations: int) -> Outcome:
    """Search one application with one seed."""
    found: list[int] = []

    def watch(loop: SearchLoop) -> None:
        kinds = {fault.kind for fault in loop.statistics.faults.values()}
        if FAULTS[name] in kinds and not found:
            found.append(loop.statistics.evaluations)

    settings = Settings(budget=Budget.parse(f"{evaluations}x"), seed=seed, rootdir=QUALITY)
    forget_applications()
    began = time.perf_counter()
    loop = searched(
        settings,
        lambda: importlib.import_module(f"services.{name}").app,
        ["services"],
        asks=True,
        stop=watch,
    )
    watch(loop)
    forget_applications()
    known = {str(one) for one in loop.archive.known if str(one).startswith("branch ")}
    covered = known & {str(one) for one in loop.archive.covered}
    seconds = time.perf_counter() - began
    after = found[0] if found else None
    return Outcome(after, seconds, frozenset(covered), frozenset(known - covered))


def row(name: str, outcomes: Sequence[Outcome]) -> str:
    """Return the line of one application."""
    after = [one.after for one in outcomes if one.after is not None]
    shares = [
        len(one.covered) / (len(one.covered) + len(one.open))
        for one in outcomes
        if one.covered or one.open
    ]
    never = frozenset.intersection(*(one.open for one in outcomes))
    told = f"{100 * median(shares):.0f} %" if shares else "none there"
    seconds = median(one.seconds for one in outcomes)
    line = f"{name}: {len(after)} of {len(outcomes)}"
    line += f", after {median(after):.0f} evaluations" if after else ""
    line += f", branches {told}, {seconds:.1f} s"
    return line + (f"; never: {', '.join(sorted(never))}" if never else "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.services", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="How many, from 1")
    parser.add_argument("--evaluations", type=int, default=700)
    parser.add_argument("--only", nargs="*", default=list(FAULTS), help="Names; all by default")
    options = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    sys.path.insert(0, str(QUALITY))
    for name in options.only:
        seeds = range(1, options.seeds + 1)
        outcomes = [search_once(name, seed, options.evaluations) for seed in seeds]
        print(row(name, outcomes), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
