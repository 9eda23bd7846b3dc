from __future__ import annotations

import math
import time as application_time

import pytest

from pytest_evosearch.core import targets
from pytest_evosearch.core.isolation import time
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.core.registry import Registry
from pytest_evosearch.core.scores import Truthness
from pytest_evosearch.core.scores import normalize
from pytest_evosearch.core.scores import scaled
from pytest_evosearch.errors import InvalidSetting


def test_target_names_read_as_sentences() -> None:
    assert targets.line_target("shop/a.py", 3) == "line shop/a.py:3"
    assert targets.branch_target("shop/a.py", 3, "true") == "branch shop/a.py:3 true"
    assert targets.branch_target("shop/a.py", 3, "false", 2) == "branch shop/a.py:3#2 false"
    assert targets.status_target("GET /a", 404) == "status GET /a 404"
    fault = targets.fault_target("GET /a", "KeyError", "a.py:1")
    assert (fault, targets.kind_of(fault)) == ("fault GET /a KeyError a.py:1", "fault")


def test_normalize_grows_towards_one() -> None:
    assert normalize(0) == 0
    assert normalize(1) == 0.5
    assert normalize(math.inf) == 1


def test_scaled_falls_from_one_to_its_base() -> None:
    assert scaled(0.1, 0) == 1
    assert scaled(0.1, 1) == pytest.approx(0.55)
    assert scaled(0.1, math.inf) == 0.1


def test_inverted_truthness_swaps_sides() -> None:
    assert Truthness(1.0, 0.3).inverted() == Truthness(0.3, 1.0)


def test_isolated_modules_do_not_see_patches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application_time, "monotonic", lambda: "patched")
    assert isinstance(time.monotonic(), float)


def test_derived_sources_depend_on_seed_and_purpose() -> None:
    def draws(seed: int, purpose: str) -> list[int]:
        source = derive(seed, purpose)
        return [source.randrange(1000) for _ in range(5)]

    assert draws(1, "search") == draws(1, "search")
    assert draws(1, "search") != draws(1, "write")
    assert draws(1, "search") != draws(2, "search")


def test_registry_imports_lazily_and_suggests() -> None:
    registry: Registry[object] = Registry("animal", {"horse": "json:loads"})
    assert registry.with_entry("cow", 7).get("cow") == 7
    assert callable(registry.get("horse"))
    with pytest.raises(InvalidSetting, match=r"unknown animal 'hors'; did you mean 'horse'"):
        registry.get("hors")
    assert registry.names == ["horse"]
