from __future__ import annotations

from types import SimpleNamespace

import pytest
from oracle_examples.example import Example
from oracle_examples.example import examples_of

from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.oracles.named_oracles import ORACLES
from pytest_evosearch.oracles.named_oracles import make_oracles
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.oracles.oracle import judged
from pytest_evosearch.oracles.response_schema import _expectation
from pytest_evosearch.oracles.schema_dialect import is_available
from pytest_evosearch.settings.oracle_specs import ORACLES as SPECS

NEEDS_LIBRARY = pytest.mark.skipif(not is_available(), reason="needs jsonschema")
EXAMPLES_OF = {spec.code: examples_of(spec) for spec in SPECS if spec.implementation}
EXAMPLES = [
    pytest.param(
        name,
        example,
        id=f"{name}-{number}",
        marks=[NEEDS_LIBRARY] if name == "response-schema" else [],
    )
    for name, examples in EXAMPLES_OF.items()
    for number, example in enumerate(examples)
]


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_every_example_gives_what_it_says(name: str, example: Example) -> None:
    (oracle,) = make_oracles([name], example.knowledge)
    faults = list(judged([oracle], example.exchanges))

    assert tuple(fault.kind for fault in faults) == example.finds
    assert all(0 <= fault.call < len(example.exchanges) for fault in faults)
    assert len({fault.target for fault in faults}) == len(faults)
    assert list(judged([oracle], example.exchanges)) == faults


@pytest.mark.parametrize("name", ORACLES.names)
def test_every_oracle_is_explained_and_shown_both_ways(name: str) -> None:
    oracle = ORACLES.get(name)
    examples = EXAMPLES_OF[name]

    assert oracle.code == name
    assert oracle.explanation
    assert "\n" not in oracle.explanation
    assert any(example.finds for example in examples)
    assert any(not example.finds for example in examples)


@pytest.mark.parametrize("name", ORACLES.names)
def test_fewest_calls_are_those_of_the_shortest_finding(name: str) -> None:
    lengths = [len(each.exchanges) for each in EXAMPLES_OF[name] if each.finds]

    assert getattr(ORACLES.get(name), "fewest_calls", 1) <= min(lengths)


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidSetting, match="did you mean 'sql-leak'"):
        make_oracles(["sql-leaks"], Knowledge())


@NEEDS_LIBRARY
@pytest.mark.parametrize(
    ("path", "detail", "phrase"),
    [
        (("meta", "next"), "", "has_valid_next"),
        (("items", 0), "", "has_valid_items"),
        ((), "", "matches_its_schema"),
    ],
)
def test_a_contradiction_is_named_after_the_field(
    path: tuple[str | int, ...], detail: str, phrase: str
) -> None:
    error = SimpleNamespace(instance=None, validator_value="integer", schema={})
    assert _expectation(error, "type", path, detail).phrase == phrase


def test_a_missing_field_is_what_the_test_asks_for() -> None:
    error = SimpleNamespace(instance={}, validator_value=["nextPage"], schema={})
    assert _expectation(error, "required", ("meta",), "nextPage").phrase == "has_nextPage"
