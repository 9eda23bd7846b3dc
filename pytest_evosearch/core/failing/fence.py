"""Lets a part that a run can do without fail alone.

    judged = fence.run("the oracle crash", oracle.judge, exchange, 0, otherwise=())

A part is optional where the run is worth something without it: an oracle, what is learnt of a
response, a name, a report. What it raises is a mistake of this plugin. It is kept with its place
and its traceback, for a notice and the report, and the run goes on with `otherwise`. Mistakes that
the user can correct (`errors.EvosearchError`) pass, and so does whatever ends a run at once.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from collections.abc import Iterable
from dataclasses import field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from typing import TypeVar

from pytest_evosearch.core.exception_texts import text_of_exception
from pytest_evosearch.core.exception_texts import writable_text
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.errors import EvosearchError

if TYPE_CHECKING:
    from typing_extensions import TypeVarTuple
    from typing_extensions import Unpack

    Ts = TypeVarTuple("Ts")

T = TypeVar("T")
D = TypeVar("D")

_PACKAGE = Path(__file__).parents[2]


@dataclass
class Mishap:
    """A failure of a part that the run did without."""

    part: str
    place: str
    """The innermost line of this plugin: ``harvest/aftermath.py:86``."""
    message: str
    traceback: str
    times: int = 1

    @property
    def notice(self) -> str:
        """Return a line for the user."""
        times = "" if self.times == 1 else f", {self.times} times"
        return (
            f"an error of pytest-evosearch itself, and the run went on without {self.part}: "
            f"{self.message} ({self.place}{times}; the report has the traceback)"
        )


@dataclass
class Fence:
    """Runs optional parts, and collects their failures."""

    mishaps: dict[tuple[str, str], Mishap] = field(default_factory=dict)
    """(part, place) -> the failure."""
    worst: Exception | None = None
    """The failure of a part that the run cannot do without: it is raised after the reports."""

    def run(
        self,
        part: str,
        function: Callable[[Unpack[Ts]], T],
        *arguments: Unpack[Ts],
        otherwise: D,
    ) -> T | D:
        """Return what `function` returns; where it fails, note that and return `otherwise`."""
        try:
            return function(*arguments)
        except EvosearchError:
            raise
        except Exception as error:
            self.note(part, error)
            return otherwise

    def note(self, part: str, error: Exception) -> None:
        """Keep a failure of a part; of equal ones the first, with their number."""
        place = _place_of(error.__traceback__)
        known = self.mishaps.get((part, place))
        if known is not None:
            known.times += 1
            return
        shown = writable_text("".join(traceback.format_exception(error)))
        self.mishaps[part, place] = Mishap(part, place, text_of_exception(error), shown)

    def adopt(self, mishaps: Iterable[Mishap]) -> None:
        """Add what failed in another process."""
        for mishap in mishaps:
            known = self.mishaps.setdefault((mishap.part, mishap.place), mishap)
            if known is not mishap:
                known.times += mishap.times

    def notices(self) -> list[str]:
        """Return a line for each failure."""
        return [mishap.notice for mishap in self.mishaps.values()]


def located(error: Exception) -> str:
    """Return what an exception says, with its innermost line of this plugin."""
    return f"{text_of_exception(error)} ({_place_of(error.__traceback__)})"


def _place_of(entry: TracebackType | None) -> str:
    """Return the innermost line of this plugin, outside this module."""
    place = "unknown"
    while entry is not None:
        file = Path(entry.tb_frame.f_code.co_filename)
        if file.is_relative_to(_PACKAGE) and file != Path(__file__):
            place = f"{file.relative_to(_PACKAGE).as_posix()}:{entry.tb_lineno}"
        entry = entry.tb_next
    return place
