"""Classes of the quick decorator behave as those of the standard library."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_evosearch.core import quick_dataclasses


def options() -> st.SearchStrategy[dict[str, bool]]:
    return st.fixed_dictionaries({}, optional={"frozen": st.booleans(), "eq": st.booleans()})


def field_options() -> st.SearchStrategy[dict[str, Any]]:
    flags = {"repr": st.booleans(), "compare": st.booleans(), "kw_only": st.booleans()}
    defaults = st.one_of(
        st.just({}),
        st.just({"default": 7}),
        st.just({"default_factory": list}),
        st.just({"default_factory": list, "init": False}),
    )
    return st.tuples(st.fixed_dictionaries({}, optional=flags), defaults).map(
        lambda both: {**both[0], **both[1]}
    )


def defined(decorate: Any, fields: dict[str, dict[str, Any]], chosen: dict[str, bool]) -> Any:
    """Return a class with these fields, or the error of its definition."""
    body: dict[str, Any] = {"__doc__": "Some values.", "__module__": __name__}
    body["__annotations__"] = dict.fromkeys(fields, "object")
    body["__qualname__"] = "Sample"
    body.update({name: dataclasses.field(**given) for name, given in fields.items()})
    try:
        return decorate(**chosen)(type("Sample", (), body))
    except (TypeError, SyntaxError):
        return "no class"


def outcome(function: Any) -> object:
    try:
        return function()
    except Exception as error:
        return type(error)


@given(
    fields=st.dictionaries(st.sampled_from("abcd"), field_options(), max_size=4),
    chosen=options(),
    values=st.lists(st.integers(0, 1), max_size=4),
)
def test_classes_behave_as_the_standard_ones(fields, chosen, values) -> None:
    seen = []
    for decorate in (dataclasses.dataclass, quick_dataclasses.dataclass):
        kind = defined(decorate, fields, chosen)
        if kind == "no class":
            seen.append([kind])
            continue
        given_ = dict(zip(fields, values, strict=False))
        one, other = outcome(lambda k=kind, g=given_: k(**g)), outcome(lambda k=kind: k(*values))
        seen.append(
            [
                type(one).__name__ if isinstance(one, kind) else one,
                repr(one) if isinstance(one, kind) else None,
                repr(other) if isinstance(other, kind) else other,
                isinstance(one, kind) and outcome(lambda o=one: hash(o) == object.__hash__(o)),
                isinstance(one, kind) and outcome(lambda k=kind, g=given_, o=one: k(**g) == o),
                isinstance(one, kind) and outcome(lambda o=one: setattr(o, "a", 1)),
                isinstance(one, kind) and outcome(lambda o=one: delattr(o, "zz")),
                isinstance(one, kind) and outcome(lambda o=one: dataclasses.asdict(o)),
                [one.name for one in dataclasses.fields(kind)],
            ]
        )
    assert seen[0] == seen[1]


@quick_dataclasses.dataclass(frozen=True)
class Base:
    """A class with a default."""

    name: str = "base"


@quick_dataclasses.dataclass(frozen=True)
class Derived(Base):
    """A class that adds a field, and checks itself."""

    size: int = 0

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("no size")


def test_fields_are_inherited_replaced_and_pickled() -> None:
    one = Derived("a", 3)

    assert dataclasses.replace(one, size=4) == Derived("a", 4) != one
    assert pickle.loads(pickle.dumps(one)) == one
    assert Derived() != Base()
    with pytest.raises(ValueError, match="no size"):
        Derived(size=-1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="'size'"):
        one.size = 5  # type: ignore[misc]


def test_own_methods_stay() -> None:
    @quick_dataclasses.dataclass(frozen=True)
    class Counted:
        """Counts."""

        number: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Counted) and other.number % 2 == self.number % 2

        def __hash__(self) -> int:
            return self.number % 2

    assert Counted(1) == Counted(3)
    assert len({Counted(1), Counted(3)}) == 1


def test_slots_make_a_new_class() -> None:
    @quick_dataclasses.dataclass(slots=True)
    class Slotted:
        """Has slots."""

        number: int = 0

    assert not hasattr(Slotted(1), "__dict__")
    assert Slotted(1) == Slotted(1)


def test_frozen_classes_of_the_standard_library_inherit() -> None:
    @dataclasses.dataclass(frozen=True)
    class Further(Derived):
        """A class of an extension."""

        colour: str = "red"

    assert Further("a", 3, "blue") == Further("a", 3, "blue") != Further("a", 3)
    with pytest.raises(TypeError, match="cannot inherit non-frozen"):
        dataclasses.dataclass(type("Loose", (Derived,), {"__annotations__": {"size": "int"}}))
