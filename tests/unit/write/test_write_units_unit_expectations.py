"""What tests of units assert, and what they cannot."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest

from pytest_evosearch.write.units.unit_expectations import is_asserted


@pytest.mark.parametrize(
    "place",
    [
        str(Path.cwd() / "shop" / "data"),
        str(Path(str(platform.__file__)).parent),
        str(Path.home() / ".config" / "shop"),
        str(Path(sys.prefix) / "share"),
        "/tmp/shop/data",
        f"{platform.python_implementation()}/{platform.python_version()}",
    ],
)
def test_places_and_versions_of_this_machine_are_not_asserted(place: str) -> None:
    assert not is_asserted(place)
    assert not is_asserted({"path": [place]})


def test_other_texts_are_asserted() -> None:
    assert is_asserted(["/etc/xdg", "orders.csv", "Total: 3"])
