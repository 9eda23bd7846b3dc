"""Counts the files that a newcomer opens until a question is answered, beginning with the map.

The map (`ARCHITECTURE.md`) is one.  It names the module that answers, or a package whose charter
names it, or answers the question itself.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parent.parent / "pytest_evosearch"
MAP = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")

ANSWERS = {
    "Where is MIO's schedule?": "search.schedule",
    "Who decides that a fault is new?": "bridge.baseline",
    "What happens between Ctrl-C and the last file?": "engine.phases",
    "How is the budget split?": "settings.time_plan",
    "Where does a test get its name?": "write.naming.name_choice",
    "Where would a MySQL keeper go?": "sut.database_servers.database_keeper",
    "What does adding an oracle take?": "CONTRIBUTING.md",
    "Who may import flask?": "",
    "Where do fixtures' texts come from?": "sut.fixture_texts",
    "How does a response's id get into a later call?": "problem.http.exchanges.links",
}
"""Each question with what answers it; empty where the map does."""


def names_of(text: str, package: str = "") -> set[str]:
    """Return what a text names, completed by the package that it is about."""
    found = set(re.findall(r"`([\w.]+)`", text))
    return found | {f"{package}.{name}" for name in found}


def names_of_the_map() -> set[str]:
    """Return what the map names; a row of its table names packages, then modules in them."""
    found = names_of(MAP) | {"CONTRIBUTING.md"}
    for row in re.findall(r"^\| (`.*?) \|(.*)$", MAP, re.MULTILINE):
        first, *others = re.findall(r"`([\w.]+)`", row[0])
        parent = first.rpartition(".")[0]
        packages = [first, *(f"{parent or first}{name}" for name in others), *others]
        for package in packages:
            found |= {package} | names_of(row[1], package)
    return found


def charter_of(package: str) -> str:
    path = ROOT.joinpath(*package.split("."), "__init__.py")
    source = path.read_text(encoding="utf-8") if path.is_file() else ""
    return ast.get_docstring(ast.parse(source)) or ""


def opened(answer: str) -> int:
    """Count the files: the map, a charter where the map does not name the answer, the answer."""
    if not answer:
        return 1
    named = names_of_the_map()
    if answer in named:
        return 2
    package = answer.rpartition(".")[0]
    assert package in named, f"the map leads neither to {answer} nor to its package"
    assert answer in names_of(charter_of(package), package), f"no charter names {answer}"
    return 3


def test_newcomers_open_few_files() -> None:
    counts = {question: opened(answer) for question, answer in ANSWERS.items()}
    assert median(counts.values()) <= 2, counts
    assert max(counts.values()) <= 4, counts


def test_the_map_says_who_may_import_frameworks() -> None:
    assert re.search(r"Only .*import flask or werkzeug", MAP)
