"""How a project of the field is set up, read from its files by rule.

- *Where*: the shallowest folder with a file that states requirements and names Flask; else the
  shallowest folder from which a module that imports Flask is imported.
- *What*: ``requirements.txt`` there, and beside it the files for development and tests; else the
  dependencies in ``pyproject.toml``, ``setup.py`` or ``Pipfile``.  What its modules import besides
  is added, as far as `IMPORTS` knows the package: so does a user who reads ``No module named``.
- *Whether that did*: what the modules with Flask import from elsewhere at their left margin can be
  imported; if not, the newest versions are tried, and then the project cannot be set up.
- *With which Python*: the one that it names among `PYTHONS`, else 3.11.

Lines that lead anywhere else than to the package index are reduced to the name of the package.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from benchmarks.field_packages import ELSEWHERE
from benchmarks.field_packages import HEAVY
from benchmarks.field_packages import IMPORTS
from benchmarks.field_packages import NOT_NEEDED
from benchmarks.field_packages import SAME

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
USUAL_PYTHON = "3.11"

OLDEST = {"flask": (2, 2), "pytest": (7, 4)}
"""The oldest versions that a search knows."""

STATING = ("requirements.txt", "pyproject.toml", "setup.py", "Pipfile")
"""Files that state requirements, the first one wins."""
FOR_A_PART = re.compile(r"^requirements[-_.]\w+\.txt$")
"""``requirements-webapp.txt``: states some where no other file names Flask."""
FURTHER = re.compile(r"^(?:requirements[-_.]?(?:dev|tests?)|(?:dev|tests?)[-_]requirements)\.txt$")

FLASK = re.compile(r"^\s*(?:from|import)\s+(?:flask|apiflask|flask_\w+)\b", re.MULTILINE)

PYTHON_2 = re.compile(r"^\s*print\s+[\"'%\w]|except [\w.]+, \w+:", re.MULTILINE)
"""What only Python 2 has."""

NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*")


def stating(paths: Iterable[str]) -> list[str]:
    """Return the files that may state requirements."""
    return [
        path
        for path in paths
        for name in [PurePosixPath(path).name]
        if name in STATING or FURTHER.match(name) or FOR_A_PART.match(name)
    ]


def place(
    texts: Mapping[str, str], flask_modules: Sequence[str], paths: Collection[str]
) -> tuple[str, list[str]]:
    """Return the folder to start in, and the files there that state requirements.

    `texts` are the files that may state some, by path; `paths` are all files.
    """
    naming = [path for path, text in texts.items() if re.search("flask", text, re.IGNORECASE)]
    candidates = [path for path in naming if PurePosixPath(path).name in STATING]
    candidates = candidates or [one for one in naming if FOR_A_PART.match(PurePosixPath(one).name)]
    if not candidates:
        packages = {str(PurePosixPath(path).parent) for path in paths if _is_package(path)}
        return _shallowest(_outside(path, packages) for path in flask_modules), []
    folder = _shallowest(map(_started_in, candidates))
    here = [path for path in candidates if _started_in(path) == folder]
    first = min(here, key=_order)
    beside = [
        path
        for path in sorted(texts)
        if _started_in(path) == folder and FURTHER.match(PurePosixPath(path).name)
    ]
    return folder, [first, *beside]


def _order(path: str) -> tuple[int, str]:
    name = PurePosixPath(path).name
    return (STATING.index(name) if name in STATING else len(STATING)), path


def _is_package(path: str) -> bool:
    return PurePosixPath(path).name == "__init__.py"


def _outside(path: str, packages: Collection[str]) -> str:
    """Return the folder that a module is imported from: the first that is no package."""
    folder = PurePosixPath(path).parent
    while str(folder) in packages and str(folder) != ".":
        folder = folder.parent
    return str(folder)


def _started_in(path: str) -> str:
    """Return the folder for which a file states requirements."""
    folder = PurePosixPath(path).parent
    return str(folder.parent if folder.name == "requirements" else folder)


def _shallowest(folders: Iterable[str]) -> str:
    return min(folders, key=lambda folder: (len(PurePosixPath(folder).parts), folder), default=".")


def python_version(folder: str, paths: Collection[str], read: Callable[[str], str]) -> str:
    """Return the Python that the project names, if it can be had here."""
    for name in ("runtime.txt", ".python-version", "Pipfile", "pyproject.toml"):
        path = str(PurePosixPath(folder) / name)
        if path in paths:
            found = _named_python(name, read(path))
            if found:
                return found
    return USUAL_PYTHON


def _named_python(name: str, text: str) -> str:
    pattern = {
        "Pipfile": r'python_version\s*=\s*"(\d\.\d+)',
        "pyproject.toml": r'(?:requires-python|^python)\s*=\s*"\s*[>=~^]*\s*(\d\.\d+)',
    }.get(name, r"(\d\.\d+)")
    match = re.search(pattern, text, re.MULTILINE)
    if match is None:
        return ""
    if name == "pyproject.toml":  # a lower bound
        major, minor = match[1].split(".")
        wanted = max(int(minor), int(USUAL_PYTHON.split(".")[1])) if major == "3" else 0
        match_text = f"3.{wanted}"
        return match_text if match_text in PYTHONS else ""
    return match[1] if match[1] in PYTHONS else ""


def stated(
    files: Sequence[str], read: Callable[[str], str], modules: Mapping[str, str]
) -> list[str]:
    """Return the requirements that a project states in `files`, and those of its imports."""
    found: list[str] = []
    for file in files:
        if file != "imports":
            found += _of_file(file, read)
    lines = list(dict.fromkeys(line for line in map(cleaned, found) if line))
    named = set(map(package_of, lines))
    return [*lines, *(package for package in imported(modules) if package not in named)]


def _of_file(path: str, read: Callable[[str], str]) -> list[str]:
    name, text = PurePosixPath(path).name, read(path)
    if name == "pyproject.toml":
        return of_pyproject(text)
    if name == "Pipfile":
        tables = _toml(text)
        return [
            _with_version(package, wanted)
            for table in ("packages", "dev-packages")
            for package, wanted in tables.get(table, {}).items()
        ]
    if name == "setup.py":
        return of_setup(text)
    return of_lines(text, PurePosixPath(path).parent, read)


def of_lines(text: str, folder: PurePosixPath, read: Callable[[str], str]) -> list[str]:
    """Return the lines of a requirements file, and of the files that it names."""
    lines: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        bare = line.strip()
        included = re.match(r"(?:-r|--requirement)[ =]+(\S+)", bare)
        if included and ".." not in included[1]:
            path = folder / included[1]
            lines += of_lines(read(str(path)), path.parent, read)
        elif bare and bare[0] not in "-#.":
            lines.append(bare)
    return lines


def of_pyproject(text: str) -> list[str]:
    """Return the dependencies of a ``pyproject.toml``, those for tests and development as well."""
    tables = _toml(text)
    project = tables.get("project", {})
    groups = {**project.get("optional-dependencies", {}), **tables.get("dependency-groups", {})}
    lines = [*project.get("dependencies", ())]
    for name in ("dev", "test", "tests"):
        lines += [line for line in groups.get(name, ()) if isinstance(line, str)]
    poetry = tables.get("tool", {}).get("poetry", {})
    further = [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    for table in (poetry.get("dependencies", {}), poetry.get("dev-dependencies", {}), *further):
        lines += [_with_version(name, wanted) for name, wanted in table.items() if name != "python"]
    return lines


def _toml(text: str) -> dict[str, Any]:
    import tomllib  # Python 3.10 has none

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _with_version(package: str, wanted: Any) -> str:
    """Return a requirement as pip knows it; a caret of Poetry is read as bounds."""
    version = wanted.get("version", "*") if isinstance(wanted, Mapping) else wanted
    if not isinstance(version, str) or version == "*":
        return package
    if version.startswith("^"):
        parts = version[1:].split(".")
        upper = f"{int(parts[0]) + 1}" if parts[0] not in ("0", "") else f"0.{int(parts[1]) + 1}"
        return f"{package}>={version[1:]},<{upper}"
    if version[0].isdigit():
        return f"{package}=={version}"
    return f"{package}{version}"


def of_setup(text: str) -> list[str]:
    """Return the texts in ``install_requires``, ``tests_require`` and the extras of a setup.py."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    names = ("install_requires", "tests_require", "extras_require")
    values = [
        keyword.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg in names
    ]
    texts = [
        node.value
        for value in values
        for node in _elements(value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return texts or ["flask"]


def _elements(value: ast.expr) -> list[ast.expr]:
    if isinstance(value, ast.List | ast.Tuple):
        return list(value.elts)
    if isinstance(value, ast.Dict):
        return [element for one in value.values for element in _elements(one)]
    return []


def imported(modules: Mapping[str, str]) -> list[str]:
    """Return the packages of what modules import, as far as `IMPORTS` knows them."""
    pattern = re.compile(r"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)
    names = {name for text in modules.values() for name in pattern.findall(text)}
    return sorted({IMPORTS[name] for name in names if name in IMPORTS} | {"flask"})


def needed(modules: Mapping[str, str], paths: Iterable[str]) -> list[str]:
    """Return what modules with Flask import at their left margin from elsewhere.

    `paths` are the files of the project, whose own modules do not count.
    """
    own = {part.removesuffix(".py") for path in paths for part in PurePosixPath(path).parts}
    pattern = re.compile(r"^(?:from|import)\s+(\w+)", re.MULTILINE)
    names = {
        name
        for path, text in modules.items()
        if FLASK.search(text) and not re.search(r"(?:^|/)(?:tests?|test_\w+\.py)", path)
        for name in pattern.findall(text)
    }
    return sorted(names - own - sys.stdlib_module_names - NOT_NEEDED)


def said_to_be_missing(message: str) -> list[str]:
    """Return the packages that a failing start says are missing, as far as `IMPORTS` knows them.

    Nothing may import a driver that an address names, or what a library needs for a field.
    """
    names = re.findall(r"No module named '(\w+)", message)
    said = re.findall(r"\b([\w-]+) is not installed|Install '([\w-]+)'", message)
    said = [one or other for one, other in said]
    found = [IMPORTS[name] for name in (*names, *said) if name in IMPORTS]
    known = {normalized(package): package for package in IMPORTS.values()}
    return list(
        dict.fromkeys([*found, *(known[one] for one in map(normalized, said) if one in known)])
    )


def cleaned(line: str) -> str:
    """Return a requirement that leads to the index only; empty where none is left."""
    bare = re.split(r"\s#|^#", line)[0].split(" --")[0].strip()
    if "://" in bare or bare.startswith("git+"):
        egg = re.search(r"#egg=([\w.-]+)", line)
        bare = egg[1] if egg else bare.split("@")[0].strip()
    bare = bare.split(" @ ")[0].strip()
    match = NAME.match(bare)
    if match is None or "://" in bare or bare.endswith((".whl", ".gz", ".zip")):
        return ""
    name = normalized(match[0])
    if name in ELSEWHERE:
        return ""
    rest = re.sub(r"^\[[^]]*\]", "", bare[match.end() :]) if name in SAME else bare[match.end() :]
    return SAME.get(name, match[0]) + rest


def normalized(name: str) -> str:
    """Return the name of a package as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def package_of(line: str) -> str:
    """Return the package that a requirement names."""
    match = NAME.match(line)
    return normalized(match[0]) if match else ""


def without_versions(lines: Iterable[str]) -> list[str]:
    """Return the packages alone, with their extras, for the newest of everything."""
    found = [re.match(r"[A-Za-z0-9][\w.-]*(?:\[[^]]*\])?", line) for line in lines]
    return list(dict.fromkeys(match[0] for match in found if match))


def heavy(lines: Iterable[str]) -> str:
    """Return the first package that takes gigabytes; empty where there is none."""
    return next((name for name in map(package_of, lines) if name in HEAVY), "")


def pins_too_old(lines: Iterable[str]) -> bool:
    """Say whether a Flask or pytest is wanted that is older than a search knows."""
    for line in lines:
        match = re.match(
            r"(flask|pytest)\s*(?:\[\w*\])?\s*(?:[=~]=|<)\s*(\d+)(?:\.(\d+))?", line, re.IGNORECASE
        )
        if match and (int(match[2]), int(match[3] or 0)) < OLDEST[match[1].lower()]:
            return True
    return False


def python_2(modules: Mapping[str, str]) -> str:
    """Return the first module with Flask that no Python 3 can read, and its line."""
    for path, text in sorted(modules.items()):
        line = _first_error(text) if FLASK.search(text) else 0
        if line and PYTHON_2.search(text):
            return f"{path}:{line}"
    return ""


def _first_error(text: str) -> int:
    """Return the line that cannot be parsed, 0 where there is none."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        return error.lineno or 1
    except ValueError:  # a null byte
        return 1
    return 0
