"""Spells values of units as code, and notes the imports that this needs."""

from __future__ import annotations

import builtins
import math
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.problem.units.public_places import public_module
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import one_line


@dataclass
class Spelling:
    """Spells the values of one module; names that would hide one another keep their module."""

    module: str
    """The module that is tested."""
    taken: Mapping[str, str] = field(default_factory=dict)
    """Name -> module from which this module's tests import it."""
    imports: set[str] = field(default_factory=set)
    mark: str = ""
    """The mark of the project's tests that are coroutines; empty where it has none."""
    awaits: bool = False
    """Whether a coroutine is awaited: then the test is one itself."""

    def name(self, named: Named) -> str:
        """Return the code of what a module holds, and note its import."""
        first = named.name.partition(".")[0]
        if named.module == "builtins":
            return named.name
        module = public_module(named.module, first)
        if hasattr(builtins, first) or self.taken.get(first, module) != module:
            self.imports.add(f"import {module}")
            return f"{module}.{named.name}"
        self.imports.add(f"from {module} import {first}")
        return named.name

    def _part(self, value: object) -> Node:
        """Return the node of a part of an object; a method may be called with keywords, too."""
        if isinstance(value, Returning):
            return Atom(f"lambda *args, **kwargs: {self.code(value.result)}")
        return self.node(value)

    def node(self, value: object) -> Node:
        """Return the node of a value."""
        if isinstance(value, Named):
            return Atom(self.name(value))
        if isinstance(value, Made):
            given = [Item(self.node(one)) for one in value.arguments]
            given += [Item(self._part(one), f"{name}=") for name, one in value.keywords]
            return call(self.name(value.function), *given)
        if isinstance(value, Returning):
            return Atom(f"lambda *args: {self.code(value.result)}")
        if isinstance(value, float) and not math.isfinite(value):
            self.imports.add("import math")
            sign = "-" if value == -math.inf else ""
            return Atom(f"{sign}math.{'nan' if math.isnan(value) else 'inf'}")
        if isinstance(value, (set, frozenset)):
            return self._set(value)
        if isinstance(value, dict):
            items = [Item(self.node(one), f"{self.code(key)}: ") for key, one in value.items()]
            return Group("{", tuple(items), "}")
        if isinstance(value, (list, tuple)):
            inside = tuple(Item(self.node(one)) for one in value)
            return Group("(", inside, ")") if isinstance(value, tuple) else Group("[", inside, "]")
        return node_of(value)

    def code(self, value: object) -> str:
        """Return the code of a value on one line."""
        return one_line(self.node(value))

    def _set(self, value: Iterable[object]) -> Node:
        inside = tuple(Item(self.node(one)) for one in sorted(value, key=_place_in_set))
        if isinstance(value, frozenset):
            return call("frozenset", *([Group("{", inside, "}")] if inside else []))
        return Group("{", inside, "}") if inside else call("set")


def _place_in_set(value: object) -> tuple[bool, float, str]:
    """Return the key by which elements are sorted: numbers by size, then others by their text."""
    is_number = isinstance(value, (int, float)) and math.isfinite(value)
    return not is_number, value if is_number else 0.0, repr(value)  # type: ignore[return-value]
