"""A prepared search: the loaded application with all that executes and judges tests."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import field
from threading import Thread

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.extensions import NO_EXTENSIONS
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.preparing.admitted_users import AdmittedUsers
from pytest_evosearch.engine.preparing.state_restorer import StateRestorer
from pytest_evosearch.execution.current_call import CurrentCall
from pytest_evosearch.execution.forked.forks import ForkedPerformer
from pytest_evosearch.execution.guard import TimeLimit
from pytest_evosearch.execution.judging import HttpExecutor
from pytest_evosearch.execution.offspring import Offspring
from pytest_evosearch.execution.threads import names_of
from pytest_evosearch.execution.threads import still_running
from pytest_evosearch.harvest.permanence import InProcess
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.sut.documents.validators.catching import ValidatorWatch
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.queries.watch import QueryWatch
from pytest_evosearch.sut.shortcuts.eager_tasks import EagerTasks
from pytest_evosearch.sut.users.forged_tokens import ForgedTokens


@dataclass(frozen=True)
class Prepared:
    """A search that is ready to start."""

    handle: AppHandle
    endpoints: tuple[Endpoint, ...]
    problem: HttpProblem
    executor: HttpExecutor
    state: StateRestorer
    recording: Recording | None
    loaded: frozenset[TargetId]
    """Targets that loading the application covers, so that no test has to."""
    findings: Mapping[str, str]
    """Rows of the discovery block, in order."""
    notices: tuple[str, ...]
    validators: ValidatorWatch
    forks: ForkedPerformer
    """Executes tests in their own processes, after it was started."""
    current: CurrentCall
    offspring: Offspring
    limit: TimeLimit
    """The time limit of a call."""
    permanence: InProcess
    """What tests can rely on."""
    admitted: AdmittedUsers
    """Users that the search finds."""
    forged: ForgedTokens = field(default_factory=ForgedTokens)
    """Makes tokens that the application must not accept."""
    extensions: Extensions = NO_EXTENSIONS
    tasks: EagerTasks = field(default_factory=EagerTasks)
    """Celery tasks that run at once, because their broker is missing."""
    queries: QueryWatch | None = None
    """Watches SQL statements; None where they are no targets."""
    waiting: tuple[Thread, ...] = ()
    """Threads that loading the application started, and for which Python would wait at its end."""

    @property
    def fence(self) -> Fence:
        """Return what collects the failures of parts that the run can do without."""
        return self.executor.fence

    def sent_by(self, user: str | None) -> Mapping[tuple[Location, str], str]:
        """Return the headers, cookies and arguments of all requests of a user."""
        account = self.handle.users.get(user) if user is not None else None
        if account is None:
            return {}
        parts = (
            (Location.HEADER, account.headers),
            (Location.COOKIE, account.cookies),
            (Location.QUERY, account.query),
        )
        return {(where, name): value for where, held in parts for name, value in held.items()}

    def endless_threads(self) -> str:
        """Return a notice about threads that go on after the project's fixtures were torn down."""
        endless = names_of(still_running(self.waiting))
        if not endless:
            return ""
        return (
            "the application leaves threads running that keep pytest from ending: "
            f"{', '.join(endless)} (make them daemons)"
        )

    def known_targets(self) -> int:
        """Return the number of targets in the loaded source that tests have to cover."""
        if self.recording is None:
            return 0
        return len(self.recording.catalog) - len(self.loaded)

    def expected_targets(self) -> Collection[TargetId]:
        """Return the targets of the loaded source that tests have to cover."""
        if self.recording is None:
            return ()
        return [t for t in self.recording.catalog.targets() if t not in self.loaded]

    def constants(self) -> frozenset[object]:
        """Return the literals of the application's code."""
        if self.recording is None:
            return frozenset()
        return frozenset(value for value, _line in self.recording.catalog.constants())

    def retire(self, targets: Iterable[TargetId]) -> None:
        """Switch off the probes of covered targets."""
        self.executor.retire(targets)

    def respecialize(self) -> None:
        """Remove probes from the application's code that are switched off for good."""
        self.executor.respecialize()
