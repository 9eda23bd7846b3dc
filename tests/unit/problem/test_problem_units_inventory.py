from __future__ import annotations

import pytest

from pytest_evosearch.problem.units.inventory import units_of


@pytest.mark.parametrize(
    ("only", "skip", "names"),
    [
        (("string.Formatter.vformat",), (), ["Formatter", "Formatter.vformat"]),
        (("string:Formatter.vformat",), (), ["Formatter", "Formatter.vformat"]),
        ((), ("string.Formatter",), []),
    ],
)
def test_patterns_choose_methods_together_with_their_class(
    only: tuple[str, ...], skip: tuple[str, ...], names: list[str]
) -> None:
    found = [one.name for one in units_of(["string:Formatter"], only, skip)]

    assert found == names
