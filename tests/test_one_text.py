"""Holds that the text is the program: the search runs what written fixtures contain."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent / "pytest_evosearch"

TEXTS_NOT_RUN_WHERE_THEY_ARE = {
    # Run by `sut.providers.absent_providers`, each with what an application looks up.
    "sut.passwords.library",
    "sut.passwords.of_passlib",
    "sut.providers.stand_ins",
    # Its parts are run one by one: accounts, known values and log-ins.  Keys are data of each
    # request, because oracles take single ones away.
    "sut.users.found_users",
    # A search sees each store and each broker, and learns which of them a test needs.
    "sut.shortcuts.eager_tasks",
    "sut.state.caches",
    # What the search does once for all its tests, before an application is loaded.
    "sut.clients.server_client",
    "sut.finding.dotenv_files",
}
"""Modules with texts of fixtures that do not run them, and why."""

OTHER_TEXTS_RUN = {
    # Code of the project: files, factories, and programs up to their server.
    "sut.finding.application_loader",
    "sut.finding.server_starts",
    # The ``repr`` of a counter.
    "sut.state.kept_values",
}
"""Modules that run a text without `sut.deeds`, which is in no fixture."""

TWO_FORMS = {
    # It empties stores of all versions of the libraries, and notes which were filled.
    "CachesKeeper",
}
"""Classes of `sut` that do something, and write it independently."""

DOES = {"__call__", "open", "place", "put", "restore", "run"}
WRITES = {"code", "fixture", "lines", "sources", "statements", "text"}


def parsed() -> Iterator[tuple[str, ast.Module]]:
    """Yield the modules of `sut` outside the room for texts that cannot be run, by name."""
    for path in sorted((ROOT / "sut").rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if not name.startswith("sut.fixture_texts."):
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def runs_by_deeds(tree: ast.Module) -> bool:
    """Say whether a module imports `sut.deeds`."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return any(node.module == "pytest_evosearch.sut.deeds" for node in imports)


def test_texts_of_fixtures_are_run_by_the_search() -> None:
    not_run = {
        name
        for name, tree in parsed()
        if not runs_by_deeds(tree)
        and any(
            isinstance(node, ast.Constant) and "@pytest.fixture" in str(node.value)
            for node in ast.walk(tree)
        )
    }
    assert not_run == TEXTS_NOT_RUN_WHERE_THEY_ARE


def test_texts_are_run_in_one_place() -> None:
    running = {
        name
        for name, tree in parsed()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("exec", "eval")
    }
    assert running == {"sut.deeds", *OTHER_TEXTS_RUN}


def test_no_class_does_one_thing_and_writes_another() -> None:
    both = set()
    for _name, tree in parsed():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                methods = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
                if methods & DOES and methods & WRITES:
                    both.add(node.name)
    assert both == TWO_FORMS
