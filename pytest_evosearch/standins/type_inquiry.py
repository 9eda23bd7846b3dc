"""One inquiry into the types of several values: what is given next, and what each run showed."""

from __future__ import annotations

import datetime
import decimal
import fractions
import io
import pathlib
import re
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from pytest_evosearch.standins import error_messages
from pytest_evosearch.standins.argument_names import kind_of_name
from pytest_evosearch.standins.asked import Node
from pytest_evosearch.standins.likely_types import likeliest
from pytest_evosearch.standins.shape import Shape
from pytest_evosearch.standins.standin import Session
from pytest_evosearch.standins.standin import Standin
from pytest_evosearch.standins.standin import TooManyQuestions
from pytest_evosearch.standins.standin import node_of

OTHER_VALUES = 3
"""Runs with other values of the same types, and other truths, after errors about values."""

DEEPEST = 6
"""Levels of values in one another."""

_PLAIN: Mapping[str, Sequence[object]] = {
    "str": ("a", "1", "2024-01-31", "a b"),
    "int": (1, 2, 10, 0),
    "float": (0.5, 2.0, 1.0, 10.0),
    "bool": (True, False),
    "bytes": (b"a", b"12", b"abcd"),
    "complex": (1j,),
    "date": (datetime.date(2024, 1, 31),),
    "datetime": (datetime.datetime(2024, 1, 31, 12, 30),),
    "timedelta": (datetime.timedelta(days=1),),
    "Decimal": (decimal.Decimal("1.5"),),
    "Fraction": (fractions.Fraction(1, 2),),
    "Path": (pathlib.Path("a"),),
    "Pattern": (re.compile("a"),),
}
"""Type -> values to give in turn."""

MakeObject = Callable[[type], object]
"""Makes an object of a class of the code; raises where it cannot."""


class Inquiry:
    """Finds out what code wants to be given as some named values."""

    def __init__(
        self,
        names: Iterable[str],
        classes: Sequence[type] = (),
        make: MakeObject | None = None,
    ) -> None:
        self._roots = {name: Node(name) for name in names}
        self._classes = classes
        """Classes whose objects the code may want."""
        self._make = make
        self._pool: dict[str, type] = {}
        self._session = Session(self._pool)
        self._given: list[Node] = []
        """Nodes that got a plain value in this run, the outer ones first."""
        self.rounds = 0
        self._is_calm = False
        self._others = 0

    def ask(self, names: Iterable[str]) -> None:
        """Ask for further values, from the next run on."""
        self._roots.update({name: Node(name) for name in names})

    # Giving

    def values(self) -> dict[str, Any]:
        """Return what to give in the next run: plain values, and stand-ins for the rest."""
        self.rounds += 1
        self._session = Session(self._pool, self.rounds)
        self._session.give = self._value
        self._given = []
        return {name: self._value(node) for name, node in self._roots.items()}

    def _value(self, node: Node, depth: int = 0) -> Any:
        if not node.chosen or depth > DEEPEST:
            return self._session.standin(node)
        self._given.append(node)
        node.rounds += 1
        if node.chosen == "class" and node.kind is not None and self._make is not None:
            try:
                return self._make(node.kind)
            except Exception:
                node.refuted.add(f"class {node.kind.__qualname__}")
                return self._session.standin(node)
        if node.chosen == "bool":
            return self._session.truth()
        if node.chosen in _PLAIN:
            return self._plain(node)
        return self._container(node, depth)

    def _container(self, node: Node, depth: int) -> Any:
        def inside() -> Any:
            return self._value(node.any_element(), depth + 1)

        if node.chosen == "dict":
            keys = node.items or {"a": node.any_element()}
            return {key: self._value(one, depth + 1) for key, one in keys.items()}
        if node.chosen in ("list", "tuple"):
            elements = [inside() for _ in range(node.arity or 2)]
            return elements if node.chosen == "list" else tuple(elements)
        if node.chosen == "set":
            return {inside()}
        if node.chosen == "StringIO":
            return io.StringIO("a\nb\n")
        if node.chosen == "function":
            return lambda *_arguments, **_keywords: self._value(node.call_result(), depth + 1)
        return self._session.standin(node)

    # Learning

    def note(self, error: BaseException | None) -> None:
        """Learn from how a run ended: None for a normal end."""
        is_heard = self._hear(isinstance(error, (TypeError, AttributeError, ValueError)))
        if error_messages.is_of_call(str(error)):
            error = ValueError(error)  # what the code called has other arguments; no type is wrong
        if isinstance(error, (TypeError, AttributeError, LookupError)):
            self._is_calm = False
            if not self._told(error) and not is_heard:
                self._refute(str(error))
        elif error is None or isinstance(error, TooManyQuestions):
            self._is_calm = True
        else:
            is_told = self._told(error)
            self._is_calm = not is_told and self._others >= OTHER_VALUES
            self._others = min(self._others + (not is_told), OTHER_VALUES)
        self._choose()

    def note_class(self, value: object, kinds: object) -> None:
        """Note that `isinstance` asked whether a value is of some classes."""
        node = node_of(value) or self._given_as(value)
        if node is None or (node.chosen and isinstance(value, kinds)):  # type: ignore[arg-type]
            return
        for kind in kinds if isinstance(kinds, tuple) else (kinds,):
            if isinstance(kind, type) and not issubclass(kind, Standin):
                node.heard.setdefault(kind)

    def _given_as(self, value: object) -> Node | None:
        """Return the node that was given a plain value, which code may not want."""
        same = [node for node in self._given if value is self._plain(node)]
        return same[-1] if same else None

    def _plain(self, node: Node) -> object:
        plain = _PLAIN.get(node.chosen, (None,))
        return plain[self._others % len(plain)]

    def _hear(self, failed: bool) -> bool:
        """Take over the classes that the code asked for, if it wanted one: if the run failed.

        Say whether there were any: then they explain the error, and no guess is refuted.
        """
        is_heard = False
        for node in (*self._session.nodes.values(), *self._given):
            for kind in node.heard if failed else ():
                if kind not in node.classes:
                    node.classes[kind] = None
                    node.vote(kind.__name__, 1.5)
                    is_heard = True
                    self._give_up(node)
            node.heard.clear()
        return is_heard

    def _told(self, error: BaseException) -> bool:
        """Take over what a message tells; say whether it told something."""
        message = str(error)
        if self._told_of_text_key(message):
            return True
        for name, kinds in error_messages.wanted(message):
            node = self._session.nodes.get(name) or self._weakest(name)
            if node is not None and name not in kinds:
                self._give_up(node)
                if node.refuted.issuperset(kinds):  # values were wrong then, and no type
                    node.refuted.difference_update(kinds)
                for place, kind in enumerate(kinds):
                    node.vote(kind, 5 - 1.5 * place)
                return True
        arity = error_messages.arity(message)
        if arity:
            return self._note_arity(arity)
        kind, attribute = error_messages.missing_attribute(message)
        if kind in self._session.nodes:
            return True  # a special method or a private name, which no stand-in has
        for node in reversed(self._given):
            if attribute and _is_called(node, kind):
                node.attribute(attribute)
                node.chosen = ""
                return True
        if isinstance(error, KeyError) and error.args:
            return self._note_key(error.args[0])
        return self._told_of_silent_ones(message)

    def _told_of_text_key(self, message: str) -> bool:
        """Note that something is a dictionary which was given as a text or a list."""
        kind = error_messages.indexed_by_text(message)
        for node in self._given if kind else ():
            is_container = node.asked["contain"] or node.asked["item"] or node.asked["iterate"]
            if node.chosen == kind and is_container:
                self._give_up(node)
                node.vote("dict", 2)
                return True
        return False

    def _told_of_silent_ones(self, message: str) -> bool:
        """Take over what a message wants that names no stand-in: of those that C was given.

        Code in C asks a stand-in nothing before it refuses it.
        """
        kinds = error_messages.wanted_by_nobody(message)
        silent = [one for one in self._session.nodes.values() if not one.asked and not one.votes]
        named = [one for one in silent if kinds and kind_of_name(one.name) == kinds[0]]
        computed = [one for one in silent if one.origins]
        for node in (named or computed or silent) if kinds else ():
            for place, kind in enumerate(kinds):
                node.vote(kind, 1.0 - 0.3 * place)
        return bool(silent and kinds)

    def _note_arity(self, arity: int) -> bool:
        node = self._session.iterated
        if node is None:
            node = next((one for one in reversed(self._given) if one.chosen in _UNPACKED), None)
        if node is None or node.arity == arity:
            return False
        node.arity = arity
        node.asked["iterate"] += 1
        if node.chosen in ("str", "dict"):
            node.refuted.add(node.chosen)
        node.chosen = ""
        return True

    def _note_key(self, key: object) -> bool:
        looked_up = node_of(key)
        if looked_up is not None:
            looked_up.vote("str", 1.0)  # most keys are texts
            return True
        for node in self._given:
            if node.chosen == "dict" and key not in node.items:
                node.items[key] = Node(str(key))
                return True
        return any(key in _PLAIN.get(node.chosen, ()) for node in self._given)

    def _refute(self, message: str) -> None:
        """Give up the weakest guess, of the types that a message names if there are such."""
        node = self._weakest(*error_messages.types_in(message)) or self._weakest()
        if node is not None:
            self._give_up(node)

    def _weakest(self, *kinds: str) -> Node | None:
        """Return the given value with the least evidence for its type, of these or of all types."""
        guesses = [one for one in self._given if one.chosen and (not kinds or one.chosen in kinds)]
        return min(guesses, key=lambda one: one.uses) if guesses else None

    def _give_up(self, node: Node) -> None:
        if not node.chosen:
            return
        name = node.kind.__qualname__ if node.chosen == "class" and node.kind else ""
        node.refuted.add(f"class {name}" if name else node.chosen)
        node.chosen, node.kind = "", None

    def _choose(self) -> None:
        """Choose the type of each value of which something is known."""
        for root in self._roots.values():
            for node in [*root.inner()]:
                if node.chosen in _CONTAINERS or not node.chosen:
                    node.chosen, node.kind = likeliest(node, self._classes)
                    if node.chosen == "object":
                        node.chosen = ""

    @property
    def is_settled(self) -> bool:
        """Say whether the last run ended well, and another would show no more."""
        if not self._is_calm:
            return False
        given = {id(node) for node in self._given}
        reached = [node for root in self._roots.values() for node in _reached(root)]
        return all(id(node) in given or not node.chosen for node in reached)

    # The result

    def shapes(self) -> dict[str, Shape]:
        """Return what is known of each value."""
        return {name: self._shape(node, 0) for name, node in self._roots.items()}

    def _shape(self, node: Node, depth: int) -> Shape:
        kind, real = likeliest(node, self._classes)
        if depth > DEEPEST:
            return Shape()
        if kind == "class" and real is not None:
            return Shape("object", named=(real.__module__, real.__qualname__), uses=node.uses)
        members: Mapping[Any, Node] = {}
        if kind == "dict":
            members = node.items
        elif kind == "object":
            members = node.attributes
        elif kind == "tuple" and node.arity:
            members = dict.fromkeys(range(node.arity), node.any_element())
        element = node.result if kind == "function" else node.element
        if kind not in _CONTAINERS or (kind == "tuple" and members):
            element = None
        elif element is None and kind in ("list", "set", "tuple"):
            element = node.any_element()
        return Shape(
            kind,
            self._shape(element, depth + 1) if element is not None else None,
            tuple((key, self._shape(one, depth + 1)) for key, one in members.items()),
            uses=node.uses,
        )


_CONTAINERS = frozenset({"list", "tuple", "dict", "set", "function"})
_UNPACKED = frozenset({"list", "tuple", "str", "dict"})


def _is_called(node: Node, kind: str) -> bool:
    if node.kind is not None:
        return node.kind.__name__ == kind
    return node.chosen == kind or (node.chosen == "Path" and kind == "PosixPath")


def _reached(node: Node) -> Iterable[Node]:
    """Yield a value, and what is inside it as far as the next run would give it."""
    yield node
    inside: list[Node | None] = []
    if node.chosen in _CONTAINERS:
        inside = [*node.items.values()] or [node.element]
    elif not node.chosen:
        inside = [*node.attributes.values(), *node.items.values(), node.element, node.result]
    for one in inside:
        if one is not None:
            yield from _reached(one)


def shapes_by_calls(
    call: Callable[[Mapping[str, Any]], object], inquiry: Inquiry, most: int
) -> dict[str, Shape]:
    """Call with values of an inquiry until it is settled, at most so often; return the shapes."""
    for _ in range(most):
        try:
            call(inquiry.values())
        except (Exception, TooManyQuestions) as error:
            inquiry.note(error)
        else:
            inquiry.note(None)
        if inquiry.is_settled:
            break
    return inquiry.shapes()


def modules_beside(module: ModuleType) -> list[ModuleType]:
    """Return a module, and the imported ones of the same package that it may call."""
    top = module.__name__.partition(".")[0]
    loaded = [(name, one) for name, one in sys.modules.items() if isinstance(one, ModuleType)]
    return [one for name, one in loaded if name == top or name.startswith(f"{top}.")]


@contextmanager
def overhearing(inquiry: Inquiry, modules: Iterable[ModuleType]) -> Iterator[None]:
    """Let an inquiry see what `isinstance` is asked in the code of these modules."""

    def overheard(value: object, kinds: Any) -> bool:
        inquiry.note_class(value, kinds)
        return isinstance(value, kinds)

    changed = [module for module in modules if "isinstance" not in vars(module)]
    for module in changed:
        vars(module)["isinstance"] = overheard
    try:
        yield
    finally:
        for module in changed:
            vars(module).pop("isinstance", None)
