"""Jobs: one application, searched by one tool with one budget and one seed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.applications import Application


@dataclass(frozen=True)
class Job:
    """One run of one tool."""

    application: Application
    tool: str
    """The name of the algorithm."""
    budget: str
    seed: int

    @property
    def key(self) -> str:
        """Return a name that is unique among the jobs and fit for a file."""
        return f"{self.application.name}-{self.tool}-{self.budget}-{self.seed}"


def plan(
    applications: Iterable[Application],
    tools: Iterable[str],
    budgets: Iterable[str],
    seeds: Iterable[int],
) -> list[Job]:
    """List the jobs seed by seed, so that an early stop leaves a fair comparison."""
    combinations = itertools.product(seeds, budgets, applications, tools)
    return [
        Job(application, tool, budget, seed) for seed, budget, application, tool in combinations
    ]
