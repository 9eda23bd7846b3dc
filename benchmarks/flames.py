"""A flame graph of sampled stacks as SVG: who called whom, as wide as the time that it took.

The root is on top.  Hover over a frame to read its name, its file and its share.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from xml.sax.saxutils import escape

from benchmarks.plots import COLOURS
from benchmarks.plots import document
from benchmarks.plots import text
from benchmarks.stacks import APPLICATION
from benchmarks.stacks import PROBES
from benchmarks.stacks import WATCHING
from benchmarks.stacks import Frame
from benchmarks.stacks import Stack
from benchmarks.stacks import room_of

# Pixels.
WIDTH = 1200
ROW = 17
HEADER = 62
MARGIN = 10
CHARACTER = 6.4

SMALLEST = 0.005
"""Share of all samples below which a frame is not drawn."""

DEEPEST = 200
"""Frames of a stack that are drawn: an application may call itself a thousand times."""

GREY = "#999999"
OUR_OTHERS = "our other rooms"
STANDARD = "standard library called by us"
LEGEND: Mapping[str, str] = {
    APPLICATION: COLOURS[2],
    PROBES: COLOURS[1],
    WATCHING: COLOURS[4],
    OUR_OTHERS: COLOURS[5],
    STANDARD: GREY,
}


@dataclass
class Node:
    """A function at one place of the tree of calls."""

    frame: Frame
    samples: int = 0
    colours: dict[str, int] = field(default_factory=dict)
    children: dict[tuple[str, str], Node] = field(default_factory=dict)

    @property
    def colour(self) -> str:
        """Return the colour of most of its samples."""
        return max(self.colours, key=lambda name: self.colours[name])


def flame_graph(title: str, stacks: Iterable[Stack]) -> str:
    """Draw what took time in all of `stacks`."""
    root = tree_of(stacks)
    rows = depth_of(root, root.samples)
    parts = [text(MARGIN, 24, title, size=15), *_legend()]
    parts += _drawn(root, MARGIN, HEADER, (WIDTH - 2 * MARGIN) / max(root.samples, 1), root.samples)
    return document(WIDTH, HEADER + rows * ROW + MARGIN, parts)


def tree_of(stacks: Iterable[Stack]) -> Node:
    """Merge stacks with the same beginning; lines are not told apart."""
    root = Node(Frame("all", ""))
    for stack in stacks:
        node, behind = root, room_of(stack.frames)
        node.samples += stack.samples
        node.colours[GREY] = 1
        for frame in stack.frames[:DEEPEST]:
            key = frame.function, frame.path
            node = node.children.setdefault(key, Node(frame))
            node.samples += stack.samples
            colour = _colour(frame, behind)
            node.colours[colour] = node.colours.get(colour, 0) + stack.samples
    return root


def depth_of(node: Node, total: int) -> int:
    """Return how many rows of frames are large enough to be drawn."""
    large = [child for child in node.children.values() if _is_drawn(child, total)]
    return 1 + max((depth_of(child, total) for child in large), default=0)


def _colour(frame: Frame, room: str) -> str:
    if frame.own is not None:
        probe = frame.own.startswith("instrument/")
        return LEGEND[PROBES if probe else WATCHING if room == WATCHING else OUR_OTHERS]
    if not frame.is_standard:
        return LEGEND[APPLICATION]
    return LEGEND.get(room, LEGEND[STANDARD])


def _is_drawn(node: Node, total: int) -> bool:
    return node.samples >= SMALLEST * total


def _drawn(node: Node, x: float, y: float, scale: float, total: int) -> list[str]:
    parts = [_box(node, x, y, node.samples * scale, total)]
    for child in sorted(node.children.values(), key=lambda child: -child.samples):
        if _is_drawn(child, total):
            parts += _drawn(child, x, y + ROW, scale, total)
        x += child.samples * scale
    return parts


def _box(node: Node, x: float, y: float, width: float, total: int) -> str:
    name = node.frame.function
    share = 100 * node.samples / max(total, 1)
    where = _short_path(node.frame.path)
    shown = name if len(name) * CHARACTER < width - 4 else name.rpartition(".")[2]
    if len(shown) * CHARACTER > width - 4:
        shown = shown[: max(0, int((width - 10) / CHARACTER))]
    label = text(x + 2, y + 12, shown, size=11) if shown else ""
    return (
        f"<g><title>{escape(f'{name} ({where}) {share:.1f} %')}</title>"
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width - 0.5, 0.5):.1f}" height="{ROW - 1}"'
        f' fill="{node.colour}" fill-opacity="0.55"/>{label}</g>'
    )


def _short_path(path: str) -> str:
    """Return the end of a path that says enough, without the folders of this machine."""
    for folder in ("/site-packages/", "/lib/"):
        _before, found, inside = path.rpartition(folder)
        if found:
            return inside
    return "/".join(_parts_from_package(path.split("/")))


def _parts_from_package(parts: Sequence[str]) -> Sequence[str]:
    if "pytest_evosearch" in parts:
        return parts[parts.index("pytest_evosearch") :]
    return parts[-2:]


def _legend() -> list[str]:
    parts = []
    x = MARGIN
    for name, colour in LEGEND.items():
        parts.append(
            f'<rect x="{x}" y="38" width="14" height="12" fill="{colour}" fill-opacity="0.55"/>'
        )
        parts.append(text(x + 20, 49, name))
        x += 40 + int(len(name) * CHARACTER)
    return parts
