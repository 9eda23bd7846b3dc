"""One thing to assert about a response, and what is known about its body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pytest_evosearch.core.isolation import json
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.responses import inside
from pytest_evosearch.write.answers.differences import JsonPath
from pytest_evosearch.write.answers.differences import changed_places
from pytest_evosearch.write.answers.today import names_today
from pytest_evosearch.write.content.identifier_names import Reference
from pytest_evosearch.write.content.identifier_names import nouns_of
from pytest_evosearch.write.content.specimen import Specimen


@dataclass(frozen=True)
class Fact:
    """One thing to assert about a response.

    `kind` is one of ``status``, ``location``, ``json``, ``json-contains``, ``length``, ``nan``,
    ``contains``, ``lacks``, ``text``, ``starts``, ``empty``, ``mimetype``, ``header``, ``below``,
    ``expected``, or one of `xml_facts`, whose path is that of an element and the name of an
    attribute; `path` is the place inside a JSON body (or the header's name), `value` a value
    tree, of a status also the tuple of those that versions of the framework answer with.  What
    is ``expected`` instead of a fault is an `Expectation`, its path the variable of the client.
    """

    kind: str
    path: JsonPath = ()
    value: object = None


@dataclass(frozen=True)
class AnsweredBody:
    """A response body together with what is known about its reliability."""

    specimen: Specimen
    index: int
    response: Response
    inputs: tuple[object, ...]
    known: Sequence[Reference] = ()
    before: str | None = None
    """What the same page showed before the call under test."""
    others: Sequence[object] = ()
    """Other JSON answers of the same endpoint."""

    @property
    def nouns(self) -> tuple[str, ...]:
        """Return what the call was about."""
        return nouns_of(self.specimen.steps[self.index].request)

    def reason(self, *path: str | int) -> str | None:
        """Return why a part of the answer is not reliable, None where it is."""
        return self.specimen.reason(self.index, path)

    @cached_property
    def _changed(self) -> frozenset[JsonPath]:
        """The places of a JSON body that the call under test changed, those above them too."""
        try:
            now, before = self.response.json(), json.loads(self.before or "")
        except ValueError:
            return frozenset()
        found = [path for path in changed_places(now, before) if not self.reason("json", *path)]
        return frozenset(path[:depth] for path in found for depth in range(1, len(path) + 1))

    def is_changed(self, path: JsonPath) -> bool:
        """Say whether the call under test changed something at a place of a JSON body."""
        return path in self._changed

    def is_special(self, path: JsonPath, value: object) -> bool:
        """Say whether most other answers of the endpoint hold something else at a place."""
        same = sum(inside(one, path) == value for one in self.others)
        return 2 * same < len(self.others)

    def shows_today(self, text: str) -> bool:
        """Say whether `text` has the date of today without anybody having sent it."""
        if not names_today(text):
            return False
        sent = map(str, self.inputs)
        return not any(value in text and names_today(value) for value in sent)

    def has_unstable_part(self, *path: str | int) -> bool:
        """Say whether anything at a place of the answer, or inside, is not reliable."""
        return any(
            call == self.index and fact[: len(path)] == path
            for call, fact in self.specimen.unstable
        )
