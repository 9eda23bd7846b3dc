"""What the code of a unit does with its parameters, as its source says."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
import types
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from enum import EnumMeta
from itertools import pairwise
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.constructed import Named


@dataclass(frozen=True)
class Uses:
    """What the code of a function does with names."""

    called: frozenset[str] = frozenset()
    """Names that it calls: an argument with one is a function."""
    members: Mapping[str, Sequence[Named]] = field(default_factory=dict)
    """Name -> the members of an enum with one of which it is compared."""
    variables: tuple[str, ...] = ()
    """Environment variables that it reads by name."""
    kinds: Mapping[str, Sequence[type]] = field(default_factory=dict)
    """Name -> the classes of which `isinstance` asks whether it is one."""
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Name -> the texts with one of which it is compared."""
    forwarded: Mapping[str, Sequence[tuple[str, int | str]]] = field(default_factory=dict)
    """Name -> what gets it as it is: a function or class of the code, and which argument."""
    checked: frozenset[str] = frozenset()
    """Names that are refused by a ``raise`` if they are not of such a class."""


def uses_of(function: Any) -> Uses:
    """Return what the source of a function says; nothing where it cannot be read."""
    called: set[str] = set()
    members: dict[str, dict[Named, None]] = {}
    variables: dict[str, None] = {}
    kinds: dict[str, dict[type, None]] = {}
    words: dict[str, dict[str, None]] = {}
    forwarded: dict[str, list[tuple[str, int | str]]] = {}
    checked: set[str] = set()
    for node in nodes_of(function):
        variables.update(dict.fromkeys(_variables(node)))
        for name, kind in _tested(node, function):
            kinds.setdefault(name, {})[kind] = None
        checked.update(_checked(node))
        for name, word in _compared(node, function):
            words.setdefault(name, {})[word] = None
        for name, target in _forwarded(node, function):
            forwarded.setdefault(name, []).append(target)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.add(node.func.id)
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            named = [one for side in sides for one in _members(side, function)]
            for side in sides if named else ():
                if isinstance(side, ast.Name):
                    members.setdefault(side.id, {}).update(dict.fromkeys(named))
    known = {name: [*found] for name, found in members.items()}
    tested = {name: [*found] for name, found in kinds.items()}
    told = {name: [*found] for name, found in words.items()}
    return Uses(
        frozenset(called), known, tuple(variables), tested, told, forwarded, frozenset(checked)
    )


def is_left_open(function: Any) -> bool:
    """Say whether a function only says that subclasses must have it."""
    for node in nodes_of(function):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[bool(ast.get_docstring(node)) :]
            raised = body[0].exc if len(body) == 1 and isinstance(body[0], ast.Raise) else None
            raised = raised.func if isinstance(raised, ast.Call) else raised
            return isinstance(raised, ast.Name) and raised.id == NotImplementedError.__name__
    return False


def gives_nothing(function: Any) -> bool:
    """Say whether a function is one without a result: no ``return`` has a value."""
    nodes = list(nodes_of(function))
    results = (one.value for one in nodes if isinstance(one, ast.Return))
    given = [one for one in results if not (one is None or _is_none(one))]
    return bool(nodes) and not given and not any(isinstance(one, _YIELDS) for one in nodes)


def _is_none(node: ast.expr) -> bool:
    """Say whether an expression is None."""
    return isinstance(node, ast.Constant) and node.value is None


_YIELDS = (ast.Yield, ast.YieldFrom, ast.Lambda)


def _tested(node: ast.AST, function: Any) -> Iterator[tuple[str, type]]:
    """Yield the name that `isinstance` or `type` asks about, with each class."""
    for subject, classes in _asked(node):
        for one in classes.elts if isinstance(classes, ast.Tuple) else [classes]:
            found = meant(one, function)
            if isinstance(found, type) and isinstance(subject, ast.Name):
                yield subject.id, found


def _asked(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what is asked for its class, and the class or classes with which this is compared."""
    if _asks_class(node):
        subject, classes = node.args  # type: ignore[attr-defined]
        yield subject, classes
    sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    for kind, other in (*pairwise(sides), *pairwise(sides[::-1])):
        if isinstance(kind, ast.Call) and ast.unparse(kind.func) == "type" and len(kind.args) == 1:
            yield kind.args[0], other


def meant(node: ast.expr, function: Any) -> Any:
    """Return what a name or an attribute stands for; that of ``self`` is one of its class."""
    first, *parts = ast.unparse(node).split(".")
    names = getattr(inspect.unwrap(function), "__globals__", {})
    found = names.get(first, getattr(builtins, first, None))
    if first in ("self", "cls"):
        owner = getattr(function, "__qualname__", "").rpartition(".")[0]
        found, parts = names, [*owner.split("."), *parts]
        found = names.get(parts.pop(0))
    for part in parts:
        found = inspect.getattr_static(found, part, None)
    return _plain(found)


def _plain(found: Any) -> Any:
    """Return a class, a function, a module or a text; None for an object, which is asked nothing.

    A proxy would run code of the application to say what it is.
    """
    kind = type(found)
    if kind in (staticmethod, classmethod, types.MethodType):
        return found.__func__
    is_plain = issubclass(kind, (type, str)) or kind.__module__ == builtins.__name__
    return found if is_plain else None


def function_in(member: Any) -> Any:
    """Return the function behind a member of a class; None for any other member."""
    found = _plain(member)
    return found if type(found) is types.FunctionType else None


def _compared(node: ast.AST, function: Any) -> Iterator[tuple[str, str]]:
    """Yield the name that a comparison compares with a text, and the text."""
    if not isinstance(node, ast.Compare) or len(node.ops) > 1 or not _is_equality(node.ops[0]):
        return
    sides = [node.left, *node.comparators]
    for name, other in (sides, sides[::-1]):
        if isinstance(name, ast.Name):
            is_many = isinstance(other, (ast.Tuple, ast.List, ast.Set))
            for one in other.elts if is_many else [other]:  # type: ignore[attr-defined]
                is_named = isinstance(one, (ast.Name, ast.Attribute))
                word = meant(one, function) if is_named else getattr(one, "value", None)
                if isinstance(word, str) and word:
                    yield name.id, word


def _is_equality(operation: ast.cmpop) -> bool:
    return isinstance(operation, (ast.Eq, ast.NotEq, ast.In, ast.NotIn))


def _forwarded(node: ast.AST, function: Any) -> Iterator[tuple[str, tuple[str, int | str]]]:
    """Yield the names that a call of other code passes on, with the argument that each one is."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
        return
    places: list[tuple[int | str, ast.expr]] = [*enumerate(node.args)]
    places += [(one.arg, one.value) for one in node.keywords if one.arg]
    names = [(place, one.id) for place, one in places if isinstance(one, ast.Name)]
    called = meant(node.func, function) if names else None
    if inspect.isfunction(called) or isinstance(called, type):
        key = f"{called.__module__}:{called.__qualname__}"
        yield from ((name, (key, place)) for place, name in names)


def _asks_class(node: ast.AST) -> bool:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return is_call and node.func.id == "isinstance" and len(node.args) == 2  # type: ignore[attr-defined]


def _checked(node: ast.AST) -> Iterator[str]:
    """Yield the names that a condition refuses where they are of no such class."""
    if not isinstance(node, ast.If):
        return
    parts = list(ast.walk(node.test))
    is_negative = any(isinstance(one, ast.Not) for one in parts)
    refusing = node.body if is_negative else node.orelse
    for one in parts if refusing and isinstance(refusing[-1], ast.Raise) else ():
        if _asks_class(one) and isinstance(one.args[0], ast.Name):  # type: ignore[attr-defined]
            yield one.args[0].id  # type: ignore[attr-defined]


def _variables(node: ast.AST) -> Iterator[str]:
    """Yield the name of the environment variable that an expression reads."""
    names: list[ast.expr] = []
    if isinstance(node, ast.Call) and _ends_with(node.func, "environ.get", "getenv"):
        names = node.args[:1]
    elif isinstance(node, ast.Subscript) and _ends_with(node.value, "environ"):
        names = [node.slice]
    elif isinstance(node, ast.Compare) and _ends_with(node.comparators[0], "environ"):
        names = [node.left]
    for name in names:
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value


def _ends_with(node: ast.expr, *names: str) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and f".{ast.unparse(node)}".endswith(
        tuple(f".{name}" for name in names)
    )


def constructors_of(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the class methods whose hint or name says that they make an object of their class."""
    for name, value in vars(kind).items():
        if isinstance(value, classmethod) and not name.startswith("_"):
            hint = str(getattr(value.__func__, "__annotations__", {}).get("return", ""))
            is_told = hint.strip("'\"").rpartition(".")[2] in (kind.__name__, "Self")
            if is_told or (not hint and name.startswith("from_")):
                yield name, value.__func__


def _members(node: ast.expr, function: Any) -> list[Named]:
    """Return the members of the enum of which an expression names one: ``Colour.RED``."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return []
    found = getattr(inspect.unwrap(function), "__globals__", {}).get(node.value.id)
    if not isinstance(found, EnumMeta) or node.attr not in found.__members__:
        return []
    return [Named(found.__module__, f"{found.__qualname__}.{one}") for one in found.__members__]


def nodes_of(function: Any) -> Iterator[ast.AST]:
    """Yield the nodes of a function's source; none where it cannot be read."""
    try:
        source = inspect.getsource(inspect.unwrap(function))
        yield from ast.walk(ast.parse(textwrap.dedent(source)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return
