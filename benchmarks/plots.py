"""Small plots as SVG, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from typing import TypeAlias
from xml.sax.saxutils import escape

from benchmarks.statistics import median

# Pixels.
LABELS = 200
WIDTH = 480
ROW = 22
HEADER = 48
FOOTER = 28
PANEL = 260
PANEL_HEIGHT = 150
GAP = 60
LEGEND = 110
PANELS_A_ROW = 3

KEY = ": a dot for each run, a bar for the median"
"""Behind the title of strips."""

STEPS = 120
"""Times at which a curve is drawn."""

# Okabe and Ito's palette, which colour-blind people can tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999")


def strips(
    title: str, values: Mapping[str, Mapping[str, Sequence[float]]], end: float = 100.0
) -> str:
    """Draw every value as a dot and the median as a bar, one strip per application and tool.

    Args:
        title: what the values are.
        values: by application, then by tool; each from 0 to `end`.
        end: the right end of the axis.

    """
    rows = [(application, tool) for application, tools in values.items() for tool in tools]
    tools = list(dict.fromkeys(tool for _, tool in rows))
    height = HEADER + ROW * len(rows) + FOOTER
    parts = [text(10, 24, f"{title}{KEY}", size=15), *axis(end, height)]
    for index, (application, tool) in enumerate(rows):
        y = HEADER + ROW * index + ROW / 2
        colour = COLOURS[tools.index(tool) % len(COLOURS)]
        parts.append(text(LABELS - 12, y + 4, f"{application} {tool}", anchor="end"))
        parts += strip(values[application][tool], y, colour, end)
    return document(LABELS + WIDTH + 30, height, parts)


Curve: TypeAlias = "Sequence[tuple[float, float]]"


def curves(title: str, runs: Mapping[str, Mapping[str, Sequence[Curve]]]) -> str:
    """Draw how a height grows over time: one panel per application, one line per tool.

    Args:
        title: what the height is.
        runs: by application, then by tool; each run as times and heights, by time.

    """
    tools = list(dict.fromkeys(tool for panel in runs.values() for tool in panel))
    parts = [text(10, 24, title, size=15)]
    for index, tool in enumerate(tools):
        colour = COLOURS[index % len(COLOURS)]
        x = 10 + index * LEGEND
        parts.append(f'<path d="M{x} 40h16" stroke="{colour}" stroke-width="3"/>')
        parts.append(text(x + 22, 44, tool))
    for index, (application, panel) in enumerate(runs.items()):
        left = 50 + (index % PANELS_A_ROW) * (PANEL + GAP)
        top = 80 + (index // PANELS_A_ROW) * (PANEL_HEIGHT + GAP)
        parts += _panel(application, panel, tools, left, top)
    rows = -(-len(runs) // PANELS_A_ROW)
    width = max(50 + PANELS_A_ROW * (PANEL + GAP), 10 + len(tools) * LEGEND)
    return document(width, 80 + rows * (PANEL_HEIGHT + GAP), parts)


def _panel(
    application: str,
    runs: Mapping[str, Sequence[Curve]],
    tools: Sequence[str],
    left: float,
    top: float,
) -> list[str]:
    """Draw one application: the median of the runs of each tool at `STEPS` times."""
    points = [point for lines in runs.values() for line in lines for point in line]
    end = max((time for time, _height in points), default=0.0) or 1.0
    peak = max((height for _time, height in points), default=0.0) or 1.0
    bottom = top + PANEL_HEIGHT
    parts = [
        text(left, top - 8, application),
        f'<path d="M{left:.1f} {top:.1f}V{bottom:.1f}h{PANEL}" stroke="#888" fill="none"/>',
        text(left - 6, top + 4, f"{peak:g}", anchor="end"),
        text(left - 6, bottom, "0", anchor="end"),
        text(left + PANEL, bottom + 16, f"{end:.0f} s", anchor="end"),
    ]
    for tool, lines in runs.items():
        heights = [
            median([_height_at(line, end * step / STEPS) for line in lines])
            for step in range(STEPS + 1)
        ]
        path = " ".join(
            f"{left + PANEL * step / STEPS:.1f},{bottom - PANEL_HEIGHT * height / peak:.1f}"
            for step, height in enumerate(heights)
        )
        colour = COLOURS[tools.index(tool) % len(COLOURS)]
        parts.append(
            f'<polyline points="{path}" stroke="{colour}" stroke-width="1.5" fill="none"/>'
        )
    return parts


def _height_at(curve: Curve, time: float) -> float:
    """Return the height of a curve of steps at a time."""
    reached = 0.0
    for moment, height in curve:
        if moment > time:
            break
        reached = height
    return reached


def strip(values: Sequence[float], y: float, colour: str, end: float) -> list[str]:
    """Draw one strip."""
    middle = place(median(values), end)
    bar = f'<path d="M{middle:.1f} {y - 8:.1f}v16" stroke="{colour}" stroke-width="3"/>'
    dots = [
        f'<circle cx="{place(value, end):.1f}" cy="{y:.1f}" r="4" fill="{colour}"'
        ' fill-opacity="0.5"/>'
        for value in values
    ]
    return [*dots, bar]


def axis(end: float, height: float) -> list[str]:
    """Draw the grid and its numbers."""
    parts = []
    for step in range(6):
        value = end * step / 5
        x, bottom = place(value, end), height - FOOTER
        parts.append(f'<path d="M{x:.1f} {HEADER}V{bottom}" stroke="#888" stroke-opacity="0.3"/>')
        parts.append(text(x, bottom + 18, f"{value:g}", anchor="middle"))
    return parts


def place(value: float, end: float) -> float:
    """Return where on the axis a value lies, in pixels."""
    return LABELS + WIDTH * value / end


def text(x: float, y: float, content: str, anchor: str = "start", size: int = 12) -> str:
    """Draw a text."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
        f"{escape(content)}</text>"
    )


def document(width: float, height: float, parts: Sequence[str]) -> str:
    """Write a whole SVG document."""
    style = (
        "text{font-family:sans-serif;fill:#222}@media(prefers-color-scheme:dark){text{fill:#ddd}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width:g}" height="{height:g}">\n<style>{style}</style>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
