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
from pytest_evosearch.report.page_visits import PageProblem
from pytest_evosearch.settings.oracle_specs import ORACLES
from pytest_evosearch.settings.oracle_specs import PAGE_NAMES
from pytest_evosearch.sut.browser.page_steps import PageStep
from pytest_evosearch.sut.browser.page_steps import described

NO_TEST = "only a browser shows it"

_EXPLANATIONS = {spec.code: spec.means for spec in ORACLES}

Key: TypeAlias = "tuple[str, str, str]"
"""Kind, message and page, without numbers."""


@dataclass
class PageProblems:
    """Problems of pages, equal ones once; numbers tell none apart."""

    names: Collection[str] = PAGE_NAMES
    """Codes of the oracles that count."""
    found: dict[Key, PageProblem] = field(default_factory=dict, init=False)

    def note(
        self,
        told: Iterable[Mapping[str, str]],
        start: str,
        way: Sequence[PageStep] = (),
        user: str | None = None,
    ) -> list[Key]:
        """Add what the browser has told after the steps of `way` from `start`; return what is new.

        The shortest way is kept, that of an anonymous user first.
        """
        new = []
        for one in told:
            if _code(one["kind"]) not in self.names:
                continue
            message = one["message"].strip().partition("\n")[0]
            key = one["kind"], _without_numbers(message), _without_numbers(one["page"])
            action = described(way[-1]) if way else ""
            given = action, " ".join(key[1:]), start, tuple(way), user
            problem = PageProblem(one["kind"], message, one["page"], 1, *given)
            known = self.found.get(key)
            if known is None:
                new.append(key)
            else:
                nearer = min(known, problem, key=lambda each: (bool(each.user), len(each.way)))
                problem = replace(nearer, times=known.times + 1, picture=known.picture)
            self.found[key] = problem
        return new

    def show(self, keys: Iterable[Key], picture: str) -> None:
        """Add the picture of the page that shows the problems `keys`."""
        for key in keys:
            self.found[key] = replace(self.found[key], picture=picture)

    def all(self) -> tuple[PageProblem, ...]:
        """Return the problems in the order in which they were found."""
        return tuple(self.found.values())


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
            test=one.test,
            untested="" if one.test else NO_TEST,
        )


def _code(kind: str) -> str:
    return kind.replace(" ", "-")


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "0", text)
