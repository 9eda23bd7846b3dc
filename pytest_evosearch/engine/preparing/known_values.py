"""Gives rows, settings and files a known value, and says how a written test does this."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from types import ModuleType

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scratch import ScratchFolder
from pytest_evosearch.problem.http.doors.callers import Stored
from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.fixture_texts.database_text import LastingDatabase
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.passwords.password_libraries import MAKERS
from pytest_evosearch.sut.passwords.password_libraries import fixture_code
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.state.lasting_databases import lasting_databases
from pytest_evosearch.sut.state.sqlite_places import KnownDatabases
from pytest_evosearch.sut.users.found_users import Preparation
from pytest_evosearch.sut.users.stored_rows import Put
from pytest_evosearch.sut.users.stored_rows import StoredRow
from pytest_evosearch.sut.users.stored_rows import put_fixture
from pytest_evosearch.sut.users.stored_rows import row_of
from pytest_evosearch.sut.users.stored_rows import stored_bytes
from pytest_evosearch.sut.users.stored_rows import values_under
from pytest_evosearch.sut.users.values_in_memory import FIXTURES
from pytest_evosearch.sut.users.values_in_memory import KeptValue
from pytest_evosearch.sut.users.values_in_memory import PutKept
from pytest_evosearch.sut.users.values_in_memory import code_of
from pytest_evosearch.sut.users.values_in_memory import kept_texts
from pytest_evosearch.sut.users.values_in_memory import kept_value
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

UNOPENED = (
    "nothing that a test can read opens the database of {}: name its file in a setting, "
    "or keep its path or its connection in a module"
)


@dataclass
class KnownValues:
    """Puts values for users, in the search and in written tests."""

    handle: AppHandle
    root: Path
    modules: Sequence[ModuleType] = ()
    """Modules of the application."""
    files: Callable[[], Iterable[Path]] = tuple
    """Returns the SQLite files that the search keeps."""
    written_to: Path | None = None
    """Folder of the written tests."""
    _fixtures: dict[tuple[str, str, str, str], tuple[str, str]] = field(default_factory=dict)
    """Table, column, name column and maker -> name and source of the fixture."""
    _rows: dict[str | bytes, StoredRow] = field(default_factory=dict)
    """Where values are stored in databases."""
    _kept: dict[str | bytes, KeptValue] = field(default_factory=dict)
    """Where values are kept in memory or in files."""
    putting: Patches = field(default_factory=Patches)
    """The values of the running test; restores the old ones."""
    _folders: list[ScratchFolder] = field(default_factory=list)
    _databases: dict[tuple[Path, ...], LastingDatabase | None] = field(default_factory=dict)
    """Known SQLite files -> how a test opens the database; looking takes longer than a call."""

    @cached_property
    def kept(self) -> tuple[str | bytes, ...]:
        """What the application keeps in memory and in files that settings name, bytes of rows too.

        Texts of rows are known otherwise.
        """
        texts = kept_texts(self.handle.app, self.modules)
        return tuple(dict.fromkeys((*texts, *stored_bytes(self.handle.app, self.modules))))

    def under(self, column: str, statement: str) -> list[object]:
        """Return the values in a column of the tables that a statement names."""
        return values_under(column, statement, self._read)

    @cached_property
    def _read(self) -> KnownDatabases:
        return KnownDatabases(self.handle.app, self.modules, active_connections())

    @property
    def sources(self) -> list[str]:
        """Return the fixtures that put values into rows."""
        return [source for _name, source in self._fixtures.values()]

    def close(self) -> None:
        """Remove the copies of files."""
        while self._folders:
            self._folders.pop().close()

    def put(
        self, stored: Sequence[Stored], sent: Sequence[str], is_final: bool
    ) -> Preparation | None:
        """Return what puts values; None where the place of one of them is not found.

        With `is_final` it includes how written tests do this.
        """
        prepared = [
            self._put_row(one, sent, is_final) or self._put_kept(one, is_final) for one in stored
        ]
        found = [one for one in prepared if one is not None]
        if len(found) < len(stored):
            return None
        return Preparation(
            tuple(action for one in found for action in one.actions),
            tuple(line for one in found for line in one.statements),
            tuple(dict.fromkeys(name for one in found for name in one.fixtures)),
            name=next((one.name for one in found if one.name), ""),
            door="a known value in " + ", ".join(dict.fromkeys(one.door for one in found)),
            imports=tuple(dict.fromkeys(line for one in found for line in one.imports)),
            withheld=next((one.withheld for one in found if one.withheld), ""),
        )

    def _put_row(self, one: Stored, sent: Sequence[str], is_final: bool) -> Preparation | None:
        row = self._row_of(one.old, sent)
        if row is None:
            return None
        name, source = self._fixture(row, one, is_final)
        arguments = _arguments(row, one)
        modules = tuple(module.__name__ for module in self.modules)
        action = Put(source, tuple(arguments), modules, str(self._folder_of_tests / "conftest.py"))
        if not is_final:
            return Preparation((action,))
        statement = f"{name}({', '.join(map(code_of, arguments))})"
        place = f"{row.table}.{row.column}"
        withheld = "" if self._in_sandbox or self._reached() is not None else UNOPENED.format(place)
        return Preparation(
            (action,), (statement,), (name,), name=str(row.name), door=place, withheld=withheld
        )

    def _put_kept(self, one: Stored, is_final: bool) -> Preparation | None:
        if one.old not in self._kept:
            found = kept_value(one.old, self.handle.app, self.modules)
            if found is None:
                return None
            self._kept[one.old] = found
        kept = self._kept[one.old]
        imported, made = fixture_code(one.maker)
        made = made.format(password=json.dumps(one.password))
        lines = tuple(kept.statements(one.new, made))
        imports = (*kept.imports, *([imported] if imported else []))
        folder = self._folder() if kept.is_content else self.root
        action = PutKept(Deed(lines, imports), self.putting, folder)
        if not is_final:
            return Preparation((action,))
        used = tuple(name for name in FIXTURES if any(name in line for line in lines))
        door = kept.place.expression
        return Preparation((action,), lines, used, name=kept.owner, door=door, imports=imports)

    def _folder(self) -> Path:
        """Return the folder for copies; files that a test writes there are removed after it."""
        if not self._folders:
            self._folders.append(ScratchFolder("known-values"))
        return self._folders[0].path

    def _row_of(self, value: str | bytes, sent: Sequence[str]) -> StoredRow | None:
        """Return where a value is stored, as it was at the first look, before any change."""
        if value not in self._rows:
            row = row_of(value, sent, self.handle.app, self.modules)
            if row is None:
                return None
            self._rows[value] = row
        return self._rows[value]

    def _fixture(self, row: StoredRow, stored: Stored, is_final: bool) -> tuple[str, str]:
        """Return name and text of the fixture that puts such values; remember a final one."""
        maker = stored.maker if stored.maker in MAKERS else ""
        beside = "" if maker else " ".join(column for column, _value in row.beside)
        key = (row.table, row.column, row.name_column, maker or beside)
        if key in self._fixtures:
            return self._fixtures[key]
        name = "known_password" if maker else "known_value"
        number = sum(known.startswith(name) for known, _source in self._fixtures.values())
        name += f"_{number + 1}" if number else ""
        client = self.handle.support.client_fixture
        database = None if self._in_sandbox else self._reached()
        made = name, put_fixture(name, row, maker, client, database)
        if is_final and (self._in_sandbox or database is not None):
            self._fixtures[key] = made
        return made

    @property
    def _in_sandbox(self) -> bool:
        """Say whether the written ``conftest.py`` opens the databases of the application."""
        recipe = self.handle.support.recipe
        return recipe is not None and not recipe.borrowed

    @property
    def _folder_of_tests(self) -> Path:
        return (self.written_to or self.root).resolve()

    def _reached(self) -> LastingDatabase | None:
        """Return how a test gets hold of the database; None where nothing does."""
        files = tuple(self.files())
        if files not in self._databases:
            root, folder = self.root.resolve(), self._folder_of_tests
            found = lasting_databases(self.handle.app, self.modules, files, root, folder)
            self._databases[files] = found[0] if found else None
        return self._databases[files]


def _arguments(row: StoredRow, stored: Stored) -> list[object]:
    """Return the arguments of the fixture that puts a value."""
    if stored.maker in MAKERS:
        return [row.name, stored.password]
    return [row.name, stored.new, *(value for _column, value in row.beside)]
