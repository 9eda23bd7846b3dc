"""What only a browser shows: errors of scripts, and requests of a page that fail."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping

from pytest_evosearch.report.outcome import PageProblem

SHOWN = 5
"""Problems that the summary names; the JSON report has all."""


class PageProblems:
    """Problems of pages, equal ones once; numbers tell none apart."""

    def __init__(self) -> None:
        self._times: dict[tuple[str, str, str], int] = {}
        self._shown: dict[tuple[str, str, str], PageProblem] = {}

    def note(self, told: Iterable[Mapping[str, str]]) -> None:
        """Add what the browser has told."""
        for one in told:
            message = one["message"].strip().partition("\n")[0]
            key = one["kind"], _without_numbers(message), _without_numbers(one["page"])
            self._times[key] = self._times.get(key, 0) + 1
            self._shown.setdefault(key, PageProblem(one["kind"], message, one["page"]))

    def all(self) -> tuple[PageProblem, ...]:
        """Return the problems in the order in which they were found."""
        return tuple(
            PageProblem(one.kind, one.message, one.page, self._times[key])
            for key, one in self._shown.items()
        )

    def notices(self) -> Iterator[str]:
        """Yield a line for each of the first problems, and one for the rest."""
        found = self.all()
        for one in found[:SHOWN]:
            times = f" ({one.times} times)" if one.times > 1 else ""
            yield f"browser: {one.kind} on {one.page or 'a page'}: {one.message}{times}"
        if len(found) > SHOWN:
            yield f"browser: {len(found) - SHOWN} more problems of pages are in report.json"


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+", "0", text)
