"""What the writer of a suite is told."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path

from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.content.builder import SourceOf
from pytest_evosearch.write.content.builder import no_source
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.modules.modification import Change
from pytest_evosearch.write.modules.regeneration import Exists
from pytest_evosearch.write.modules.regeneration import always

Executed = Callable[[Path], AbstractSet[TargetId]]
"""Tells which lines the tests of a folder execute, as targets."""


@dataclass(frozen=True, kw_only=True)
class Brief:
    """For whom a suite is written, where, and what is known beside its tests."""

    folder: Path
    root: Path
    """Folder of the project, to which addresses are relative."""
    support: Support
    users: Mapping[str, User] = field(default_factory=dict)
    corpus: Corpus = field(default_factory=Corpus)
    """Further bodies per endpoint."""
    unsigned: Callable[[Request], Request | None] = lambda _request: None
    """Returns a request without a signature that a fixture can make; None for any other."""
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Texts that no test may tell, with the places from which they come."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Endpoint (``GET /users/{id}``) -> its blueprint."""
    faults: str = "xfail"
    """How faults are shown: ``xfail``, ``raises``, ``fail`` or ``off``."""
    command: str = "pytest --evosearch"
    run: str = ""
    """By which run the ledger says that the tests were written."""
    version: str = "0.1.0"
    ledger: Path | None = None
    """File that remembers what was written; None forgets."""
    memory: Path | None = None
    """File in the cache that remembers what the tests cover."""
    exists: Exists = always
    """Says whether a target is still part of the application."""
    change: Change | None = None
    """What the project does to the text of each module."""
    executed: Executed | None = None
    safe: Safekeeping | None = None
    """Keeps what is changed, should the process die."""
    source_of: SourceOf = no_source
    """Returns the line of source of a target: names say what the code has decided."""
    cut_short: bool = False
    """The search came to an early end: what it has not found again is no reason to drop a test."""
