from __future__ import annotations

import ast

import black
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from pytest_evosearch.write.code.layout import Comparison
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import quoted

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=150)
    | st.binary(max_size=60)
    | st.just(Unstable("changes with the clock"))
)
TREES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=60), inner, max_size=4)
        | st.tuples(st.text(max_size=60), st.integers())
    ),
    max_leaves=12,
)


def statement(value: object, kind: str, length: int) -> list[str]:
    layout, node = Layout(length), node_of(value)
    if kind == "constant":
        return layout.statement("USER = ", node)
    if kind == "argument":
        sent = call("client.get", node)
        return ["def test_x(client):", *layout.statement("response = ", sent, 1)]
    if kind == "call":
        sent = call("client.post", Text("/api/users"), Item(node, "json="))
        return ["def test_x(client):", *layout.statement("response = ", sent, 1)]
    left = Atom('response.json["errors"]["a_long_field_name"]')
    return ["def test_x(client):", *layout.assertion(Comparison(left, "==", node))]


@settings(max_examples=80, deadline=None)
@given(
    TREES,
    st.sampled_from(["constant", "call", "argument", "assertion"]),
    st.sampled_from([88, 100]),
)
def test_black_changes_nothing(value: object, kind: str, length: int) -> None:
    source = "\n".join(statement(value, kind, length)) + "\n"

    assert black.format_str(source, mode=black.Mode(line_length=length)) == source


@given(st.text() | st.binary())
def test_quoted_text_reads_back(value: str | bytes) -> None:
    assert ast.literal_eval(quoted(value)) == value


@given(st.text(max_size=400))
def test_broken_text_reads_back(value: str) -> None:
    source = "\n".join(Layout(60).statement("value = ", Text(value)))

    assert ast.literal_eval(source.removeprefix("value = ")) == value
