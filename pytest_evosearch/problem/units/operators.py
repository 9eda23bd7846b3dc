"""Special methods as people call them: by an operator, or by a function of Python.

A test says ``len(cart)``, and never ``cart.__len__()``.
"""

from __future__ import annotations

import builtins
import copy
import math
import operator
import re
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
    is_statement: bool = False
    """Whether the code is a statement, which has no value."""
    module: str = ""
    """The module that the code needs."""

    @property
    def arguments(self) -> int:
        """Return the number of arguments without the object."""
        return sum(f"{{{at}}}" in self.code for at in (1, 2))

    @property
    def can_be_short(self) -> bool:
        """Say whether the last argument may be left out, as that of a function."""
        return self.code.endswith(", {1})")

    def code_with(self, number: int) -> str:
        """Return the code with this number of arguments."""
        is_short = self.can_be_short and number < self.arguments
        return self.code.replace(", {1}", "") if is_short else self.code

    @property
    def is_between_equals(self) -> bool:
        """Say whether the other operand is mostly an object of the same class."""
        return self.code.startswith(("{0} ", "divmod({0}")) and self.arguments == 1

    @property
    def is_reflected(self) -> bool:
        """Say whether Python asks the method only where the left operand has another class."""
        is_other_first = self.code.startswith(("{1} ", "divmod({1}"))
        return is_other_first and self.call is not operator.contains

    @property
    def may_change(self) -> bool:
        """Say whether a use may change the object: a statement, or what reads elements."""
        return self.is_statement or self.call in (next, iter, operator.getitem)

    @property
    def is_loose(self) -> bool:
        """Say whether the code needs brackets beside another operator."""
        return " " in self.code and "(" not in self.code

    def negated(self) -> str:
        """Return the code that asserts that the result is False."""
        if self.call is operator.contains:
            return "{1} not in {0}"
        return f"not ({self.code})" if self.is_loose else f"not {self.code}"


_FUNCTIONS = (
    *("abs", "bool", "bytes", "complex", "float", "int", "len", "next"),
    *("repr", "reversed", "str"),
)
"""Functions of Python that call the special method of their name."""

_IMPORTED = (math.ceil, math.floor, math.trunc, copy.copy, copy.deepcopy)
"""Functions of modules that do so."""

_SIGN = re.compile(r"Same as a ([^\w\s]+) b\.")
"""How `operator` describes a function with a sign."""


def _infix() -> Iterator[tuple[str, Operator]]:
    """Yield the methods of each sign: of the object, in place, and of the right operand."""
    for name, call in sorted(vars(operator).items()):
        described = _SIGN.match(getattr(call, "__doc__", None) or "")
        if described is None or name.startswith("_"):
            continue
        stem, sign = name.rstrip("_"), described[1]
        is_in_place = stem.startswith("i") and sign.endswith("=")
        yield f"__{stem}__", Operator(f"{{0}} {sign} {{1}}", call, is_statement=is_in_place)
        if hasattr(operator, f"i{stem}"):
            yield f"__r{stem}__", Operator(f"{{1}} {sign} {{0}}", _swapped(call))


def _swapped(call: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda thing, other: call(other, thing)


def _of_module(function: Callable[..., Any]) -> Operator:
    module = function.__module__
    return Operator(f"{module}.{function.__name__}({{0}})", function, module=module)


OPERATORS: Mapping[str, Operator] = {
    **{f"__{name}__": Operator(f"{name}({{0}})", getattr(builtins, name)) for name in _FUNCTIONS},
    **{f"__{one.__name__}__": _of_module(one) for one in _IMPORTED},
    **dict(_infix()),
    "__iter__": Operator("{0}", iter),
    "__format__": Operator("format({0}, {1})", format),
    "__round__": Operator("round({0}, {1})", round),
    "__divmod__": Operator("divmod({0}, {1})", divmod),
    "__rdivmod__": Operator("divmod({1}, {0})", _swapped(divmod)),
    "__neg__": Operator("-{0}", operator.neg),
    "__pos__": Operator("+{0}", operator.pos),
    "__invert__": Operator("~{0}", operator.invert),
    "__contains__": Operator("{1} in {0}", operator.contains),
    "__getitem__": Operator("{0}[{1}]", operator.getitem),
    "__setitem__": Operator("{0}[{1}] = {2}", operator.setitem, is_statement=True),
    "__delitem__": Operator("del {0}[{1}]", operator.delitem, is_statement=True),
}
"""Name of a special method -> how it is called."""
