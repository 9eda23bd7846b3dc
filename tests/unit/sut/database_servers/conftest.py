from __future__ import annotations

from tests.database_servers import mariadb
from tests.database_servers import postgresql

__all__ = ["mariadb", "postgresql"]
