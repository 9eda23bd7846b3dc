"""What is tested on purpose after a search: a table of checks, and one of edits of single tests.

A row of `EDITS` makes tests from one test that the application accepts.  A row of `CHECKS` has an
order of its own, or goes on by what it sees.  A new check is a row.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from itertools import groupby
from itertools import islice
from typing import NamedTuple

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.engine.inquiry import Base
from pytest_evosearch.engine.inquiry import Inquiry
from pytest_evosearch.engine.inquiry import Tests
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.malformed import answers_of
from pytest_evosearch.engine.malformed import in_turns
from pytest_evosearch.engine.malformed import malformed_tests
from pytest_evosearch.engine.malformed import representatives
from pytest_evosearch.oracles.injection import explained_crashes
from pytest_evosearch.problem.http.descriptions.parameters import other_end
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.inquiries.access_inquiry import AccessInquirer
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import EXTREMES
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import DisturbedInquirer
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import ends_with_read
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import removals
from pytest_evosearch.problem.http.inquiries.disturbed_inquiry import stores_first
from pytest_evosearch.problem.http.inquiries.edited_calls import sequence
from pytest_evosearch.problem.http.inquiries.edited_calls import shown_object
from pytest_evosearch.problem.http.inquiries.forged_inquiry import ForgedInquirer
from pytest_evosearch.problem.http.inquiries.inquirer import ATTACKS
from pytest_evosearch.problem.http.inquiries.inquirer import GROWTHS
from pytest_evosearch.problem.http.inquiries.inquirer import Attack
from pytest_evosearch.problem.http.inquiries.inquirer import Inquirer
from pytest_evosearch.problem.http.inquiries.mass_inquiry import MassInquirer
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

MOST_BY_OTHERS = 150
"""Executions for all questions about access together; more would leave none for attacks."""

SUSPICIOUS_SECONDS = 0.006
"""Processor seconds of one call that make it suspicious; most calls take a tenth of it."""


class Makers:
    """What makes tests, for one search and the oracles that are asked."""

    def __init__(
        self,
        inquiry: Inquiry,
        oracles: Iterable[str],
        users: Sequence[str] = (),
        forged: ForgedInquirer | None = None,
    ) -> None:
        model = inquiry.model
        self.inquiry = inquiry
        self.oracles = frozenset(oracles)
        self.wanted = questions_for(self.oracles)
        self._user = users[0] if users else None
        self.any = Inquirer(model)
        self.access = AccessInquirer(model, users)
        self.mass = MassInquirer(model)
        self.forged = forged

    def representatives(self) -> list[Individual]:
        """Return tests that end with a call of each endpoint, the most informative first."""
        return representatives(self.inquiry.loop.archive, self._user)


class Ground:
    """The accepted tests that edits start from."""

    def __init__(self, bases: Iterable[Base]) -> None:
        self.every = list(bases)
        self.served = [base for base in self.every if base.is_served]

    @cached_property
    def shown(self) -> dict[str, Mapping[str, object]]:
        """The JSON objects that endpoints return."""
        shown = ((base.act.request.endpoint, shown_object(base.act)) for base in self.every)
        return {endpoint: fields for endpoint, fields in shown if fields is not None}

    def changing_the_same(self, base: Base) -> list[Individual]:
        """Return the tests whose last calls change the resource of a base in another way."""
        template = base.individual.calls[-1].endpoint.partition(" ")[2]
        changes = {f"{method} {template}" for method in ("PUT", "PATCH")}
        tests = [one.individual for one in self.served]
        return [test for test in tests if test.calls[-1].endpoint in changes]

    @cached_property
    def readings(self) -> list[Individual]:
        """The tests that only read something."""
        tests = [one.individual for one in self.served if len(one.individual) == 1]
        return [test for test in tests if test.calls[0].endpoint.startswith("GET ")]


class Edit(NamedTuple):
    """One way to make tests from an accepted one, and the question that it is made for."""

    question: Question
    tests: Callable[[Makers, Ground, Base], Iterable[Individual]]
    most: int | None = None
    """Most tests of all rows that stand together with this number."""
    order: Callable[[Base], int] = lambda _base: 0
    """Order of the accepted tests; else that of the archive."""
    of_refused: bool = False
    """Whether tests whose last call was refused are varied, too."""


def _deleted_by_others(by: Makers, ground: Ground, base: Base) -> Iterable[Individual]:
    if not base.individual.calls[-1].endpoint.startswith("DELETE "):
        return ()
    return by.access.refused_elsewhere(base.individual, ground.changing_the_same(base))


EDITS = (
    Edit(
        Question.FOLLOW_UP,
        lambda by, _ground, base: by.any.follow_ups(base.individual, base.act),
        of_refused=True,
    ),
    Edit(
        Question.FOREIGN,
        lambda by, _ground, base: by.access.foreign(base.individual),
        MOST_BY_OTHERS,
    ),
    Edit(Question.DELETED_BY_OTHERS, _deleted_by_others, MOST_BY_OTHERS),
    Edit(
        Question.ANONYMOUS,
        lambda by, _ground, base: by.access.anonymous(base.individual),
        MOST_BY_OTHERS,
    ),
    Edit(
        Question.ADMINISTRATIVE,
        lambda by, ground, base: by.access.administrative(base.individual, ground.readings),
        MOST_BY_OTHERS,
    ),
    Edit(
        Question.FORGED,
        lambda by, _ground, base: by.forged.tests(base.individual, base.act) if by.forged else (),
        order=lambda base: len(base.individual),
    ),
    Edit(
        Question.FIELDS,
        lambda by, ground, base: by.mass.tests(base.individual, base.act, ground.shown),
    ),
)
"""Edits in the order in which oracles need them most."""


def edited(by: Makers, edits: Sequence[Edit]) -> Tests:
    """Yield the tests that wanted rows of a table make."""
    ground = Ground(by.inquiry.bases())
    rows = [row for row in edits if row.question in by.wanted]
    for most, together in groupby(rows, key=lambda row: row.most):
        tests = chain.from_iterable(_made(by, ground, row) for row in together)
        # No `yield from`: only generators take what happened.
        for test in islice(tests, most):  # noqa: UP028
            yield test


def _made(by: Makers, ground: Ground, row: Edit) -> Iterator[Individual]:
    bases = ground.every if row.of_refused else ground.served
    for base in sorted(bases, key=row.order):
        yield from row.tests(by, ground, base)


def malformed(by: Makers) -> Tests:
    """Yield calls that succeeded with one malformed input, after those with another end."""
    bases = by.representatives()
    yield from _beside(by, bases)
    yield from malformed_tests(by.inquiry.model, by.inquiry.loop.archive, bases)


def _beside(by: Makers, bases: Sequence[Individual]) -> Tests:
    """Read each address once with another end: a link may lack the slash, or have one more.

    Mostly the framework redirects or knows no such address, which no test needs to show.
    """
    model = by.inquiry.model
    readers = {base.calls[-1].endpoint: base for base in reversed(bases)}
    asked = [
        (other_end(key), base)
        for key, base in readers.items()
        if key.startswith("GET ") and key != "GET /" and other_end(key) not in model
    ]
    for other, base in asked[:MOST_BESIDE]:
        test = sequence(base.calls[:-1], replace(base.calls[-1], endpoint=other, label=0))
        if by.inquiry.fails(test):
            yield test


def attacks(by: Makers) -> Tests:
    """Yield what must not become code, a path or an address, first where success is likely."""
    loop = by.inquiry.loop
    known = [attack for attack in ATTACKS if attack.code in by.oracles]
    try:
        for answers in in_turns(answers_of(loop.archive), by.inquiry.model):
            left: list[tuple[Base, Attack]] = []
            for base in by.inquiry.bases(answers):
                for attack in known:
                    if attack.reaches(base.act):
                        yield from _attacked(by, base, attack)
                    elif not attack.narrow:
                        left.append((base, attack))
            left.sort(key=lambda pair: ATTACKS.index(pair[1]))  # one attack on all, then the next
            for base, attack in left:
                yield from _attacked(by, base, attack)
    finally:
        loop.withdraw(explained_crashes(loop.statistics.faults.values()))


def _attacked(by: Makers, base: Base, attack: Attack) -> Tests:
    """Replace all texts at once; then one at a time, if that was refused or had an effect.

    Oracles blame a place only when no other place sent the text.
    """
    for number, individual in enumerate(by.any.attacks(base.individual, attack)):
        observation = yield individual
        act = observation.exchanges[len(base.individual) - 1]
        came_up = any(map(attack.turns_up_in, observation.exchanges))
        if number == 0 and act.status < FIRST_REFUSAL and not came_up:
            return


def disturbed(by: Makers) -> Tests:
    """Yield tests after storing extreme values, or after deleting things, each once."""
    # No `yield from`: only generators take what happened.
    for test in dict.fromkeys(_disturbed(by)):  # noqa: UP028
        yield test


def _disturbed(by: Makers) -> Iterator[Individual]:
    tests = by.representatives()
    covering = (one.individual for one in by.inquiry.loop.archive.covered.values())
    known = {id(test): test for test in covering}  # one test covers many targets
    inquirer = DisturbedInquirer(by.inquiry.model, known.values())
    storing = sorted(filter(stores_first, tests), key=lambda test: not ends_with_read(test))
    for extreme in EXTREMES:
        yield from filter(None, (inquirer.with_extremes(test, extreme) for test in storing))
        if extreme is EXTREMES[0]:  # then what is gone, then the other extremes
            for removal in removals(tests):
                yield from filter(None, (inquirer.with_removal(test, removal) for test in storing))


def enlarged(by: Makers) -> Tests:
    """Yield larger and larger values where a rather large one already takes long."""
    for base in by.inquiry.bases():
        if base.is_served:
            for growth in GROWTHS:
                for probe, whole in by.any.enlarged(base.individual, growth):
                    observation = yield probe
                    if observation.exchanges[-1].seconds > SUSPICIOUS_SECONDS:
                        yield whole


class Check(NamedTuple):
    """One kind of tests, the questions that want it, and the share that it ends at.

    What one kind leaves of its share is free for the next kinds.
    """

    questions: frozenset[Question]
    tests: Callable[[Makers], Tests]
    until: float = 1.0


CHECKS = (
    Check(frozenset((Question.MALFORMED,)), malformed, MALFORMED_SHARE),
    Check(frozenset((Question.ATTACK,)), attacks, MALFORMED_SHARE + ATTACKS_SHARE),
    Check(
        frozenset((Question.DISTURBED,)),
        disturbed,
        MALFORMED_SHARE + ATTACKS_SHARE + DISTURBED_SHARE,
    ),
    Check(frozenset(row.question for row in EDITS), lambda by: edited(by, EDITS)),
    Check(frozenset((Question.GROWTH,)), enlarged),
)
"""Checks in the order in which they are made."""


def inquire(
    settings: Settings,
    loop: SearchLoop,
    out_of_time: Callable[[], bool],
    users: Sequence[str] = (),
    forged: ForgedInquirer | None = None,
) -> None:
    """Ask what the oracles of `settings` can judge; a short budget means few questions."""
    limit = int(settings.tunable("inquiry.evaluations"))
    if settings.budget.evaluations is not None:
        limit = min(limit, settings.budget.evaluations // EVALUATIONS_A_QUESTION)
    started, seconds = loop.meter.elapsed, time_plan(settings).inquiry_seconds
    by = Makers(Inquiry(loop), expanded(settings.search.oracles), users, forged)
    for check in CHECKS:
        if by.wanted & check.questions:
            end = started + check.until * seconds
            by.inquiry.allow(
                round(limit * check.until),
                lambda end=end: out_of_time() or loop.meter.elapsed > end,  # type: ignore[misc]
            )
            by.inquiry.ask(check.tests(by))
