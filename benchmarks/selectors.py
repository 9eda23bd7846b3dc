"""Compare the selectors of walks at equal actions: ``python -m benchmarks.selectors --seeds 5``.

Nearly every request is one of a walk.  A search ends when its walks have sent so many requests.
A line of JSON is appended for each search to ``--lines``; searches that stand there are not made
again.  At the end comes a table, with the p-values of Kruskal and Wallis for all selectors, and
of Mann and Whitney for each against the first one, corrected by Holm's method for their number.
``--applications FOLDER:MODULE:FUNCTION`` is any other application, which the function makes.
"""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import sys
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import asdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.pages import ANSWERS
from benchmarks.pages import PAGES
from benchmarks.pages import finished
from benchmarks.pages import goal_of
from benchmarks.plots import strips
from benchmarks.statistics import holm
from benchmarks.statistics import kruskal_wallis
from benchmarks.statistics import mann_whitney
from benchmarks.statistics import median
from benchmarks.statistics import vargha_delaney
from benchmarks.trial import searched
from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.search.selecting.selectors import SELECTORS
from pytest_evosearch.settings.checked import Settings

SHARE = 0.9
"""Share of the requests that walks send."""

MOST_EVALUATIONS = 100_000

MEASURES = ("targets", "states", "path")


@dataclass(frozen=True)
class Walked:
    """What the walks of one search found."""

    application: str
    seed: int
    selector: str
    found: int | None
    """Requests of walks until the planted fault was found."""
    targets: int
    states: int
    path: int
    least: float
    """The least coverage of a state: the share of its actions that were done."""
    greatest: float


def walked(application: str, seed: int, selector: str, actions: int) -> Walked:
    """Search until walks have sent so many requests; without pages they go over answers."""
    is_goal = goal_of(application) if ":" not in application else lambda _target: False
    found = list[int]()

    def stop(loop: SearchLoop) -> str | None:
        sent = loop.occasions.walking.walked if loop.occasions.walking else 0
        if not found and any(map(is_goal, loop.archive.covered)):
            found.append(sent)
        return "the actions are spent" if sent >= actions else None

    tunables = {"walks.share": str(SHARE), "walks.selector": selector}
    if application in ANSWERS:
        tunables["walks.over"] = "answers"
    loop = _finished(application, seed, tunables, stop)
    assert loop.occasions.walking is not None
    states = loop.occasions.walking.walks.guide.states
    tried = [one.tried / len(one.offers) for one in states.records.values() if one.offers]
    return Walked(
        application,
        seed,
        selector,
        found[0] if found else None,
        len(loop.archive.covered),
        len(states.records),
        states.longest_path,
        round(min(tried, default=0.0), 2),
        round(max(tried, default=0.0), 2),
    )


def _finished(
    application: str,
    seed: int,
    tunables: dict[str, str],
    stop: Callable[[SearchLoop], str | None],
) -> SearchLoop:
    """Return the loop after a search of an application of ours, or of any other one."""
    if ":" not in application:
        return finished(application, seed, MOST_EVALUATIONS, tunables, stop)
    folder, module, function = application.rsplit(":", 2)
    budget = Budget.parse(f"{MOST_EVALUATIONS}x")
    settings = Settings(budget=budget, seed=seed, rootdir=Path(folder), tunables=tunables)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    package = module.partition(".")[0]
    for name in [one for one in sys.modules if one.partition(".")[0] == package]:
        del sys.modules[name]

    def create_app() -> Any:
        return getattr(importlib.import_module(module), function)()

    return searched(settings, create_app, [package], stop=stop)


def rows(lines: Sequence[Walked]) -> Iterator[str]:
    """Yield a table for each application, and the tests of each measure."""
    for application in dict.fromkeys(line.application for line in lines):
        here = [line for line in lines if line.application == application]
        names = list(dict.fromkeys(line.selector for line in here))
        by_name = {name: [line for line in here if line.selector == name] for name in names}
        yield f"| {application} | found | targets | states | path | least | greatest |"
        yield "| --- | --: | --: | --: | --: | --: | --: |"
        for name, own in by_name.items():
            found = sum(one.found is not None for one in own)
            shown = [f"{median([getattr(one, key) for one in own]):g}" for key in MEASURES]
            shares = [f"{median([getattr(one, key) for one in own]):.2f}" for key in _SHARES]
            yield f"| {name} | {' | '.join((f'{found} of {len(own)}', *shown, *shares))} |"
        yield from ("", *_tests(by_name), "")


_SHARES = ("least", "greatest")


def plot(lines: Sequence[Walked]) -> str:
    """Draw the targets of every search, in percent of the most that any had there."""
    values: dict[str, dict[str, list[float]]] = {}
    for line in lines:
        most = max(one.targets for one in lines if one.application == line.application)
        by_name = values.setdefault(line.application, {})
        by_name.setdefault(line.selector, []).append(100 * line.targets / most)
    return strips("Targets, in percent of the most", values)


def _tests(by_name: dict[str, list[Walked]]) -> Iterator[str]:
    first, *others = by_name
    for measure in MEASURES:
        samples = {
            name: [float(getattr(one, measure)) for one in own] for name, own in by_name.items()
        }
        alike = kruskal_wallis(list(samples.values()))
        pairs = holm([mann_whitney(samples[first], samples[name]) for name in others])
        against = ", ".join(
            f"{name} p {p_value:.2f} A12 {vargha_delaney(samples[first], samples[name]):.2f}"
            for name, p_value in zip(others, pairs, strict=True)
        )
        yield f"- {measure}: Kruskal-Wallis p {alike:.3f}; {first} against {against}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the searches that are missing, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--actions", type=int, default=300)
    parser.add_argument("--applications", default=",".join(PAGES))
    parser.add_argument("--selectors", default=",".join(SELECTORS.names))
    parser.add_argument("--plot", type=Path, help="draw the targets of every search as SVG")
    parser.add_argument("--lines", type=Path, default=Path("selectors.jsonl"))
    chosen = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    texts = chosen.lines.read_text().splitlines() if chosen.lines.exists() else []
    lines = [Walked(**json.loads(text)) for text in texts]
    known = {(line.application, line.seed, line.selector) for line in lines}
    for seed in range(1, chosen.seeds + 1):
        for application in chosen.applications.split(","):
            for selector in chosen.selectors.split(","):
                if (application, seed, selector) in known:
                    continue
                lines.append(walked(application, seed, selector, chosen.actions))
                with chosen.lines.open("a") as file:
                    file.write(json.dumps(asdict(lines[-1])) + "\n")
    print("\n".join(rows(lines)))
    if chosen.plot:
        chosen.plot.write_text(plot(lines))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
