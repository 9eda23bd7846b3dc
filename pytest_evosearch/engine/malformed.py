"""After the search: sends calls that succeeded again, with one malformed input.

One test sends several of them, because restoring the state may take longer than all of them.  A
call that shows a fault is sent alone once more, so that the fault has its own test.
"""

from __future__ import annotations

from collections import Counter
from collections import deque
from collections.abc import Generator
from collections.abc import Sequence
from typing import TypeAlias

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.http_words import STORING
from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.inquiries.edited_calls import sequence
from pytest_evosearch.problem.http.inquiries.malformed_inquiry import MalformedCall
from pytest_evosearch.problem.http.inquiries.malformed_inquiry import MalformedInquirer
from pytest_evosearch.search.archive import Archive

AT_ONCE = 8
"""Malformed calls in one test."""

TELLING = 3
"""Endpoints that crash at one line, before this line counts as code that they share."""

BLAMED = frozenset((400, 404, 409, 422))
"""Statuses of refusals by a handler that has read some of the request."""

_Sent: TypeAlias = "tuple[str, str | None]"
"""A body, and the blueprint that gets it; or a question that every endpoint gets."""


Answer: TypeAlias = "tuple[TargetId, str, int]"
"""The target of a status, its endpoint, and the status."""


def answers_of(archive: Archive[Individual]) -> list[Answer]:
    """Return the targets of statuses with endpoint and status, in a stable order."""
    targets = sorted(target for target in archive.covered if kind_of(target) == STATUS)
    parted = [(name, name.removeprefix(f"{STATUS} ").rpartition(" ")) for name in targets]
    return [(name, key, int(status)) for name, (key, _space, status) in parted]


def in_turns(answers: Sequence[Answer], model: EndpointModel) -> tuple[list[Answer], list[Answer]]:
    """Return the answers of one endpoint of each view, and those of its other endpoints.

    A view at hundreds of addresses would leave no time for the others.
    """
    known = set[object]()
    first, others = list[Answer](), list[Answer]()
    for answer in answers:
        _target, key, status = answer
        view = model.endpoint(key).view if key in model else None
        place = (view or key, key.partition(" ")[0], status)
        (others if place in known else first).append(answer)
        known.add(place)
    return first, others


def representatives(archive: Archive[Individual], user: str | None) -> list[Individual]:
    """Return tests that end with a call of each endpoint, the most informative first.

    The first ones are the shortest of each status that is no refusal.  For an endpoint that always
    refuses, they are those whose status blames the request.  `user` sends calls that redirect every
    caller, usually to a log-in.  Then come tests that covered most: a short test may have found no
    data to work with.  Calls with a body come first, and one of each endpoint before a second one
    of any.
    """
    tests = _answered(archive, user)
    for key, furthest in _furthest(archive).items():
        known = [test.sent_by(None) for test in tests.get(key, ())]
        if known and furthest.sent_by(None) not in known:
            tests[key].append(furthest)
    numbered = [
        ((number, key.partition(" ")[0] not in STORING, key), test)
        for key, found in tests.items()
        for number, test in enumerate(found)
    ]
    return [test for _order, test in sorted(numbered, key=lambda each: each[0])]


def _answered(archive: Archive[Individual], user: str | None) -> dict[str, list[Individual]]:
    answers = answers_of(archive)
    serving = {key for _target, key, status in answers if status < FIRST_REFUSAL}
    found: dict[str, list[Individual]] = {}
    for target, key, status in answers:
        if status < FIRST_REFUSAL or (status in BLAMED and key not in serving):
            calls = archive.covered[target].individual.calls
            end = max((end for end, call in enumerate(calls, 1) if call.endpoint == key), default=0)
            test = Individual(calls[:end])
            if end and status >= FIRST_REDIRECT and calls[end - 1].user is None:
                test = test.sent_by(user)
            if end:
                found.setdefault(key, []).append(test)
    return found


def _furthest(archive: Archive[Individual]) -> dict[str, Individual]:
    """Return for each endpoint the test that represents most covered targets."""
    tests = {id(one.individual): one.individual for one in archive.covered.values()}
    counts = Counter(id(one.individual) for one in archive.covered.values())
    found: dict[str, Individual] = {}
    for identity, _count in counts.most_common():
        calls = tests[identity].calls
        if calls:
            found.setdefault(calls[-1].endpoint, tests[identity])
    return found


def malformed_tests(
    model: EndpointModel, archive: Archive[Individual], bases: Sequence[Individual]
) -> Generator[Individual, Observation, None]:
    """Yield the last calls of `bases` malformed: some variants of each before further ones.

    A call that shows a fault is yielded alone once more.
    """
    inquirer, shared = MalformedInquirer(model), SharedCrashes(model)
    waiting = deque((base, list(inquirer.calls(base.calls[-1]))) for base in bases)
    while waiting:
        base, calls = waiting.popleft()
        calls = shared.most_telling_first(calls)
        asked, left = calls[:AT_ONCE], calls[AT_ONCE:]
        if left:
            waiting.append((base, left))
        if not asked:
            continue
        before = base.calls[:-1]
        together = sequence(before, *(one.fresh for one in asked))
        observation = yield together
        for fault in observation.faults:
            if fault.call >= len(before):
                cause = asked[fault.call - len(before)]
                shared.note(cause, fault)
                known = archive.covered.get(fault.target)
                if len(asked) > 1 and known is not None and known.individual is together:
                    yield sequence(before, cause.fresh)


class SharedCrashes:
    """Notes inputs that crash many endpoints alike, because further calls would show nothing new.

    A function that runs before every handler and reads a form fails for a whole blueprint.  A
    number that no database can store fails in every query.
    """

    def __init__(self, model: EndpointModel) -> None:
        self._model = model
        self._endpoints: dict[tuple[_Sent, str, str], set[str]] = {}
        self._shared: set[_Sent] = set()

    def most_telling_first(self, calls: Sequence[MalformedCall]) -> list[MalformedCall]:
        """Put calls last, or leave them out, that are known to crash other endpoints.

        A question crashes each endpoint at a line of its own.  A body crashes all at one line.
        """
        known = self._is_known_of
        return sorted((one for one in calls if one.question or not known(one)), key=known)

    def _is_known_of(self, asked: MalformedCall) -> bool:
        """Say whether this input is known to crash other endpoints in this way."""
        return self._sent(asked) in self._shared

    def note(self, asked: MalformedCall, fault: Fault) -> None:
        """Note the fault that a call has shown."""
        sent = self._sent(asked)
        if sent is None:
            return
        position = "" if asked.question else fault.position
        endpoints = self._endpoints.setdefault((sent, fault.kind, position), set())
        endpoints.add(asked.call.endpoint)
        if len(endpoints) >= TELLING:
            self._shared.add(sent)

    def _sent(self, asked: MalformedCall) -> _Sent | None:
        if asked.question:
            return asked.question, None
        if asked.body is None:
            return None
        return asked.body, self._model.endpoint(asked.call.endpoint).blueprint
