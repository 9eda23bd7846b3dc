"""The layers of ARCHITECTURE.md, held: every import of every module is walked."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = "pytest_evosearch"
ROOT = Path(__file__).parent.parent / PACKAGE

RANKS = {
    "errors": 0,
    "core": 1,
    "instrument": 2,
    "genes": 2,
    "standins": 2,
    "screens": 2,
    "settings": 2,
    "sut": 3,
    "problem": 3,
    "search": 4,
    "oracles": 4,
    "minimize": 4,
    "write": 4,
    "report": 4,
    "execution": 5,
    "strength": 5,
    "harvest": 6,
    "engine": 7,
    "bridge": 8,
    "hookspecs": 8,
    "hook_types": 8,
    "plugin": 9,
}

# Which rooms may import a third-party package; every other third-party import is free.
ALLOWED_ROOMS = {
    "flask": ("sut", "execution", "problem.http"),
    "werkzeug": ("sut", "execution", "problem.http"),
    "pytest": ("bridge", "hookspecs", "plugin"),
    "_pytest": ("bridge", "hookspecs", "plugin"),
}

MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def module_name(path: Path) -> str:
    parts = list(path.relative_to(ROOT.parent).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path) -> Iterator[str]:
    """Every module that `path` imports: at the top, in functions, and under TYPE_CHECKING."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the layer"
            assert node.module is not None
            yield node.module


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_go_down_or_stay(path: Path) -> None:
    room = room_of(module_name(path))
    for imported in imported_modules(path):
        if not imported.startswith(PACKAGE):
            continue
        target = room_of(imported)
        if target in ("", room):
            continue
        assert RANKS[target] < RANKS[room], f"{module_name(path)} imports {imported}"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_frameworks_stay_in_their_rooms(path: Path) -> None:
    name = module_name(path).removeprefix(f"{PACKAGE}.")
    for imported in imported_modules(path):
        rooms = ALLOWED_ROOMS.get(imported.split(".")[0])
        if rooms is not None:
            assert any(name == room or name.startswith(f"{room}.") for room in rooms), (
                f"{name} imports {imported}"
            )


def test_every_room_has_a_rank() -> None:
    rooms = {room_of(module_name(path)) for path in MODULES}
    assert rooms == set(RANKS)


def test_every_package_states_its_charter() -> None:
    for path in ROOT.rglob("__init__.py"):
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert docstring, f"{path} has no docstring"
        assert re.search(r"\b[Ss]tart at\b|\(start here\)", docstring), f"{path}: where to start?"
        assert re.search(r"\bimports?\b", docstring, re.IGNORECASE), f"{path}: who imports what?"


def test_no_package_imports_back_into_one_above_it() -> None:
    """Each sub-package counts as one, and so does each module beside it."""
    between: dict[str, set[str]] = defaultdict(set)
    for path in MODULES:
        ours = module_name(path).split(".")
        for imported in imported_modules(path):
            theirs = imported.split(".")
            same = next(
                (i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), 0
            )
            if same:
                between[".".join(ours[: same + 1])].add(".".join(theirs[: same + 1]))
    TopologicalSorter(between).prepare()  # raises, and tells the cycle


def test_no_import_cycles() -> None:
    graph: dict[str, list[str]] = {}
    names = {module_name(path) for path in MODULES}
    for path in MODULES:
        found = []
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module in names:
                submodules = {f"{node.module}.{alias.name}" for alias in node.names} & names
                found.extend(sorted(submodules) or [node.module])
        graph[module_name(path)] = found
    finished: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail, module))
        if module in finished:
            return
        for imported in graph.get(module, []):
            visit(imported, (*trail, module))
        finished.add(module)

    for module in graph:
        visit(module, ())


def test_no_test_takes_the_name_that_projects_give_their_tests() -> None:
    """Projects that tests of the plugin make have a module `tests`, or a package, of their own."""
    folder = Path(__file__).parent
    takers = [
        path.relative_to(folder)
        for path in folder.rglob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "tests"
    ]
    assert takers == []


def rows_of_charters() -> Iterator[tuple[str, str]]:
    """Every name below "Where to find a decision" or in a table of a charter, with its package."""
    for path in ROOT.rglob("__init__.py"):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        rows = text.partition("Where to find a decision:")[2]
        names = re.findall(r"`([\w.]+)`", rows) + re.findall(r"^ +`([\w.]+)`", text, re.MULTILINE)
        yield from ((module_name(path), name) for name in names)


def file_of(name: str) -> Path | None:
    """Return the file of a module or package below the product, None if there is none."""
    place = ROOT.joinpath(*name.split("."))
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next((path for path in files if path.is_file()), None)


def names_something(name: str) -> bool:
    """Say whether `name` is a module, or something that a module defines."""
    owner, _, attribute = name.rpartition(".")
    place = file_of(owner) if owner else None
    if place is None:
        return file_of(name) is not None
    definition = re.compile(rf"^(class |def )?{attribute}\b", re.MULTILINE)
    return file_of(name) is not None or bool(definition.search(place.read_text("utf-8")))


def test_charters_name_what_exists() -> None:
    rows = [row for row in rows_of_charters() if row[1] != "conftest.py"]
    assert len(rows) > 100
    unknown = [
        (package, name)
        for package, name in rows
        if not names_something(name)
        and not names_something(f"{package.removeprefix(PACKAGE + '.')}.{name}")
    ]
    assert unknown == []


def test_the_map_shows_every_package_at_the_top() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.partition("## Packages")[2]
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert {room for room in rooms if f"`{room}" not in table} == set()


def test_no_package_has_more_files_than_one_can_survey() -> None:
    sizes = {path.parent: len(list(path.parent.glob("*.py"))) for path in MODULES}
    assert {str(path): size for path, size in sizes.items() if size > 26} == {}


def test_the_map_names_what_exists() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    names = re.findall(r"`([a-z_]+\.[\w.]+)`", text)
    found = [name for name in names if name.partition(".")[0] in rooms]
    assert len(found) > 30
    assert [name for name in found if not names_something(name)] == []


def rows_of_the_map() -> Iterator[tuple[list[str], list[str]]]:
    """Each row of the table of packages: its packages, and the plain names that lead into them."""
    table = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## Packages")[2]
    for first, rest in re.findall(r"^\| (`.*?) \|(.*)$", table, re.MULTILINE):
        head, *others = re.findall(r"`([\w.]+)`", first)
        parent = head.rpartition(".")[0]
        packages = [head, *(f"{parent}{name}" if name[0] == "." else name for name in others)]
        yield packages, re.findall(r"`(\w+)`", rest)


def test_the_map_leads_from_packages_to_modules_in_them() -> None:
    rows = list(rows_of_the_map())
    assert len(rows) > 20
    lost = [
        (packages, name)
        for packages, names in rows
        for name in names
        if name != "__init__" and not any(file_of(f"{each}.{name}") for each in packages)
    ]
    assert lost == []


def test_no_two_modules_have_one_name() -> None:
    """A name in a message or a search leads to one file."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        if path.name != "__init__.py":
            places[path.stem].append(module_name(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
