"""The tree of what was asked of one value and of the values inside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator


class Node:
    """What was asked of one value."""

    def __init__(self, name: str, origins: tuple[Node, ...] = ()) -> None:
        self.name = name
        """The name of an argument, or of an attribute or a key of another value."""
        self.origins = origins
        """Values from which arithmetic made this one: what it is asked, shows their types, too."""
        self.holder: Node | None = None
        """The value of which this is an element."""
        self.asked: Counter[str] = Counter()
        """Operation -> how often: ``iterate``, ``index``, ``.strip``, ``compare`` ..."""
        self.votes: Counter[str] = Counter()
        """Name of a type -> weight of the evidence for it."""
        self.classes: dict[type, None] = {}
        """Classes that `isinstance` asked for in runs that ended with an error."""
        self.heard: dict[type, None] = {}
        """Classes that `isinstance` asked for in this run."""
        self.attributes: dict[str, Node] = {}
        self.items: dict[object, Node] = {}
        """Key -> what was asked of its value; only text keys are known by name."""
        self.element: Node | None = None
        self.result: Node | None = None
        """What was asked of the result of calling it."""
        self.arity = 0
        """Number of values into which it was unpacked; 0 where that is not known."""
        self.refuted: set[str] = set()
        """Types that errors have refuted."""
        self.chosen = ""
        """The type that the last run was given; empty for a stand-in."""
        self.kind: type | None = None
        """The class that the last run was given, where `chosen` is ``class``."""
        self.rounds = 0
        """Number of runs that were given a plain value of the present type."""

    def vote(self, kind: str, weight: float) -> None:
        """Add evidence for a type, here and where this value came from."""
        self.votes[kind] += weight  # type: ignore[assignment]
        for origin in self.origins:
            if kind in ("int", "float", "str", "bytes", "Decimal", "timedelta", "date"):
                origin.vote(kind, weight / 2)

    def attribute(self, name: str) -> Node:
        """Return the node of an attribute."""
        self.asked[f".{name}"] += 1
        return self.attributes.setdefault(name, Node(name))

    def item(self, key: object) -> Node:
        """Return the node of the value under a key."""
        if isinstance(key, str):
            return self.items.setdefault(key, Node(key))
        return self.any_element()

    def any_element(self) -> Node:
        """Return the node that all elements share."""
        if self.element is None:
            self.element = Node(_singular(self.name))
            self.element.holder = self
        return self.element

    def call_result(self) -> Node:
        """Return the node of what a call gives."""
        if self.result is None:
            self.result = Node("")
        return self.result

    @property
    def uses(self) -> int:
        """Return the number of different operations and types that show what it is."""
        return len(self.asked) + sum(weight >= 1 for weight in self.votes.values())

    def inner(self) -> Iterator[Node]:
        """Yield this node and every node inside the value."""
        yield self
        within = [*self.attributes.values(), *self.items.values(), self.element, self.result]
        for node in within:
            if node is not None:
                yield from node.inner()


def _singular(name: str) -> str:
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else ""
