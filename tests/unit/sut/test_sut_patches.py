from __future__ import annotations

import sys
from types import ModuleType
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.patches import Replacement


class Base:
    word = "base"

    @classmethod
    def made(cls) -> str:
        return cls.__name__


class Derived(Base):
    pass


def test_attributes_are_put_back_the_last_one_first() -> None:
    with Patches() as patches:
        patches.setattr(Base, "word", "first")
        patches.setattr(Base, "word", "second")
        assert Base.word == "second"
    assert Base.word == "base"


def test_an_inherited_attribute_is_removed_again() -> None:
    with Patches() as patches:
        patches.setattr(Derived, "word", "own")
        assert (Base.word, Derived.word) == ("base", "own")
    assert "word" not in vars(Derived)


def test_an_attribute_that_was_missing_may_be_gone_already() -> None:
    held = SimpleNamespace()
    with Patches() as patches:
        patches.setattr(held, "word", "new")
        del held.word
    assert not vars(held)


def test_a_wrapper_gets_what_the_class_stores_and_only_its_own() -> None:
    given: list[Any] = []

    def wrap(real: Any) -> Any:
        given.append(real)
        return classmethod(lambda cls: "wrapped")

    with Patches() as patches:
        patches.wrap(Base, "made", wrap)
        patches.wrap(Derived, "made", wrap)
        patches.wrap(Base, "lacking", wrap)
        assert Derived.made() == "wrapped"
    assert [type(one) for one in given] == [classmethod]
    assert Derived.made() == "Derived"


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> tuple[ModuleType, ModuleType]:
    """A library with a function, and a module that has imported it under another name."""
    library, user = ModuleType("patched_library"), ModuleType("patched_user")
    exec("def check(): return 'real'", vars(library))
    vars(user)["checked"] = vars(library)["check"]
    for one in (library, user):
        monkeypatch.setitem(sys.modules, one.__name__, one)
    return library, user


def test_functions_are_replaced_wherever_they_were_imported(
    modules: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    library, user = modules
    with Patches() as patches:
        patches.everywhere(Replacement((library,), "check", lambda: "other"))
        assert (library.check(), user.checked()) == ("other", "other")
        late: Any = ModuleType("patched_late")
        late.check = library.check
        monkeypatch.setitem(sys.modules, late.__name__, late)
    assert (library.check(), user.checked(), late.check()) == ("real", "real", "real")


def test_it_runs_the_text_of_a_fixture_that_asks_for_monkeypatch(
    modules: tuple[Any, Any],
) -> None:
    library, _user = modules
    held = {"a": 1}
    patches = Patches()
    patches.setitem(held, "a", 2)
    patches.setitem(held, "b", 3)
    patches.setattr("patched_library.check", len)
    assert (held, library.check) == ({"a": 2, "b": 3}, len)
    patches.undo()
    assert held == {"a": 1}
    assert library.check() == "real"
    patches.undo()
