"""Tests that are worth executing after a search, chosen by what the oracles can judge."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import islice

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.inquiries.access_inquiry import AccessInquirer
from pytest_evosearch.problem.http.inquiries.forged_inquiry import ForgedInquirer
from pytest_evosearch.problem.http.inquiries.inquirer import Inquirer
from pytest_evosearch.problem.http.inquiries.mass_inquiry import MassInquirer
from pytest_evosearch.problem.http.inquiries.schema_inquiry import SchemaInquirer
from pytest_evosearch.settings.oracle_specs import Question

MOST_BY_OTHERS = 150
"""Executions for all questions about access together; more would leave none for attacks."""


@dataclass(frozen=True)
class Base:
    """A test whose last call had a good response."""

    individual: Individual
    act: Exchange

    @property
    def is_served(self) -> bool:
        """Say whether its last call was not refused."""
        return self.act.status < FIRST_REFUSAL


class Questions:
    """Varies tests for questions; every test that it yields should be executed once."""

    def __init__(
        self,
        model: EndpointModel,
        users: Sequence[str],
        wanted: Collection[Question],
        forged: ForgedInquirer | None = None,
    ) -> None:
        self._wanted = frozenset(wanted)
        self._follow = Inquirer(model)
        self._access = AccessInquirer(model, users)
        self._mass = MassInquirer(model)
        self._schema = SchemaInquirer(model)
        self._forged = forged

    def about(self, bases: Sequence[Base]) -> Iterator[Individual]:
        """Yield tests that follow from `bases`, those that most oracles need first."""
        served = [base for base in bases if base.is_served]
        if Question.FOLLOW_UP in self._wanted:
            for base in bases:
                yield from self._follow.follow_ups(base.individual, base.act)
        yield from islice(self._by_others([base.individual for base in served]), MOST_BY_OTHERS)
        if Question.FORGED in self._wanted and self._forged is not None:
            for base in sorted(served, key=lambda one: len(one.individual)):
                yield from self._forged.tests(base.individual, base.act)
        if Question.FIELDS in self._wanted:
            shown = dict(_shown_objects(bases))
            for base in served:
                yield from self._mass.tests(base.individual, base.act, shown)

    def about_schemas(self, bases: Sequence[Base]) -> Iterator[Individual]:
        """Yield tests that send what schemas just forbid, or just allow: there are many."""
        for base in [base for base in bases if base.is_served]:
            if Question.FORBIDDEN in self._wanted:
                yield from self._schema.forbidden(base.individual, base.act)
            if Question.ALLOWED in self._wanted:
                yield from self._schema.allowed(base.individual, base.act)

    def _by_others(self, individuals: Sequence[Individual]) -> Iterator[Individual]:
        """Yield tests in which another user, or an anonymous caller, repeats these tests."""
        if Question.FOREIGN in self._wanted:
            for individual in individuals:
                yield from self._access.foreign(individual)
        if Question.DELETED_BY_OTHERS in self._wanted:
            for individual in individuals:
                if individual.calls[-1].endpoint.startswith("DELETE "):
                    siblings = [one for one in individuals if _changes_the_same(individual, one)]
                    yield from self._access.refused_elsewhere(individual, siblings)
        if Question.ANONYMOUS in self._wanted:
            for individual in individuals:
                yield from self._access.anonymous(individual)
        if Question.ADMINISTRATIVE in self._wanted:
            witnesses = [one for one in individuals if _is_single_reading(one)]
            for individual in individuals:
                yield from self._access.administrative(individual, witnesses)


def _shown_objects(bases: Sequence[Base]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the JSON objects that endpoints return."""
    for base in bases:
        response = base.act.response
        if response is None or not response.is_json:
            continue
        try:
            shown = response.json()
        except ValueError:
            continue
        if isinstance(shown, dict):
            yield base.act.request.endpoint, shown


def _changes_the_same(one: Individual, other: Individual) -> bool:
    """Say whether the last calls of both tests change one resource, in different ways."""
    method, _, template = other.calls[-1].endpoint.partition(" ")
    same = template == one.calls[-1].endpoint.partition(" ")[2]
    return same and method in ("PUT", "PATCH")


def _is_single_reading(individual: Individual) -> bool:
    return len(individual) == 1 and individual.calls[0].endpoint.startswith("GET ")
