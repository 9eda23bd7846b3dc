"""The individual: a test, as a sequence of calls with gene trees as inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.problem.http.exchanges.endpoint import Location

STRANGER = "(a stranger)"
"""User of calls with a separate client, which logs in by calls like any visitor."""

NOBODY = "(nobody)"
"""User of calls with a separate client, which never logs in."""


@dataclass(frozen=True)
class Input:
    """One input of a call."""

    location: Location
    name: str
    gene: Gene

    @property
    def key(self) -> tuple[Location, str]:
        """The identity of the parameter that it fills."""
        return (self.location, self.name)

    def with_gene(self, gene: Gene) -> Input:
        """Return a copy with another gene."""
        return Input(self.location, self.name, gene)


@dataclass(frozen=True)
class Call:
    """One request to be sent.

    `label` is unique inside its individual and stays when other calls are inserted or deleted. So
    links (`problem.http.exchanges.links.LinkGene`) can name their source.
    """

    endpoint: str
    """Key of the endpoint, ``GET /api/orders/{id}``."""
    inputs: tuple[Input, ...]
    label: int
    user: str | None = None
    """Name of the user who sends it; None is anonymous."""

    def with_input(self, changed: Input) -> Call:
        """Return a copy with an input replaced or appended, by its key."""
        key = changed.key
        kept = [changed if given.key == key else given for given in self.inputs]
        if changed not in kept:
            kept.append(changed)
        return self._sending(tuple(kept))

    def with_gene(self, index: int, path: Path, gene: Gene) -> Call:
        """Return a copy with another gene at a path of an input; () is the whole input."""
        given = self.inputs[index]
        changed = given.with_gene(replaced(given.gene, path, gene))
        return self._sending((*self.inputs[:index], changed, *self.inputs[index + 1 :]))

    def without_input(self, key: tuple[Location, str]) -> Call:
        """Return a copy that does not send the input `key`."""
        return self._sending(tuple(given for given in self.inputs if given.key != key))

    def _sending(self, inputs: tuple[Input, ...]) -> Call:
        """Return a copy with other inputs."""
        return Call(self.endpoint, inputs, self.label, self.user)


@dataclass(frozen=True)
class Individual:
    """A test: calls in the order in which they are sent."""

    calls: tuple[Call, ...]

    def __len__(self) -> int:
        return len(self.calls)

    def __iter__(self) -> Iterator[Call]:
        return iter(self.calls)

    def with_call(self, index: int, call: Call) -> Individual:
        """Return a copy in which the call at `index` is replaced."""
        return Individual((*self.calls[:index], call, *self.calls[index + 1 :]))

    def sent_by(self, user: str | None) -> Individual:
        """Return a copy in which `user` sends every call.

        One test has one user: its calls share a client, as in the written test.
        """
        if all(call.user == user for call in self.calls):
            return self
        return Individual(tuple(replace(call, user=user) for call in self.calls))

    @property
    def next_label(self) -> int:
        """A label that no call of this individual has."""
        return max((call.label for call in self.calls), default=0) + 1
