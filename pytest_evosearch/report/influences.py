"""What decides a condition besides the request: other systems, and who is logged in.

This is read from the source alone.  A value is external when it comes from a call of a library that
contacts other systems, from a method of an external value, or from a function of the file that
returns one.  Names are followed through the assignments of one function, in any order.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import ADMINISTRATOR
from pytest_evosearch.core.vocabulary import PERSON

EXTERNAL_MODULES = frozenset(
    (
        "aiohttp",
        "boto3",
        "botocore",
        "elasticsearch",
        "ftplib",
        "http.client",
        "httpx",
        "imaplib",
        "kafka",
        "ldap3",
        "openai",
        "paramiko",
        "pika",
        "poplib",
        "pymongo",
        "redis",
        "requests",
        "sendgrid",
        "smtplib",
        "socket",
        "stripe",
        "subprocess",
        "twilio",
        "urllib.request",
        "urllib3",
        "xmlrpc.client",
    )
)
"""Libraries whose calls contact other systems: hosts, mail servers, programs."""

IDENTITY_NAMES = frozenset(
    ("current_user", "current_identity", "get_current_user", "get_jwt_identity", "get_jwt")
)
IDENTITY_ATTRIBUTES = frozenset(
    ("user", "current_user", "is_authenticated", "is_admin", "has_role", "authorization")
)
"""Attributes of ``g``, ``request`` or a user that identify the user."""
IDENTITY_KEYS = (*PERSON.words(), *ADMINISTRATOR.words(), "role", "logged")
"""Parts of keys of the session that identify the user."""

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"


@dataclass(frozen=True)
class Origin:
    """Where a value from another system enters the source."""

    call: str
    """The call that returns it: ``requests.get``."""
    line: int


def external_origins(tree: ast.Module) -> dict[int, Origin]:
    """Return, for each line that contacts another system or uses its result, the origin of it."""
    modules = dict(_imported_modules(tree))
    if not modules:
        return {}
    reader = _Reader(modules)
    found: dict[int, Origin] = {}
    for _ in range(2):  # once more: a function may be below those that call it
        reader.read(tree)
        for function in ast.walk(tree):
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.update(reader.lines_of(function))
    return found


def identity_conditions(nodes: Iterable[ast.AST]) -> frozenset[int]:
    """Return the lines of those conditions among `nodes` that depend on who is logged in."""
    return frozenset(
        test.lineno
        for node in nodes
        for test in _tests_of(node)
        if any(_asks_for_identity(part) for part in ast.walk(test))
    )


def is_external_error(caught: str) -> bool:
    """Say whether the exceptions of an ``except`` clause may be those of calls to other systems.

    Those of libraries are, and of the built-in ones `OSError` with what is derived from it.
    """
    names = [name.strip() for name in caught.strip("()").split(",")]
    return all(
        name.replace(".", "").isidentifier()
        and issubclass(getattr(builtins, name, OSError), OSError)
        for name in names
    )


def _imported_modules(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield local names with the full names of external modules or functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                full = alias.name if alias.asname else alias.name.partition(".")[0]
                if _is_external(alias.name):
                    yield alias.asname or full, full
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if _is_external(full):
                    yield alias.asname or alias.name, full


def _is_external(name: str) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in EXTERNAL_MODULES)


class _Reader:
    """Follows external values through a file."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules
        self._functions: dict[str, Origin] = {}
        """Functions of the file that return what another system sent."""
        self._globals: dict[str, Origin] = {}

    def read(self, tree: ast.Module) -> None:
        """Note what names and functions at module level contain."""
        for statement in tree.body:
            if isinstance(statement, ast.Assign):
                self._assign(statement.targets, statement.value, self._globals)
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                names = self._names_in(node)
                returned = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
                for value in returned:
                    origin = self._origin(value, names)
                    if origin is not None:
                        self._functions.setdefault(node.name, origin)

    def lines_of(self, function: Function) -> Iterator[tuple[int, Origin]]:
        """Yield the lines of `function` that create or use an external value."""
        names = self._names_in(function)
        for node in ast.walk(function):
            parts = [*_tests_of(node), *([node] if isinstance(node, (ast.Call, ast.Name)) else [])]
            for part in parts:
                origin = self._origin(part, names)
                if origin is not None:
                    yield part.lineno, origin

    def _names_in(self, function: Function) -> dict[str, Origin]:
        names = dict(self._globals)
        for _ in range(3):  # names that are assigned from names
            for node in ast.walk(function):
                if isinstance(node, ast.Assign):
                    self._assign(node.targets, node.value, names)
                elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
                    self._assign([node.target], node.value, names)
                elif isinstance(node, (ast.For, ast.comprehension)):
                    self._assign([node.target], node.iter, names)
                elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                    self._assign([node.optional_vars], node.context_expr, names)
        return names

    def _assign(
        self, targets: list[ast.expr], value: ast.expr | None, names: dict[str, Origin]
    ) -> None:
        origin = self._origin(value, names)
        if origin is None:
            return
        for target in targets:
            for node in ast.walk(target):
                if isinstance(node, ast.Name):
                    names.setdefault(node.id, origin)

    def _origin(self, value: ast.AST | None, names: Mapping[str, Origin]) -> Origin | None:
        """Return the origin of the first external part of `value`; None without one."""
        for node in ast.walk(value) if value is not None else ():
            if isinstance(node, ast.Name) and node.id in names:
                return names[node.id]
            if isinstance(node, ast.Call):
                name = _dotted(node.func)
                connection = names.get(name.partition(".")[0])
                if connection is not None and _is_connection(connection):
                    return Origin(name, node.lineno)
                first, _, rest = name.partition(".")
                full = f"{self._modules.get(first, '')}.{rest}".rstrip(".")
                if first in self._modules and _is_external(full):
                    return Origin(name, node.lineno)
                if name in self._functions:
                    return self._functions[name]
        return None


def _is_connection(origin: Origin) -> bool:
    """Say whether a class was called: a method contacts the other system later."""
    return origin.call.rpartition(".")[2][:1].isupper()


def _dotted(node: ast.expr) -> str:
    """Return the dotted name of an expression: ``requests.get``; empty for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def _tests_of(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return [node.test]
    if isinstance(node, ast.comprehension):
        return list(node.ifs)
    return [node] if isinstance(node, ast.BoolOp) else []


def _asks_for_identity(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id in IDENTITY_NAMES
    if isinstance(node, ast.Attribute) and node.attr in IDENTITY_ATTRIBUTES:
        return isinstance(node.value, (ast.Name, ast.Attribute)) and _holds_identity(node.value)
    if isinstance(node, ast.Subscript):
        return _is_session(node.value) and _names_identity(node.slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        gets = node.func.attr == "get" and _is_session(node.func.value) and bool(node.args)
        return gets and _names_identity(node.args[0])
    if isinstance(node, ast.Compare) and any(map(_is_session, node.comparators)):
        return _names_identity(node.left)
    return False


def _holds_identity(owner: ast.expr) -> bool:
    """Say whether `owner` is ``g``, ``request`` or a user."""
    name = owner.id if isinstance(owner, ast.Name) else owner.attr  # type: ignore[attr-defined]
    return name in ("g", "request") or "user" in name


def _is_session(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "session"


def _names_identity(key: ast.expr) -> bool:
    value = key.value if isinstance(key, ast.Constant) else None
    return isinstance(value, str) and any(part in value.lower() for part in IDENTITY_KEYS)
