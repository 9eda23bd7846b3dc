"""Restores the application's state before every test, whatever goes wrong."""

from __future__ import annotations

from collections.abc import Callable

from pytest_evosearch.core.exception_texts import text_of_exception
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.engine.host import Host
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.sut.state.reset import CombinedKeeper
from pytest_evosearch.sut.state.written_files import WrittenFiles


@dataclass
class StateRestorer:
    """Restores what the keeper keeps and calls the project's own reset.

    A restore that fails affects one test and not the run; it is counted, and reported at the end.
    """

    keeper: CombinedKeeper
    host: Host
    problem: HttpProblem
    before: Callable[[], object] = lambda: None
    """Called first: removes what replaces something during one test."""
    files: WrittenFiles | None = None
    """Restores files that calls write; None where the search writes no files."""
    failures: int = 0
    _first_failure: str = ""

    def __call__(self) -> None:
        """Restore the state."""
        try:
            self.before()
            self.keeper.restore()
            self.host.reset()
        except Exception as error:
            self.failures += 1
            self._first_failure = self._first_failure or text_of_exception(error)
        self.offer_databases()

    def restored_places(self) -> list[str]:
        """Restore what the application keeps in memory; return the names of what had changed."""
        return self.keeper.memory.restored_places()

    def offer_databases(self) -> None:
        """Offer the values of databases that were opened since the last call."""
        values = self.keeper.new_database_values()
        if values:
            self.problem.known.pool.add_stored_values(values)

    @property
    def changes_files(self) -> bool:
        """Say whether calls have changed files that other processes would use, too."""
        return self.files is not None and self.files.changes_common_files

    def notices(self) -> list[str]:
        """Return notices about state that was not restored."""
        if not self.failures:
            return []
        times = "once" if self.failures == 1 else f"{self.failures} times"
        return [f"the application's state could not be restored {times}: {self._first_failure}"]
