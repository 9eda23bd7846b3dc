"""Exchanges with and without the faults of `oracles.slowness`."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace

from oracle_examples.example import Example
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response


def slow_path() -> Iterator[Example]:

    def story(sizes: Sequence[int], seconds: Sequence[float]) -> tuple[Exchange, ...]:
        found = []
        for size, cost in zip(sizes, seconds, strict=True):
            request = Request("GET", "/a", query=(("q", "a" * size),))
            found.append(Exchange(request, Response(200), seconds=cost))
        return (*found, *found)

    sizes = (2000, 4000, 8000)
    yield Example(story(sizes, (0.01, 0.04, 0.16)), ("grows with a text",))
    yield Example(story(sizes, (0.04, 0.08, 0.16)))
    yield Example(story(sizes, (0.0001, 0.0004, 0.0016)))
    yield Example(story(sizes, (0.01, 0.04, 0.16))[:3])
    numbers = tuple(
        Exchange(Request("GET", "/a/{n}", {"n": 10**power}), Response(200), seconds=cost)
        for power, cost in ((4, 0.002), (5, 0.02), (6, 0.2))
    )
    yield Example((*numbers, *numbers), ("grows with a number",))
    flat = tuple(replace(one, seconds=0.2) for one in numbers)
    yield Example((*flat, *flat))
