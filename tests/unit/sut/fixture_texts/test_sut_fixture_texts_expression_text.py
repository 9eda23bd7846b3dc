from __future__ import annotations

import ast

import pytest

from pytest_evosearch.sut.fixture_texts.expression_text import laid_out

LONG = (
    "create_app([os.path.abspath('tests/books'), {'title': 'Books', **MORE}], testing=True, **REST)"
)


def test_what_fits_into_a_line_stays_in_one() -> None:
    assert laid_out("    return ", "create_app('testing')") == '    return create_app("testing")'


def test_each_element_of_a_long_call_has_a_line() -> None:
    assert laid_out("    return ", LONG).splitlines() == [
        "    return create_app(",
        '        [os.path.abspath("tests/books"), {"title": "Books", **MORE}],',
        "        testing=True,",
        "        **REST,",
        "    )",
    ]


@pytest.mark.parametrize(
    "container", ["[{}]", "f({})", "f(a={})", "{{'a': {}}}", "{{**a, 'b': {}}}"]
)
def test_long_elements_are_laid_out_and_mean_the_same(container: str) -> None:
    expression = container.format(LONG)
    text = laid_out("value = ", expression)
    assert max(map(len, text.splitlines())) <= 88
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(f"value = {expression}"))


def test_what_cannot_be_divided_stays_long() -> None:
    name = "a" * 100
    assert laid_out("return ", name) == f"return {name}"
