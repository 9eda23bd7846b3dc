"""The projects of the field: public Flask applications that were drawn and not picked.

How `field.tsv` was made, so that anybody can make it again or go on with it:

1. *Names.*  The syllables of a consonant and a vowel, in the order of ``Random(51).shuffle``, are
   asked for as ``flask-SYLLABLE`` in the names of public repositories.  Of each answer (at most
   100, those with most files first) the repositories are taken whose count of stored files has two
   digits or more and ends with 3 or 7.
2. *Places.*  The repositories are asked for that hold a file at a place where Flask projects have
   one (`PLACES`).  Of each answer (at most 100, by name) those are taken whose stored commit
   begins with 0, 1 or 2.
3. *Rules.*  Of what was taken and has a stored copy, `examine` keeps a repository by what stands in
   its newest commit: two routes or more, at most `MOST_BYTES`, no extension of Flask, not named in
   `docs` or in `real_projects.py` so far.  Nobody looks at what it does before that.

How a project is set up is read from its files by rule, too (`field_requirements.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import astuple
from dataclasses import dataclass
from dataclasses import fields
from pathlib import Path
from pathlib import PurePosixPath
from random import Random

from benchmarks import field_requirements
from benchmarks.clones import Clone

TABLE = Path(__file__).with_name("field.tsv")

SYLLABLES = ("we", "cu", "vi", "ri", "ju", "ha", "pe", "ro", "bu", "wa")
PLACES = (
    *("app/routes.py", "app/auth/views.py", ".flaskenv", "flaskr/__init__.py", "website/auth.py"),
    *("resources/user.py", "tests/test_routes.py", "backend/app.py", "app/main/routes.py"),
    *("migrations/alembic.ini", "app/templates/login.html", "application/routes.py"),
    *("app/auth/routes.py", "run.py", "app/views.py", "flask_app/__init__.py"),
)
"""In this order.  Of the last two, names that say Django were passed over, and the rest was not
taken to its end, as there were enough."""

MOST_BYTES = 50 * 1024 * 1024
"""Bytes of all files of the newest commit."""
LARGEST_MODULE = 400_000
"""Bytes of a module that is read for routes."""
FEWEST_ROUTES = 2

NOT_THEIRS = frozenset({"site-packages", "node_modules", "venv", "env", ".venv", "virtualenv"})
"""Folders with the code of others."""

ROUTE = re.compile(
    r"^\s*@[\w.]+\.(?:route|get|post|put|patch|delete|expose)\(|\b(?:add_url_rule|add_resource)\("
    r"|@expose\(|^\s*@[\w.]+\.(?:doc|openapi)\(",
    re.MULTILINE,
)
REFUSED_PREFIX = "flask_"


@dataclass(frozen=True)
class FieldProject:
    """One repository at one commit, and how it is set up."""

    name: str
    """``owner/name``"""
    commit: str
    folder: str
    """Where pytest is started, below the repository; ``.`` is the repository itself."""
    python: str
    set_up: str
    """The files with its requirements, joined by commas; ``imports`` where it states none."""
    routes: int
    """Routes that were counted in its source."""


def read_table(path: Path = TABLE) -> list[FieldProject]:
    """Return the projects of the table in its order."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines[1:]]
    return [FieldProject(*row[:-1], routes=int(row[-1])) for row in rows]


def write_table(projects: Iterable[FieldProject], path: Path = TABLE) -> None:
    """Write the table, sorted by name."""
    head = "\t".join(column.name for column in fields(FieldProject))
    ordered = sorted(projects, key=lambda project: project.name.lower())
    rows = ["\t".join(map(str, astuple(project))) for project in ordered]
    path.write_text("\n".join((head, *rows)) + "\n", encoding="utf-8")


def draw(
    projects: Sequence[FieldProject], ran: Iterable[str], seed: int, count: int, again: int = 3
) -> list[FieldProject]:
    """Draw `count` projects by seed: some that ran before, and new ones.

    Where too few are new, or too few ran, the others stand in for them.
    """
    random = Random(seed)
    order = random.sample(projects, len(projects))
    known = set(ran)
    new = [project for project in order if project.name not in known]
    old = [project for project in order if project.name in known]
    repeated = min(again, len(old), count)
    drawn = [*new[: count - repeated], *old[:repeated]]
    return [*drawn, *old[repeated : repeated + count - len(drawn)]]


def examine(name: str, clone: Clone, named: str) -> FieldProject | str:
    """Return the row of a repository, or by which rule it is left out.

    `named` is a text with the names of repositories that are used already.
    """
    if re.search(rf"{re.escape(name)}(?![\w-])", named):
        return "is named in the docs or benchmarks already"
    files = clone.files()
    if sum(size for size in files.values()) > MOST_BYTES:
        return f"has more than {MOST_BYTES // 1024 // 1024} MB"
    modules = read_modules(clone, files)
    if is_extension(list(files)):
        return "is an extension of Flask"
    if not any(field_requirements.FLASK.search(text) for text in modules.values()):
        return "does not import Flask"
    routes = count_routes(modules)
    if routes < FEWEST_ROUTES:
        return "has fewer than two routes"
    return row_of(name, clone, files, modules)


def row_of(
    name: str, clone: Clone, files: Mapping[str, int], modules: Mapping[str, str]
) -> FieldProject:
    """Return where a repository is started and what it asks for, at a commit."""
    texts = {path: clone.read(path) for path in field_requirements.stating(files)}
    flask_modules = [
        path for path, text in modules.items() if field_requirements.FLASK.search(text)
    ]
    folder, stated = field_requirements.place(texts, flask_modules, files)
    python = field_requirements.python_version(folder, files, clone.read)
    routes = count_routes(modules)
    return FieldProject(name, clone.commit, folder, python, ",".join(stated) or "imports", routes)


def read_modules(clone: Clone, files: Mapping[str, int]) -> dict[str, str]:
    """Return the text of the project's own Python modules by path."""
    chosen = [
        path
        for path, size in files.items()
        if path.endswith(".py")
        and size <= LARGEST_MODULE
        and not NOT_THEIRS.intersection(PurePosixPath(path).parts)
    ]
    return {path: clone.read(path) for path in chosen}


def is_extension(paths: Sequence[str]) -> bool:
    """Say whether a repository is packaged and its package is named ``flask_...``."""
    if not {"setup.py", "setup.cfg", "pyproject.toml"}.intersection(paths):
        return False
    tops = {PurePosixPath(path.removeprefix("src/")).parts[0] for path in paths}
    return any(top.lower().startswith(REFUSED_PREFIX) for top in tops)


def count_routes(modules: Mapping[str, str]) -> int:
    """Count routes in modules that import Flask or something of its family."""
    return sum(
        len(ROUTE.findall(text))
        for text in modules.values()
        if field_requirements.FLASK.search(text)
    )
