"""The texts of tests of units, from calls that were really executed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from collections.abc import Iterator
from contextlib import asynccontextmanager
from contextlib import contextmanager

import pytest

from pytest_evosearch.execution.units.calling import Calls
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.units.spelled_values import Spelling
from pytest_evosearch.write.units.unit_functions import UnitFunction
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen

Call = tuple[str, dict[str, object]]


@contextmanager
def renamed(name: str, log: list[str]) -> Iterator[str]:
    if not name:
        raise ValueError("no name")
    yield name.upper()
    log.append("end")


@asynccontextmanager
async def connected(host: str) -> AsyncIterator[str]:
    yield f"connection to {host}"


async def countdown(start: int) -> AsyncIterator[int]:
    while start:
        yield start
        start -= 1


def numbers(first: int) -> Iterator[int]:
    while True:
        yield first
        first += 1


class Lock:
    def __init__(self) -> None:
        self.is_held = False

    def __enter__(self) -> Lock:  # noqa: PYI034 (`Self` is not in Python 3.10)
        self.is_held = True
        return self

    def __exit__(self, *_error: object) -> None:
        self.is_held = False


def body_of(*calls: Call) -> list[str]:
    units = by_key(units_of([__name__]))
    test = UnitTest(
        tuple(
            UnitCall(
                f"{__name__}:{name}",
                tuple((key, ConstantGene(one)) for key, one in arguments.items()),
            )
            for name, arguments in calls
        )
    )
    result = Calls(units, lambda _file: __file__, tells=True).perform(test.sent())[-1]
    function = UnitFunction(UnitSpecimen(test, units, result), Spelling(__name__), Layout())
    lines = function.lines("test")
    assert lines is not None
    return [line[4:] for line in lines[1:]]


@pytest.mark.parametrize(
    ("calls", "body"),
    [
        (
            [("renamed", {"name": "a", "log": []})],
            [
                "log = []",
                'with renamed("a", log) as value:',
                '    assert value == "A"',
                "",
                'assert log == ["end"]',
            ],
        ),
        (
            [("renamed", {"name": "", "log": []})],
            [
                'with pytest.raises(ValueError, match="no name"):',
                '    with renamed("", []):',
                "        pass",
            ],
        ),
        (
            [("Lock", {}), ("Lock.__enter__", {})],
            ["lock = Lock()", "", "with lock:", "    assert lock.is_held is True"],
        ),
        (
            [("connected", {"host": "a"})],
            [
                "async def used():",
                '    async with connected("a") as value:',
                "        return value",
                "",
                'assert asyncio.run(used()) == "connection to a"',
            ],
        ),
        (
            [("countdown", {"start": 2})],
            [
                "async def used():",
                "    return [one async for one in countdown(2)]",
                "",
                "assert asyncio.run(used()) == [2, 1]",
            ],
        ),
        (
            [("numbers", {"first": 1})],
            ["assert list(islice(numbers(1), 5)) == [1, 2, 3, 4, 5]"],
        ),
    ],
)
def test_contexts_and_elements_are_used_as_people_write_them(
    calls: list[Call], body: list[str]
) -> None:
    assert body_of(*calls) == body


def test_an_asynchronous_generator_without_end_is_cut_off() -> None:
    units = by_key(units_of([f"{__name__}:countdown"]))

    sent = [(f"{__name__}:countdown", {"start": -1})]
    (result,) = Calls(units, lambda _file: None, tells=True).perform(sent)

    assert result.end is End.CUT_OFF
