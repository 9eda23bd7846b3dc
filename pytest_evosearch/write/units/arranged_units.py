"""The calls in the text of a test of a unit, and what is arranged before the tested one."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Container
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.problem.units.fixed_reads import is_read
from pytest_evosearch.problem.units.fixed_reads import replaced_class
from pytest_evosearch.problem.units.operators import Operator
from pytest_evosearch.problem.units.unit import Flavour
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import arranged
from pytest_evosearch.problem.units.unit import variables_of
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.units.spelled_values import Spelling
from pytest_evosearch.write.units.unit_names import snake_of
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen


class ArrangedUnit:
    """Spells the calls of one test, and what is arranged before the last one."""

    def __init__(
        self,
        specimen: UnitSpecimen,
        spelling: Spelling,
        layout: Layout,
        variables: Mapping[tuple[int, str], str] | None = None,
    ) -> None:
        self.specimen = specimen
        self.spelling = spelling
        self.layout = layout
        self.fixtures: list[str] = []
        self.decorators: list[str] = []
        self._coroutine: list[str] = []
        """The lines of the inner coroutine in which an asynchronous unit is used."""
        self._names = dict(variables or {})
        """Index of a call, and an argument -> its variable."""

    def _surroundings(self) -> list[str]:
        """Return the lines that set variables, and let a test write files by relative paths."""
        variables, files = self.specimen.variables, self.specimen.result.files
        self.fixtures += ["monkeypatch"] if variables or files else []
        self.fixtures += ["tmp_path"] if files else []
        lines = ["    monkeypatch.chdir(tmp_path)"] if files else []
        for name, value in variables.items():
            if is_read(name):
                lines += self._fixed(name, value)
                continue
            given = (Item(self.spelling.node(one)) for one in (name, value))
            lines += self.layout.statement("", call("monkeypatch.setenv", *given), 1)
        return lines

    def _fixed(self, path: str, value: object) -> list[str]:
        """Return the lines that put a value in the place of what the code reads."""
        if not isinstance(value, Made) or not replaced_class(value):
            node = self.spelling.node(value)
            if isinstance(value, Returning):
                node = Atom(f"lambda: {self.spelling.code(value.result)}")
            given = [Item(Text(path)), Item(node)]
            return self.layout.statement("", call("monkeypatch.setattr", *given), 1)
        place, _dot, method = path.rpartition(".")
        kind, numbers = self.spelling.name(value.function), ", ".join(map(str, value.arguments))
        stand_in = f"Fixed{value.function.name.title()}"
        has_zone = method == "now"
        return [
            f"    class {stand_in}({kind}):",
            "        @classmethod",
            f"        def {method}(cls{', tz=None' * has_zone}):",
            f"            return cls({numbers}{', tzinfo=tz' * has_zone})",
            "",
            *self.layout.statement(
                "", call("monkeypatch.setattr", Item(Text(place)), Item(Atom(stand_in))), 1
            ),
        ]

    def arranged(self) -> list[str]:
        """Return the lines before the tested call."""
        lines: list[str] = []
        calls = self.specimen.test.calls[:-1]
        for at, one in enumerate(calls):
            unit = self.specimen.units[one.unit]
            node = self._run(self._call(at, one, unit), unit)
            if at == 0:
                lines += self.layout.statement(f"{self.object_name} = ", node, 1)
            else:
                lines += self.layout.statement("", node, 1)
        return lines

    @property
    def object_name(self) -> str:
        """Return the variable of the object whose method is tested."""
        owner = self.specimen.unit.name.rpartition(".")[0].rpartition(".")[2]
        return variable_of(owner, self.spelling.taken)

    def _given(self, at: int, call_of: UnitCall) -> dict[str, Node | list[Node]]:
        """Return the node of each argument, or a list of nodes."""
        unit = self.specimen.units[call_of.unit]
        variadic = {one.name for one in unit.parameters if one.is_variadic}
        given: dict[str, Node | list[Node]] = {}
        read = variables_of(unit, call_of.values())
        for name, value in call_of.values().items():
            if name in read:
                continue
            variable = self._names.get((at, name))
            if name in variadic:
                inside = value if isinstance(value, list) else []
                nodes = [self.spelling.node(one) for one in inside]
                given[name] = [Atom(f"*{variable}")] if variable else nodes
            else:
                given[name] = Atom(variable) if variable else self.spelling.node(value)
        return given

    def _call(self, at: int, call_of: UnitCall, unit: Unit) -> Node:
        given = self._given(at, call_of)
        if unit.enters_object:
            return Atom(self.object_name)
        if unit.operator is not None:
            nodes = [one for one in given.values() if not isinstance(one, list)]
            return self._operated(unit.operator, nodes)
        positional, keywords = arranged(unit, given)
        items = [Item(node) for node in positional]
        items += [Item(node, f"{name}=") for name, node in keywords.items()]
        if unit.flavour is Flavour.COROUTINE and self.spelling.mark:
            self.spelling.awaits = True
            return call(f"await {self._function(unit)}", *items)
        return call(self._function(unit), *items)

    def _run(self, node: Node, unit: Unit) -> Node:
        """Return the node of what a coroutine gives; it may be awaited already."""
        if unit.flavour is not Flavour.COROUTINE or self.spelling.awaits:
            return node
        self.spelling.imports.add("import asyncio")
        return call("asyncio.run", node)

    def called_with(self, unit: Unit, given: Sequence[Node]) -> Node:
        """Return the node of a further call, on the same object where the unit is a method."""
        if unit.operator is not None:
            return self._operated(unit.operator, given)
        return call(self._function(unit), *map(Item, given))

    def given_nodes(self) -> list[Node]:
        """Return the nodes of the arguments of the tested call."""
        given = self._given(self._last, self.specimen.test.act).values()
        return [one for one in given if isinstance(one, (Atom, Text, Group))]

    def _operated(self, operator: Operator, given: Sequence[Node], negated: bool = False) -> Node:
        self.spelling.imports |= {f"import {operator.module}"} if operator.module else set()
        code = operator.negated() if negated else operator.code_with(len(given))
        return Atom(code.format(self.object_name, *map(one_line, given)))

    def _function(self, unit: Unit) -> str:
        if unit.owner:
            return f"{self.object_name}.{unit.name.rpartition('.')[2]}"
        return self.spelling.name(Named(unit.module, unit.name))

    @property
    def _last(self) -> int:
        return len(self.specimen.test) - 1


def variable_of(name: str, imported: Container[str]) -> str:
    """Return a variable that hides no name that the tests use."""
    snake = snake_of(name).strip("_") or "value"
    is_used = keyword.iskeyword(snake) or hasattr(builtins, snake) or snake in imported
    return f"{snake}_" if is_used else snake
