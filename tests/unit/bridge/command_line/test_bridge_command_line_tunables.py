"""Every tunable has a range: what lies beyond it is refused, and what lies at its ends works."""

from __future__ import annotations

import math

import pytest

from pytest_evosearch.bridge.command_line.pytest_options import known_tunables
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.search.algorithms import ALGORITHMS
from pytest_evosearch.search.algorithms import make_algorithm
from pytest_evosearch.search.algorithms import tunables_of
from pytest_evosearch.search.ask_and_tell import SearchAlgorithm
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.conformance import drive
from pytest_evosearch.search.toy import ToyTest
from pytest_evosearch.search.toy import numbers
from pytest_evosearch.settings.tunables import Tunable
from pytest_evosearch.settings.tunables import parse_tunables

KNOWN = known_tunables()
NUMBERS = {name: one for name, one in KNOWN.items() if not isinstance(one.default, str)}
FILES = ("gp.policy", "browser.axe")
LISTS = ("bandit.arms",)
TEXTS = {
    name: one
    for name, one in KNOWN.items()
    if isinstance(one.default, str) and name not in (*FILES, *LISTS)
}
MEANINGLESS = ("", "nan", "inf", "-inf", "-1", "1e400", "ten", "0x10", "1,5", "9" * 5000)


def beyond(tunable: Tunable) -> list[str]:
    """Return the first values outside of the range of `tunable`."""
    step = 1 if isinstance(tunable.default, int) else 0.001
    kind = type(tunable.default)
    return [str(kind(tunable.minimum - step)), str(kind(tunable.maximum + step))]


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_has_a_range_with_its_default_inside(name: str) -> None:
    tunable = NUMBERS[name]
    assert isinstance(tunable.default, int | float)
    assert 0 <= tunable.minimum <= tunable.default <= tunable.maximum < math.inf


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_beyond_its_range_is_refused_in_one_short_line(name: str) -> None:
    tunable = NUMBERS[name]
    for text in (*MEANINGLESS, *beyond(tunable)):
        with pytest.raises(InvalidSetting, match=f"tunable '{name}' takes a ") as raised:
            parse_tunables([f"{name}={text}"], KNOWN)
        assert "\n" not in str(raised.value)
        assert len(str(raised.value)) < 200


@pytest.mark.parametrize("name", NUMBERS)
def test_the_ends_of_a_range_are_taken(name: str) -> None:
    tunable = NUMBERS[name]
    kind = type(tunable.default)
    for end in (tunable.minimum, tunable.maximum):
        assert tunable.parse(name, str(kind(end))) == end


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_one_of_few_words(name: str) -> None:
    tunable = TEXTS[name]
    assert tunable.default in tunable.choices
    for text in ("", "nan", "-1", f"{tunable.default}x"):
        with pytest.raises(InvalidSetting, match=f"tunable '{name}' takes one of "):
            parse_tunables([f"{name}={text}"], KNOWN)


LARGEST_TRIED = 100
"""What is larger takes long, and differs in nothing else."""

ENDS = [
    (algorithm, name, end)
    for algorithm in ALGORITHMS.names
    for name, one in tunables_of(algorithm).items()
    if not isinstance(one.default, str)
    for end in (one.minimum, min(one.maximum, LARGEST_TRIED))
]


@pytest.mark.parametrize(("algorithm", "name", "end"), ENDS)
def test_an_algorithm_works_at_the_ends_of_each_range(
    algorithm: str, name: str, end: float
) -> None:
    kind = type(tunables_of(algorithm)[name].default)

    def make(context: SearchContext[ToyTest]) -> SearchAlgorithm[ToyTest]:
        return make_algorithm(algorithm, context, {name: str(kind(end))})

    assert len(drive(make, numbers(3), 400).executed) == 400
