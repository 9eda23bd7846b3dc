"""Small generated programs behave instrumented as they do plain."""

from __future__ import annotations

import os
import warnings
from functools import partial
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.instrument.transformation.compilation import compile_instrumented
from pytest_evosearch.instrument.transformation.plan import Slot

NAMES = ["a", "b", "c"]
ATOMS = [
    "0",
    "1",
    "2",
    "-1",
    "None",
    "True",
    "''",
    "'ab'",
    "'12'",
    "[]",
    "[1, 2]",
    "{'k': 1}",
    "4.5",
]
COMPARATORS = ["==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"]

leaves = st.sampled_from([*NAMES, *NAMES, *ATOMS])


def extended(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    triple = st.tuples(inner, inner, inner)
    comparator = st.sampled_from(COMPARATORS)
    return st.one_of(
        st.builds("({0[0]} {1} {0[1]})".format, pair, comparator),
        st.builds("({0[0]} {1} {0[1]} {2} {0[2]})".format, triple, comparator, comparator),
        st.builds("({0[0]} and {0[1]} and {0[2]})".format, triple),
        st.builds("({0[0]} or {0[1]})".format, pair),
        st.builds("(not {})".format, inner),
        st.builds("({0[0]} if {0[1]} else {0[2]})".format, triple),
        st.builds("log({})".format, inner),
        st.builds("len({})".format, inner),
        st.builds("int({})".format, inner),
        st.builds("str({}).isdigit()".format, inner),
        st.builds("({}).startswith('a')".format, inner),
        st.builds("TABLE[a]".format),
        st.builds("Swallow.pattern.match(str({}))".format, inner),
        st.builds("re.search('b|1', {})".format, inner),
        st.builds("TABLE.get({0[0]}, {0[1]})".format, pair),
        st.builds("float({})".format, inner),
        st.builds("str({}).strip().endswith(('b', '2'))".format, inner),
        st.builds("TABLE.get({})".format, inner),
        st.builds("[x for x in (0, 1, 2) if x != {0[0]} if {0[1]}]".format, pair),
        st.builds("(lambda c: {})(1)".format, inner),
        st.builds("(a := {})".format, inner),
        st.builds("f'{{{0}}} {{{0}!r:>5}}'".format, st.sampled_from(NAMES)),
        st.builds("({} + {})".format, inner, inner),
        st.builds("isinstance({}, (int, str))".format, inner),
        st.builds("getattr(TABLE, {}, a)".format, inner),
        st.builds("any(x == {} for x in (0, 1, 2))".format, inner),
        st.builds("all([x, {}] for x in (1, 0))".format, inner),
        st.builds("(len({0[0]}) > {0[1]})".format, pair),
        st.builds("(len(a) == {})".format, inner),
        st.builds("(-1 < len(str({})) <= 2)".format, inner),
        st.builds("(b <= TABLE.get({}) < 3)".format, inner),
        st.builds("({} in (0, 'ab', 2, 'c', 3, 'd', 4, 'e', 5, 'f', 6))".format, inner),
        st.builds("(a not in (0, 'ab', 2, 'c', 3, 'd', 4, 'e', 5, 'f', 6, {}))".format, inner),
        st.builds("Color({})".format, inner),
        st.builds("Color[a]".format),
    )


expressions = st.recursive(leaves, extended, max_leaves=8)


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@st.composite
def blocks(draw: st.DrawFn, depth: int = 2) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        lines.extend(draw(statements(depth)))
    return lines


@st.composite
def statements(draw: st.DrawFn, depth: int) -> list[str]:
    simple = ["assign", "log", "return", "assert", "raise", "pass"]
    kinds = [*simple, "if", "for", "while", "try", "match", "with", "def", "class"]
    kind = draw(st.sampled_from(kinds if depth else simple))
    expression = draw(expressions)
    if kind in simple:
        name = draw(st.sampled_from(NAMES))
        return {
            "assign": [f"{name} = {expression}"],
            "log": [f"log({expression})"],
            "return": [f"return {expression}"],
            "assert": [f"assert {expression}, {name}"],
            "raise": [f"if {expression}: raise KeyError({name})"],
            "pass": ["pass"],
        }[kind]
    body, other = indented(draw(blocks(depth - 1))), indented(draw(blocks(depth - 1)))
    return {
        "if": [f"if {expression}:", *body, "else:", *other],
        "for": [f"for c in (1, {expression}):", *body, "    if c == 1: continue", "else:", *other],
        "while": [
            f"while ticks() and {expression}:",
            *body,
            "    if b: break",
            *(["else:", *other] if depth % 2 else []),
        ],
        "try": [
            "try:",
            *body,
            "except (TypeError, KeyError) as error:",
            "    log(str(error))",
            *other,
        ],
        "match": [
            f"match {expression}:",
            "    case 1 | 'ab':",
            *indented(body),
            "    case [x, *_] if x == a:",
            *indented(other),
        ],
        "with": [f"with Swallow({expression}):", *body],
        "def": ["def inner(a, b=b, c=c):", *body, "log(inner(b))"],
        "class": [
            "class Inner:",
            f"    field = {expression}",
            "    if field: other = 1",
            "log(Inner.field)",
        ],
    }[kind]


PRELUDE = """\
import enum
import re
TABLE = {"ab": 1, 1: "x", None: 2}
class Color(enum.Enum):
    red, blue = 1, "ab"
class Swallow:
    pattern = re.compile("a|[0-9]+")
    def __init__(self, value): self.value = value
    def __enter__(self): return self.value
    def __exit__(self, *details): return self.value == 1
def program(a, b, c):
"""


def outcome(code: CodeType) -> object:
    """Run the program and tell everything that can be seen from outside."""
    noted: list[str] = []

    def log(value: Any) -> Any:
        noted.append(repr(value) if not callable(value) else "callable")
        return value

    left = [6]

    def ticks() -> bool:
        left[0] -= 1
        return left[0] > 0

    namespace: dict[str, Any] = {"log": log, "ticks": ticks, "__name__": "program"}
    exec(code, namespace)
    results = [
        call(namespace["program"], arguments)
        for arguments in ((0, 1, "ab"), ("ab", None, [1]), (1, 1, 2))
    ]
    return results, noted, sorted(namespace)


def call(program: Any, arguments: tuple[Any, ...]) -> object:
    try:
        return repr(program(*arguments))
    except Exception as error:
        return type(error).__name__, str(error), lines_of(error)


def lines_of(error: Exception) -> list[int]:
    lines, traceback = [], error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == "program.py":
            lines.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return lines


EXAMPLES = int(os.environ.get("EVOSEARCH_EXAMPLES", "150"))
"""Thousands where there is time for them."""


def compiled(source: str) -> CodeType | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Such as "is" with a literal.
            return compile(source, "program.py", "exec", dont_inherit=True)
    except SyntaxError:
        return None  # Such as a walrus where none may be.


@settings(max_examples=EXAMPLES, deadline=None)
@given(blocks(), st.sampled_from([1, 2, 3]), st.booleans())
def test_instrumented_behaves_as_original(lines: list[str], level: int, full: bool) -> None:
    source = PRELUDE + "\n".join(indented(lines)) + "\n"
    plain = compiled(source)
    if plain is None:
        return
    recording = Recording(level)
    code, plan = compile_instrumented(source, "program.py", "program.py", level)
    instrumented = recording.adopt("program", Path(__file__), plan, code)

    expected = outcome(plain)
    outcomes: list[object] = []
    for _ in range(2):
        recording.begin(full=full)
        outcomes.append(outcome(instrumented))
        trace = recording.end()
        assert all(0 < score <= 1 for score in trace.scores.values())
        recording.retire([target for target, score in trace.scores.items() if score == 1])

    assert outcomes == [expected, expected]
    assert recording.notices == []


SHAPES: list[bool | str] = [True, False, "watch true", "watch false"]


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(blocks(), st.randoms(use_true_random=False))
def test_every_mixture_of_probes_behaves_as_original(lines: list[str], rng: Random) -> None:
    """As code does after re-specialisation, whatever probes were left in it."""
    source = PRELUDE + "\n".join(indented(lines)) + "\n"
    plain = compiled(source)
    if plain is None:
        return
    chosen: dict[Slot, bool | str] = {}

    def needs(slot: Slot) -> bool | str:
        return chosen.setdefault(slot, rng.choice(SHAPES))

    recording = Recording(3)
    code, plan = compile_instrumented(source, "program.py", "program.py", 3, needs)
    instrumented = recording.adopt("program", Path(__file__), plan, code)
    for slot, shape in chosen.items():
        if slot.name[0] == "c":
            slots = recording.slots_of("program.py", slot.unit)
            setattr(slots, f"w{slot.name[1:]}", partial(bool, int(shape == "watch true")))
    recording.begin()

    assert outcome(instrumented) == outcome(plain)
    recording.end()
