"""What the source of a function says of its parameters, and objects that class methods make."""

from __future__ import annotations

import numbers
import os
from decimal import Decimal
from enum import Enum
from typing import Any

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.arguments import Confirmation
from pytest_evosearch.problem.units.code_uses import constructors_of
from pytest_evosearch.problem.units.code_uses import uses_of
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit import size_of
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.problem.units.unit_problem import confirmation_of
from pytest_evosearch.standins.shape import Shape


class Edge(Enum):
    OPEN = "open"
    CLOSED = "closed"


class _Base:
    key: int

    def __lt__(self, other: _Base) -> bool:
        return self.key < other.key


class Span(_Base):
    """A class that takes any number of spans."""

    def __init__(self, *spans: Span) -> None:
        self.edges: list[object] = [one for span in spans for one in span.edges]
        self.key = len(self.edges)

    @classmethod
    def from_edge(cls, edge):  # type: ignore[no-untyped-def]
        made = cls()
        made.edges = [edge] if edge == Edge.CLOSED else []
        return made

    @classmethod
    def widest(cls) -> int:
        return 3

    def apply(self, change: Any) -> list[object]:
        def changed(edge: object) -> object:
            return change(edge)

        return [changed(one) for one in self.edges]

    def __lt__(self, other: _Base) -> bool:
        return self.key < other.key


def joined(*spans: Span) -> Span:
    return Span(*spans)


def problem_of_this() -> UnitProblem:
    units = by_key(units_of([__name__]))
    return UnitProblem(units, Arguments(units), {key: [] for key in units})


def test_what_code_calls_is_a_function_and_what_it_compares_a_member() -> None:
    assert "change" in uses_of(Span.apply).called
    members = uses_of(Span.from_edge).members["edge"]
    assert list(map(built, members)) == [Edge.OPEN, Edge.CLOSED]
    assert uses_of(len).called == frozenset()


def test_class_methods_that_make_their_class_are_told_by_name_or_hint() -> None:
    assert [name for name, _function in constructors_of(Span)] == ["from_edge"]


def test_an_object_of_a_class_with_any_number_of_arguments_is_made_by_a_class_method() -> None:
    problem, rng = problem_of_this(), derive(1, "spans")
    tests = [problem.test_of(problem.units[f"{__name__}:Span.apply"], rng) for _ in range(30)]

    makers = {test.calls[0].unit.rpartition(":")[2] for test in tests}
    made = [test for test in tests if test.calls[0].unit.endswith("from_edge")]
    bare = [test for test in tests if not any(test.calls[0].values().values())]
    assert makers == {"Span.from_edge", "Span"}
    assert {built(test.calls[0].values()["edge"]) for test in made} == {Edge.OPEN, Edge.CLOSED}
    assert all(callable(built(test.act.values()["change"])) for test in tests)
    short = [test for test in made if len(test) == 2]
    assert max(map(size_of, short)) < min(map(size_of, bare))


def test_an_object_among_any_number_of_arguments_is_no_list() -> None:
    gene = problem_of_this().arguments.made(Span)
    assert gene is not None

    rng = derive(1, "spans")
    assert all(isinstance(built(gene.sample(rng).value()), Span) for _ in range(20))


def test_a_private_class_stands_for_its_public_subclass() -> None:
    problem = problem_of_this()
    test = problem.test_of(problem.units[f"{__name__}:Span.__lt__"], derive(1, "order"))

    assert isinstance(built(test.act.values()["other"]), Span)
    bare = ("other", ConstantGene(Made(Named(__name__, "_Base"))))
    private = test.with_call(1, type(test.act)(test.act.unit, (bare,)))
    assert confirmation_of(private, problem) is Confirmation.NONE


def test_an_object_that_takes_objects_of_its_class_ends_somewhere() -> None:
    arguments = problem_of_this().arguments
    units = by_key(units_of([__name__]))
    pile, pair = (Shape(named=(__name__, name)) for name in ("Pile", "Pair"))
    arguments.learn(units[f"{__name__}:Pile"], {"piles": Shape("list", element=pile)})
    arguments.learn(units[f"{__name__}:Pair"], {"first": pair, "second": pair})

    for unit in units.values():
        assert len(repr(arguments.call(unit))) < 20_000


class Pile:
    def __init__(self, *piles):  # type: ignore[no-untyped-def]
        self.piles = piles


class Pair:
    def __init__(self, first, second):  # type: ignore[no-untyped-def]
        self.first, self.second = first, second


def mode(name: str) -> tuple[Any, ...]:
    if "SHOP_MODE" in os.environ:
        return (os.environ["SHOP_MODE"],)
    return os.environ.get("SHOP_NAME"), os.getenv(name, "SHOP_OTHER")


def test_the_environment_variables_that_code_reads_by_name_are_known() -> None:
    assert uses_of(mode).variables == ("SHOP_MODE", "SHOP_NAME")
    unit = by_key(units_of([f"{__name__}:mode"]))[f"{__name__}:mode"]

    assert [(one.name, one.is_variable) for one in unit.parameters] == [
        ("name", False),
        ("SHOP_MODE", True),
        ("SHOP_NAME", True),
    ]


class Ratio:
    """A number beside others, as `fractions` has it."""

    def __init__(self, whole=0):  # type: ignore[no-untyped-def]
        if type(whole) is not int and isinstance(whole, (str, numbers.Rational)):
            whole = int(whole)
        self.whole = whole

    def __rsub__(self, other):  # type: ignore[no-untyped-def]
        if isinstance(other, (Ratio, numbers.Real)):
            return Ratio(1)
        return NotImplemented

    def scaled(self, factor):  # type: ignore[no-untyped-def]
        if isinstance(factor, Decimal):
            return Ratio(0)
        else:  # noqa: RET505 (a chain of conditions that ends with a refusal)
            raise TypeError(factor)


def kinds_of(name: str) -> set[str]:
    """Return the types of what is passed to a unit of this module."""
    units = by_key(units_of([f"{__name__}:Ratio"]))
    ((_name, gene),) = Arguments(units).call(units[f"{__name__}:{name}"]).arguments
    rng = derive(1, "kinds")
    return {type(built(gene.sample(rng).sent().value())).__name__ for _ in range(200)}


def test_an_argument_is_of_each_class_that_code_asks_it_for() -> None:
    assert kinds_of("Ratio") >= {"int", "str", "Fraction"}
    assert kinds_of("Ratio.__rsub__") == {"float"}
    assert kinds_of("Ratio.scaled") >= {"Decimal", "str"}
