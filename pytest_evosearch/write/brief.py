"""The instructions for the writer of a suite."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field
from pathlib import Path

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.sut.clients.session_cookies import SessionReader
from pytest_evosearch.sut.clients.session_cookies import no_session
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.modules.modification import Change
from pytest_evosearch.write.modules.regeneration import Exists
from pytest_evosearch.write.modules.regeneration import always

Executed = Callable[[Path], AbstractSet[TargetId]]
"""Returns the lines that the tests of a folder execute, as targets."""


@dataclass(frozen=True, kw_only=True)
class Brief:
    """Where a suite is written, and knowledge about the application beside its tests."""

    folder: Path
    root: Path
    """Folder of the project, to which paths are relative."""
    support: Support
    users: Mapping[str, User] = field(default_factory=dict)
    corpus: Corpus = field(default_factory=Corpus)
    """Further bodies of each endpoint."""
    session_in: SessionReader = no_session
    """Returns what a cookie holds that is the application's session."""
    unsigned: Callable[[Request], Request | None] = lambda _request: None
    """Returns a request without a signature that a fixture can make; None without one."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Texts that no test may contain, with their origins."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Endpoint (``GET /users/{id}``) -> its blueprint."""
    faults: str = "xfail"
    """How faults are written: ``xfail``, ``raises``, ``fail`` or ``off``."""
    command: str = "pytest --evosearch"
    run: str = ""
    """The run that the ledger notes as the writer of the tests."""
    ledger: Path | None = None
    """File that remembers the written tests; None for no memory."""
    memory: Path | None = None
    """File in the cache that remembers what the tests cover."""
    exists: Exists = always
    """Says whether a target is still part of the application."""
    change: Change | None = None
    """The project's change of each module's text."""
    executed: Executed | None = None
    safe: Safekeeping | None = None
    """Keeps changed files, in case the process dies."""
    cut_short: bool = False
    """Whether the search ended early: then a test is not dropped because it was not found again."""
