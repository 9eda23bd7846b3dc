"""After the search: asks the application what oracles can judge, with the tests it accepts.

For every endpoint the shortest tests of the archive that were answered well are the bases;
`problem.http.inquiry` varies them.  What is found becomes a target of the archive like
everything else, so the harvest minimises and writes it.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.oracles.registry import expanded
from pytest_evosearch.problem.http.access_inquiry import AccessInquirer
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Observation
from pytest_evosearch.problem.http.individual import Individual
from pytest_evosearch.problem.http.inquiry import ATTACKS
from pytest_evosearch.problem.http.inquiry import GROWTHS
from pytest_evosearch.problem.http.inquiry import Attack
from pytest_evosearch.problem.http.inquiry import Inquirer
from pytest_evosearch.settings import Settings

FOLLOWED = frozenset(
    ("delete-ineffective", "location-unresolvable", "update-ineffective", "put-not-idempotent")
)
"""Oracles that need a resource to be read before and after."""

NEVER_ASKED = frozenset(
    (
        "response-schema", "body-forbidden", "allow-missing", "challenge-missing", "sql-leak",
        "status-unknown", "status-undeclared", "traceback-leak", "secret-leak",
        "get-changes-state",
    )
)  # fmt: skip
"""Oracles that judge what the search meets anyhow."""

BY_OTHERS = frozenset(("object-authorization", "existence-leak"))
"""Oracles that need two users who do the same."""

MOST_BY_OTHERS = 150
"""Executions for all questions about access together; more would leave nothing for attacks."""

FIRST_REFUSAL = 400

SUSPICIOUS_SECONDS = 0.006
"""Of processor time for one call; most take a tenth of it."""

SHARE_OF_BUDGET = 4
"""Evaluations of the search to one question, at least, where the budget is a number of them."""

SHARE_OF_SECONDS = 0.05
"""Of a budget of seconds, for all questions together."""


@dataclass(frozen=True)
class Base:
    """A test whose last call was answered well."""

    individual: Individual
    act: Exchange


def inquire(
    settings: Settings,
    loop: SearchLoop,
    out_of_time: Callable[[], bool],
    users: Sequence[str] = (),
) -> None:
    """Ask what the oracles of `settings` can judge; short budgets mean few questions."""
    limit = int(settings.tunable("inquiry.evaluations"))
    if settings.budget.evaluations is not None:
        limit = min(limit, settings.budget.evaluations // SHARE_OF_BUDGET)
    seconds = settings.budget.seconds
    end = loop.meter.elapsed + SHARE_OF_SECONDS * seconds if seconds is not None else None

    def over() -> bool:
        return out_of_time() or (end is not None and loop.meter.elapsed > end)

    Inquiry(loop, frozenset(expanded(settings.oracles)), limit, over, users).run()


class Inquiry:
    """Executes follow-ups and attacks until a number of executions, or the time, is used up."""

    def __init__(
        self,
        loop: SearchLoop,
        oracles: frozenset[str],
        limit: int,
        out_of_time: Callable[[], bool],
        users: Sequence[str] = (),
    ) -> None:
        self._loop = loop
        self._oracles = oracles
        self._left = limit
        self._out_of_time = out_of_time
        self._inquirer = Inquirer(loop.problem.model)
        self._access = AccessInquirer(loop.problem.model, users)

    def run(self) -> None:
        """Ask everything there is to ask, follow-ups first."""
        attacks = [attack for attack in ATTACKS if attack.code in self._oracles]
        follows = not FOLLOWED.isdisjoint(self._oracles)
        if not self._oracles - NEVER_ASKED or self._exhausted:
            return
        bases = list(self._bases())
        for individual in islice(self._by_others(bases), MOST_BY_OTHERS):
            self._examine(individual)
        if follows:
            for base in bases:
                for individual in self._inquirer.follow_ups(base.individual, base.act):
                    self._examine(individual)
        for attack in attacks:
            for base in bases:
                self._attack(base, attack)
        if "slow-path" in self._oracles:
            for base in bases:
                self._enlarge(base)

    def _by_others(self, bases: Sequence[Base]) -> Iterator[Individual]:
        """Yield tests in which somebody else, or nobody, does what the bases do."""
        individuals = [base.individual for base in bases if base.act.status < FIRST_REFUSAL]
        if not BY_OTHERS.isdisjoint(self._oracles):
            for individual in individuals:
                yield from self._access.foreign(individual)
        if "object-authorization" in self._oracles:
            for individual in individuals:
                if individual.calls[-1].endpoint.startswith("DELETE "):
                    siblings = [one for one in individuals if _changes_the_same(individual, one)]
                    yield from self._access.refused_elsewhere(individual, siblings)
        if "anonymous-write" in self._oracles:
            for individual in individuals:
                yield from self._access.anonymous(individual)
        if "function-authorization" in self._oracles:
            witnesses = [one for one in individuals if is_single_reading(one)]
            for individual in individuals:
                yield from self._access.administrative(individual, witnesses)

    @property
    def _exhausted(self) -> bool:
        return self._left <= 0 or self._out_of_time()

    def _examine(self, individual: Individual) -> Observation | None:
        if self._exhausted:
            return None
        self._left -= 1
        return self._loop.examine(individual)

    def _attack(self, base: Base, attack: Attack) -> None:
        """Replace all texts at once; one at a time only when that was refused."""
        for number, individual in enumerate(self._inquirer.attacks(base.individual, attack)):
            observation = self._examine(individual)
            if observation is None:
                return
            act = observation.exchanges[len(base.individual) - 1]
            if number == 0 and act.status < FIRST_REFUSAL:
                return

    def _enlarge(self, base: Base) -> None:
        """Send larger and larger values where a rather large one takes its time already."""
        if base.act.status >= FIRST_REFUSAL:
            return
        for growth in GROWTHS:
            for probe, whole in self._inquirer.enlarged(base.individual, growth):
                observation = self._examine(probe)
                if observation is None:
                    return
                if observation.exchanges[-1].seconds > SUSPICIOUS_SECONDS:
                    self._examine(whole)

    def _bases(self) -> Iterator[Base]:
        """Yield the shortest test of each good status of each endpoint, in a stable order.

        Of an endpoint that always refuses, the tests of all its statuses.
        """
        covered = self._loop.archive.covered
        answers = [
            (target, *target.removeprefix(f"{STATUS} ").rpartition(" ")[::2])
            for target in sorted(target for target in covered if kind_of(target) == STATUS)
        ]
        accepting = {key for _target, key, status in answers if int(status) < FIRST_REFUSAL}
        for target, key, status in answers:
            if int(status) >= FIRST_REFUSAL and key in accepting:
                continue
            individual = covered[target].individual
            observation = self._examine(individual)
            if observation is None:
                return
            for place, exchange in enumerate(observation.exchanges):
                if exchange.request.endpoint == key and exchange.status == int(status):
                    yield Base(Individual(individual.calls[: place + 1]), exchange)
                    break


def _changes_the_same(one: Individual, other: Individual) -> bool:
    """Say whether the last calls of both change one resource, in different ways."""
    method, _, template = other.calls[-1].endpoint.partition(" ")
    same = template == one.calls[-1].endpoint.partition(" ")[2]
    return same and method in ("PUT", "PATCH")


def is_single_reading(individual: Individual) -> bool:
    """Say whether a test is one call that reads."""
    return len(individual) == 1 and individual.calls[0].endpoint.startswith("GET ")
