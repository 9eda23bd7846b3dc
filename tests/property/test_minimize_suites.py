from __future__ import annotations

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies

from pytest_evosearch.minimize.set_cover import smallest_suite

reproducibly = settings(deadline=None, database=None)


def calls_of(key: str) -> tuple[int, int]:
    """Cost of a test that is called after its number of calls: ``3 calls of a kind``."""
    return (int(key.split()[0]), len(key))


@reproducibly
@given(
    strategies.dictionaries(
        strategies.integers(1, 9).flatmap(
            lambda calls: strategies.integers(0, 30).map(lambda number: f"{calls} {number}")
        ),
        strategies.frozensets(strategies.sampled_from("abcdefghij")),
        max_size=20,
    )
)
def test_nothing_is_lost_and_nothing_is_redundant(coverage: dict[str, frozenset[str]]) -> None:
    chosen = smallest_suite(coverage, calls_of)
    everything = frozenset().union(*coverage.values())
    assert frozenset().union(*(coverage[key] for key in chosen)) == everything
    for dropped in chosen:
        rest = frozenset().union(*(coverage[key] for key in chosen if key != dropped))
        assert rest != everything
