"""Search one application on SQLite, PostgreSQL and MariaDB, and compare.

``python -m benchmarks.three_databases --seeds 5`` starts the servers of this machine, searches
`tests/quality/three_databases` on each, and prints branches, planted faults and seconds.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import closing
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path
from typing import Any
from typing import NamedTuple

from benchmarks.trial import covered_and_faults
from pytest_evosearch.sut.servers.mariadb_server import mariadb_server
from pytest_evosearch.sut.servers.postgresql_server import NoServer
from pytest_evosearch.sut.servers.postgresql_server import postgresql_server

QUALITY = Path(__file__).parents[1] / "tests" / "quality"
PACKAGE = "three_databases"

EVALUATIONS = 800

FAULTS = {
    "sequence": "RuntimeError",
    "value in a row": "voucher AttributeError",
    "row": "ZeroDivisionError",
    "unique": "IntegrityError",
    "like": "search AttributeError",
}
"""The planted faults, and words of their targets."""


class Task(NamedTuple):
    """One search."""

    url: str
    seed: int
    evaluations: int = EVALUATIONS


class Result(NamedTuple):
    """What came of it."""

    branches: frozenset[str]
    faults: frozenset[str]
    seconds: float


def search(task: Task) -> Result:
    """Search the application on one database."""
    logging.disable(logging.CRITICAL)
    sys.path.insert(0, str(QUALITY))

    def create_app() -> Any:
        return importlib.import_module(f"{PACKAGE}.rental").create_app(task.url)

    start = time.monotonic()
    covered, faults = covered_and_faults(
        create_app, packages=[PACKAGE], evaluations=task.evaluations, seed=task.seed
    )
    seconds = time.monotonic() - start
    branches = frozenset(one for one in covered if one.startswith(f"branch {_place()}"))
    shown = [fault.target for fault in faults]
    found = {
        name
        for name, words in FAULTS.items()
        if any(all(word in one for word in words.split()) for one in shown)
    }
    return Result(branches, frozenset(found), seconds)


def _place() -> str:
    return str((QUALITY / PACKAGE / "rental.py").relative_to(Path.cwd()))


def searched(task: Task) -> Result:
    """Search in a process of its own: what is imported there carries the probes of one search."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(search, (task,))


@contextmanager
def addresses() -> Iterator[dict[str, str]]:
    """Yield the address of a database of each kind that this machine has."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        found = {"SQLite": f"sqlite:///{folder}/rental.db"}
        with suppress(NoServer):
            server = stack.enter_context(postgresql_server())
            found["PostgreSQL"] = _postgresql_address(str(server.folder))
        with suppress(NoServer):
            other = stack.enter_context(mariadb_server())
            found["MariaDB"] = _mariadb_address(str(other.socket))
        yield found


def _postgresql_address(folder: str) -> str:
    """Make a database on a server, and return its address."""
    connection = importlib.import_module("psycopg2").connect(
        host=folder, user="evosearch", dbname="postgres"
    )
    connection.autocommit = True
    with closing(connection), connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE rental")
    return f"postgresql+psycopg2://evosearch@/rental?host={folder}"


def _mariadb_address(socket: str) -> str:
    """Make a database on a server, and return its address."""
    connection = importlib.import_module("pymysql").connect(unix_socket=socket, user="root")
    with closing(connection), closing(connection.cursor()) as cursor:
        cursor.execute("CREATE DATABASE rental")
    return f"mysql+pymysql://root@localhost/rental?unix_socket={socket}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.three_databases")
    parser.add_argument("--seeds", type=int, default=5, help="How many, from 1")
    parser.add_argument("--evaluations", type=int, default=EVALUATIONS, help="Of each search")
    parser.add_argument("--only", nargs="*", help="SQLite, PostgreSQL, MariaDB; all by default")
    options = parser.parse_args(arguments)
    with addresses() as known:
        for name in options.only or known:
            for seed in range(1, options.seeds + 1):
                result = searched(Task(known[name], seed, options.evaluations))
                missing = sorted(set(FAULTS) - result.faults)
                told = (
                    f"{len(result.branches)} branches, {len(result.faults)} of {len(FAULTS)} faults"
                )
                print(f"{name} {seed}: {told}, {result.seconds:.1f} s", *missing, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
