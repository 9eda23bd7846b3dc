"""The map of screens that were visited, as the geometry of a drawing, and as a table.

Columns are steps from the start; a line leads from each screen to those that its actions showed.
A screen is drawn as a browser has shown it, else as an outline: a list of its first actions.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.shown import shortened
from pytest_evosearch.report.page_visits import ScreenRow

MOST_DRAWN = 60
"""Most screens in the drawing; the table has all."""

COLUMN, ROW = 230, 176
"""Distance in pixels between two columns, and between two rows."""

WIDTH, HEIGHT = 180, 158
"""Size of a box in pixels: two lines of text, and the page or its outline below them."""

OUTLINED = 6
"""Most actions of an outline."""

LONGEST_ACTION = 25
"""Most characters of an action in an outline."""

MARGIN = 12

LONGEST_LABEL = 19
"""Most characters of a label, as a box has room for them."""


@dataclass(frozen=True)
class Box:
    """One screen of the drawing."""

    x: int
    y: int
    number: int
    """Number of the screen in the table."""
    label: str
    note: str
    share: float
    """Share of its actions that were tried."""
    has_picture: bool = False
    outline: tuple[str, ...] = ()
    """Its first actions, where there is no picture."""


@dataclass(frozen=True)
class ScreenMap:
    """The drawing, and what the page says of it."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    """Paths from box to box."""
    undrawn: int
    least: float
    """The least share of tried actions, of all screens with actions."""
    greatest: float


def screen_map(screens: Sequence[ScreenRow]) -> ScreenMap | None:
    """Return the map of the screens; None without any."""
    if not screens:
        return None
    depths = depths_of(screens)
    drawn = sorted(range(len(screens)), key=lambda index: (depths[index], index))[:MOST_DRAWN]
    rows: dict[int, int] = {}
    boxes: dict[int, Box] = {}
    for index in drawn:
        depth = depths[index]
        row = rows[depth] = rows.get(depth, -1) + 1
        boxes[index] = _box(screens[index], index, MARGIN + depth * COLUMN, MARGIN + row * ROW)
    shares = [one.tried_share for one in screens if one.actions]
    return ScreenMap(
        width=max(box.x for box in boxes.values()) + WIDTH + MARGIN,
        height=max(box.y for box in boxes.values()) + HEIGHT + MARGIN,
        boxes=tuple(boxes.values()),
        lines=tuple(_lines(screens, boxes)),
        undrawn=len(screens) - len(boxes),
        least=min(shares, default=0.0),
        greatest=max(shares, default=0.0),
    )


def depths_of(screens: Sequence[ScreenRow]) -> list[int]:
    """Return for each screen the fewest actions from the first one, as far as walks showed."""
    depths = {0: 0}
    waiting = [0]
    for index in waiting:
        for target in screens[index].leads_to:
            if target not in depths:
                depths[target] = depths[index] + 1
                waiting.append(target)
    deepest = max(depths.values()) + 1
    return [depths.get(index, deepest) for index in range(len(screens))]


def _box(screen: ScreenRow, index: int, x: int, y: int) -> Box:
    label = shortened(screen.label, LONGEST_LABEL)
    note = f"{screen.tried} of {len(screen.actions)} actions"
    has_picture = bool(screen.picture)
    outline = () if has_picture else _outline(screen)
    return Box(x, y, index + 1, label, note, screen.tried_share, has_picture, outline)


def _outline(screen: ScreenRow) -> tuple[str, ...]:
    names = [shortened(name, LONGEST_ACTION) for name, _times in screen.actions[:OUTLINED]]
    more = len(screen.actions) - OUTLINED
    return (*names[:-1], f"{more + 1} more") if more > 0 else tuple(names)


def _lines(screens: Sequence[ScreenRow], boxes: Mapping[int, Box]) -> Iterator[str]:
    for index, box in boxes.items():
        for target in screens[index].leads_to:
            if target in boxes and target != index:
                yield _line(box, boxes[target])


def _line(source: Box, target: Box) -> str:
    """Return a curve from the right of one box to the left of another, or around them."""
    start, end = source.x + WIDTH, target.x
    first, last = source.y + HEIGHT // 2, target.y + HEIGHT // 2
    if target.x > source.x:
        middle = (start + end) // 2
        return f"M{start} {first}C{middle} {first} {middle} {last} {end} {last}"
    bend = start + (COLUMN - WIDTH) // 2
    return f"M{start} {first}C{bend} {first} {bend} {last} {target.x + WIDTH} {last}"
