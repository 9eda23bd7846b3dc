"""A database in memory whose statements are watched, and scales that keep what they are told."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from dataclasses import field

import pytest

from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.core.targets import GUIDES
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.sut.queries.watch import QueryWatch
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections


@dataclass
class KeptScales:
    test: object | None = "a test"
    is_measuring: bool = True
    line: str | None = "app.py:7"
    retired: set[str] = field(default_factory=set)
    scores: dict[str, float] = field(default_factory=dict)
    wishes: dict[str, list[tuple[object, ...]]] = field(default_factory=dict)

    def wants(self, target: str) -> bool:
        return target not in self.retired

    def raise_score(self, target: str, score: float) -> None:
        if self.wants(target):
            self.scores[target] = max(score, self.scores.get(target, 0.0))

    def suggest(self, target: str, *wish: object) -> None:
        self.wishes.setdefault(target, []).append(wish)

    def place(self) -> str | None:
        return self.line

    def ending(self, words: str) -> float | None:
        """Return the score of the one statement or condition that ends so, None without any."""
        guides = {one: score for one, score in self.scores.items() if kind_of(one) in GUIDES}
        found = [score for target, score in guides.items() if target.endswith(words)]
        assert len(found) < 2, found
        return found[0] if found else None

    def wished(self, words: str) -> list[tuple[object, ...]]:
        """Return what was suggested for the target that ends so."""
        return [
            one
            for target, wishes in self.wishes.items()
            if target.endswith(words)
            for one in wishes
        ]


SCHEMA = """
CREATE TABLE shop (id INTEGER PRIMARY KEY, city TEXT);
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price INTEGER, made TEXT, shop_id INTEGER);
INSERT INTO shop VALUES (1, 'Bergen'), (2, 'Turku');
INSERT INTO item VALUES (1, 'lamp', 40, '2024-05-01', 1), (2, 'Lantern', 90, NULL, 2);
CREATE TABLE empty (id INTEGER);
"""


@pytest.fixture
def scales():
    return KeptScales()


@pytest.fixture
def watch(scales):
    return QueryWatch(scales, OwnTime())


@pytest.fixture
def database(watch):
    with watched_connections() as connections:
        connection = sqlite3.connect(":memory:")
        connection.executescript(SCHEMA)
        before, connections.queries = connections.queries, watch
        yield connection
        connections.queries = before
        connection.close()
