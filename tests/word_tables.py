"""Counts the tables of words in the product: ``python tests/word_tables.py`` shows the largest.

A table of words is a module-level (or class-level) tuple, list, set or dictionary that holds three
texts or more.  Each is knowledge that one module has for itself, and that another may contradict.
Names of attributes (``__slots__``) and constants that are unpacked (``A, B = "a", "b"``) are none.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent / "pytest_evosearch"

FEWEST_TEXTS = 3
"""A table has as many; fewer are a constant."""


GUESSES = frozenset(
    (
        "sut/finding/unset_variables.py _VALUES",
        "core/english.py _HISSING",
        "core/english.py _IRREGULAR",
        "core/english.py _SINGULAR_ENDINGS",
        "core/folder_names.py TESTS",
        "harvest/readable_texts.py _TYPED",
        "instrument/transformation/calls.py NEVER_RETURNING",
        "oracles/response_schema.py MASKS",
        "problem/http/descriptions/endpoint_relations.py _VERSIONS",
        "problem/http/descriptions/guesses.py _GUESSES",
        "problem/http/descriptions/guesses.py _PLURALS",
        "problem/http/filling/transforms.py DATE_FORMATS",
        "problem/http/learning/producers.py _WRAPPERS",
        "problem/http/learning/token_schemes.py _PRIORS",
        "problem/units/related_pairs.py _OPPOSITES",
        "sut/documents/openapi_source.py _SERVED",
        "sut/finding/project_scan.py _SKIPPED",
        "sut/looked_up.py _OTHER_MAPPINGS",
        "write/answers/messages.py NOT_FIRST",
        "write/answers/page_texts.py GENERIC",
        "write/answers/page_texts.py _MESSAGE_TAGS",
        "write/content/variables.py ACTIONS",
        "write/content/variables.py VERBS",
    )
)
"""Tables that guess what a word of an application means: these can contradict one another.

The others hold names that a standard, a library or this product itself defines (options, codes of
oracles, attributes of drivers, statements of SQL), and values that are sent or printed.
"""


class WordTable(NamedTuple):
    """One table: where it stands, and the texts in it."""

    file: str
    name: str
    texts: tuple[str, ...]
    leads_to_code: bool = False
    """Whether its texts are keys of functions, classes or objects."""

    @property
    def is_guess(self) -> bool:
        """Whether it guesses what a word of an application means."""
        return f"{self.file} {self.name}" in GUESSES

    @property
    def kind(self) -> str:
        """What it is, and by that why it stays."""
        if self.is_guess:
            return "guess"
        if self.leads_to_code:
            return "registry"
        words = [text for text in self.texts if re.fullmatch(r"[^\W\d]\w*", text)]
        return "words" if 2 * len(words) > len(self.texts) else "spelling"


KINDS = {
    "guess": "what a word of an application means; evidence of a run replaces them one by one",
    "registry": "names of options, oracles, drivers, formats or validators with what does the work",
    "spelling": "addresses, SQL, patterns, sentences and values: what is sent, matched or printed",
    "words": "names that a standard, a library, Python or this product defines",
}
"""Kinds of tables, and why each is there."""


def word_tables(root: Path = ROOT) -> Iterator[WordTable]:
    """Yield every table of words below a folder."""
    for path in sorted(root.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name, value in assignments(tree):
            texts = tuple(texts_of(value))
            if name not in ("__all__", "__slots__") and len(texts) >= FEWEST_TEXTS:
                yield WordTable(str(path.relative_to(root)), name, texts, leads_to_code(value))


def assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield names with their values, of a module and of the classes in it."""
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    for node in (node for body in bodies for node in body):
        if isinstance(node, ast.Assign):
            named = [target for target in node.targets if not isinstance(target, ast.Tuple)]
            yield from ((ast.unparse(target), node.value) for target in named)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield ast.unparse(node.target), node.value


def texts_of(value: ast.expr) -> Iterator[str]:
    """Yield the texts of a collection, however it is wrapped; none for anything else."""
    if isinstance(value, ast.Call) and value.args:
        yield from texts_of(value.args[0])
    elif isinstance(value, ast.BinOp):
        yield from texts_of(value.left)
        yield from texts_of(value.right)
    elif isinstance(value, ast.Dict | ast.Tuple | ast.List | ast.Set):
        for node in ast.walk(value):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def leads_to_code(value: ast.expr) -> bool:
    """Say whether a table holds functions, classes or objects beside its texts."""
    wrapper = value.func if isinstance(value, ast.Call) else None
    inner = [node for node in ast.walk(value) if node is not value and node is not wrapper]
    names = [node.id for node in inner if isinstance(node, ast.Name)]
    # Names in capitals are constants; `fromkeys` and `frozenset` only put texts together.
    is_code = [not name.isupper() and name not in ("dict", "frozenset", "name") for name in names]
    return any(is_code) or any(isinstance(node, ast.Lambda | ast.Call) for node in inner)


def main() -> None:
    """Print the tables, the largest last, and how many there are."""
    tables = sorted(word_tables(), key=lambda table: len(table.texts))
    for table in tables:
        words = ", ".join(table.texts)
        sys.stdout.write(f"{len(table.texts):4} {table.file} {table.name}: {words[:110]}\n")
    for kind, reason in KINDS.items():
        sizes = [len(table.texts) for table in tables if table.kind == kind]
        sys.stdout.write(f"{kind:9}{len(sizes):4} tables, {sum(sizes):5} texts: {reason}\n")
    total = sum(len(table.texts) for table in tables)
    sys.stdout.write(f"{len(tables)} tables with {total} texts\n")


if __name__ == "__main__":
    main()
