"""Relations between units: confirmed over several values, and stated by one short test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.engine.units.unit_relations import related
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.units.related_units import name_of_relation
from pytest_evosearch.write.units.related_units import relation_lines
from pytest_evosearch.write.units.spelled_values import Spelling


def encode_number(number: int) -> str:
    return f"#{number}"


def decode_number(text: str) -> int:
    return int(text[1:])


def celsius_to_kelvin(degrees: float) -> float:
    return degrees + 273.15


def kelvin_to_celsius(degrees: float) -> float:
    return degrees - 273.15


def clean(text: str) -> str:
    return "".join(text.split())


def strip(text: str) -> str:
    return text[:-1]


def pack(number: int) -> str:
    return str(abs(number))


def unpack(text: str) -> int:
    return int(text)


def quote(number: int) -> str:
    return str(number % 7)


def unquote(text: str) -> int:
    return int(text)


@dataclass
class Point:
    x: int
    y: int = 0

    def to_text(self) -> str:
        return f"{self.x}/{self.y}"

    @classmethod
    def from_text(cls, text: str) -> Point:
        return cls(*map(int, text.split("/")))


class Range:
    def __init__(self, first: int, last: int) -> None:
        self.numbers = frozenset(range(first % 50, last % 50))

    def union(self, other: set[int]) -> frozenset[int]:
        return self.numbers | other

    def __or__(self, other: set[int]) -> frozenset[int]:
        return self.numbers | other

    def remove(self, number: int) -> None:
        self.numbers -= {number}

    def update(self, other: set[int]) -> None:
        self.numbers |= other


class Here:
    """Calls what other processes call, in this one."""

    def perform(self, task: Callable[[], object], _unit: str, _seconds: float) -> object:
        return task()


def found() -> tuple[dict[str, list[str]], list[str]]:
    """The lines of each test by its name, and the notices."""
    units = by_key(units_of([__name__]))
    problem = UnitProblem(units, Arguments(units), {key: [] for key in units})
    specimens, notices = related(problem, Here(), [], derive(1, "related"), lambda: False, Fence())  # type: ignore[arg-type]
    texts = {}
    for one in specimens:
        assert one.relation is not None
        name = name_of_relation(one.relation)
        texts[name] = relation_lines(name, one, one.relation, Spelling(__name__), Layout())
        assert 3 <= len(one.rows) <= 4
    return texts, notices


def test_relations_that_hold_are_stated_and_others_are_not() -> None:
    texts, notices = found()

    endings = {name: [line.strip() for line in lines[-2:]] for name, lines in texts.items()}
    assert endings == {
        "test_decode_number_reverts_encode_number": [
            "def test_decode_number_reverts_encode_number(number):",
            "assert decode_number(encode_number(number)) == number",
        ],
        "test_kelvin_to_celsius_reverts_celsius_to_kelvin": [
            "def test_kelvin_to_celsius_reverts_celsius_to_kelvin(degrees):",
            "assert kelvin_to_celsius(celsius_to_kelvin(degrees)) == pytest.approx(degrees)",
        ],
        "test_unpack_reverts_pack": [
            "def test_unpack_reverts_pack(number):",
            "assert unpack(pack(number)) == number",
        ],
        "test_clean_twice_is_as_once": ["once = clean(text)", "assert clean(once) == once"],
        "test_point_from_text_reverts_point_to_text": [
            "point = Point(x)",
            "assert Point.from_text(point.to_text()) == point",
        ],
        "test_range_union_equals_its_operator": [
            texts["test_range_union_equals_its_operator"][-2].strip(),
            "assert range_.union(other) == (range_ | other)",
        ],
    }
    (notice,) = notices
    assert notice.startswith("unpack reverts pack for most values, but not for -")
