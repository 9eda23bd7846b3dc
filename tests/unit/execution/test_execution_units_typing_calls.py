"""What stand-ins show beside arguments whose types are known, and of optional ones."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any
from typing import Protocol

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.engine.units.unit_judging import fault_of
from pytest_evosearch.engine.units.unit_types import learn_types
from pytest_evosearch.execution.units.typing_calls import shapes_of_unit
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.arguments import Confirmation
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Raised
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit_problem import UnitProblem


def shortened(text: str, width, ending=None):  # type: ignore[no-untyped-def]
    if ending is not None:
        return text[: int(width) % 7] + ending.strip() + "."
    return text[: width + 1]


def joined(*parts):  # type: ignore[no-untyped-def]
    return ", ".join(parts)


def shown(value: Any) -> str:
    return value.strip().lower()  # type: ignore[no-any-return]


class Length:
    def __init__(self, metres: int) -> None:
        self.metres = metres

    def __lt__(self, other):  # type: ignore[no-untyped-def]
        return self.metres < other.metres


class Span:
    def __init__(self, begin, end):  # type: ignore[no-untyped-def]
        self.begin = begin
        self.end = end

    def length(self):  # type: ignore[no-untyped-def]
        return (self.end - self.begin) % 100

    def touches(self, other):  # type: ignore[no-untyped-def]
        return self.begin - other.end < 1 and other.begin - self.end < 1

    def moved(self, by, end=None):  # type: ignore[no-untyped-def]
        return end or self.begin % by % by


class Names:
    def __init__(self, *names: str) -> None:
        self.names = names

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def isdisjoint(self, others):  # type: ignore[no-untyped-def]
        return not any(one in others for one in self)


class _Rest:
    """All names but some; only `rest_of` gives one."""

    def __init__(self, without: set[str]) -> None:
        self._without = without

    def __contains__(self, name: object) -> bool:
        return name not in self._without

    def merged(self, other: _Rest) -> _Rest:
        return _Rest(self._without & other._without)

    def _secret(self) -> int:
        return 3


def rest_of(names: list[str]) -> _Rest:
    return _Rest(set(names))


UNITS = by_key(units_of([__name__]))


def unit_named(name: str) -> Unit:
    return UNITS[f"{__name__}:{name}"]


def arguments_of(name: str) -> Arguments:
    unit, arguments = unit_named(name), Arguments(UNITS)
    required = {"text": "abc"} if name == "shortened" else {}
    names = arguments.unknown(unit)
    arguments.learn(unit, shapes_of_unit(unit, UNITS, names, [(required, None)], {}))
    return arguments


def test_optional_arguments_are_typed_beside_known_ones() -> None:
    unit, arguments = unit_named("shortened"), arguments_of("shortened")

    assert arguments.unknown(unit) == ("width", "ending")
    values = arguments.call(unit).arguments
    sampled = {name: gene.sample(derive(1, name)).value() for name, gene in values}
    assert isinstance(sampled["width"], int)
    ending = dict(values)["ending"].adopt("b")
    assert ending is not None
    assert ending.value() == "b"


def test_each_of_any_number_of_arguments_has_the_type_of_an_element() -> None:
    arguments = arguments_of("joined")

    (_name, gene), *_others = arguments.call(unit_named("joined")).arguments
    sampled = [one for seed in range(9) for one in gene.sample(derive(seed, "")).value()]  # type: ignore[attr-defined]
    assert sampled
    assert all(isinstance(one, str) for one in sampled)


def test_a_hint_that_says_nothing_leaves_the_type_to_stand_ins() -> None:
    arguments = arguments_of("shown")

    assert arguments.unknown(unit_named("shown")) == ("value",)
    assert isinstance(arguments.call(unit_named("shown")).values()["value"], str)


def test_the_other_operand_is_an_object_of_the_same_class() -> None:
    call = Arguments(UNITS).call(unit_named("Length.__lt__"))

    assert getattr(call.values()["other"], "function", None) == Named(__name__, "Length")


def test_an_error_of_types_that_only_uses_show_is_a_mistake_of_the_search() -> None:
    raised = Raised(Named("builtins", "TypeError"), "not iterable", ("TypeError",), "shop.py", 3)
    result = Result(End.RAISED, raised=raised)
    unit, arguments = unit_named("shortened"), arguments_of("shortened")

    assert arguments.confirmation(unit, {"text": "a"}) is Confirmation.TOLD
    assert arguments.confirmation(unit, {"text": "a", "width": 1}) is not Confirmation.TOLD
    assert fault_of(unit, result, Confirmation.USED) is None
    assert "shop.py:3" in (fault_of(unit, result, Confirmation.TOLD) or "")


class Here:
    """Performs tasks in this process."""

    def perform(self, task: Any, _unit: str) -> object:
        return task()

    def close(self) -> None:
        pass


def test_units_of_which_something_is_unknown_are_told_where_time_is_over() -> None:
    arguments = Arguments(UNITS)
    given: Any = arguments, dict(UNITS), Here(), derive(1, "types"), Fence()

    late = learn_types(*given, lambda: True)

    assert unit_named("shortened").key in late
    assert unit_named("Length").key not in late  # hints tell all of it


def learnt() -> Arguments:
    units = dict(UNITS)
    arguments = Arguments(units)
    learn_types(arguments, units, Here(), derive(1, "types"), Fence())  # type: ignore[arg-type]
    return arguments


def test_methods_show_what_a_constructor_only_keeps() -> None:
    values = learnt().call(unit_named("Span")).values()

    assert {name: type(one) for name, one in values.items()} == {"begin": int, "end": int}


def test_an_argument_with_the_attributes_of_a_class_is_an_object_of_it() -> None:
    values = learnt().call(unit_named("Span.touches")).values()

    assert getattr(values["other"], "function", None) == Named(__name__, "Span")


def test_an_argument_of_which_little_is_known_has_the_type_of_its_name_beside() -> None:
    arguments = learnt()

    end = dict(arguments.call(unit_named("Span.moved")).arguments)["end"]
    assert end.adopt(7) is not None
    assert end.adopt("b") is None


def test_a_method_of_sets_takes_another_object_of_its_class() -> None:
    values = learnt().call(unit_named("Names.isdisjoint")).values()

    assert getattr(values["others"], "function", None) == Named(__name__, "Names")


class Sized(Protocol):
    width: int

    def shape(self) -> str: ...


class Colour(Enum):
    RED = "red"
    BLUE = "blue"

    @property
    def is_warm(self) -> bool:
        return self is Colour.RED


def described(thing: Sized) -> str:
    return f"{thing.shape()} {thing.width}"


def test_an_object_of_a_protocol_has_its_attributes_and_methods() -> None:
    units = by_key(units_of([__name__]))
    (thing,) = Arguments(units).call(units[f"{__name__}:described"]).values().values()

    made = built(thing)

    assert (type(made.width), type(made.shape())) == (int, str)  # type: ignore[attr-defined]
    assert f"{__name__}:Sized" not in units


def test_the_members_of_an_enum_are_made_by_their_values() -> None:
    units = by_key(units_of([__name__]))
    gene = dict(Arguments(units).call(units[f"{__name__}:Colour"]).arguments)["value"]

    values = {gene.sample(derive(seed, "")).value() for seed in range(20)}

    assert values == {"red", "blue"}
    assert f"{__name__}:Colour.is_warm" in units


class Rule:
    def passes(self, number):  # type: ignore[no-untyped-def]
        return number > 3


class Both:
    def __init__(self, *rules):  # type: ignore[no-untyped-def]
        self.rules = frozenset(rules)

    def passes(self, number):  # type: ignore[no-untyped-def]
        return all(rule.passes(number) for rule in self.rules)


def test_methods_with_arguments_show_what_is_hashed_by_a_constructor() -> None:
    gene = learnt().made(Both)
    assert gene is not None

    made = [gene.sample(derive(number, "rules")).value() for number in range(20)]
    inside = [one for each in made for one in each.arguments]  # type: ignore[attr-defined]
    assert {one.function.name for one in inside} <= {"Rule", "Both"}


def test_methods_of_a_private_class_are_units_on_objects_that_a_function_gives() -> None:
    units = dict(UNITS)
    arguments = Arguments(units)
    learn_types(arguments, units, Here(), derive(1, "types"), Fence())  # type: ignore[arg-type]
    problem = UnitProblem(units, arguments, dict.fromkeys(units, ()))
    merged = units[f"{__name__}:_Rest.merged"]

    test = problem.test_of(merged, derive(1, "objects"))

    rest_of = f"{__name__}:rest_of"
    assert [one.unit for one in test.calls] == [rest_of, merged.key]
    assert test.act.values()["other"].function == Named(__name__, "rest_of")  # type: ignore[attr-defined]
    private = {key for key in problem.testable if "_Rest" in key}
    assert private == {f"{__name__}:_Rest.{name}" for name in ("__contains__", "merged")}
