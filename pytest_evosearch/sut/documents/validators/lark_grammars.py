"""Reads grammars of lark: a pattern for the text that a parser takes."""

from __future__ import annotations

import re
from collections.abc import Hashable
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.documents.validators.grammar_patterns import TooDeepError
from pytest_evosearch.sut.documents.validators.grammar_patterns import alternatives
from pytest_evosearch.sut.documents.validators.grammar_patterns import in_a_row
from pytest_evosearch.sut.documents.validators.grammar_patterns import parsed_part
from pytest_evosearch.sut.documents.validators.hooks import Hook
from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Same


def hooks(library: ModuleType) -> list[Hook]:
    """Return the method that parses a text."""
    return [Hook(library.Lark, "parse", _identity, _parts)]


def _identity(parser: Any, *_arguments: object, **_keywords: object) -> Hashable:
    return Same(parser)


def _parts(parser: Any, text: object = None, *_rest: object, **_named: object) -> list[Part]:
    return parsed_part(text, lambda levels: _Reader(parser).of_start(levels))


class _Reader:
    """Reads the rules of a parser; repetitions are rules that contain themselves."""

    def __init__(self, parser: Any) -> None:
        self._terminals = {one.name: one.pattern for one in parser.terminals}
        self._expansions: dict[str, list[Any]] = {}
        for rule in parser.rules:
            self._expansions.setdefault(rule.origin.name, []).append(rule.expansion)
        self._start = list(parser.options.start)
        self._spaced = bool(parser.ignore_tokens)
        self._known: dict[tuple[str, int], str | None] = {}

    def of_start(self, levels: int) -> str:
        """Return the pattern of the first rule, with so many levels of rules."""
        return self._rule(str(self._start[0]), 2 * levels)

    def _rule(self, name: str, levels: int) -> str:
        if levels == 0:
            raise TooDeepError
        key = (name, levels)
        if key not in self._known:
            self._known[key] = self._unfolded(name, levels - 1)
        pattern = self._known[key]
        if pattern is None:
            raise TooDeepError
        return pattern

    def _unfolded(self, name: str, levels: int) -> str | None:
        try:
            return alternatives(
                [lambda one=one: self._row(one, levels) for one in self._expansions[name]]  # type: ignore[misc]
            )
        except TooDeepError:
            return None

    def _row(self, symbols: Any, levels: int) -> str:
        return in_a_row([self._symbol(one, levels) for one in symbols], spaced=self._spaced)

    def _symbol(self, symbol: Any, levels: int) -> str:
        if not symbol.is_term:
            return self._rule(str(symbol.name), levels)
        pattern = self._terminals[str(symbol.name)]
        if type(pattern).__name__ == "PatternStr":
            return re.escape(str(pattern.value))
        return f"(?:{pattern.to_regexp()})"
