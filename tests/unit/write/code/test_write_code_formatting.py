from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import black
import pytest

from pytest_evosearch.write.code.formatting import layout_of
from pytest_evosearch.write.code.formatting import project_layout
from pytest_evosearch.write.code.formatting import settings_in
from pytest_evosearch.write.code.layout import Comparison
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Template
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of

VALUE = {
    "it's": 'say "no"',
    "both": 'it\'s "so"',
    "at": Unstable('changes with the "clock"'),
    "items": ["a long text of an item", "another long text of an item", ("one", 1)],
    "short": {"a": [1, 2], "b": b"raw"},
    "long": "words and words " * 9,
}


def source(layout: Layout) -> str:
    path = Template(("/users/", Expression('created.json["id"]'), "/posts"))
    lines = [
        *layout.statement("PAYLOAD = ", node_of(VALUE)),
        "",
        "",
        "def test_x(client):",
        *layout.statement("created = ", call("client.post", Text("/users")), 1),
        *layout.statement("response = ", call("client.get", path, Item(Text("x" * 60), "a=")), 1),
        *layout.assertion(Comparison(Atom('response.json["a"]'), "==", node_of(VALUE))),
        *layout.assertion(Comparison(Text("A text"), "in", Atom("response.text"))),
        *layout.assertion(call("response.text.startswith", Text("A text that is long " * 4))),
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("[tool.black]\nline-length = 100  # wide\n", 100),
        ("[tool.ruff]\nline-length = 120\n[tool.black]\nline_length = 79\n", 79),
        ("[tool.ruff]\nline-length = 120\n[tool.black]\npreview = false\n", 120),
        ("[tool.ruff]\nline-length=99", 99),
        ("[tool.other]\nline-length = 99", 88),
        ("[tool.black]\nline-length = 3", 88),
        ("", 88),
    ],
)
def test_line_length_of_the_project(text: str, length: int) -> None:
    assert layout_of(settings_in(text)).line_length == length


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ('[tool.ruff.format]\nquote-style = "single"', "'"),
        ('[tool.ruff.format]\nquote-style = "double"', '"'),
        ('[tool.black]\n[tool.ruff.format]\nquote-style = "single"', '"'),
        ("[tool.black]\nskip-string-normalization = true", '"'),
    ],
)
def test_quotes_of_the_project(text: str, quote: str) -> None:
    assert layout_of(settings_in(text)).quote == quote


def test_project_without_configuration_has_the_default(tmp_path: Path) -> None:
    assert project_layout(tmp_path) == Layout()


def test_ruffs_own_file_comes_before_the_project_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 120\n")
    (tmp_path / "ruff.toml").write_text('line-length = 79\n[format]\nquote-style = "single"\n')

    assert project_layout(tmp_path) == Layout(79, "'")


@pytest.mark.parametrize("magic", [True, False])
@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("length", [60, 79, 88, 120])
def test_black_changes_nothing_whatever_its_settings(
    magic: bool, normalised: bool, length: int
) -> None:
    mode = black.Mode(
        line_length=length, magic_trailing_comma=magic, string_normalization=normalised
    )
    text = source(Layout(length))

    assert black.format_str(text, mode=mode) == text


@pytest.mark.parametrize(("quote", "style"), [("'", "single"), ('"', "double")])
def test_ruff_changes_nothing_whatever_its_quotes(quote: str, style: str) -> None:
    text = source(Layout(88, quote))
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length=88"]
    command += ["--config", f"format.quote-style='{style}'", "-"]

    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)

    assert done.stdout == text
