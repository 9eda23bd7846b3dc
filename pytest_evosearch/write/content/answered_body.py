"""One fact to assert about a response, and knowledge about its body."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.responses import inside
from pytest_evosearch.write.answers.differences import JsonPath
from pytest_evosearch.write.answers.differences import changed_places
from pytest_evosearch.write.answers.library_words import is_of_library
from pytest_evosearch.write.answers.today import names_today
from pytest_evosearch.write.content.identifier_names import Reference
from pytest_evosearch.write.content.identifier_names import nouns_of
from pytest_evosearch.write.content.specimen import Specimen


@dataclass(frozen=True)
class Fact:
    """One fact to assert about a response.

    `kind` is one of ``status``, ``location``, ``json``, ``json-contains``, ``length``, ``nan``,
    ``contains``, ``lacks``, ``text``, ``starts``, ``empty``, ``mimetype``, ``header``, ``below``,
    ``sent`` (to another service), or ``expected``. It may also be one of `xml_facts`; its path is
    that of an element and the name of an attribute. `path` is the place inside a JSON body (or the
    header's name). `value` is a value tree; for a status it may be the tuple of statuses in
    different versions of the framework. For ``expected``, it is an `Expectation` instead of a
    fault, and `path` is the variable of the client.
    """

    kind: str
    path: JsonPath = ()
    value: object = None


@dataclass(frozen=True)
class AnsweredBody:
    """A response body, with knowledge about its stability."""

    specimen: Specimen
    index: int
    response: Response
    inputs: tuple[object, ...]
    known: Sequence[Reference] = ()
    before: str | None = None
    """Content of this page before the call under test."""
    others: Sequence[object] = ()
    """Other JSON responses of the endpoint."""

    @cached_property
    def nouns(self) -> tuple[str, ...]:
        """Return the resources of the call."""
        return nouns_of(self.specimen.steps[self.index].request)

    def reason(self, *path: str | int) -> str | None:
        """Return why a part of the response is unstable, None where it is stable."""
        return self.specimen.reason(self.index, path)

    @cached_property
    def _changed(self) -> frozenset[JsonPath]:
        """The places of a JSON body that the call under test changed, and the places above them."""
        try:
            now, before = self.response.json(), json.loads(self.before or "")
        except ValueError:
            return frozenset()
        found = [path for path in changed_places(now, before) if not self.reason("json", *path)]
        return frozenset(path[:depth] for path in found for depth in range(1, len(path) + 1))

    @cached_property
    def has_changed(self) -> bool:
        """Whether the call under test changed a JSON body, or removed something from it."""
        try:
            now, before = self.response.json(), json.loads(self.before or "")
        except ValueError:
            return True
        found = [*changed_places(now, before), *changed_places(before, now)]
        return any(not self.reason("json", *path) for path in found)

    def is_changed(self, path: JsonPath) -> bool:
        """Say whether the call under test changed something at a place of a JSON body."""
        return path in self._changed

    def is_special(self, path: JsonPath, value: object) -> bool:
        """Say whether most other responses of the endpoint have another value at a place."""
        same = sum(inside(one, path) == value for one in self.others)
        return 2 * same < len(self.others)

    def shows_today(self, text: str) -> bool:
        """Say whether `text` contains today's date although no request sent it."""
        if not names_today(text):
            return False
        sent = map(str, self.inputs)
        return not any(value in text and names_today(value) for value in sent)

    @property
    def is_refusal(self) -> bool:
        """Whether the status refuses the call."""
        return self.response.status >= FIRST_REFUSAL

    def repeats_a_library(self, text: str) -> bool:
        """Say whether `text` has words that the project does not write."""
        return is_of_library(text, map(str, self.inputs))

    def has_unstable_part(self, *path: str | int) -> bool:
        """Say whether the response is unstable at a place or inside it."""
        return any(
            call == self.index and fact[: len(path)] == path
            for call, fact in self.specimen.unstable
        )
