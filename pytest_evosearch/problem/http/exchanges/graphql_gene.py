"""The body of one GraphQL operation: its text follows from the variables that are sent."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.problem.http.exchanges.graphql_documents import Operation
from pytest_evosearch.problem.http.exchanges.graphql_documents import coordinate_in

PLAIN_CHANCE = 0.3
"""How often a fresh call selects little; inner resolvers run only when selected."""

NO_OPERATION = Operation("query", "")


@dataclass(frozen=True)
class OperationGene(ObjectGene):
    """A mapping of ``query`` and ``variables``; only the variables are its fields.

    The text declares only variables that are sent, so it is as short as possible.
    """

    may_be_wrong: ClassVar[bool] = False

    operation: Operation = NO_OPERATION
    selection: int = 0
    """Index of the chosen selection of the operation; the first is the plainest."""
    document: str = ""
    """The project's own text of the operation; empty for ours."""

    def value(self) -> dict[str, object]:
        """Return the body; without variables when there are none to send."""
        variables = super().value().get("variables", ABSENT)
        sent = variables if isinstance(variables, Mapping) else {}
        text = self.document or self.operation.document(self.selection, sent)
        if variables is ABSENT or not variables:
            return {"query": text}
        return {"query": text, "variables": variables}

    def sample(self, rng: Random) -> ObjectGene:
        """Sample the variables, and sometimes a small selection."""
        widest = len(self.operation.selections) - 1
        selection = rng.randrange(widest) if widest and rng.random() < PLAIN_CHANCE else widest
        return replace(super().sample(rng), selection=selection, document="")  # type: ignore[call-arg]

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Select more or less of the response."""
        others = [n for n in range(len(self.operation.selections)) if n != self.selection]
        return replace(self, selection=rng.choice(others), document="") if others else None

    def adopt(self, value: object) -> Gene | None:
        """Hold a body with this operation; return None for any other."""
        text = value.get("query") if isinstance(value, dict) else None
        if not isinstance(text, str) or coordinate_in(text) != self.operation.coordinate:
            return None
        variables = value.get("variables") if isinstance(value, dict) else None
        adopted = super().adopt({"variables": variables} if variables else {})
        if not isinstance(adopted, OperationGene):
            return None
        for selection in range(len(self.operation.selections)):
            own = replace(adopted, selection=selection, document="")
            if own.value()["query"] == text:
                return own
        return replace(adopted, document=text)

    def simpler(self) -> Iterator[Gene]:
        """Yield the operation with smaller selections, then with simpler variables."""
        if self.document:
            yield replace(self, document="")
        for selection in range(self.selection):
            yield replace(self, selection=selection)
        yield from super().simpler()
