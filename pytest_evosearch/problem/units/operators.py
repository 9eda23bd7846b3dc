"""Special methods as people call them: by an operator, or by a function of Python.

A test says ``len(cart)``, and never ``cart.__len__()``.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class Operator:
    """How one special method is called."""

    code: str
    """The code, with ``{0}`` for the object and ``{1}`` for the first argument."""
    call: Callable[..., Any]

    @property
    def arguments(self) -> int:
        """Return the number of arguments without the object."""
        return sum(f"{{{at}}}" in self.code for at in (1, 2))

    @property
    def is_statement(self) -> bool:
        """Say whether the code is a statement, which has no value."""
        return self.code.startswith("del ") or " = " in self.code

    @property
    def is_between_equals(self) -> bool:
        """Say whether the other operand is mostly an object of the same class."""
        return self.code.startswith("{0} ") and self.arguments == 1

    @property
    def is_reflected(self) -> bool:
        """Say whether Python asks the method only where the left operand has another class."""
        return self.code.startswith("{1} ") and self.call is not operator.contains

    @property
    def is_loose(self) -> bool:
        """Say whether the code needs brackets beside another operator."""
        return " " in self.code and "(" not in self.code

    def negated(self) -> str:
        """Return the code that asserts that the result is False."""
        if self.call is operator.contains:
            return "{1} not in {0}"
        return f"not ({self.code})" if self.is_loose else f"not {self.code}"


_FUNCTIONS = ("bool", "float", "int", "len", "next", "repr", "reversed", "str")
"""Functions of Python that call the special method of their name."""

_INFIX = {
    "eq": "==",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "or_": "|",
    "and_": "&",
    "xor": "^",
}
"""Functions of `operator`, each with its sign."""


def _infix() -> Iterator[tuple[str, Operator]]:
    for name, sign in _INFIX.items():
        special = f"__{name.rstrip('_')}__"
        yield special, Operator(f"{{0}} {sign} {{1}}", getattr(operator, name))


def _reflected(sign: str, call: Callable[[Any, Any], Any]) -> Operator:
    return Operator(f"{{1}} {sign} {{0}}", lambda thing, other: call(other, thing))


OPERATORS: Mapping[str, Operator] = {
    **{f"__{name}__": Operator(f"{name}({{0}})", getattr(builtins, name)) for name in _FUNCTIONS},
    **dict(_infix()),
    "__iter__": Operator("{0}", iter),
    "__format__": Operator("format({0}, {1})", format),
    "__neg__": Operator("-{0}", operator.neg),
    "__contains__": Operator("{1} in {0}", operator.contains),
    "__getitem__": Operator("{0}[{1}]", operator.getitem),
    "__setitem__": Operator("{0}[{1}] = {2}", operator.setitem),
    "__delitem__": Operator("del {0}[{1}]", operator.delitem),
    "__radd__": _reflected("+", operator.add),
    "__rsub__": _reflected("-", operator.sub),
    "__rmul__": _reflected("*", operator.mul),
}
"""Name of a special method -> how it is called."""
