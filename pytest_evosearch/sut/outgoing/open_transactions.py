"""Says whether the application holds a database transaction open while it asks a service."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any


def holds_transaction() -> bool:
    """Say whether a session of SQLAlchemy has begun to change something and has not ended it."""
    sessions: Any = getattr(sys.modules.get("sqlalchemy.orm.session"), "_sessions", {})
    return any(_has_begun(session) for session in list(sessions.values()))


def _has_begun(session: Any) -> bool:
    with suppress(Exception):  # a library that may look different, or a session in use elsewhere
        transaction = session.get_transaction()
        return transaction is not None and any(
            # SQLite begins with the first change, and its driver tells; others begin with a read.
            getattr(one[0].connection.dbapi_connection, "in_transaction", True)
            for one in transaction._connections.values()
        )
    return False
