"""What the name of an argument says about its type: weak evidence, for ties and for silence."""

from __future__ import annotations

import re

_RULES = {
    "bool": r"""(is|has|should|can|use|allow|include|with)_\w+ | \w+_?flag | verbose | strict""",
    "int": r"""
        n | num | number | count | size | width | height | length | depth | level | limit | index
        | idx | pos | position | offset | start | stop | end | step | year | month | day | hour
        | minute | second | port | age | precision | digits | maxlen | maxsplit | tabsize | indent
        | base | i | j | k | m | lo | hi | (num|n|max|min)_\w+
        | \w+_(id|num|year|month|day|bits) | \w+(?<!dis)(?<!ac)count | \w+(?<!re)size
        | \w+(width|len|length|index)""",
    "float": r"""
        x | y | z | ratio | rate | alpha | beta | mu | sigma | theta | angle | lat | lon | latitude
        | longitude | price | amount | total | weight | probability | timeout | seconds | epsilon
        | tolerance | r | g | b | h | l | v | fraction | (kilo|centi|milli)?(meter|metre)s | miles
        | (milli|micro)seconds | minutes | hours | degrees | radians | percent""",
    "function": r"func | function | fn | callback | predicate | handler | cmp | factory | hook",
    "dict": r"""
        kw | kwds | kwargs | keywords | options | mapping | params | headers | settings | config
        | context | env | environ | attrs | d | dct | dictionary | \w+_dict | \w+_map | metadata
        | [a-z]+2[a-z]+""",
    "bytes": r"data | buf | buffer | raw | payload | \w+_bytes",
    "date": r"date | \w+_date | birthday",
    "datetime": r"dt | datetime | \w+_datetime | \w+_at | when | moment",
    "timedelta": r"delta | timedelta | duration",
    "list": r"""
        args | values | items | elements | seq | sequence | iterable | array | lst | list | rows
        | parts | \w+_list | nums | numbers | points | population | vector | matrix | grid
        | records | entries""",
    "str": r"""
        text | string | s | name | word | title | path | filename | file_?name | url | uri | line
        | prefix | suffix | sep | separator | delimiter | pattern | pat | char | c | ch | message
        | msg | label | tag | email | username | password | user | host | hostname | domain
        | encoding | format | fmt | mode | lang | language | locale | country | city | code | token
        | query | sql | html | xml | content | body | description
        | \w+_(text|str|code|line|key|sep|char|format|prefix|suffix|title)
        | \w+(name|string|path|url|uri)
        """,
}
"""Type -> pattern of whole names."""

_COMPILED = tuple((re.compile(pattern, re.VERBOSE), kind) for kind, pattern in _RULES.items())


def kind_of_name(name: str) -> str:
    """Return the type that a name suggests; a plural is a list; empty for no suggestion.

    A number at its end says nothing: ``text1``.
    """
    bare = name.strip("_").lower().rstrip("0123456789")
    for pattern, kind in _COMPILED:
        if pattern.fullmatch(bare):
            return kind
    is_plural = bare.endswith("s") and not bare.endswith("ss") and len(bare) > 3
    return "list" if is_plural else ""
