from __future__ import annotations

import pytest
from flask import request
from lark import Lark

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.patterns import parse_pattern
from pytest_evosearch.genes.patterns import spell

QUERY = r"""
start: expression
?expression: term (("AND" | "OR") term)*
term: FIELD ":" value | "(" expression ")"
value: ESCAPED_STRING | /[a-z*]+/
FIELD: "name" | "tower"
%import common.ESCAPED_STRING
%import common.WS
%ignore WS
"""

TIGHT = """
start: "#" NUMBER ("," NUMBER)~1..2
NUMBER: /[0-9]+/
"""


@pytest.mark.parametrize("grammar", [QUERY, TIGHT])
@pytest.mark.parametrize("parser", ["lalr", "earley"])
def test_texts_that_match_the_pattern_are_parsed(watching, grammar, parser) -> None:
    language = Lark(grammar, parser=parser)
    seen = watching(
        lambda: language.parse(request.form["filter"]), [{"data": {"filter": "something"}}]
    )
    assert seen.watch.notices == []
    (one,) = seen.taken
    assert one.location == "form"
    body = parse_pattern(one.schema["properties"]["filter"]["pattern"]).body
    made = [spell(body.sample(Random(seed))) for seed in range(40)]
    for text in made:
        language.parse(text)
    assert len(set(made)) > 3


def test_a_grammar_without_an_end_has_no_pattern(watching) -> None:
    language = Lark('start: "a" start')
    seen = watching(
        lambda: language.parse(request.args["q"]), [{"query_string": {"q": "aaaa"}}], "GET"
    )
    (one,) = seen.taken
    assert one.schema["properties"]["q"] == {"type": "string"}
