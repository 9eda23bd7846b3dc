from __future__ import annotations

import ast

import pytest

from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.code.literals import has_comment
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.code.literals import quoted
from pytest_evosearch.write.code.literals import subscripts
from pytest_evosearch.write.code.literals import template_code
from pytest_evosearch.write.code.source_trees import tree_of


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("abc", '"abc"'),
        ('say "hi"', "'say \"hi\"'"),
        ("it's \"it\" 'now'", '"it\'s \\"it\\" \'now\'"'),
        ("a\\b\n\x00", '"a\\\\b\\n\\x00"'),
        ("käse", '"käse"'),
        ("\ud800", '"\\ud800"'),
        (b"\x89PNG", 'b"\\x89PNG"'),
        (b'"', "b'\"'"),
    ],
)
def test_text_is_quoted_as_black_would(value: str | bytes, code: str) -> None:
    assert quoted(value) == code
    assert ast.literal_eval(code) == value


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (None, "None"),
        (True, "True"),
        (-1, "-1"),
        (1e16, "1e16"),
        (float("inf"), 'float("inf")'),
        (float("nan"), 'float("nan")'),
        ({"a": [1, {}]}, '{"a": [1, {}]}'),
        (("x",), '("x",)'),
        ({"id": Expression("created.json['id']")}, "{\"id\": created.json['id']}"),
        ({Expression("**headers"): None, "A": "b"}, '{**headers, "A": "b"}'),
        ([Unstable("random")], "[ANY]"),
    ],
)
def test_values_become_code(value: object, code: str) -> None:
    assert one_line(node_of(value)) == code


def test_reason_of_unstable_value_is_a_comment() -> None:
    assert has_comment(node_of({"deep": {"at": Unstable("changes with the clock")}}))
    assert not has_comment(node_of({"deep": {"at": 1}}))


def test_template_uses_other_quotes_inside_its_placeholders() -> None:
    parts = ["/a{b}/", Expression('created.json["id"]'), '"']

    code = template_code(parts)

    assert code == 'f"/a{{b}}/{created.json[\'id\']}\\""'


def test_template_without_placeholders_is_a_plain_literal() -> None:
    assert template_code(["/a{b}"]) == '"/a{b}"'


def test_subscripts_follow_a_path() -> None:
    assert subscripts(("errors", 0, "a b")) == '["errors"][0]["a b"]'


FOLLOWED = "aaaaaaaaaaaa" + ", and much more than that"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a" * 10, '"a" * 10'),
        ("a" * 9, '"aaaaaaaaa"'),
        ("a" * 109 + "d@example.com", '"a" * 109 + "d@example.com"'),
        (FOLLOWED, f'"{FOLLOWED}"'),
        (" " * 12 + "indented", f'"{" " * 12}indented"'),
        ("", '""'),
    ],
)
def test_long_run_at_the_beginning_is_counted(text: str, code: str) -> None:
    assert one_line(node_of(text)) == code
    assert tree_of(ast.parse(code, mode="eval").body, ()) == text
