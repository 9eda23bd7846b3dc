"""Groups tests into tables: variants of a call, one call with all methods, refused strangers.

    walls       tests of strangers with the same refusal, or permission, at many addresses
    pages       then pages that say nothing but what their templates do
    strict      then those of one endpoint and user that send the same fields
    lenient     then those without some of the fields
    missing     then crashes of one function, each for another member that is not sent
    refusals    then tables and loners of one endpoint that are refused in the same words
    paths       then requests that differ only in their path and are refused, or must log in
    paths       then faults with the same failure at several endpoints
    methods     then the same request by several methods
    paths       then requests that differ only in their path and fail with the same words

Each step uses tests that earlier steps left. Rows have their natural order. A long table is split,
unless its rows are short.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.endpoint_words import resource_of
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.telling_texts import Wording
from pytest_evosearch.write.naming.caller_credentials import STRANGER
from pytest_evosearch.write.naming.caller_credentials import credentials_of
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.variants import merge
from pytest_evosearch.write.naming.variants import shape_of

MOST_ROWS = 12
"""Most rows of one table: as many as a reader sees at a glance."""

MOST_SHORT_ROWS = 24
"""Most rows of a table with a few short values on one line each, as for a calculator."""

FEWEST_METHODS = 3
"""Fewest methods for a table over methods to read better than separate tests."""

LONGEST_VALUE = 16
"""Most characters of any value of a short row."""

FEWEST_CAUSED = 2
"""Fewest endpoints with one failure for a common table: their tests differ in nothing else."""

FEWEST_ADDRESSES = 4
"""Fewest addresses that refuse strangers with one message for a common table, in any module."""

FEWEST_ALIKE = 4
"""Fewest requests with one failure for a table to read better.

Two separate tests of one resource say more in their names.
"""

OK, _NOT_FOUND = 200, 404

_OF_PAGES = ("status", "contains")
"""Facts of a page that is a template."""

METHODS = "methods"
PATHS = "paths"
PAGES = "pages"

FEWEST_PAGES = 3
"""Fewest pages for a common table, in any module: of two, each is named."""


@dataclass(frozen=True)
class TableGroup:
    """Specimens of one test: a single one, or the rows of a table."""

    members: tuple[int, ...]
    span: str = ""
    """`METHODS`, `PATHS` or `PAGES` when the rows cover several endpoints."""


@dataclass(frozen=True)
class Grouping:
    """The input for grouping the tests of a module."""

    built: Mapping[int, WrittenTest]
    conditions: Mapping[int, Condition]
    specimens: Sequence[Specimen]
    bases: Mapping[str, Sequence[object]]
    wording: Wording = field(default_factory=Wording)
    """The texts of templates."""

    def tables(self, members: Sequence[int]) -> list[TableGroup]:
        """Group the members of a module, each group at the place of its first member."""
        groups = [TableGroup((index,)) for index in members]
        groups = self._spanning(groups, PATHS, self._wall_key, FEWEST_ADDRESSES)
        groups = self._spanning(groups, PAGES, self._page_key, FEWEST_PAGES)
        groups = self._grouped(groups, _of_loners(partial(self._variant_key, strict=True)))
        groups = self._grouped(groups, _of_loners(partial(self._variant_key, strict=False)))
        groups = self._grouped(groups, _of_loners(self._missing_key))
        groups = self._grouped(groups, self._refusal_key)
        groups = self._spanning(groups, PATHS, self._path_key, 2)
        groups = self._spanning(groups, PATHS, self._cause_key, FEWEST_CAUSED)
        groups = self._spanning(groups, METHODS, self._method_key, FEWEST_METHODS)
        groups = self._spanning(groups, PATHS, self._failure_key, FEWEST_ALIKE)
        return [part for group in groups for part in self._split(group)]

    def walls(self, members: Sequence[int]) -> frozenset[int]:
        """Return those of `members` that show one answer to strangers at many addresses."""
        return self._at_many(members, self._wall_key, FEWEST_ADDRESSES)

    def pages(self, members: Sequence[int]) -> frozenset[int]:
        """Return those of `members` that show templates alone, where they make a table."""
        return self._at_many(members, self._page_key, FEWEST_PAGES)

    def _at_many(
        self, members: Sequence[int], key_of: Callable[[int], object], fewest: int
    ) -> frozenset[int]:
        addresses: dict[object, set[str]] = {}
        keys = {index: key_of(index) for index in members}
        for index, key in keys.items():
            if key is not None:
                addresses.setdefault(key, set()).add(self.specimens[index].act.request.endpoint)
        return frozenset(
            index for index, key in keys.items() if len(addresses.get(key, ())) >= fewest
        )

    def _page_key(self, index: int) -> object:
        """Return the common key of pages that depend on nothing that a test does."""
        specimen, shape = self.specimens[index], self._family_shape(index)
        act, response = specimen.act, specimen.act.response
        if shape is None or response is None or not response.is_markup or act.status != OK:
            return None
        is_plain = act.request.method == "GET" and not (slots_of(act.request) or act.request.rows)
        is_special = self.conditions[index].phrase or act.mails or act.outgoing
        facts = self.built[index].calls[0].facts
        if not is_plain or is_special or any(one.kind not in _OF_PAGES for one in facts):
            return None
        texts = [str(one.value).strip("<>") for one in facts if one.kind == "contains"]
        known = not self.wording.sources or all(map(self.wording.has, texts))
        return (shape, act.user) if known else None

    def _wall_key(self, index: int) -> object:
        """Return the common key of one answer to strangers, whatever the address.

        It is a refusal, also of credentials without an owner, or a permission.
        """
        act = self.specimens[index].act
        if act.user is not None:
            return None
        if act.request.method == "OPTIONS":
            return self._permission_key(index)
        if _sends_key_alone(act):
            return self._path_key(index) or self._failure_key(index)
        return self._path_key(index)

    def _permission_key(self, index: int) -> object:
        """Return the common key of what browsers ask before they call from another site."""
        shape = self._family_shape(index)
        facts = repr(self.built[index].calls[0].facts)
        return (shape, facts) if shape is not None else None

    def _grouped(
        self, groups: Sequence[TableGroup], key_of: Callable[[TableGroup], object]
    ) -> list[TableGroup]:
        found: list[TableGroup] = []
        homes: dict[object, list[int]] = {}
        for group in groups:
            key = key_of(group)
            same = homes.setdefault(key, []) if key is not None else []
            home = next((one for one in same if self._merges(_joined(found[one], group))), None)
            if home is not None:
                found[home] = replace(found[home], members=_joined(found[home], group))
                continue
            same.append(len(found))
            found.append(group)
        return found

    def _spanning(
        self,
        groups: Sequence[TableGroup],
        span: str,
        key_of: Callable[[int], object],
        fewest: int,
    ) -> list[TableGroup]:
        """Merge single tests across endpoints when that makes at least `fewest` rows."""
        before = {group.members for group in groups}
        merged = self._grouped(groups, _of_loners(key_of))
        grown = [group for group in merged if group.members not in before]
        accepted = {group.members for group in grown if len(group.members) >= fewest}
        swallowed = {index for members in accepted for index in members}
        heads = {members[0]: members for members in accepted}
        found = []
        for group in groups:
            first = group.members[0]
            if first in heads:
                found.append(TableGroup(heads[first], span))
            elif first not in swallowed:
                found.append(group)
        return found

    def _variant_key(self, index: int, strict: bool) -> object:
        shape = shape_of(self.built[index], strict)
        act = self.specimens[index].act
        if shape is None:
            return None
        # GraphQL queries with different content are no variants: a text is no value.
        return (shape, act.request.endpoint, act.user, act.request.document, act.meaning)

    def _missing_key(self, index: int) -> object:
        """Return the common key of crashes of one function, each for another missing member."""
        test, act = self.built[index], self.specimens[index].act
        crash, mark = act.crash, test.mark
        shape = shape_of(test, strict=False, of_fault=True)
        is_missing = self.conditions[index].category == "missing"
        if shape is None or crash is None or mark is None or not is_missing:
            return None
        place = (crash.type_name, crash.path, crash.function, mark.mode, mark.exception)
        return (shape, act.request.endpoint, act.user, place)

    def _refusal_key(self, group: TableGroup) -> object:
        """Return the common key of tests that are refused with one message: it is shown once."""
        if group.span or any(self.specimens[index].act.status < 400 for index in group.members):
            return None
        keys = {index: self._variant_key(index, strict=False) for index in group.members}
        shown_facts = {repr(self.built[index].calls[-1].facts) for index in group.members}
        first = keys[group.members[0]]
        return (first, shown_facts.pop()) if first is not None and len(shown_facts) == 1 else None

    def _method_key(self, index: int) -> object:
        shape = shape_of(self.built[index], strict=True, of_family=True)
        request = self.specimens[index].act.request
        if shape is None:
            return None
        return (shape, request.template, repr(sorted(request.path.items())))

    def _family_shape(self, index: int) -> tuple[object, ...] | None:
        """Return the common key of calls that only differ in method and path."""
        shape = shape_of(self.built[index], strict=True, of_family=True)
        if shape is None:
            return None
        if operation_of(self.specimens[index].act.request.template):
            return shape  # the sent body contains the requested content
        return (*shape, repr(self.built[index].calls[0].arguments))

    def _failure_key(self, index: int) -> object:
        act, shape = self.specimens[index].act, self._family_shape(index)
        if shape is None or act.status < 400:
            return None
        return (shape, act.user, repr(self.built[index].calls[0].facts))

    def _cause_key(self, index: int) -> object:
        test, user = self.built[index], self.specimens[index].act.user
        shape = shape_of(test, strict=True, of_family=True, of_fault=True)
        if shape is None or test.mark is None or not test.mark.cause:
            return None
        *before, act = test.calls
        if test.mark.line:  # whatever was sent, and whatever the message says about it
            plain = replace(test.mark, reason="", cause="", match="")
            return (shape, user, repr(before), plain)
        return (shape, user, repr(before), repr(act.arguments), replace(test.mark, reason=""))

    def _path_key(self, index: int) -> object:
        act, shape = self.specimens[index].act, self._family_shape(index)
        is_stranger = self.conditions[index].category == STRANGER
        if shape is None or not (turns_away(act) or is_stranger):
            return None
        location = (act.response.location if act.response is not None else None) or ""
        if not location:
            return (shape, act.user, repr(self.built[index].calls[0].facts))
        is_door = act.request.template == urlsplit(location).path
        if act.user is not None or is_door:
            return None
        # The visitor's target (``?next=``) may differ, but not the page of the redirect.
        return (shape, location.partition("?")[0])

    def _merges(self, members: Sequence[int]) -> bool:
        labels = [self.conditions[index].phrase for index in members]
        specimen = self.specimens[members[0]]
        bases = self.bases.get(specimen.act.request.endpoint, ())
        tests = [self.built[index] for index in members]
        return merge(tests, subject_of(specimen), labels, bases) is not None

    def _split(self, group: TableGroup) -> list[TableGroup]:
        """Return the group with its rows in order, in parts when it is too long."""
        if group.span:
            return [group]
        members = tuple(sorted(group.members, key=self._row_order))
        if len(members) <= MOST_ROWS:
            return [replace(group, members=members)]
        if len(members) <= MOST_SHORT_ROWS and self._has_short_rows(members):
            return [replace(group, members=members)]
        size = math.ceil(len(members) / math.ceil(len(members) / MOST_ROWS))
        chunks = [members[start : start + size] for start in range(0, len(members), size)]
        return [TableGroup(chunk) for chunk in chunks]

    def _has_short_rows(self, members: Sequence[int]) -> bool:
        """Say whether each request is the only call and contains only short values."""
        tests = [self.specimens[index] for index in members]
        values = [value for test in tests for value in slots_of(test.act.request).values()]
        is_plain = all(len(test.exchanges) == 1 for test in tests)
        return is_plain and all(len(str(value)) <= LONGEST_VALUE for value in values)

    def _row_order(self, index: int) -> tuple[object, ...]:
        slots = slots_of(self.specimens[index].act.request)
        return (len(slots), tuple(_natural(value) for value in slots.values()), index)


def _sends_key_alone(act: Exchange) -> bool:
    """Say whether a request has only an address and credentials that no response issued."""
    slots = slots_of(act.request)
    keys = credentials_of(act.request)
    is_alone = all(slot in keys or slot[0] == "path" for slot in slots)
    return bool(keys) and is_alone and LINKED not in keys.values() and act.status != _NOT_FOUND


def _of_loners(key_of: Callable[[int], object]) -> Callable[[TableGroup], object]:
    """Return a key for groups from one for specimens; tables have no key."""
    return lambda group: key_of(group.members[0]) if len(group.members) == 1 else None


def _joined(home: TableGroup, group: TableGroup) -> tuple[int, ...]:
    return (*home.members, *group.members)


def subject_of(specimen: Specimen) -> str:
    """Return the singular noun of the endpoint under test."""
    return singular(resource_of(specimen.act.request.template))


def _natural(value: object) -> tuple[int, float, str]:
    """Return a key that sorts numbers by size, including those in texts, and texts after them."""
    text = str(value)
    try:
        number = float(text) if len(text) < 40 and not isinstance(value, (dict, list)) else math.nan
    except ValueError:
        number = math.nan
    return (1, 0.0, text) if math.isnan(number) else (0, number, text)
