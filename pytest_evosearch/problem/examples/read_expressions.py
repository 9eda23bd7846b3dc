"""Reads expressions of tests without running them: literals, parts of responses, requests."""

from __future__ import annotations

import ast
from collections.abc import Callable
from collections.abc import Mapping
from urllib.parse import urlsplit

from pytest_evosearch.core.http_words import ALL
from pytest_evosearch.problem.examples.containers import changed
from pytest_evosearch.problem.examples.containers import copied
from pytest_evosearch.problem.examples.containers import is_changing
from pytest_evosearch.problem.examples.values import UNKNOWN
from pytest_evosearch.problem.examples.values import Address
from pytest_evosearch.problem.examples.values import Answer
from pytest_evosearch.problem.examples.values import Encoded
from pytest_evosearch.problem.examples.values import ExampleCall
from pytest_evosearch.problem.examples.values import Joined
from pytest_evosearch.problem.examples.values import Part
from pytest_evosearch.problem.examples.values import Target
from pytest_evosearch.problem.examples.values import joined

METHODS = frozenset(("open", *(name.lower() for name in ALL if name != "TRACE")))
"""Methods of test clients that send a request."""

MOST_CALLS = 12
"""Most calls read from one test; a longer test is a scenario whose beginning is enough."""

_PATH_OPTIONS = ("path", "url", "rule")
_BODY_PARTS = frozenset({"json", "get_json"})
_TEXT_METHODS = frozenset({"encode", "decode", "strip", "lower", "upper"})
"""Methods of a sent text whose effect hardly ever matters here."""

Inline = Callable[[ast.Call, "Evaluator"], object]
"""Reads the body of a called function; returns UNKNOWN when the function is not known."""


class Evaluator:
    """Evaluates expressions in the scope of one function, and notes the requests they send.

    `names` holds the known local and global names; ``self.x`` is a name there. All functions of one
    test share `calls`. `path` is the file of the function.
    """

    def __init__(
        self,
        names: Mapping[str, object],
        calls: list[ExampleCall],
        inline: Inline,
        path: str = "",
        depth: int = 0,
    ) -> None:
        self.names = dict(names)
        self.path = path
        self.calls = calls
        self.depth = depth
        self._inline = inline

    def evaluate(self, node: ast.AST | None) -> object:
        """Return the value of `node`; note requests inside it in any case."""
        if node is None:
            return None
        method = _EVALUATIONS.get(type(node))
        if method is not None:
            return method(self, node)
        for child in ast.iter_child_nodes(node):
            self.evaluate(child)
        return UNKNOWN

    def _constant(self, node: ast.Constant) -> object:
        return node.value

    def _name(self, node: ast.Name) -> object:
        return self.names.get(node.id, UNKNOWN)

    def _dict(self, node: ast.Dict) -> object:
        result: dict[object, object] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            held = self.evaluate(value)
            if key is None:
                if isinstance(held, dict):
                    result.update(held)
                continue
            name = self.evaluate(key)
            if isinstance(name, (str, int)):
                result[name] = held
        return result

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> object:
        return [self.evaluate(element) for element in node.elts]

    def _joined(self, node: ast.JoinedStr) -> object:
        return joined([self._piece(value) for value in node.values])

    def _piece(self, node: ast.expr) -> object:
        if isinstance(node, ast.FormattedValue):
            value = self.evaluate(node.value)
            return UNKNOWN if node.format_spec is not None else value
        return self.evaluate(node)

    def _binary(self, node: ast.BinOp) -> object:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            return _formatted(left.replace("%d", "%s").split("%s"), right)
        if not isinstance(node.op, ast.Add):
            return UNKNOWN
        if isinstance(left, list) and isinstance(right, list):
            return left + right
        texts = (str, Joined)
        if isinstance(left, texts) or isinstance(right, texts):
            return joined([left, right])
        return UNKNOWN

    def _negative(self, node: ast.UnaryOp) -> object:
        value = self.evaluate(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(value, (int, float)):
            return -value
        return UNKNOWN

    def _awaited(self, node: ast.Await | ast.NamedExpr) -> object:
        value = self.evaluate(node.value)
        if isinstance(node, ast.NamedExpr):
            self.names[node.target.id] = value
        return value

    def _attribute(self, node: ast.Attribute) -> object:
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return self.names.get(f"self.{node.attr}", UNKNOWN)
        value = self.evaluate(node.value)
        return _part_called(value, node.attr)

    def _subscript(self, node: ast.Subscript) -> object:
        return _item(self.evaluate(node.value), self.evaluate(node.slice))

    def _call(self, node: ast.Call) -> object:
        function = node.func
        if isinstance(function, ast.Attribute):
            return self._method_call(node, function)
        name = function.id if isinstance(function, ast.Name) else ""
        if name == "url_for":
            return self._address(node)
        if name == "dict":
            return self._dictionary(node)
        if name == "str" and node.args:
            return joined([self.evaluate(node.args[0])])
        if name in ("BytesIO", "StringIO", "int") and node.args:
            return self.evaluate(node.args[0])
        return self._inlined(node)

    def _dictionary(self, node: ast.Call) -> dict[object, object]:
        given = self.evaluate(node.args[0]) if node.args else {}
        return {**(given if isinstance(given, dict) else {}), **self._options(node)}

    def _method_call(self, node: ast.Call, function: ast.Attribute) -> object:
        name = function.attr
        if name in METHODS and (target := self._target(node, function)) is not None:
            return self._request(node, name, target)
        if name == "url_for":
            return self._address(node)
        if name in ("dumps", "loads") and node.args:
            value = self.evaluate(node.args[0])
            if name == "dumps":
                return Encoded(value)
            return _body_of(value)
        if name in ("BytesIO", "StringIO") and node.args:
            return self.evaluate(node.args[0])
        receiver = self.evaluate(function.value)
        if name == "format" and isinstance(receiver, str):
            return _formatted(_fields(receiver), [self.evaluate(one) for one in node.args])
        if name == "get" and node.args:
            return _item(receiver, self.evaluate(node.args[0]))
        if name in _BODY_PARTS:
            return _part_called(receiver, name)
        if is_changing(receiver, name):
            given = [self.evaluate(one) for one in node.args]
            return changed(receiver, name, given, self._options(node))
        if name in _TEXT_METHODS and isinstance(receiver, (str, Part, Joined)):
            return receiver
        return self._inlined(node)

    def _inlined(self, node: ast.Call) -> object:
        return self._inline(node, self)

    def _options(self, node: ast.Call) -> dict[str, object]:
        options: dict[str, object] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value)
            if keyword.arg is not None:
                options[keyword.arg] = value
            elif isinstance(value, dict):
                options.update({str(name): held for name, held in value.items()})
        return options

    def _address(self, node: ast.Call) -> object:
        name = self.evaluate(node.args[0]) if node.args else UNKNOWN
        values = self._options(node)
        return Address(name, values) if isinstance(name, str) else UNKNOWN

    def _target(self, node: ast.Call, function: ast.Attribute) -> Target | None:
        """Return the target of a call, None when the call sends no request."""
        given = node.args[0] if node.args else None
        if given is None:
            given = next((word.value for word in node.keywords if word.arg in _PATH_OPTIONS), None)
        if given is None or isinstance(given, ast.Starred):
            return None
        value = self.evaluate(given)
        if isinstance(value, Address):
            return value
        if isinstance(value, str):
            return _path_of(value, _is_client(function.value))
        if isinstance(value, Joined):
            first = value.pieces[0]
            if isinstance(first, str) and _path_of(first, _is_client(function.value)):
                return value
        return None

    def _request(self, node: ast.Call, name: str, target: Target) -> object:
        options = self._options(node)
        for position, word in enumerate(node.args[1:], start=1):
            if position == 1 and name != "open":
                options.setdefault("data", self.evaluate(word))
        method = options.get("method", "GET") if name == "open" else name
        if not isinstance(method, str) or len(self.calls) >= MOST_CALLS:
            return UNKNOWN
        sent = {name: copied(value) for name, value in options.items()}
        self.calls.append(ExampleCall(method.upper(), target, sent))
        return Answer(len(self.calls) - 1)


_EVALUATIONS: Mapping[type[ast.AST], Callable[[Evaluator, ast.AST], object]] = {
    ast.Constant: Evaluator._constant,  # type: ignore[dict-item]  # one method per type of node
    ast.Name: Evaluator._name,  # type: ignore[dict-item]
    ast.Dict: Evaluator._dict,  # type: ignore[dict-item]
    ast.List: Evaluator._list,  # type: ignore[dict-item]
    ast.Tuple: Evaluator._list,  # type: ignore[dict-item]
    ast.Set: Evaluator._list,  # type: ignore[dict-item]
    ast.JoinedStr: Evaluator._joined,  # type: ignore[dict-item]
    ast.BinOp: Evaluator._binary,  # type: ignore[dict-item]
    ast.UnaryOp: Evaluator._negative,  # type: ignore[dict-item]
    ast.Await: Evaluator._awaited,  # type: ignore[dict-item]
    ast.NamedExpr: Evaluator._awaited,  # type: ignore[dict-item]
    ast.Attribute: Evaluator._attribute,  # type: ignore[dict-item]
    ast.Subscript: Evaluator._subscript,  # type: ignore[dict-item]
    ast.Call: Evaluator._call,  # type: ignore[dict-item]
}


def _is_client(receiver: ast.expr) -> bool:
    """Say whether a receiver has the name of a test client: its paths need no leading slash."""
    name = receiver.attr if isinstance(receiver, ast.Attribute) else ""
    name = receiver.id if isinstance(receiver, ast.Name) else name
    return "client" in name.lower() or name in ("app", "api", "tester")


def _path_of(text: str, by_client: bool) -> str | None:
    """Return path and query of an address of this application."""
    if text.startswith("//"):
        return None
    if text.startswith(("http://localhost", "http://127.0.0.1", "http://testserver")):
        parts = urlsplit(text)
        return parts.path + (f"?{parts.query}" if parts.query else "")
    if text.startswith("/"):
        return text
    if by_client and text and "://" not in text and " " not in text:
        return f"/{text}"
    return None


def _part_called(value: object, name: str) -> object:
    """Return what an attribute of a response, or of a part of one, stands for."""
    if isinstance(value, Answer):
        if name in _BODY_PARTS:
            return Part(value.call, ("json",))
        if name in ("data", "text", "get_data"):
            return value
    return UNKNOWN


def _body_of(value: object) -> object:
    """Return what the parsed JSON of a text stands for."""
    if isinstance(value, Answer):
        return Part(value.call, ("json",))
    return value.value if isinstance(value, Encoded) else UNKNOWN


def _item(value: object, key: object) -> object:
    if isinstance(value, Part) and isinstance(key, (str, int)):
        return Part(value.call, (*value.selector, key))
    if isinstance(value, dict) and isinstance(key, (str, int)):
        return value.get(key, UNKNOWN)
    if isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
        return value[key]
    return UNKNOWN


def _fields(template: str) -> list[str]:
    """Split a template of ``str.format`` at its fields; names of fields do not matter."""
    pieces, rest = [], template
    while "{" in rest:
        before, _, rest = rest.partition("{")
        pieces.append(before)
        rest = rest.partition("}")[2]
    return [*pieces, rest]


def _formatted(pieces: list[str], values: object) -> object:
    """Return the text made of `pieces` with `values` between them, in order."""
    given = list(values) if isinstance(values, list) else [values]
    given += [UNKNOWN] * (len(pieces) - 1 - len(given))
    result: list[object] = [pieces[0]]
    for value, piece in zip(given, pieces[1:], strict=False):
        result += [value, piece]
    return joined(result)
