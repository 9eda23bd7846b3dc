"""The text of one test of a unit: what is made, called and asserted, and the test's name."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.problem.units.results import LENGTH
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Unknown
from pytest_evosearch.problem.units.unit import Flavour
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.write.code.layout import Comparison
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.units.arranged_units import ArrangedUnit
from pytest_evosearch.write.units.arranged_units import variable_of
from pytest_evosearch.write.units.unit_expectations import MOST_ATTRIBUTES
from pytest_evosearch.write.units.unit_expectations import Expected
from pytest_evosearch.write.units.unit_expectations import expected_of
from pytest_evosearch.write.units.unit_expectations import is_importable
from pytest_evosearch.write.units.unit_expectations import pattern_of
from pytest_evosearch.write.units.unit_expectations import reading
from pytest_evosearch.write.units.unit_expectations import shown_attributes

MOST_INSTANCES = 3
"""Most objects of one list whose attributes a test asserts."""

MOST_FILES = 3
"""Most written files that a test asserts."""


class UnitFunction(ArrangedUnit):
    """The lines of one test."""

    def lines(self, name: str) -> list[str] | None:
        """Return the lines of the test; None where nothing can be asserted."""
        arranging, acting = [*self._surroundings(), *self.arranged()], self._act()
        if acting is None:
            return None
        acting = [*self._coroutine, *([""] if self._coroutine else []), *acting]
        body = [*arranging, *([""] if arranging and len(acting) > 1 else []), *acting]
        head = f"def {name}({', '.join(self.fixtures)}):"
        return [*self.decorators, head, *body]

    @property
    def _is_context(self) -> bool:
        return self.specimen.unit.flavour is Flavour.CONTEXT

    def _performed(self, node: Node, level: int) -> list[str]:
        """Return the lines that call the unit, and ignore its value."""
        if not self._is_context:
            return self.layout.statement("", node, level)
        return [*self.layout.statement("with ", node, level, ":"), *_indented(["pass"], level + 1)]

    def _act(self) -> list[str] | None:
        if self.specimen.result.end is End.RAISED:
            return self._raising()
        if self._is_context:
            return self._within()
        lines, changed = self._variables(), self._changes()
        node = self.subject()
        told = self.specimen.result
        asserted: list[str] = []
        expected = expected_of(told.value, self.spelling)
        for name, text in told.files[:MOST_FILES]:
            changed += self._file_compared(name, text)
        changed += self._mocks_called()
        has_more = bool(changed or told.printed)
        is_statement = told.value is None and self.specimen.unit.operator is not None
        if is_statement and not has_more:
            return None
        if told.passed and not self.specimen.fault:
            asserted = self._asserted_identity(node, told.passed[0])
        elif expected is not None and (told.value is not None or not has_more):
            asserted = self._whole(node, expected)
        elif told.value is None:
            asserted = self.layout.statement("", node, 1)
        else:
            asserted = list(self._parts(node, told.value))
            if not asserted:
                if not has_more:
                    return None
                asserted = self.layout.statement("", node, 1)
        if told.printed:
            self.fixtures.append("capsys")
            right = Text(told.printed)
            changed += self.layout.assertion(
                Comparison(Atom("capsys.readouterr().out"), "==", right)
            )
        gap = [""] if changed and not lines else []
        return [*lines, *asserted, *gap, *changed]

    def _whole(self, node: Node, expected: Expected) -> list[str]:
        """Return the lines that compare a result as a whole."""
        another = list(self._another("result"))
        if not another:
            return self._result_compared(node, expected)
        made = self.layout.statement("result = ", node, 1)
        return [*made, "", *self._compared(Atom("result"), expected), *another]

    def _another(self, subject: str) -> Iterator[str]:
        """Yield the assertion that a result is no argument, nor the object, that looks like it."""
        alike = self.specimen.result.alike
        if alike is None:
            return
        if alike.kind is not None and is_importable(alike.kind):
            node: Node | Comparison = self.of_kind(Atom(subject), alike.kind)
            if alike.kind.module == "builtins":  # its own classes may extend it
                made = call("type", Item(Atom(subject)))
                node = Comparison(made, "is", Atom(self.spelling.name(alike.kind)))
            yield from self.layout.assertion(node)
        elif same := self._variable_of(alike.name):
            yield from self.layout.assertion(Comparison(Atom(subject), "is not", Atom(same)))

    def _file_compared(self, name: str, text: str | None) -> list[str]:
        file = f"(tmp_path / {self.spelling.code(name)})"
        if text is None:
            return self.layout.assertion(Atom(f"{file}.is_file()"))
        return self.layout.assertion(Comparison(Atom(f"{file}.read_text()"), "==", Text(text)))

    def _within(self) -> list[str]:
        """Return the lines of a ``with`` statement, with assertions on what it gives inside."""
        lines, changed, node = self._variables(), self._changes(), self.subject()
        value, passed = self.specimen.result.value, self.specimen.result.passed
        expected = expected_of(value, self.spelling)
        same = self._variable_of(passed[0]) if passed else ""
        if expected is not None:
            asserted = self._compared(Atom(same or "value"), expected) if value is not None else []
        elif same and isinstance(value, Instance):
            asserted = list(self._attributes(same, value))
        else:
            asserted = list(self._inside(same or "value", value))
        head = self.layout.statement(
            "with ", node, 1, " as value:" if asserted and not same else ":"
        )
        inside = _indented(asserted or ["    pass"], 1)
        return [*lines, *head, *inside, *([""] if changed else []), *changed]

    def subject(self) -> Node:
        """Return the node of the tested call, as far as its value is asserted."""
        unit = self.specimen.unit
        if unit.kind is Kind.PROPERTY:
            return Atom(self._function(unit))
        node = self._call(self._last, self.specimen.test.act, unit)
        if self.specimen.result.is_listed:
            if taken := self.specimen.result.taken:
                self.spelling.imports.add("from itertools import islice")
                node = call("islice", Item(node), Item(Atom(str(taken))))
            return call("list", node)
        if unit.name.endswith(".__iter__"):
            return call("iter", node)
        if unit.flavour in (Flavour.PLAIN, Flavour.GENERATOR, Flavour.CONTEXT):
            return node
        if unit.flavour is Flavour.COROUTINE:
            return self._run(node, unit)
        self.spelling.imports.add("import asyncio")
        self._coroutine = self._using(node, unit.flavour)
        return Atom("asyncio.run(used())")

    def _using(self, node: Node, flavour: Flavour) -> list[str]:
        """Return the lines of a coroutine that takes the elements, or enters the context."""
        head = ["    async def used():"]
        if flavour is Flavour.ASYNC_GENERATOR:
            taken = self.layout.statement("return [one async for one in ", node, 2, "]")
            return [*head, *taken]
        entered = self.layout.statement("async with ", node, 2, " as value:")
        return [*head, *entered, *_indented(["return value"], 3)]

    def _result_compared(self, node: Node, expected: Expected) -> list[str]:
        """Return the assertion on what the tested call gives; operators are asserted as such."""
        operator, value = self.specimen.unit.operator, self.specimen.result.value
        if operator is None or not operator.is_loose:
            return self._compared(node, expected)
        if isinstance(value, bool):
            if not value:
                node = self._operated(operator, self.given_nodes(), negated=True)
            return self.layout.assertion(node)
        return self._compared(Atom(f"({one_line(node)})"), expected)

    def _compared(self, node: Node, expected: Expected) -> list[str]:
        return self.layout.assertion(Comparison(node, expected.operator, expected.right))

    def _asserted_identity(self, node: Node, name: str) -> list[str]:
        same = self._variable_of(name)
        if not same:
            return self.layout.statement("", node, 1)
        return self.layout.assertion(Comparison(node, "is", Atom(same)))

    def _variables(self) -> list[str]:
        """Return assignments of the arguments that are looked at after the call."""
        result = self.specimen.result
        values = self.specimen.test.act.values()
        wanted = [name for name, _given, _named in result.called if not self.specimen.fault]
        wanted += [name for name, _value in result.changed if name in values]
        same = [result.alike.name] if result.alike and not result.alike.kind else []
        wanted += [name for name in (*result.passed, *same) if name in values]
        lines: list[str] = []
        for name in dict.fromkeys(wanted):
            variable = variable_of(name, self.spelling.taken)
            self._names[self._last, name] = variable
            value = values[name]
            node = self.spelling.node(value)
            if isinstance(value, Returning) and name in {one[0] for one in result.called}:
                node = self._mock(value.result)
            lines += self.layout.statement(f"{variable} = ", node, 1)
        return lines

    def _mock(self, value: object) -> Node:
        """Return the node of a function whose only call is asserted."""
        self.spelling.imports.add("from unittest.mock import Mock")
        return call("Mock", Item(self.spelling.node(value), "return_value="))

    def _mocks_called(self) -> Iterator[str]:
        """Yield the assertions on the only calls of functions that are passed."""
        for name, arguments, keywords in self.specimen.result.called:
            given = [Item(self.spelling.node(one)) for one in arguments]
            given += [Item(self.spelling.node(one), f"{key}=") for key, one in keywords]
            made = call(f"{self._variable_of(name)}.assert_called_once_with", *given)
            yield from self.layout.statement("", made, 1)

    def _variable_of(self, name: str) -> str:
        return self.object_name if name == "self" else self._names.get((self._last, name), "")

    def _changes(self) -> list[str]:
        lines: list[str] = []
        for name, value in self.specimen.result.changed:
            subject = self._variable_of(name)
            expected = expected_of(value, self.spelling) if subject else None
            if expected is not None:
                lines += self._compared(Atom(subject), expected)
            elif subject and isinstance(value, Instance):
                lines += self._attributes(subject, value)
        return lines

    def _attributes(self, subject: str, value: Instance) -> Iterator[str]:
        if value.elements is not None:
            expected = expected_of(list(value.elements), self.spelling)
            if expected is not None:
                yield from self._compared(call("list", Item(Atom(subject))), expected)
            return
        for name, expected in shown_attributes(value, self.spelling).items():
            yield from self._compared(Atom(reading(subject, name)), expected)

    def _parts(self, node: Node, value: object) -> Iterator[str]:
        """Yield assertions on parts of a result that cannot be compared as a whole."""
        subject = "result"
        lines = list(self._inside(subject, value))
        if lines:
            yield from self.layout.statement(f"{subject} = ", node, 1)
            yield ""
            yield from lines
            yield from self._another(subject)

    def _inside(self, subject: str, value: object, depth: int = 0) -> Iterator[str]:
        if isinstance(value, Unknown) and value.kind.module == "builtins":
            return  # that a result is a text says too little
        if isinstance(value, (Instance, Unknown)):
            is_made = depth == 0 and self.specimen.unit.kind is Kind.CLASS
            told = dict(value.attributes) if isinstance(value, Instance) else {}
            is_plain = bool(told) and (is_made or LENGTH in told)
            if is_importable(value.kind) and not is_plain:
                yield from self.layout.assertion(self.of_kind(Atom(subject), value.kind))
            if isinstance(value, Instance):
                yield from self._attributes(subject, value)
        elif isinstance(value, (list, tuple)) and depth < 2:
            yield from self.layout.assertion(
                Comparison(Atom(f"len({subject})"), "==", Atom(str(len(value))))
            )
            for at, one in enumerate(value[:MOST_INSTANCES]):
                expected = expected_of(one, self.spelling)
                if expected is not None:
                    yield from self._compared(Atom(f"{subject}[{at}]"), expected)
                else:
                    yield from self._inside(f"{subject}[{at}]", one, depth + 1)
        elif isinstance(value, dict) and depth < 2:
            for key, one in list(value.items())[:MOST_ATTRIBUTES]:
                place = f"{subject}[{self.spelling.code(key)}]"
                expected = expected_of(one, self.spelling)
                if expected is not None:
                    yield from self._compared(Atom(place), expected)
                else:
                    yield from self._inside(place, one, depth + 1)

    def of_kind(self, node: Node, kind: Named) -> Node:
        """Return the node that says of which class a value is."""
        return call("isinstance", Item(node), Item(Atom(self.spelling.name(kind))))

    def _raising(self) -> list[str]:
        raised = self.specimen.result.raised
        assert raised is not None
        exception = self.spelling.name(raised.kind)
        if self.specimen.fault:
            reason = Item(Text(self.specimen.fault), "reason=")
            mark = call(
                "@pytest.mark.xfail",
                Item(Atom(exception), "raises="),
                reason,
                Item(Atom("True"), "strict="),
            )
            self.decorators = self.layout.statement("", mark)
            return self._performed(self.subject(), 1)
        match = pattern_of(raised)
        given = [Item(Atom(exception))]
        if match:
            given.append(Item(Atom(match), "match="))
        head = self.layout.statement("with ", call("pytest.raises", *given), 1, ":")
        return [*head, *self._performed(self.subject(), 2)]


def _indented(lines: list[str], level: int) -> list[str]:
    return [f"{'    ' * level}{line}" if line else line for line in lines]


def is_expression(unit: Unit) -> bool:
    """Say whether one expression calls a unit and takes its value."""
    return unit.flavour in (Flavour.PLAIN, Flavour.GENERATOR, Flavour.COROUTINE)
