"""The knowledge of a search that new tests are made of, shared by sampling and mutation."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.filling.call_maker import CallMaker
from pytest_evosearch.problem.http.filling.hints import HintBook
from pytest_evosearch.problem.http.filling.impact import ImpactStatistics
from pytest_evosearch.problem.http.filling.pool import Offers
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.learning.addresses import AddressBook
from pytest_evosearch.problem.http.learning.experience import Experience
from pytest_evosearch.problem.http.learning.forgery import ForgeryTokens
from pytest_evosearch.problem.http.learning.freezes import FreezeStatistics
from pytest_evosearch.problem.http.learning.linking import Linker
from pytest_evosearch.problem.http.learning.pages import PageReader
from pytest_evosearch.problem.http.learning.producers import ProducerCatalog

_MOST_REACHING = 6
"""Most endpoints remembered for one target."""


@dataclass(frozen=True)
class TargetKnowledge:
    """What is known about the way to each target."""

    hints: HintBook = field(default_factory=HintBook)
    impact: ImpactStatistics = field(default_factory=ImpactStatistics)
    best: dict[TargetId, float] = field(default_factory=dict)
    """The highest score of each target."""
    reached_by: dict[TargetId, dict[str, None]] = field(default_factory=dict)
    """A few endpoints that reach each target."""

    def note_reaching(self, individual: Individual, target: TargetId) -> None:
        """Remember which endpoint reaches a target: most likely that of the last call."""
        reaching = self.reached_by.setdefault(target, {})
        if len(reaching) < _MOST_REACHING:
            reaching[individual.calls[-1].endpoint] = None


@dataclass(frozen=True)
class Knowledge:
    """The data that fresh and varied tests draw from; learning changes its parts."""

    model: EndpointModel
    pool: ValuePool
    catalog: ProducerCatalog
    maker: CallMaker
    linker: Linker
    pages: PageReader
    tokens: ForgeryTokens
    addresses: AddressBook
    experience: Experience
    freezes: FreezeStatistics
    targets: TargetKnowledge
    users: list[str]
    """Names of those who may send a test: the project's users, and users found since."""

    @classmethod
    def of(
        cls,
        endpoints: Iterable[Endpoint],
        users: Sequence[str],
        seeds: Mapping[str, Sequence[object]] | None,
        offers: Offers | None,
    ) -> Knowledge:
        """Return the knowledge before the first call: endpoints, users and offered values."""
        model = EndpointModel(endpoints)
        pool = ValuePool(seeds, offers)
        addresses = AddressBook(model)
        tokens = ForgeryTokens(model)
        catalog = ProducerCatalog(model, pool, addresses)
        maker = CallMaker(model, pool)
        experience = Experience(model)
        experience.holds_key = maker.keys.are_held_by
        return cls(
            model=model,
            pool=pool,
            catalog=catalog,
            maker=maker,
            linker=Linker(model, catalog, tokens),
            pages=PageReader(model, pool, addresses, tokens),
            tokens=tokens,
            addresses=addresses,
            experience=experience,
            freezes=FreezeStatistics(),
            targets=TargetKnowledge(),
            users=list(users),
        )
