"""One application for SQLite, PostgreSQL and MariaDB, with five planted faults."""
