"""What walks and a browser have shown of pages, as reports show it."""

from __future__ import annotations

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.browser.page_steps import PageStep


@dataclass(frozen=True)
class ScreenRow:
    """One screen that walks have visited."""

    label: str
    """Its route, status, and what divides it from others: ``GET /cart 200``."""
    visits: int
    actions: tuple[tuple[str, int], ...] = ()
    """What it offers, and how many times each was done."""
    leads_to: tuple[int, ...] = ()
    """Positions of the screens where its actions led."""
    reached_from: tuple[int, ...] = ()
    """Numbers, from 1, of the screens from which it was reached."""
    picture: str = ""
    """The page in a browser, a JPEG as base64; empty where none has shown it."""

    @property
    def tried(self) -> int:
        """How many of its actions were done."""
        return sum(times > 0 for _name, times in self.actions)

    @property
    def tried_share(self) -> float:
        """The share of its actions that were done."""
        return self.tried / len(self.actions) if self.actions else 0.0


@dataclass(frozen=True)
class WalkSummary:
    """What walks over pages have visited."""

    walks: int = 0
    longest_path: int = 0
    """The longest run of steps without a repeated screen."""
    screens: tuple[ScreenRow, ...] = ()
    led: tuple[tuple[str, int, int], ...] = ()
    """Selectors that were chosen in turn: name, walks, and what these gained."""


@dataclass(frozen=True)
class PageProblem:
    """Something that went wrong in a page, as a browser shows it."""

    kind: str
    """``uncaught error``, ``broken link``: the code of its oracle, in words."""
    message: str
    page: str
    """The path of the page."""
    times: int = 1
    action: str = ""
    """What was done last: ``button Save``; empty where the page was only opened."""
    place: str = ""
    """Message and page without numbers, as `FaultRow.way` has them."""
    start: str = ""
    """The path of the page that was opened first."""
    way: tuple[PageStep, ...] = ()
    """What was done since then; the shortest that is known."""
    user: str | None = None
    """Name of the user who did it; None for an anonymous one."""
    test: str | None = None
    """``file::test`` that shows it; None without one."""
    picture: str = ""
    """The page as it was then, a JPEG as base64; empty without one."""


@dataclass(frozen=True)
class BrowserSummary:
    """What visits with a browser have shown."""

    visits: int = 0
    actions: int = 0
    problems: tuple[PageProblem, ...] = ()

    def picture_of(self, place: str) -> str:
        """Return the page that shows a fault at a place; empty without one."""
        found = (one.picture for one in self.problems if one.place == place)
        return next(filter(None, found), "") if place else ""
