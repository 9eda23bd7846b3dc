"""What stand-ins found out about a value: its type, and the shapes of what is inside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    """The type of a value, as far as its uses show it."""

    kind: str = ""
    """Name of a builtin or standard type (``str``, ``date``), ``function``, or ``object`` for
    something with attributes; empty where nothing is known."""
    element: Shape | None = None
    """The shape of each element of a list, a set or an iterator; the result of a function."""
    members: tuple[tuple[object, Shape], ...] = ()
    """Keys of a dictionary, attributes of an object or positions of a tuple, with their shapes."""
    named: tuple[str, str] = ("", "")
    """Module and qualified name of a class that the code asks for by name."""
    uses: int = 0
    """Number of independent uses that show the type."""

    def __str__(self) -> str:
        return _text(self)

    def inner(self) -> Iterator[Shape]:
        """Yield the shapes of what is inside."""
        if self.element is not None:
            yield self.element
        yield from (shape for _key, shape in self.members)


def _text(shape: Shape) -> str:
    """Return ``list[str]``, ``{name: str, age: int}`` or ``IPv4Address``."""
    if shape.named[1]:
        return shape.named[1]
    if shape.kind in ("dict", "object") and shape.members:
        inside = ", ".join(f"{key}: {one}" for key, one in shape.members)
        return f"{{{inside}}}" if shape.kind == "dict" else f"object({inside})"
    if shape.kind == "tuple" and shape.members:
        return f"tuple[{', '.join(str(one) for _key, one in shape.members)}]"
    if shape.element is not None and shape.element.kind:
        return f"{shape.kind}[{shape.element}]"
    return shape.kind or "any"
