"""Restores databases on servers that a killed search changed, in a run that only tests.

A journal beside the reports names the databases, without passwords.  These come from the
application's own first connection.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_evosearch.bridge.command_line.project_root import project_root

if TYPE_CHECKING:
    from contextlib import ExitStack

    import pytest

JOURNAL = Path(".pytest_cache", "d", "evosearch", "servers.txt")
"""List of databases that have copies; it exists while a search runs, or after one was killed."""

_VERIFYING = "EVOSEARCH_VERIFYING"
"""Variable that is set where a running search runs its own tests."""


def servers_journal(config: pytest.Config) -> Path:
    """Return the journal of the project."""
    return project_root(config) / JOURNAL


def recover_servers(config: pytest.Config) -> ExitStack | None:
    """Let first connections restore what a killed search changed; None where there is none."""
    journal = servers_journal(config)
    if os.environ.get(_VERIFYING) or not journal.exists():
        return None

    from contextlib import ExitStack

    from pytest_evosearch.sut.database_servers.connections import watched_server_connections
    from pytest_evosearch.sut.database_servers.preserved_servers import recover_at_first_connection

    stack = ExitStack()
    connections = stack.enter_context(watched_server_connections())
    connections.listeners.append(recover_at_first_connection(journal))
    return stack
