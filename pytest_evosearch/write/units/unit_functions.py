"""The text of one test of a unit: what is made, called and asserted, and the test's name."""

from __future__ import annotations

import builtins
import keyword
import math
import re
from collections.abc import Container
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import islice

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.genes.constructed import recipes_in
from pytest_evosearch.problem.units.fixed_reads import is_read
from pytest_evosearch.problem.units.fixed_reads import replaced_class
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Raised
from pytest_evosearch.problem.units.results import Unknown
from pytest_evosearch.problem.units.results import parts_of
from pytest_evosearch.problem.units.unit import Flavour
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import arranged
from pytest_evosearch.problem.units.unit import variables_of
from pytest_evosearch.write.code.layout import Comparison
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.units.spelled_values import Spelling
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen

MOST_ATTRIBUTES = 6
"""Most attributes of one object that a test asserts."""

MOST_INSTANCES = 3
"""Most objects of one list whose attributes a test asserts."""

MOST_OPTIONS = 3
"""Most options that the name of a test lists."""

MOST_FILES = 3
"""Most written files that a test asserts."""

LONGEST_WORDS = 30
"""Most characters of a value in the name of a test."""

LONGEST_MATCH = 90
"""Most characters of an exception's message that a test asserts."""

EXACT_DIGITS = 4
"""Longest fraction of a float, in digits, that is compared exactly: more comes from rounding."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}|/tmp/|evosearch-")
"""Parts of texts that differ between two runs."""


@dataclass(frozen=True)
class Expected:
    """What is asserted of a value: an operator, and the node on its right."""

    operator: str
    right: Node
    is_exact: bool = True


def expected_of(value: object, spelling: Spelling) -> Expected | None:
    """Return what is asserted of a whole value; None where only parts can be asserted."""
    if value is None or isinstance(value, bool):
        return Expected("is", Atom(repr(value)))
    if isinstance(value, Named):
        return Expected("is", spelling.node(value))
    inside = list(parts_of(value))
    if any(isinstance(one, (Instance, Unknown)) for one in inside) or not _is_stable(inside):
        return None
    if any(isinstance(one, float) and math.isnan(one) for one in inside):
        return None
    if has_fractions(value) and needs_tolerance(value):
        return Expected("==", call("pytest.approx", spelling.node(value)), is_exact=False)
    return Expected("==", spelling.node(value))


def _is_stable(inside: list[object]) -> bool:
    texts = (one for one in inside if isinstance(one, str))
    made = (one for part in inside for one in recipes_in(part))
    given = (str(one.arguments) for one in made if isinstance(one, Made))
    return not any(_ADDRESS.search(text) for text in (*texts, *given))


def has_fractions(value: object) -> bool:
    """Say whether a value is a float, or a flat list of numbers with a float."""
    numbers = list(value) if isinstance(value, (list, tuple)) else [value]
    are_numbers = all(type(one) in (int, float) for one in numbers)
    return are_numbers and any(isinstance(one, float) for one in numbers)


def needs_tolerance(value: object) -> bool:
    """Say whether one of these numbers has a fraction that comes from rounding."""
    numbers = list(value) if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(one, float) and _is_rounded(one) for one in numbers)


def _is_rounded(number: float) -> bool:
    return math.isfinite(number) and len(repr(number).partition(".")[2]) > EXACT_DIGITS


class UnitFunction:
    """The lines of one test."""

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

    def lines(self, name: str) -> list[str] | None:
        """Return the lines of the test; None where nothing can be asserted."""
        arranging, acting = [*self._surroundings(), *self.arranged()], self._act()
        if acting is None:
            return None
        acting = [*self._coroutine, *([""] if self._coroutine else []), *acting]
        body = [*arranging, *([""] if arranging and len(acting) > 1 else []), *acting]
        head = f"def {name}({', '.join(self.fixtures)}):"
        return [*self.decorators, head, *body]

    # Arranging

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
        return _variable(owner, self.spelling.taken)

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
            return self._operated(unit.operator.code, nodes)
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
            return self._operated(unit.operator.code, given)
        return call(self._function(unit), *map(Item, given))

    def given_nodes(self) -> list[Node]:
        """Return the nodes of the arguments of the tested call."""
        given = self._given(self._last, self.specimen.test.act).values()
        return [one for one in given if isinstance(one, (Atom, Text, Group))]

    def _operated(self, code: str, given: Sequence[Node]) -> Node:
        return Atom(code.format(self.object_name, *map(one_line, given)))

    def _function(self, unit: Unit) -> str:
        if unit.owner:
            return f"{self.object_name}.{unit.name.rpartition('.')[2]}"
        return self.spelling.name(Named(unit.module, unit.name))

    # Acting and asserting

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
            asserted = self._result_compared(node, expected)
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

    @property
    def _last(self) -> int:
        return len(self.specimen.test) - 1

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
                node = self._operated(operator.negated(), self.given_nodes())
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
        wanted += [name for name in result.passed if name in values and name not in wanted]
        lines: list[str] = []
        for name in wanted:
            variable = _variable(name, self.spelling.taken)
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
        kept = self.specimen.result.kept
        if isinstance(kept, Instance):
            lines += self._attributes(self.object_name, kept)
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

    def _inside(self, subject: str, value: object, depth: int = 0) -> Iterator[str]:
        if isinstance(value, Unknown) and value.kind.module == "builtins":
            return  # that a result is a text says too little
        if isinstance(value, (Instance, Unknown)):
            is_made = depth == 0 and self.specimen.unit.kind is Kind.CLASS
            is_plain = is_made and isinstance(value, Instance) and bool(value.attributes)
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


def pattern_of(raised: Raised) -> str:
    """Return the code of a pattern for a message of the project; others say what Python does."""
    return match_of(raised.message) if raised.is_own else ""


def match_of(message: str) -> str:
    """Return the code of a pattern for a message; empty where the message says nothing."""
    text = message.strip().splitlines()[0] if message.strip() else ""
    if not text or _ADDRESS.search(text):
        return ""
    if len(text) > LONGEST_MATCH:
        text = text[: LONGEST_MATCH + 1].rpartition(" ")[0] or text[:LONGEST_MATCH]
    escaped = re.escape(text).replace(r"\ ", " ").replace("\\'", "'")
    if escaped == text:
        return one_line(Text(escaped))
    quote = "'" if '"' in escaped else '"'
    plain = escaped.isprintable() and quote not in escaped and not escaped.endswith("\\")
    return f"r{quote}{escaped}{quote}" if plain else one_line(Text(escaped))


def is_importable(kind: Named) -> bool:
    """Say whether a test can import a class."""
    if kind.module == "builtins":
        return hasattr(builtins, kind.name)
    is_private = any(part.startswith("_") for part in (kind.module, *kind.name.split(".")))
    return "<locals>" not in kind.name and not is_private


def shown_attributes(value: Instance, spelling: Spelling) -> dict[str, Expected]:
    """Return the attributes of an object that a test asserts."""
    told = ((name, expected_of(one, spelling)) for name, one in value.attributes)
    known = {name: expected for name, expected in told if expected is not None}
    return dict(islice(known.items(), MOST_ATTRIBUTES))


def reading(subject: str, attribute: str) -> str:
    """Return the code that reads an attribute."""
    return f"str({subject})" if attribute == "__str__" else f"{subject}.{attribute}"


def name_of_test(specimen: UnitSpecimen) -> str:
    """Return a name that says which unit is tested, and how its call ends."""
    result, base = specimen.result, name_of_unit(specimen.unit)
    if result.raised is not None:
        return f"{base}_raises_{_snake(result.raised.kind.name.rpartition('.')[2])}"
    changed = [name for name, _value in result.changed]
    if changed and result.value is None:
        what = _first_change(specimen) if changed[0] == "self" else changed[0]
        return f"{base}_changes_{what}" if what else base
    if result.value is None and not result.printed:
        is_state = isinstance(result.kept, Instance) and _has_parts(result.kept)
        return f"{base}_{'changes_nothing' if is_state else 'returns_none'}"
    if isinstance(result.value, Instance) and result.value.is_refusal:
        return f"{base}_returns_{_snake(result.value.kind.name.rpartition('.')[2])}"
    if isinstance(result.value, bool):
        return f"{base}_is_{str(result.value).lower()}"
    if result.printed:
        return f"{base}_prints"
    return base


def _has_parts(value: Instance) -> bool:
    return bool(value.attributes) or value.elements is not None


def _given_options(specimen: UnitSpecimen) -> dict[str, object]:
    parameters = specimen.unit.parameters
    required = {one.name for one in parameters if one.is_required or one.is_variadic}
    given = specimen.test.act.values().items()
    return {name: value for name, value in given if name not in required}


def has_acting_option(specimen: UnitSpecimen) -> bool:
    """Say whether an option that is passed changes the result."""
    return bool(_given_options(specimen).keys() - specimen.idle)


def names_with_options(specimen: UnitSpecimen) -> list[str]:
    """Return a name that lists the options that act in the tested call; none where these are many.

    Where no option acts, the name says so: ``also_with_binary``.
    """
    base, given = name_of_unit(specimen.unit), _given_options(specimen)
    acting = given.keys() - specimen.idle
    options = [
        f"{'without' if value is False else 'with'}_{_snake(name)}"
        for name, value in given.items()
        if name in acting or not acting
    ]
    ending = name_of_test(specimen).removeprefix(base)
    is_short = 0 < len(options) <= MOST_OPTIONS
    joined = "_and_".join(options).replace("_and_with_", "_and_")
    joined = joined if acting else f"also_{joined}"
    return [f"{base}_{joined}{ending}"] if is_short else []


def longer_names(specimen: UnitSpecimen) -> list[str]:
    """Return names that tell a test from others of its unit: by options, and by what it gives."""
    result, base = specimen.result, name_of_unit(specimen.unit)
    ending = name_of_test(specimen).removeprefix(base)
    names = names_with_options(specimen)
    if not ending and result.changed and result.changed[0][0] != "self":
        names += [f"{one}_changes_{_snake(result.changed[0][0])}" for one in (base, *names)]
    value = result.value.elements if isinstance(result.value, Instance) else result.value
    if not ending and isinstance(value, (str, list, tuple, dict, set)) and not value:
        names.append(f"{base}_is_empty")
    if not ending and type(value) in (int, float) and not value:
        names.append(f"{base}_is_zero")
    return [*names, *_names_with_input(specimen, ending)]


def _names_with_input(specimen: UnitSpecimen, ending: str) -> Iterator[str]:
    """Yield a name that tells what is passed: the first short value, of the object if need be."""
    for path, read in specimen.variables.items():
        if is_read(path) and replaced_class(read) and isinstance(read, Made):
            words = "_".join(f"{one:02}" for one in read.arguments[3:] or read.arguments)
            when = f"{'at' if read.arguments[3:] else 'on'}_{words}"
            yield f"{name_of_unit(specimen.unit)}_{when}{ending}"
    for one in reversed(specimen.test.calls):
        known = specimen.units[one.unit].parameters
        required = {each.name for each in known if each.is_required and not each.is_variable}
        for value in (value for name, value in one.values().items() if name in required):
            words = "empty_text" if value == "" else _words(value)
            if words and len(words) <= LONGEST_WORDS:
                yield f"{name_of_unit(specimen.unit)}_of_{words}{ending}"
                return


def _words(value: object) -> str:
    if isinstance(value, Made):
        return _snake(value.function.name.rpartition(".")[2])
    if type(value) not in (str, int, float, bool, type(None)):
        return ""
    text = str(value) if isinstance(value, str) else str(value).replace("-", "minus ")
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))


def name_of_unit(unit: Unit) -> str:
    """Return how the names of all tests of a unit begin."""
    words = [_snake(part) for part in unit.name.split(".")]
    return "_".join(["test", *(word.strip("_") for word in words)])


def _first_change(specimen: UnitSpecimen) -> str:
    value = dict(specimen.result.changed).get("self")
    if not isinstance(value, Instance) or value.elements is not None:
        return ""
    names = [name for name, _one in value.attributes if name != "__str__"]
    return _snake(names[0]) if names else ""


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _variable(name: str, imported: Container[str]) -> str:
    """Return a variable that hides no name that the tests use."""
    snake = _snake(name).strip("_") or "value"
    is_used = keyword.iskeyword(snake) or hasattr(builtins, snake) or snake in imported
    return f"{snake}_" if is_used else snake


def is_expression(unit: Unit) -> bool:
    """Say whether one expression calls a unit and takes its value."""
    return unit.flavour in (Flavour.PLAIN, Flavour.GENERATOR, Flavour.COROUTINE)
