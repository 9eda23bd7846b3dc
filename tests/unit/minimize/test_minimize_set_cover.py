from __future__ import annotations

import random
import time

from pytest_evosearch.minimize.set_cover import by_worth
from pytest_evosearch.minimize.set_cover import smallest_suite


def calls_of(key: str) -> tuple[int, int]:
    """Cost of a test that is called after its number of calls: ``3 calls of a kind``."""
    return (int(key.split()[0]), len(key))


def test_an_empty_suite_is_as_small_as_it_gets() -> None:
    assert smallest_suite({}, calls_of) == []


def test_tests_that_cover_nothing_are_dropped() -> None:
    assert smallest_suite({"1 a": frozenset()}, calls_of) == []


def test_a_subset_is_dropped() -> None:
    coverage = {"1 a": frozenset({"x"}), "1 b": frozenset({"x", "y"})}
    assert smallest_suite(coverage, calls_of) == ["1 b"]


def test_of_equals_the_cheaper_and_then_the_first_stays() -> None:
    same = frozenset({"x", "y"})
    assert smallest_suite({"2 a": same, "1 b": same, "1 c": same}, calls_of) == ["1 b"]


def test_essential_tests_make_others_redundant() -> None:
    coverage = {
        "1 greedy": frozenset({"b", "c", "d"}),
        "1 left": frozenset({"a", "b", "c"}),
        "1 right": frozenset({"d", "e"}),
    }
    assert smallest_suite(coverage, calls_of) == ["1 left", "1 right"]


def test_short_tests_are_preferred_to_a_long_one_that_covers_the_same() -> None:
    coverage = {
        "9 everything": frozenset({"a", "b"}),
        "1 left": frozenset({"a"}),
        "1 right": frozenset({"b"}),
    }
    assert smallest_suite(coverage, calls_of) == ["1 left", "1 right"]


def test_the_order_of_the_mapping_is_kept() -> None:
    coverage = {"1 z": frozenset({"z"}), "1 a": frozenset({"a"})}
    assert smallest_suite(coverage, calls_of) == ["1 z", "1 a"]


def test_thousands_of_targets_and_tests_take_a_moment() -> None:
    rng = random.Random(1)
    targets = [f"line app.py:{number}" for number in range(5000)]
    coverage = {
        f"{rng.randint(1, 10)} {number}": frozenset(rng.sample(targets, rng.randint(1, 300)))
        for number in range(2000)
    }
    started = time.process_time()
    chosen = smallest_suite(coverage, calls_of)
    assert time.process_time() - started < 3
    assert 0 < len(chosen) < 1000


def test_tests_are_ordered_by_what_each_adds_to_those_before_it() -> None:
    coverage = {
        0: frozenset("abc"),
        1: frozenset("abcd"),
        2: frozenset("xy"),
        3: frozenset("z"),
    }
    seconds = {0: 1.0, 1: 1.0, 2: 1.0, 3: 0.1}
    ordered = by_worth(coverage, lambda test, added: (len(added) / seconds[test],))
    assert ordered == [3, 1, 2, 0]
