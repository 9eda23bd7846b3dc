"""Makes tests in which another caller repeats what a working test does.

    the other one   a second known user, or a stranger who registers and logs in the same way
    stranger        a client that never logs in

Both look at what the test works with before they lay hands on it, so that oracles can tell
what is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.visit import ValuePath
from pytest_evosearch.problem.http.descriptions.credentials import may_identify
from pytest_evosearch.problem.http.descriptions.endpoint_relations import Resources
from pytest_evosearch.problem.http.descriptions.endpoint_relations import administrative_prefix
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import SAFE_METHODS
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import NOBODY
from pytest_evosearch.problem.http.exchanges.individual import STRANGER
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import linked_labels
from pytest_evosearch.problem.http.exchanges.links import renamed
from pytest_evosearch.problem.http.inquiries.edited_calls import sequence
from pytest_evosearch.problem.http.inquiries.edited_calls import with_fresh_texts
from pytest_evosearch.problem.http.inquiries.edited_calls import with_leaves

MOST_PAIRS = 4
"""Most pairs of users with whom one test is tried."""

_PRIVILEGED = re.compile(r"admin|root|super|staff|owner|manager|moderator|boss", re.IGNORECASE)
_NUMBERED = re.compile(r"user_(\d+)")
_PERSONAL = re.compile(r"user|name|login|mail|nick|handle|account", re.IGNORECASE)


@dataclass(frozen=True)
class _Party:
    """A user who may send calls, with the calls that log this user in."""

    user: str | None
    prelude: tuple[Call, ...] = ()
    labels: tuple[tuple[int, int], ...] = ()
    """Index of each call of the test -> index of its equivalent in the prelude, or its own."""

    def does(self, call: Call) -> Call:
        """Return `call` with this party as its sender."""
        inputs = call.inputs
        if self.labels:
            labels = dict(self.labels)
            inputs = tuple(replace(given, gene=renamed(given.gene, labels)) for given in inputs)
        return replace(call, inputs=inputs, user=self.user, label=0)


class AccessInquirer:
    """Makes tests with two users, or with anonymous calls, from a working one."""

    def __init__(self, model: EndpointModel, users: Sequence[str]) -> None:
        self._model = model
        self._users = tuple(users)
        resources = Resources(model.endpoints)
        self._doors = frozenset((*resources.registrations, *resources.logins))
        self._on: dict[str, list[Endpoint]] = {}
        for endpoint in model.endpoints:
            self._on.setdefault(endpoint.template.rstrip("/"), []).append(endpoint)

    def foreign(self, base: Individual) -> Iterator[Individual]:
        """Yield tests in which other callers use the resource of `base`'s last call."""
        act = base.calls[-1]
        method, _, template = act.endpoint.partition(" ")
        reader = self._reader_of(template)
        if not template.endswith("}") or reader is None or method in ("HEAD", "OPTIONS"):
            return
        nobody, read = self._nobody(base), _at_same_place(act, reader)
        for owner, other in self._pairs(base):
            looks = [one.does(look) for look in self._collections(act) for one in (owner, other)]
            opening = (*base.calls[:-1], *owner.prelude, *other.prelude, *looks)
            witnesses = (nobody.does(read), owner.does(read), other.does(read))
            if method == "GET":
                yield sequence(opening, *witnesses)
                continue
            changes = [act] if method == "DELETE" else [with_fresh_texts(act), act]
            for change in changes:
                yield sequence(opening, *witnesses, other.does(change), owner.does(read))

    def refused_elsewhere(
        self, base: Individual, siblings: Sequence[Individual]
    ) -> Iterator[Individual]:
        """Yield tests in which other callers repeat the last call of `base`, refused in `siblings`.

        The last calls of `siblings` change this resource in other ways.
        """
        act = base.calls[-1]
        reader = self._reader_of(act.endpoint.partition(" ")[2])
        if reader is None:
            return
        read = _at_same_place(act, reader)
        for sibling in siblings:
            change = sibling.calls[-1]
            if change.endpoint == act.endpoint or linked_labels(change.inputs):
                continue
            change = _with_place_of(act, change)
            for owner, other in self._pairs(base):
                opening = (*base.calls[:-1], *owner.prelude, *other.prelude)
                steps = (self._nobody(base).does(read), owner.does(change), other.does(change))
                looked = (owner.does(read), other.does(act), owner.does(read))
                yield sequence(opening, *steps, *looked)

    def anonymous(self, base: Individual) -> Iterator[Individual]:
        """Yield a test that tries the last write of `base` anonymously."""
        act = base.calls[-1]
        method, _, template = act.endpoint.partition(" ")
        if method in SAFE_METHODS:
            return
        nobody = self._nobody(base)
        reader = self._reader_of(template)
        reads = () if reader is None else (nobody.does(_at_same_place(act, reader)),)
        yield sequence(base.calls[:-1], *reads, nobody.does(act))

    def administrative(
        self, base: Individual, witnesses: Sequence[Individual]
    ) -> Iterator[Individual]:
        """Yield tests in which ordinary users call endpoints for administrators.

        `witnesses` are tests of one reading call to an administrators' endpoint each.
        """
        act = base.calls[-1]
        prefix = administrative_prefix(act.endpoint.partition(" ")[2])
        if prefix is None:
            return
        for witness in witnesses:
            call = witness.calls[-1]
            template = call.endpoint.partition(" ")[2]
            if call.endpoint == act.endpoint or administrative_prefix(template) != prefix:
                continue
            for other in [user for user in self._users if user != call.user][:MOST_PAIRS]:
                asked = replace(call, label=0)
                steps = (asked, replace(asked, user=other), self._nobody(base).does(act))
                yield sequence(base.calls[:-1], *steps, replace(act, user=other, label=0))

    def _pairs(self, base: Individual) -> Iterator[tuple[_Party, _Party]]:
        """Yield pairs (owner, other), first those with the sender of `base`.

        The other is a known user without privileges, or a stranger who registers.
        """
        user = base.calls[-1].user
        if user is None:
            prelude = [call for call in base.calls[:-1] if call.endpoint in self._doors]
            if prelude:
                yield _Party(None), _stranger(base, prelude)
            return
        pairs = [
            (owner, other)
            for owner, other in permutations(self._users, 2)
            if _is_ordinary(other, owner)
        ]
        pairs.sort(key=lambda pair: user not in pair)
        for owner, other in pairs[:MOST_PAIRS]:
            yield _Party(owner), _Party(other)

    def _nobody(self, base: Individual) -> _Nobody:
        return _Nobody(None if base.calls[-1].user is not None else NOBODY)

    def _reader_of(self, template: str) -> str | None:
        found = self._on.get(template.rstrip("/"), [])
        return next((endpoint.key for endpoint in found if endpoint.method == "GET"), None)

    def _collections(self, act: Call) -> list[Call]:
        """Return the reading of the collection that contains the item of a call."""
        reader = self._reader_of(act.endpoint.partition(" ")[2].rpartition("/")[0])
        return [] if reader is None else [_at_same_place(act, reader, self._model)]


@dataclass(frozen=True)
class _Nobody:
    """A caller without any credentials."""

    user: str | None

    def does(self, call: Call) -> Call:
        """Return `call` without a user and without credentials."""
        inputs = tuple(given for given in call.inputs if not _is_credential(given))
        return replace(call, inputs=inputs, user=self.user, label=0)


def _is_credential(given: Input) -> bool:
    return may_identify(given.location, given.name)


def _is_ordinary(name: str, other: str) -> bool:
    """Say whether `name` hardly has more rights than `other`.

    Of numbered users, the first is mostly the administrator.
    """
    numbers = [_NUMBERED.fullmatch(one) for one in (name, other)]
    if all(numbers):
        return int(numbers[0][1]) > int(numbers[1][1])  # type: ignore[index]
    return _PRIVILEGED.search(name) is None


def _stranger(base: Individual, prelude: Sequence[Call]) -> _Party:
    """Return a user who logs in by equal calls with another name."""
    labels = {call.label: call.label for call in base.calls}
    label = base.next_label
    calls = []
    for call in prelude:
        labels[call.label] = label
        inputs = tuple(map(_renamed_person, call.inputs))
        calls.append(Call(call.endpoint, inputs, label, STRANGER))
        label += 1
    party = _Party(STRANGER, (), tuple(labels.items()))
    made = tuple(replace(party.does(call), label=call.label) for call in calls)
    return replace(party, prelude=made)


def _renamed_person(given: Input) -> Input:
    def other(value_path: ValuePath, leaf: Gene) -> Gene | None:
        name, value = str(value_path[-1]) if value_path else given.name, leaf.value()
        if not isinstance(value, str) or _PERSONAL.search(name) is None:
            return None
        text = f"stranger@{value.partition('@')[2]}" if "@" in value else f"stranger{value}"[:20]
        return leaf.adopt(text) or ConstantGene(text)

    return with_leaves(given, other)


def _at_same_place(act: Call, reader: str, model: EndpointModel | None = None) -> Call:
    """Return the reading of the resource of a call, by the caller who sent it."""
    kept = [given for given in act.inputs if given.location is Location.PATH]
    if model is not None:
        names = model.endpoint(reader).placeholders
        kept = [given for given in kept if given.name in names]
    shown = [given for given in act.inputs if _is_credential(given)]
    return Call(reader, (*kept, *shown), 0, act.user)


def _with_place_of(act: Call, change: Call) -> Call:
    """Return `change` with the resource of `act` as its object."""
    for given in act.inputs:
        if given.location is Location.PATH:
            change = change.with_input(given)
    return change
