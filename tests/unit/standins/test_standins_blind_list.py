"""How many functions of a list that nobody has tuned on are typed rightly."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from itertools import islice
from typing import Any

import pytest
from blind_list import BLIND

from pytest_evosearch.standins.type_inquiry import Inquiry
from pytest_evosearch.standins.type_inquiry import overhearing
from pytest_evosearch.standins.type_inquiry import shapes_by_calls

MOST_EXECUTIONS = 10


def shapes_of(address: str) -> dict[str, str]:
    """The kinds of the parameters of a function, as stand-ins show them."""
    name, _, function_name = address.partition(":")
    module = importlib.import_module(name)
    function = getattr(module, function_name)
    inquiry = Inquiry(BLIND[address])

    def call(values: Mapping[str, Any]) -> None:
        result = function(**values)
        if inspect.isgenerator(result):
            list(islice(result, 50))

    with overhearing(inquiry, [module]):
        shapes = shapes_by_calls(call, inquiry, MOST_EXECUTIONS)
    return {name: shape.kind or "any" for name, shape in shapes.items()}


def wrong_ones() -> dict[str, dict[str, str]]:
    found = {address: shapes_of(address) for address in BLIND}
    return {
        address: kinds
        for address, kinds in found.items()
        if any(kinds[name] not in right.split() for name, right in BLIND[address].items())
    }


@pytest.mark.filterwarnings("ignore")
def test_functions_without_hints_are_typed(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = wrong_ones()

    assert len(wrong) <= 0.15 * len(BLIND), wrong
