"""Exceptions look as if the probes were not there."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

import pytest

OPERANDS = {
    "guarded": "a.real < b.x[0]",
    "replaced": "a.real.real.real.real.real.real.real < b.x[0].real.real",
    "membership": "a.real.real in b.number",
    "replaced membership": "(a.real + a.real + a.real + a.real + a.real + 1) in b.number",
    "replaced absence": "(a.real + a.real + a.real + a.real + a.real + 1) not in b.number",
    "range": "0 < b.x[0] < 3",
    "replaced range": "0 < (a.real + a.real + a.real + a.real + a.real + 1) < b",
    "truth": "b.bad",
    "truth of a result": "b.bad == a.real",
    "called truth": "b.give()",
    "predicate": "b.text.startswith(b.number)",
    "own predicate": "b.isdigit()",
    "walrus": "(c := a.real) < b.x[0]",
}
PLACES = {
    "if": "    if {0}: return 1",
    "not": "    if not ({0}): return 1",
    "and": "    while a and {0}: return 1",
    "value": "    return ({0})",
    "ternary": "    return 1 if {0} else 2",
    "assert": "    assert {0}",
    "comprehension": "    return [x for x in (1, 2) if {0}]",
    "handler": "    try: raise LookupError\n    except LookupError:\n        return {0}",
}
PRELUDE = """\
class Bad:
    def __bool__(self): raise ValueError("bad")
    def __eq__(self, other): return self
    def __lt__(self, other): raise ValueError("bad")
class B:
    x, number, text, bad = ["q"], 5, "abc", Bad()
    def give(self): return self.bad
    def isdigit(self): raise ValueError("digit")
"""


def frames_of(call: Callable[[], object]) -> object:
    try:
        call()
    except Exception as error:
        found = [
            (frame.name, frame.lineno, frame.filename.rpartition("/")[2])
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename != __file__
        ]
        context = error.__context__
        return type(error), str(error), found, type(context), context is not error
    return None


@pytest.mark.parametrize("capped", [False, True], ids=["live", "capped"])
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("condition", OPERANDS.values(), ids=OPERANDS)
def test_only_the_applications_own_frames_are_seen(
    condition: str, place: str, capped: bool, load_instrumented: Callable[..., Any]
) -> None:
    source = f"{PRELUDE}def f(a, b):\n{place.format(condition)}\n"
    plain: dict[str, Any] = {}
    exec(compile(source, "subject.py", "exec"), plain)
    subject = load_instrumented(source)
    module, recording = subject

    recording.begin()
    if capped:
        wear_out(module)
    seen = [frames_of(lambda: module.f(1, module.B())) for _ in range(2)]
    recording.end()
    recording.retire(recording.catalog.targets())
    recording.begin()
    dead = frames_of(lambda: module.f(1, module.B()))
    recording.end()

    expected = frames_of(lambda: plain["f"](1, plain["B"]()))
    assert [*seen, dead] == [expected] * 3


def wear_out(module: Any) -> None:
    """Use up the distances of every probe, where the condition can be evaluated at all."""
    well = type("Well", (), {"x": [0], "number": [1], "text": "abc", "bad": 0, "give": bool})()
    well.isdigit = bool
    for _ in range(100):
        frames_of(lambda: module.f(1, well))


def test_the_caller_of_a_performed_function_is_the_application(
    load_instrumented: Callable[..., Any],
) -> None:
    subject = load_instrumented("def f(things):\n    return things[0].match(things[1])\n")

    class Thing:
        def match(self, other: object) -> str:
            return sys._getframe(1).f_code.co_name

    subject.recording.begin()
    names = [subject.module.f([Thing(), 1]) for _ in range(20)]
    subject.recording.end()

    assert set(names) == {"f"}
