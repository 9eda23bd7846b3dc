from __future__ import annotations

from database_servers import mariadb
from database_servers import postgresql

__all__ = ["mariadb", "postgresql"]
