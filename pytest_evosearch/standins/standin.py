"""A stand-in: an object that accepts what is asked of it, and notes it.

Each stand-in has a class of its own, because messages of functions in C name the class.  Special
methods by which C converts a value (``__index__``, ``__float__``, ``__fspath__``) are missing:
their errors tell more than an answer would.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Generator
from collections.abc import Iterator
from typing import Any

from pytest_evosearch.standins.asked import Node

MOST_QUESTIONS = 400
"""Most questions in one run; then it is ended."""

ALIKE = 12
"""Questions about truth that get one answer; then answers alternate, so that loops end."""

ELEMENTS = 2
"""Elements of a stand-in that is iterated."""


class TooManyQuestions(BaseException):
    """Ends a run that does not end by itself; handlers of exceptions let it pass."""


class Session:
    """The stand-ins of one run; `classes` of earlier runs are used again."""

    def __init__(self, classes: dict[str, type], number: int = 1) -> None:
        self._classes = classes
        self._number = number
        """Number of the run: 1 says yes to each question about truth, 2 no; 3 and 4 alternate."""
        self.questions = 0
        self.truths = 0
        self.nodes: dict[str, Node] = {}
        """Name of a class -> the node of its stand-in."""
        self.iterated: Node | None = None
        """The value that was iterated last."""
        self.give: Callable[[Node], Any] = self.standin
        """Returns the value of a node: a stand-in only as long as its type is not known."""

    def standin(self, node: Node) -> Any:
        """Return the stand-in of a node, of a class that no other node has."""
        name = next((name for name, one in self.nodes.items() if one is node), "")
        if not name:
            name = f"Standin{len(self.nodes)}"
            self.nodes[name] = node
        if name not in self._classes:  # caches of abstract classes grow with each new one
            self._classes[name] = type(name, (Standin,), _operations())
        return self._classes[name](node, self)

    def count(self) -> None:
        """Count a question; end the run when there are too many."""
        self.questions += 1
        if self.questions > MOST_QUESTIONS:
            raise TooManyQuestions

    def truth(self) -> bool:
        """Return the answer to a question about truth."""
        self.count()
        self.truths += 1
        alternates = (self._number - 1) % 4 >= 2 or self.truths > ALIKE
        return (self._number + (self.truths if alternates else 0)) % 2 == 1


def node_of(value: object) -> Node | None:
    """Return the node of a stand-in; None for a plain value."""
    return object.__getattribute__(value, "_node") if isinstance(value, Standin) else None


class Standin:
    """One object; see the text of the module."""

    def __init__(self, node: Node, session: Session) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_session", session)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # code asks for private names to tell its own objects apart
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        self._session.count()
        return self._session.give(self._node.attribute(name))

    def __setattr__(self, name: str, value: object) -> None:
        self._node.attribute(name)
        object.__setattr__(self, name, value)

    def __getitem__(self, key: object) -> Any:
        node, session = self._node, self._session
        session.count()
        if isinstance(key, slice):
            node.asked["slice"] += 1
            return self
        _note_key(node, key)
        if type(key) is int and key >= ELEMENTS + 8:
            raise IndexError(key)
        return session.give(node.item(key))

    def __setitem__(self, key: object, value: object) -> None:
        self._session.count()
        self._node.asked["store"] += 1
        _note_key(self._node, key)

    def __delitem__(self, key: object) -> None:
        self._session.count()
        self._node.asked["store"] += 1
        _note_key(self._node, key)

    def __iter__(self) -> Iterator[Any]:
        node, session = self._node, self._session
        session.count()
        node.asked["iterate"] += 1
        session.iterated = node
        for _ in range(node.arity or ELEMENTS):
            session.count()
            yield session.give(node.any_element())

    def __next__(self) -> Any:
        node, session = self._node, self._session
        session.count()
        node.asked["next"] += 1
        if node.asked["next"] > ELEMENTS:
            raise StopIteration
        return session.give(node.any_element())

    def __len__(self) -> int:
        self._session.count()
        self._node.asked["length"] += 1
        return self._node.arity or ELEMENTS

    def __contains__(self, value: object) -> bool:
        self._node.asked["contain"] += 1
        _note_member(self._node, value)
        return bool(self._session.truth())

    def __call__(self, *arguments: object, **keywords: object) -> Any:
        """Note the call."""
        self._session.count()
        self._node.asked["call"] += 1
        return self._session.give(self._node.call_result())

    def __bool__(self) -> bool:
        self._node.asked["truth"] += 1
        return bool(self._session.truth())

    def __hash__(self) -> int:
        self._node.asked["hash"] += 1
        return object.__hash__(self)

    def __eq__(self, other: object) -> bool:
        return self._compared("equal", other)

    def __ne__(self, other: object) -> bool:
        return self._compared("equal", other)

    def __lt__(self, other: object) -> bool:
        return self._compared("compare", other)

    __le__ = __gt__ = __ge__ = __lt__

    def _compared(self, operation: str, other: object) -> bool:
        node = self._node
        node.asked[operation] += 1
        if node_of(other) is not None and operation == "compare":
            node.vote("int", 0.5)
        _note_operand(node, other, 1.0)
        if isinstance(other, str) and len(other) == 1 and node.holder is not None:
            node.holder.vote("str", 1.5)  # what is compared with one character is one
        return bool(self._session.truth())

    def __format__(self, spec: str) -> str:
        node = self._node
        node.asked["format"] += 1
        if spec and spec[-1] in "bcdoxXn":
            node.vote("int", 3)
        elif spec and spec[-1] in "eEfFgG%":
            node.vote("float", 3)
        else:
            node.vote("str", 0.5)
        return "1"

    def __enter__(self) -> Any:
        self._node.asked["with"] += 1
        return self._session.give(self._node.call_result())

    def __exit__(self, *_exception: object) -> None:
        """Leave the block."""

    async def __aenter__(self) -> Any:
        return self.__enter__()

    async def __aexit__(self, *_exception: object) -> None:
        """Leave the block."""

    def __await__(self) -> Generator[Any, None, Any]:
        self._node.asked["await"] += 1
        yield from ()  # nothing is waited for
        return self._session.give(self._node.call_result())

    def __aiter__(self) -> Any:
        self._node.asked["async iterate"] += 1
        return self

    async def __anext__(self) -> Any:
        try:
            return next(self)
        except StopIteration:
            raise StopAsyncIteration from None

    def __round__(self, digits: object = None) -> Any:
        self._node.vote("float", 2)
        return self._session.standin(Node("", (self._node,)))


def _note_key(node: Node, key: object) -> None:
    if isinstance(key, str):
        node.asked["key"] += 1
        node.vote("dict", 2)
    elif isinstance(key, int):
        node.asked["index"] += 1
    else:
        node.asked["item"] += 1
        inside = node_of(key)
        if inside is not None:
            inside.vote("int", 0.2)


def _note_member(node: Node, value: object) -> None:
    if isinstance(value, str):
        node.vote("str", 1.0 if len(value) == 1 else 0.3)
    elif value is not None and node_of(value) is None:
        _note_operand(node.any_element(), value, 0.5)


def _note_operand(node: Node, other: object, weight: float) -> None:
    """Note the type of what a value is compared or computed with."""
    kind = type(other).__name__
    if other is None or node_of(other) is not None or isinstance(other, type):
        return
    if isinstance(other, bool):
        node.vote("bool", weight)
    elif isinstance(other, int):
        node.vote("int", 2 * weight)
        node.vote("float", 0.7 * weight)
    else:
        node.vote(kind, 3 * weight)


_KINDS = {
    **dict.fromkeys(("add", "sub", "mul", "pow", "neg", "abs", "pos", "divmod"), "number"),
    **dict.fromkeys(("truediv", "trunc", "floor", "ceil"), "fraction"),
    **dict.fromkeys(("floordiv", "lshift", "rshift", "invert"), "whole"),
    **dict.fromkeys(("and", "or", "xor"), "bits"),
    "mod": "rest",
    "matmul": "matrix",
}
"""Special methods of arithmetic -> what they show of their operand."""


def _arithmetic(name: str, shows: str) -> Callable[..., Any]:
    def operation(self: Standin, *others: object) -> Any:
        node, session = self._node, self._session
        session.count()
        node.asked[shows] += 1
        if shows == "fraction":
            node.vote("float", 1)
        elif shows in ("whole", "bits"):
            node.vote("int", 1)
        other = others[0] if others else None
        if shows == "rest" and isinstance(other, (tuple, str, dict)):
            node.vote("str", 3)
        elif shows == "number" and name.endswith("mul") and isinstance(other, (str, list, tuple)):
            node.vote("int", 2)
        elif name == "mul" and isinstance(other, int):
            node.vote("int", 0.5)  # it may also be repeated
        else:
            _note_operand(node, other, 1.0)
        if shows == "fraction" and not name.endswith("truediv"):
            return 1  # Python refuses anything but a whole number
        theirs = node_of(other)
        if theirs is not None:
            theirs.asked[shows] += 1
        return session.standin(Node("", (node, theirs) if theirs is not None else (node,)))

    return operation


def _operations() -> dict[str, Callable[..., Any]]:
    unary = ("neg", "abs", "pos", "invert", "trunc", "floor", "ceil")
    return {
        f"__{prefix}{name}__": _arithmetic(f"{prefix}{name}", shows)
        for name, shows in _KINDS.items()
        for prefix in (("",) if name in unary else ("", "r", "i"))
    }
