"""The run of an island that another process has started: discovery and search, nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.events import Sink
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.fork_fallback import LastResort
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.islands import Neighbourhood
from pytest_evosearch.engine.islands import Outlying
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.mailbox import Mailbox
from pytest_evosearch.engine.preparing.preparation import Prepared
from pytest_evosearch.engine.search_run import SearchRun
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.settings.checked import Settings


class OutlyingRun(SearchRun):
    """One run that tells what it finds, and writes nothing."""

    def __init__(
        self,
        settings: Settings,
        host: Host,
        sinks: Sequence[Sink],
        recording: Recording | None,
        extensions: Extensions,
        mailbox: Mailbox,
        home: int,
    ) -> None:
        super().__init__(settings, host, sinks, recording, extensions)
        self._mailbox = mailbox
        self._home = home
        self._island: Outlying | None = None

    def _settle(self, loop: SearchLoop) -> Neighbourhood:
        self._island = Outlying(self._mailbox, loop, self._home)
        return self._island

    def _harvest_and_write(
        self,
        ready: Prepared,
        loop: SearchLoop,
        reason: ExitReason,
        outcome: Outcome,
        resort: LastResort,
    ) -> Outcome:
        assert self._island is not None
        self._island.leave()
        return outcome
