"""What only a browser shows: errors of scripts, requests that fail, broken links and images.

Each becomes a fault of lower rank: no call failed.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import PageProblem
from pytest_evosearch.settings.oracle_specs import ORACLES
from pytest_evosearch.settings.oracle_specs import PAGE_NAMES
from pytest_evosearch.sut.browser.page_steps import PageStep
from pytest_evosearch.sut.browser.page_steps import described

NO_TEST = "only a browser shows it"

_EXPLANATIONS = {spec.code: spec.means for spec in ORACLES}

Key: TypeAlias = "tuple[str, str, str]"
"""Kind, message and page, without numbers."""


@dataclass
class Finding:
    """A problem, and the shortest known way to it."""

    problem: PageProblem
    way: tuple[PageStep, ...]


@dataclass
class PageProblems:
    """Problems of pages, equal ones once; numbers tell none apart."""

    names: Collection[str] = PAGE_NAMES
    """Codes of the oracles that count."""
    found: dict[Key, Finding] = field(default_factory=dict, init=False)

    def note(self, told: Iterable[Mapping[str, str]], way: Sequence[PageStep] = ()) -> list[Key]:
        """Add what the browser has told after the steps of `way`; return what is new."""
        new = []
        for one in told:
            if _code(one["kind"]) not in self.names:
                continue
            message = one["message"].strip().partition("\n")[0]
            key = one["kind"], _without_numbers(message), _without_numbers(one["page"])
            known = self.found.get(key)
            if known is None:
                new.append(key)
            times = known.problem.times + 1 if known else 1
            if known is not None and len(known.way) <= len(way):
                known.problem = replace(known.problem, times=times)
                continue
            action = described(way[-1]) if way else ""
            picture = known.problem.picture if known else ""
            given = message, one["page"], times, action, " ".join(key[1:]), picture
            problem = PageProblem(one["kind"], *given)
            self.found[key] = Finding(problem, tuple(way))
        return new

    def show(self, keys: Iterable[Key], picture: str) -> None:
        """Add the picture of the page that shows the problems `keys`."""
        for key in keys:
            self.found[key].problem = replace(self.found[key].problem, picture=picture)

    def all(self) -> tuple[PageProblem, ...]:
        """Return the problems in the order in which they were found."""
        return tuple(one.problem for one in self.found.values())


def fault_rows(problems: Iterable[PageProblem]) -> Iterator[FaultRow]:
    """Yield a fault of lower rank for each problem."""
    for one in problems:
        code, times = _code(one.kind), f" ({one.times} times)" if one.times > 1 else ""
        after = f", after {one.action}" if one.action else ""
        yield FaultRow(
            code,
            f"GET {one.page or '/'}",
            one.kind,
            "",
            f"{one.message}{after}{times}",
            explanation=_EXPLANATIONS[code],
            way=one.place,
            is_minor=True,
            untested=NO_TEST,
        )


def _code(kind: str) -> str:
    return kind.replace(" ", "-")


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "0", text)
