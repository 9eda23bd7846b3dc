from __future__ import annotations

import re

import pytest
from flask import request
from pyparsing import Combine
from pyparsing import Forward
from pyparsing import Group
from pyparsing import OneOrMore
from pyparsing import Opt
from pyparsing import QuotedString
from pyparsing import Suppress
from pyparsing import Word
from pyparsing import ZeroOrMore
from pyparsing import alphas
from pyparsing import nums
from pyparsing import one_of

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.patterns import parse_pattern
from pytest_evosearch.genes.patterns import spell

FIELD = Group(one_of("name tower") + Suppress(":") + (QuotedString('"') | Word(alphas)))
NESTED = Forward()
NESTED <<= Word(nums) | Suppress("(") + NESTED + Suppress(")")


def samples(pattern: str, count: int = 40) -> list[str]:
    body = parse_pattern(pattern).body
    return [spell(body.sample(Random(seed))) for seed in range(count)]


def caught(watching, element, sent="abcd"):
    seen = watching(
        lambda: element.parse_string(request.args["q"]), [{"query_string": {"q": sent}}], "GET"
    )
    assert seen.watch.notices == []
    return seen.taken


@pytest.mark.parametrize(
    "element",
    [
        FIELD,
        OneOrMore(FIELD | one_of("AND OR")),
        FIELD + ZeroOrMore(Suppress(",") + Word(nums)),
        Combine(Word(nums) + Opt("." + Word(nums))),
        NESTED,
    ],
)
def test_texts_that_match_the_pattern_are_parsed(watching, element) -> None:
    (one,) = caught(watching, element)
    assert (one.location, one.path) == ("query", ())
    made = samples(one.schema["properties"]["q"]["pattern"])
    for text in made:
        element.parse_string(text, parse_all=True)
    assert len(set(made)) > 3


def test_a_field_has_its_colon_without_spaces(watching) -> None:
    (one,) = caught(watching, FIELD)
    pattern = one.schema["properties"]["q"]["pattern"]
    assert re.fullmatch(pattern, "tower:north")
    assert re.fullmatch(pattern, 'name:"a\'b"')


def test_a_text_that_nobody_has_sent_is_none_of_the_request(watching) -> None:
    seen = watching(
        lambda: Word(nums).parse_string("1815"), [{"query_string": {"q": "abcd"}}], "GET"
    )
    assert not seen.taken


def test_a_short_text_may_stand_anywhere(watching) -> None:
    assert not caught(watching, Word(nums), sent="12")


def test_a_text_inside_a_body_has_its_place_there(watching) -> None:
    def view():
        return Word(nums).parse_string(request.get_json()["filter"]["year"])

    seen = watching(view, [{"json": {"filter": {"year": "1815"}}}])
    (one,) = seen.taken
    assert (one.location, one.path) == ("json", ("filter", "year"))
    assert one.schema["type"] == "string"
