from __future__ import annotations

import pytest

from pytest_evosearch.write.code import layout
from pytest_evosearch.write.code.layout import Comparison
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.layout import height
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Template
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of

LAYOUT = Layout(40)


def assertion(value: object) -> list[str]:
    return LAYOUT.assertion(Comparison(Atom("response.json"), "==", node_of(value)))


def test_what_fits_stays_on_one_line() -> None:
    assert assertion({"a": 1}) == ['    assert response.json == {"a": 1}']


def test_long_literal_is_exploded_with_trailing_commas() -> None:
    assert assertion({"name": "somebody", "id": 12345}) == [
        "    assert response.json == {",
        '        "name": "somebody",',
        '        "id": 12345,',
        "    }",
    ]


def test_unstable_value_carries_its_reason() -> None:
    assert assertion({"id": Unstable("random")}) == [
        "    assert response.json == {",
        '        "id": ANY,  # random',
        "    }",
    ]


def test_comment_that_does_not_fit_stands_above() -> None:
    lines = assertion({"a_rather_long_key": Unstable("changes with the clock")})

    assert lines[1:3] == ["        # changes with the clock", '        "a_rather_long_key": ANY,']


def test_call_arguments_share_a_line_when_they_fit_indented() -> None:
    node = call("client.post", Text("/api/users"), Item(node_of({"a": "bcdef"}), "json="))

    assert LAYOUT.statement("response = ", node) == [
        "response = client.post(",
        '    "/api/users", json={"a": "bcdef"}',
        ")",
    ]


def test_long_text_is_broken_at_spaces() -> None:
    lines = assertion("the quick brown fox jumps over the lazy dog and runs")

    assert lines == [
        "    assert response.json == (",
        '        "the quick brown fox jumps "',
        '        "over the lazy dog and runs"',
        "    )",
    ]


def test_comparison_gets_brackets_when_only_it_is_too_long() -> None:
    comparison = Comparison(Atom("response.json"), "==", Text("twenty-two characters!"))

    assert Layout(50).assertion(comparison) == [
        "    assert (",
        '        response.json == "twenty-two characters!"',
        "    )",
    ]


def test_long_template_is_broken_between_its_parts() -> None:
    parts = ("/api/organisations/", Expression("created.json['id']"), "/members/all/of/them")
    lines = Layout(60).statement("path = ", Template(parts), 1)

    assert lines[0] == "    path = ("
    assert all(len(line) <= 60 for line in lines)
    assert "{created.json['id']}" in "".join(lines)


@pytest.mark.parametrize(("value", "lines"), [(1, 1), ({"a": "xy" * 30, "b": "yz" * 30}, 4)])
def test_height_counts_lines(value: object, lines: int) -> None:
    assert height(node_of(value)) == lines


def test_a_long_text_on_the_left_is_broken_into_adjacent_literals() -> None:
    wanted = "INSERT INTO post (title, body, author_id) VALUES and then more than fits in a line"
    lines = LAYOUT.assertion(Comparison(Text(wanted), "not in", Atom("response.text")))
    assert lines[0] == "    assert ("
    assert lines[-1] == "    ) not in response.text"
    assert max(map(len, lines)) <= LAYOUT.line_length
    assert "".join(line.strip().strip('"') for line in lines[1:-1]) == wanted


@pytest.mark.parametrize("value", ["Otters swim. " * 2000, b"Otters swim. " * 2000])
def test_laying_out_a_long_text_takes_time_in_proportion_to_its_length(
    monkeypatch: pytest.MonkeyPatch, value: str | bytes
) -> None:
    handled = []
    original = layout.quoted

    def quoted(part: str | bytes) -> str:
        handled.append(len(part))
        return original(part)

    monkeypatch.setattr(layout, "quoted", quoted)

    assert height(node_of(value)) > 300
    assert sum(handled) < 100 * len(value)


def test_a_call_that_is_too_long_for_the_left_side_is_broken() -> None:
    node = call("wrap", Item(Text("a text of some words")), Item(Atom("width"), "width="))
    short = Comparison(node, "==", node_of(["a text"]))
    long = Comparison(node, "==", node_of(["a text", "of some", "words and more than a line"]))

    assert Layout(44).assertion(short) == [
        "    assert wrap(",
        '        "a text of some words", width=width',
        '    ) == ["a text"]',
    ]
    assert Layout(44).assertion(long) == [
        "    assert (",
        "        wrap(",
        '            "a text of some words",',
        "            width=width,",
        "        )",
        "        == [",
        '            "a text",',
        '            "of some",',
        '            "words and more than a line",',
        "        ]",
        "    )",
    ]
