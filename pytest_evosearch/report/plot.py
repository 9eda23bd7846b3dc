"""Coverage over time as the geometry of a small drawing: a step line with ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass

WIDE = (1080, 280)
NARROW = (340, 220)
"""Width and height for narrow screens: a drawing is scaled as a whole, so phones need their own."""

LEFT = 52
"""Width that the numbers of the vertical axis need."""
RIGHT = 16
TOP = 14
BOTTOM = 34

MOST_POINTS = 400
"""Largest number of points: more cannot be seen on 650 pixels."""


@dataclass(frozen=True)
class Tick:
    """One mark on an axis."""

    position: float
    """Distance in pixels from the left, or from the top."""
    text: str


@dataclass(frozen=True)
class Plot:
    """One drawing of the page; all numbers are in units of its view box."""

    line: str
    """Path of the step line."""
    area: str
    """Path of the step line, closed at the axis."""
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    table: tuple[tuple[str, str, str], ...]
    """Seconds, evaluations and covered targets of a few points, for readers of the text."""
    width: int
    height: int
    left: int
    right: int
    bottom: int


def plots_of(timeline: Sequence[tuple[float, int, int]]) -> list[Plot]:
    """Return the plots of covered targets over seconds, wide and narrow; [] without a point."""
    return [_plot(timeline, width, height) for width, height in (WIDE, NARROW)] if timeline else []


def _plot(timeline: Sequence[tuple[float, int, int]], width: int, height: int) -> Plot:
    end = max(timeline[-1][0], 0.001)
    across = _ticks(end, width // 150 + 1)
    up = _ticks(float(max(timeline[-1][2], 1)), 5, least=1.0)
    highest = up[-1]
    right, bottom = width - RIGHT, height - BOTTOM

    def x(moment: float) -> float:
        return round(LEFT + (right - LEFT) * min(moment, end) / end, 1)

    def y(covered: float) -> float:
        return round(bottom - (bottom - TOP) * covered / highest, 1)

    line = f"M{x(0)} {y(0)}"
    for moment, _evaluations, covered in thinned(timeline, MOST_POINTS):
        line += f"H{x(moment)}V{y(covered)}"
    line += f"H{x(end)}"
    return Plot(
        line=line,
        area=f"{line}V{y(0)}Z",
        across=tuple(Tick(x(value), _seconds(value)) for value in across if value <= end),
        up=tuple(Tick(y(value), f"{value:,.0f}") for value in up),
        table=tuple(
            (f"{moment:.1f} s", f"{evaluations:,}", f"{covered:,}")
            for moment, evaluations, covered in thinned(timeline, 10)
        ),
        width=width,
        height=height,
        left=LEFT,
        right=right,
        bottom=bottom,
    )


def thinned(timeline: Sequence[tuple[float, int, int]], most: int) -> list[tuple[float, int, int]]:
    """Return at most `most` + 1 points of `timeline`, evenly spread, with the last one."""
    step = max(1, math.ceil(len(timeline) / most))
    kept = list(timeline[::step])
    return kept if kept[-1] == timeline[-1] else [*kept, timeline[-1]]


def _ticks(highest: float, most: int, least: float = 0.0) -> list[float]:
    """Return round numbers from 0 to just above `highest`: about `most`, at least `least` apart."""
    rough = max(highest / most, least)
    magnitude = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * magnitude for unit in (1, 2, 5, 10) if unit * magnitude >= rough)
    return [step * index for index in range(math.ceil(highest / step) + 1)]


def _seconds(value: float) -> str:
    if value >= 120:
        minutes, rest = divmod(round(value), 60)
        return f"{minutes} min" if not rest else f"{minutes}:{rest:02d}"
    return f"{value:g} s"
