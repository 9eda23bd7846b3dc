"""Which genes type hints give."""

from __future__ import annotations

import collections
import typing
from typing import Any

import pytest

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.problem.units.hinted_genes import gene_of_hint


@pytest.mark.parametrize(
    ("hint", "kind"),
    [
        (typing.Mapping, dict),
        (typing.MutableMapping, dict),
        (typing.Dict, dict),  # noqa: UP006
        (typing.Tuple, tuple),  # noqa: UP006
        (typing.List, list),  # noqa: UP006
        (typing.Iterable, list),
        (typing.Type, type),  # noqa: UP006
        (collections.abc.MutableMapping, dict),
    ],
)
def test_a_generic_hint_without_parameters_tells_the_kind(hint: Any, kind: type) -> None:
    gene = gene_of_hint(hint, lambda _kind, _depth: None)

    assert gene is not None
    assert isinstance(built(gene.sample(derive(1, "hints")).value()), kind)


def test_a_callable_without_parameters_is_a_function() -> None:
    gene = gene_of_hint(typing.Callable, lambda _kind, _depth: None)

    assert gene is not None
    assert isinstance(gene.value(), Returning)
