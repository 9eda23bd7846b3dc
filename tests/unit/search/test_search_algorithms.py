from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.algorithms import ALGORITHMS
from pytest_evosearch.search.algorithms import make_algorithm
from pytest_evosearch.search.algorithms import tunables_of
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.mio import Mio
from pytest_evosearch.search.toy import ToyTest
from pytest_evosearch.search.toy import numbers
from pytest_evosearch.settings.options import ALGORITHMS as OPTION_NAMES


@pytest.fixture
def context() -> SearchContext[ToyTest]:
    return SearchContext(numbers(2), Archive(), Random(1), lambda: 0.0)


def test_the_names_are_those_of_the_documentation() -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
    (row,) = re.findall(r"^\| `--evosearch-algorithm=NAME` \|(.*)", readme, re.MULTILINE)
    assert ALGORITHMS.names == re.findall(r"`([\w-]+)`", row)
    assert ALGORITHMS.names == list(OPTION_NAMES)


@pytest.mark.parametrize("name", ALGORITHMS.names)
def test_every_algorithm_can_be_made_and_asked(name: str, context: SearchContext[ToyTest]) -> None:
    assert len(make_algorithm(name, context).ask()) >= 1


def test_tunables_are_parsed_by_their_type(context: SearchContext[ToyTest]) -> None:
    tunables = {"focus": "0.5", "population_size": " 7 "}
    algorithm = make_algorithm("mio", context, tunables)
    assert isinstance(algorithm, Mio)
    assert algorithm.parameters.focus == 0.5
    assert algorithm.parameters.population_size == 7


def test_tunables_can_be_listed_with_their_defaults() -> None:
    assert tunables_of("mio")["focus"].default == 0.8
    assert tunables_of("lt-mosa")["generations_per_model"].default == 10
    assert tunables_of("random") == {}


@pytest.mark.parametrize(
    ("name", "tunables", "message"),
    [
        ("moi", {}, "did you mean 'mio'"),
        ("mio", {"fokus": "1"}, "did you mean 'focus'"),
        ("random", {"focus": "1"}, "it has: none"),
        ("mio", {"population_size": "many"}, "takes a whole number from 1 to 10000, not 'many'"),
        ("mio", {"focus": "often"}, "takes a number from 0 to 1, not 'often'"),
    ],
)
def test_mistakes_get_one_helpful_line(
    name: str, tunables: dict[str, str], message: str, context: SearchContext[ToyTest]
) -> None:
    with pytest.raises(InvalidSetting, match=message):
        make_algorithm(name, context, tunables)


@dataclass(frozen=True)
class Nothing:
    """No parameters."""


class ThirdParty:
    """An algorithm from outside."""

    parameters_type = Nothing

    def __init__(self, context: SearchContext[ToyTest], parameters: object = None) -> None:
        self.context = context

    def ask(self) -> Sequence[ToyTest]:
        return [self.context.problem.sample(self.context.rng)]

    def tell(self, evaluations: Sequence[Evaluation[ToyTest]]) -> None:
        """Learn nothing."""

    def welcome(self, evaluations: Sequence[Evaluation[ToyTest]]) -> None:
        """Learn nothing."""


def test_a_third_party_registers_its_own(context: SearchContext[ToyTest]) -> None:
    registry = ALGORITHMS.with_entry("third", ThirdParty)  # type: ignore[arg-type]
    assert isinstance(make_algorithm("third", context, registry=registry), ThirdParty)
    assert "third" not in ALGORITHMS.names
