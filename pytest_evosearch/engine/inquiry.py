"""After the search: sends what oracles can judge, based on tests that the application accepts.

The bases are the shortest tests of the archive with a good response, for every endpoint.
`problem.http.inquiries.inquirer` varies them.  A finding becomes a target of the archive, so the
harvest minimises and writes it.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.malformed import Answer
from pytest_evosearch.engine.malformed import MalformedCalls
from pytest_evosearch.engine.malformed import answers_of
from pytest_evosearch.engine.malformed import in_turns
from pytest_evosearch.engine.malformed import representatives
from pytest_evosearch.engine.questions import Base
from pytest_evosearch.engine.questions import Questions
from pytest_evosearch.oracles.injection import explained_crashes
from pytest_evosearch.problem.http.descriptions.parameters import other_end
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import EXTREMES
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import DisturbedInquirer
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import ends_with_read
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import removals
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import stores_first
from pytest_evosearch.problem.http.inquiries.forged_inquiry import ForgedInquirer
from pytest_evosearch.problem.http.inquiries.inquirer import ATTACKS
from pytest_evosearch.problem.http.inquiries.inquirer import GROWTHS
from pytest_evosearch.problem.http.inquiries.inquirer import Attack
from pytest_evosearch.problem.http.inquiries.inquirer import Inquirer
from pytest_evosearch.problem.http.inquiries.inquirer import sequence
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.oracle_specs import Question
from pytest_evosearch.settings.oracle_specs import expanded
from pytest_evosearch.settings.oracle_specs import questions_for
from pytest_evosearch.settings.phase_shares import ATTACKS_SHARE
from pytest_evosearch.settings.phase_shares import DISTURBED_SHARE
from pytest_evosearch.settings.phase_shares import EVALUATIONS_A_QUESTION
from pytest_evosearch.settings.phase_shares import MALFORMED_SHARE
from pytest_evosearch.settings.time_plan import time_plan

MOST_BESIDE = 8
"""Most addresses that are read with another end: one handler answers them all."""

SUSPICIOUS_SECONDS = 0.006
"""Processor seconds of one call that make it suspicious; most calls take a tenth of it."""


def inquire(
    settings: Settings,
    loop: SearchLoop,
    out_of_time: Callable[[], bool],
    users: Sequence[str] = (),
    forged: ForgedInquirer | None = None,
) -> None:
    """Ask what the oracles of `settings` can judge; a short budget means few questions.

    What one kind of questions leaves of its share is free for the next kinds.
    """
    limit = int(settings.tunable("inquiry.evaluations"))
    if settings.budget.evaluations is not None:
        limit = min(limit, settings.budget.evaluations // EVALUATIONS_A_QUESTION)
    started, seconds = loop.meter.elapsed, time_plan(settings).inquiry_seconds

    def within(share: float) -> Callable[[], bool]:
        end = started + share * seconds
        return lambda: out_of_time() or loop.meter.elapsed > end

    inquiry = Inquiry(loop, frozenset(expanded(settings.search.oracles)), users, forged)
    share = 0.0
    for part, ask in (
        (MALFORMED_SHARE, inquiry.send_malformed),
        (ATTACKS_SHARE, inquiry.attack),
        (DISTURBED_SHARE, inquiry.send_disturbed),
    ):
        share += part
        inquiry.allow(round(limit * share), within(share))
        ask()
    inquiry.allow(limit, within(1.0))
    inquiry.ask_the_rest()


class Inquiry:
    """Executes follow-ups and attacks until a number of executions, or the time, is used up."""

    def __init__(
        self,
        loop: SearchLoop,
        oracles: frozenset[str],
        users: Sequence[str] = (),
        forged: ForgedInquirer | None = None,
    ) -> None:
        self._loop = loop
        self._oracles = oracles
        self._wanted = questions_for(oracles)
        self._asked = 0
        self._limit = 0
        self._bases_of: dict[TargetId, list[Base]] = {}
        self._out_of_time: Callable[[], bool] = lambda: True
        self._users = users
        self._inquirer = Inquirer(loop.problem.known.model)
        self._questions = Questions(loop.problem.known.model, users, self._wanted, forged)

    def allow(self, limit: int, out_of_time: Callable[[], bool]) -> None:
        """Allow questions until `limit` of them were asked in total, or the time is up."""
        self._limit, self._out_of_time = limit, out_of_time

    def send_malformed(self) -> None:
        """Send calls that succeeded with one malformed input."""
        if Question.MALFORMED in self._wanted:
            archive, model = self._loop.archive, self._loop.problem.known.model
            user = self._users[0] if self._users else None
            bases = representatives(archive, user)
            self._ask_beside(bases)
            MalformedCalls(model, archive, self._examine).send(bases)

    def _ask_beside(self, bases: Sequence[Individual]) -> None:
        """Read each address once with another end: a link may lack the slash, or have one more.

        Mostly the framework redirects or knows no such address, which no test needs to show.
        """
        model = self._loop.problem.known.model
        readers = {base.calls[-1].endpoint: base for base in reversed(bases)}
        asked = [
            (other_end(key), base)
            for key, base in readers.items()
            if key.startswith("GET ") and key != "GET /" and other_end(key) not in model
        ]
        for other, base in asked[:MOST_BESIDE]:
            if self._exhausted:
                return
            self._asked += 1
            test = sequence(base.calls[:-1], replace(base.calls[-1], endpoint=other, label=0))
            if any(fault.is_failure for fault in observed(self._loop.evaluate(test)).faults):
                self._loop.examine(test)

    def attack(self) -> None:
        """Send what must not become code, a path or an address, first where success is likely."""
        attacks = [attack for attack in ATTACKS if attack.code in self._oracles]
        if not attacks:
            return
        for answers in in_turns(answers_of(self._loop.archive), self._loop.problem.known.model):
            self._attack_all(attacks, self._bases(answers))
        self._loop.withdraw(explained_crashes(self._loop.statistics.faults.values()))

    def _attack_all(self, attacks: Sequence[Attack], bases: Iterable[Base]) -> None:
        left: list[tuple[Base, Attack]] = []
        for base in bases:
            for attack in attacks:
                if attack.reaches(base.act):
                    self._attack(base, attack)
                elif not attack.narrow:
                    left.append((base, attack))
        left.sort(key=lambda pair: ATTACKS.index(pair[1]))  # one attack on all, then the next
        for base, attack in left:
            self._attack(base, attack)

    def send_disturbed(self) -> None:
        """Send tests after storing extreme values, or after deleting things."""
        if Question.DISTURBED in self._wanted:
            archive, user = self._loop.archive, self._users[0] if self._users else None
            tests = representatives(archive, user)
            sent: set[Individual] = set()
            for test in self._disturbed(tests):
                if test not in sent and self._examine(test) is None:
                    break
                sent.add(test)

    def ask_the_rest(self) -> None:
        """Ask all other questions, follow-ups first."""
        if not self._wanted or self._exhausted:
            return
        for individual in self._questions.about(list(self._bases())):
            self._examine(individual)
        if Question.GROWTH in self._wanted:
            for base in self._bases():
                self._enlarge(base)
        for individual in self._questions.about_schemas(list(self._bases())):
            self._examine(individual)

    def _disturbed(self, tests: Sequence[Individual]) -> Iterator[Individual]:
        covering = (one.individual for one in self._loop.archive.covered.values())
        known = {id(test): test for test in covering}  # one test covers many targets
        inquirer = DisturbedInquirer(self._loop.problem.known.model, known.values())
        storing = sorted(filter(stores_first, tests), key=lambda test: not ends_with_read(test))
        for extreme in EXTREMES:
            yield from filter(None, (inquirer.with_extremes(test, extreme) for test in storing))
            if extreme is EXTREMES[0]:  # then what is gone, then the other extremes
                for removal in removals(tests):
                    yield from filter(
                        None, (inquirer.with_removal(test, removal) for test in storing)
                    )

    @property
    def _exhausted(self) -> bool:
        return self._asked >= self._limit or self._out_of_time()

    def _examine(self, individual: Individual) -> Observation | None:
        if self._exhausted:
            return None
        self._asked += 1
        return self._loop.examine(individual)

    def _attack(self, base: Base, attack: Attack) -> None:
        """Replace all texts at once; then one at a time, if that was refused or had an effect.

        Oracles blame a place only when no other place sent the text.
        """
        for number, individual in enumerate(self._inquirer.attacks(base.individual, attack)):
            observation = self._examine(individual)
            if observation is None:
                return
            act = observation.exchanges[len(base.individual) - 1]
            came_up = any(map(attack.turns_up_in, observation.exchanges))
            if number == 0 and act.status < FIRST_REFUSAL and not came_up:
                return

    def _enlarge(self, base: Base) -> None:
        """Send larger and larger values where a rather large one already takes long."""
        if not base.is_served:
            return
        for growth in GROWTHS:
            for probe, whole in self._inquirer.enlarged(base.individual, growth):
                observation = self._examine(probe)
                if observation is None:
                    return
                if observation.exchanges[-1].seconds > SUSPICIOUS_SECONDS:
                    self._examine(whole)

    def _bases(self, answers: Sequence[Answer] | None = None) -> Iterator[Base]:
        """Yield the shortest test of each good status of each endpoint, in a stable order.

        For an endpoint that always refuses, yield the tests of all its statuses.  Each test is
        executed when it is first needed, to know what its last call does.
        """
        every = answers_of(self._loop.archive)
        accepting = {key for _target, key, status in every if status < FIRST_REFUSAL}
        for target, key, status in every if answers is None else answers:
            if status >= FIRST_REFUSAL and key in accepting:
                continue
            if target not in self._bases_of:
                individual = self._loop.archive.covered[target].individual
                observation = self._examine(individual)
                if observation is None:
                    return
                self._bases_of[target] = _cut_after(individual, observation, key, status)
            yield from self._bases_of[target]


def _cut_after(
    individual: Individual, observation: Observation, key: str, status: int
) -> list[Base]:
    """Return the test up to the first call with this status; empty if there is no such call."""
    for place, exchange in enumerate(observation.exchanges):
        if exchange.request.endpoint == key and exchange.status == status:
            return [Base(Individual(individual.calls[: place + 1]), exchange)]
    return []
