"""Reads grammars of pyparsing, from version 3: a pattern for the text that an element parses."""

from __future__ import annotations

import re
from collections.abc import Hashable
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.documents.validators.grammar_patterns import TooDeepError
from pytest_evosearch.sut.documents.validators.grammar_patterns import alternatives
from pytest_evosearch.sut.documents.validators.grammar_patterns import in_a_row
from pytest_evosearch.sut.documents.validators.grammar_patterns import parsed_part
from pytest_evosearch.sut.documents.validators.grammar_patterns import repeated
from pytest_evosearch.sut.documents.validators.hooks import Hook
from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Same


def hooks(library: ModuleType) -> list[Hook]:
    """Return the method that parses a text."""
    return [Hook(library.ParserElement, "parse_string", _identity, _parts)]


def _identity(element: Any, *_arguments: object, **_keywords: object) -> Hashable:
    return Same(element)


def _parts(element: Any, instring: object = None, *_rest: object, **named: object) -> list[Part]:
    return parsed_part(
        named.get("instring", instring),
        lambda levels: _Reader(levels).pattern(element, spaced=True),
    )


class _Reader:
    """Reads elements by the names of their classes, as the library is never imported."""

    def __init__(self, levels: int) -> None:
        self._levels = levels

    def pattern(self, element: Any, *, spaced: bool) -> str:
        kinds = {kind.__name__ for kind in type(element).__mro__}
        if "ParseExpression" in kinds:
            return self._of_several(element.exprs, kinds, spaced=spaced)
        if "ParseElementEnhance" in kinds:
            return self._around(element.expr, kinds, spaced=spaced)
        return _token(element, kinds)

    def _of_several(self, elements: Iterable[Any], kinds: set[str], *, spaced: bool) -> str:
        if kinds & {"Or", "MatchFirst"}:
            # A default argument keeps the element of this turn.
            return alternatives(
                [lambda one=one: self.pattern(one, spaced=spaced) for one in elements]  # type: ignore[misc]
            )
        return in_a_row([self.pattern(one, spaced=spaced) for one in elements], spaced=spaced)

    def _around(self, inner: Any, kinds: set[str], *, spaced: bool) -> str:
        if kinds & {"NotAny", "FollowedBy", "PrecededBy"} or inner is None:
            return ""
        if "Forward" in kinds:
            return self._deeper(inner, spaced=spaced)
        spaced = spaced and "Combine" not in kinds
        part = self.pattern(inner, spaced=spaced)
        if "_MultipleMatch" in kinds:
            return repeated(part, least=0 if "ZeroOrMore" in kinds else 1, spaced=spaced)
        return f"(?:{part})?" if kinds & {"Opt", "Optional"} else part

    def _deeper(self, inner: Any, *, spaced: bool) -> str:
        if self._levels == 0:
            raise TooDeepError
        self._levels -= 1
        try:
            return self.pattern(inner, spaced=spaced)
        finally:
            self._levels += 1


def _token(token: Any, kinds: set[str]) -> str:
    """Return the pattern of an element without others inside."""
    if kinds & {"Literal", "Keyword"}:
        return re.escape(str(token.match))
    if kinds & {"Regex", "QuotedString"}:
        # A compiled expression has its text under the same name.
        return f"(?:{getattr(token.pattern, 'pattern', token.pattern)})"
    if "Word" in kinds:
        return f"[{_class(token.initChars)}][{_class(token.bodyChars)}]{{0,5}}"
    if "CharsNotIn" in kinds:
        return f"[^{_class(token.notChars)}]{{1,6}}"
    if "White" in kinds:
        return " "
    if kinds & {"NoMatch"}:
        raise TooDeepError
    return ""


def _class(characters: Iterable[str]) -> str:
    return "".join(map(re.escape, sorted(characters)))
