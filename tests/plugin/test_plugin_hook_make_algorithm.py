from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

SAMPLING = """
import dataclasses


@dataclasses.dataclass(frozen=True)
class Parameters:
    size: int = 1


class Sampling:
    parameters_type = Parameters

    def __init__(self, context, parameters=None):
        self.context, self.size = context, (parameters or Parameters()).size
        self.told = 0

    def ask(self):
        with open("asked.txt", "a") as file:
            print(self.size, file=file)
        if self.told > %d:
            raise LookupError("no more ideas")
        return [self.context.problem.sample(self.context.rng) for _ in range(self.size)]

    def tell(self, evaluations):
        self.told += len(evaluations)

    def welcome(self, evaluations):
        with open("welcomed.txt", "a") as file:
            print(len(evaluations), file=file)


@hook
def pytest_evosearch_make_algorithm(config, settings):
    return Sampling if settings.algorithm in ("sampling", "wts") else None
"""

FOR_EVER = SAMPLING % 10_000

RETURNING = """
@hook
def pytest_evosearch_make_algorithm(settings):
    return %s
"""


def test_algorithm_of_the_project_replaces_a_shipped_one(orders) -> None:
    result = orders.search_with(FOR_EVER, "--evosearch-algorithm=wts", budget="60x")
    assert result.ret == 0
    assert set((orders.path / "asked.txt").read_text().split()) == {"1"}
    assert sum(map(int, (orders.path / "welcomed.txt").read_text().split())) > 0
    assert "def test_post_orders" in orders.written


def test_its_parameters_are_tunables(orders) -> None:
    given = ("--evosearch-algorithm=sampling", "--evosearch-set=sampling.size=3")
    assert orders.search_with(FOR_EVER, *given, budget="60x").ret == 0
    assert set((orders.path / "asked.txt").read_text().split()) == {"3"}


def test_unknown_tunable_is_a_usage_error(orders) -> None:
    given = ("--evosearch-algorithm=sampling", "--evosearch-set=sampling.sice=3")
    result = orders.search_with(FOR_EVER, *given)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*sampling has no tunable 'sice'; did you mean 'size'?*"])


def test_other_algorithms_stay_and_unknown_ones_are_refused(orders) -> None:
    assert orders.search_with(FOR_EVER, "--evosearch-plan").ret == 0
    result = orders.search_with(FOR_EVER, "--evosearch-plan", "--evosearch-algorithm=dynamosaic")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*'dynamosaic' is not a value of *; did you mean 'dynamosa'?*"])


def test_failure_in_the_search_keeps_what_was_found(orders) -> None:
    result = orders.search_with(SAMPLING % 40, "--evosearch-algorithm=sampling", budget="400x")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["ERROR: evosearch: hook pytest_evosearch_make_algorithm (*): ask() raised LookupError: *"]
    )
    assert orders.passes_without_plugin()


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("7", "returned 7: return a class or function *"),
        ("lambda context: 7", "made 7, which is not an algorithm: it has no ask() and tell()"),
        ("1 / 0", "raised ZeroDivisionError: division by zero"),
    ],
)
def test_what_is_no_algorithm_is_a_usage_error(orders, returned: str, message: str) -> None:
    result = orders.search_with(RETURNING % returned)
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [f"ERROR: evosearch: hook pytest_evosearch_make_algorithm (conftest.py:*) {message}"]
    )
