"""What was done on a page, step by step, so that people and tests can do it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from typing import NamedTuple


class Filling(NamedTuple):
    """A field that got a value."""

    name: str
    """Its name in the form, else its id."""
    label: str
    """The text beside it; empty without one."""
    kind: str
    """``text``, ``checkbox``, ``select-one``."""
    value: str


class PageStep(NamedTuple):
    """A click, after some fields were filled."""

    role: str
    """``button``, ``link``; empty for an element without a role."""
    name: str
    place: int
    """How many elements before it have the same role and name."""
    fillings: tuple[Filling, ...] = ()


def step_of(control: Mapping[str, Any], texts: Mapping[int, str]) -> PageStep:
    """Return the step that clicks `control`, after its fields got `texts` by their indexes."""
    return PageStep(
        control["role"],
        control["name"],
        control.get("place", 0),
        tuple(
            Filling(one["name"], one.get("label", ""), one["kind"], texts[one["index"]])
            for one in control["fields"]
            if texts[one["index"]] != one["value"] or one["kind"] in ("checkbox", "radio")
        ),
    )


def described(step: PageStep) -> str:
    """Return a step in a few words: ``a click on button 'Save'``."""
    return f"a click on {step.role or 'element'} {step.name!r}"
