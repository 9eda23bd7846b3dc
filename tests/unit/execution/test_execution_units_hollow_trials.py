"""Which tests pass without the body of what they test."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import pytest

from pytest_evosearch.execution.units.hollow_trials import hollow_tests
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.unit import by_key

HERE = __name__


def clean(text: str) -> str:
    return text.strip()


def full(names: list[str]) -> Iterator[str]:
    yield from filter(None, names)


async def cleaned(text: str) -> str:
    return text.strip()


class Cart:
    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.size = len(names)

    def add(self, name: str) -> None:
        if name:
            self.names = [*self.names, name]

    def sorted(self) -> Cart:
        return self if self.names == sorted(self.names) else Cart(sorted(self.names))

    def copy(self) -> Cart:
        return Cart([*self.names])

    @property
    def first(self) -> str | None:
        return self.names[0] if self.names else None

    @cached_property
    def last(self) -> str | None:
        return self.names[-1] if self.names else None

    @staticmethod
    def named(name: str) -> str:
        return name.lower()

    @classmethod
    def joined(cls, names: list[str]) -> list[str]:
        return [" ".join(names)] if len(names) > 1 else names


def is_hollow(*calls: tuple[str, dict[str, object]]) -> bool:
    units = by_key(units_of([HERE]))
    sent = [(f"{HERE}:{name}", arguments) for name, arguments in calls]
    return hollow_tests([sent], units) == [0]


@pytest.mark.parametrize(
    ("name", "trivial", "telling"),
    [
        ("clean", {"text": "a"}, {"text": " a"}),
        ("full", {"names": ["a"]}, {"names": [""]}),
        ("cleaned", {"text": "a"}, {"text": " a"}),
        ("Cart.named", {"name": "a"}, {"name": "A"}),
        ("Cart.joined", {"names": ["a"]}, {"names": ["a", "b"]}),
    ],
)
def test_what_gives_nothing_or_its_first_argument_is_hollow(
    name: str, trivial: dict[str, object], telling: dict[str, object]
) -> None:
    assert is_hollow((name, trivial))
    assert not is_hollow((name, telling))


@pytest.mark.parametrize(
    ("names", "call", "expected"),
    [
        ([], ("Cart.first", {}), True),
        (["a"], ("Cart.first", {}), False),
        ([], ("Cart.last", {}), True),
        (["a"], ("Cart.last", {}), False),
        ([], ("Cart.add", {"name": ""}), True),
        ([], ("Cart.add", {"name": "a"}), False),
        (["a"], ("Cart.sorted", {}), True),
        (["b", "a"], ("Cart.sorted", {}), False),
        (["a"], ("Cart.copy", {}), False),
    ],
)
def test_a_method_that_gives_nothing_or_its_object_is_hollow(
    names: list[str], call: tuple[str, dict[str, object]], expected: bool
) -> None:
    assert is_hollow(("Cart", {"names": names}), call) is expected
    assert Cart(["b", "a"]).first == "b"
    assert Cart(["b", "a"]).last == "a"
