"""Updates the assertions of written tests with the values observed today.

Only asserted values change: the literal after ``==``, an asserted text, a row of a table, the
status at the end of a name. An assertion about something that no longer exists, or that is
unstable, is removed. All other text stays unchanged.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.answers.page_texts import page_texts
from pytest_evosearch.write.code.layout import INDENT
from pytest_evosearch.write.code.layout import Comparison
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.source_trees import merged
from pytest_evosearch.write.code.source_trees import tree_of
from pytest_evosearch.write.content.builder import Rows
from pytest_evosearch.write.content.json_facts import first_words
from pytest_evosearch.write.modules.ledger import first_line
from pytest_evosearch.write.modules.module_texts import with_standard_imports
from pytest_evosearch.write.modules.printing import parametrize_lines
from pytest_evosearch.write.naming.outcome_words import returned
from pytest_evosearch.write.plugins.observing import sides_of
from pytest_evosearch.write.updating.observation import PASSES
from pytest_evosearch.write.updating.observation import Run
from pytest_evosearch.write.updating.observation import reliable
from pytest_evosearch.write.verification.recorded_run import Sight

SIMILAR = 0.5
"""Least similarity (0 to 1) of a text to count as the new wording of an old one."""

Seen = Sequence[Sequence[Run]]
"""Rows of a test, each with its passes."""


class NotRefreshable(Exception):
    """Says that no new literal makes a test pass; the message is the reason."""


@dataclass
class Table:
    """The ``parametrize`` decorator of a test."""

    names: tuple[str, ...] = ()
    rows: list[list[object]] = field(default_factory=list)
    ids: tuple[str, ...] = ()
    changed: bool = False

    @classmethod
    def of(cls, decorator: ast.Call, lines: Sequence[str]) -> Table:
        """Read the decorator."""
        names, values = (tree_of(argument, lines) for argument in decorator.args)
        ids = next((tree_of(one.value, lines) for one in decorator.keywords), ())
        if not isinstance(values, list) or not isinstance(ids, (list, tuple)):
            raise NotRefreshable("its table is computed")
        if isinstance(names, str):
            return cls((names,), [[value] for value in values], tuple(map(str, ids)))
        if not isinstance(names, tuple) or not all(isinstance(row, tuple) for row in values):
            raise NotRefreshable("its table is computed")
        return cls(tuple(map(str, names)), [list(row) for row in values], tuple(map(str, ids)))

    def change(self, row: int, name: str, value: object) -> bool:
        """Set the variable `name` in a row; return whether the table has this variable."""
        if name not in self.names:
            return False
        self.rows[row][self.names.index(name)] = value
        self.changed = True
        return True

    def lines(self, layout: Layout) -> list[str]:
        """Return the printed decorator."""
        values = tuple(tuple(row) for row in self.rows)
        return parametrize_lines(Rows(self.names, values, self.ids), layout)


def refreshed_module(
    text: str, seen: Mapping[str, Seen], layout: Layout, fixtures: Collection[str] = ()
) -> tuple[str, dict[str, str], dict[str, str]]:
    """Return the new text of a module, its renamed tests, and the tests that cannot change.

    `seen` contains the tests that may change, `fixtures` the names of shared fixtures that may
    change. The second value maps old names to new ones, the third names to reasons.
    """
    lines = text.splitlines()
    changed: dict[str, str] = {}
    refused: dict[str, str] = {}
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    taken = {function.name for function in functions}
    for function in reversed(functions):  # from the end, so that line numbers stay right
        rows = _rows_of(function, seen, fixtures)
        holds = all(run.holds for passes in rows for run in passes)
        if not rows or holds is not _is_marked(function):
            continue
        try:
            refresh = _Refresh(function, rows, lines, layout)
            new_name = refresh.renamed(taken)
            replacement = refresh.lines()
        except NotRefreshable as obstacle:
            refused[function.name] = str(obstacle)
            continue
        start, end = first_line(function) - 1, function.end_lineno or function.lineno
        lines[start:end] = replacement
        changed[function.name] = new_name
        taken.add(new_name)
    new_text = with_standard_imports("\n".join(lines) + "\n") if changed else text
    return new_text, changed, refused


def _rows_of(
    function: ast.FunctionDef, seen: Mapping[str, Seen], fixtures: Collection[str]
) -> Seen:
    """Return the observations in a test, or in a fixture by all tests that request it."""
    lines = range(function.lineno, (function.end_lineno or function.lineno) + 1)
    if function.name in seen:
        return [[run.within(lines) for run in passes] for passes in seen[function.name]]
    if function.name not in fixtures:
        return []
    rows = [
        [Run(run.within(lines).sights, ended=True) for run in passes]
        for rows in seen.values()
        for passes in rows
    ]
    return [passes for passes in rows if any(run.sights for run in passes)]


class _Refresh:
    """The new source of one test or fixture."""

    def __init__(
        self, function: ast.FunctionDef, rows: Seen, lines: Sequence[str], layout: Layout
    ) -> None:
        self._function = function
        self._rows = rows
        self._source = lines
        self._layout = layout
        self._name = function.name
        self._table = self._read_table()
        self._statuses: list[tuple[object, object]] = []
        self._edits: dict[tuple[int, int], list[str]] = {}
        mark = _decorator(function, "xfail")
        if mark is not None:  # the test no longer shows its fault
            self._edits[mark.lineno, mark.end_lineno or mark.lineno] = []
            return
        self._check()
        self._refresh_assertions()

    def _check(self) -> None:
        for passes in self._rows:
            for run in passes:
                if run.raised:
                    raise NotRefreshable(f"it ends with {run.raised}")
                if not run.ended:
                    raise NotRefreshable("it does not run to its end")

    def _read_table(self) -> Table:
        decorator = _decorator(self._function, "parametrize")
        return Table.of(decorator, self._source) if decorator is not None else Table()

    def _refresh_assertions(self) -> None:
        asserts = [node for node in ast.walk(self._function) if isinstance(node, ast.Assert)]
        for node in asserts:
            sights = [[run.sights.get(node.lineno) for run in passes] for passes in self._rows]
            found = [[sight for sight in passes if sight is not None] for passes in sights]
            if any(len(one) != len(passes) for one, passes in zip(found, sights, strict=True)):
                raise NotRefreshable(f"line {node.lineno} is not always reached")
            if not all(sight.holds for passes in found for sight in passes):
                self._replace(node, found)
        if self._table.changed:
            decorator = _decorator(self._function, "parametrize")
            assert decorator is not None
            place = (decorator.lineno, decorator.end_lineno or decorator.lineno)
            self._edits[place] = self._table.lines(self._layout)

    def _replace(self, node: ast.Assert, sights: Sequence[Sequence[Sight]]) -> None:
        variants = [self._assertion(node, row, passes) for row, passes in enumerate(sights)]
        if any(variant != variants[0] for variant in variants):
            raise NotRefreshable("the rows of its table need different assertions now")
        if variants[0] is not None:
            self._edits[node.lineno, node.end_lineno or node.lineno] = variants[0]

    def _assertion(self, node: ast.Assert, row: int, passes: Sequence[Sight]) -> list[str] | None:
        """Return the new lines of an assertion, [] for none, None for an unchanged one."""
        if all(sight.holds for sight in passes) and not self._table.names:
            return None
        operator, sides = sides_of(node.test)
        if any(sight.error for sight in passes):
            if any("status_code" in ast.unparse(side) for side in sides):
                raise NotRefreshable(passes[0].error)
            return []
        if operator in ("==", "is"):
            return self._equation(node, row, passes, sides)
        if operator == "in" and isinstance(passes[0].right, str):
            return self._text(node, row, passes, sides)
        if operator == "in":
            return self._plain(node, sides[0], self._stable(passes))
        if operator == "not in":
            return []  # the missing text is there again, and no other is known to be missing
        if operator == "startswith":
            return self._beginning(node, passes, sides)
        raise NotRefreshable(f"there is no replacement for {ast.unparse(node)}")

    def _stable(self, passes: Sequence[Sight]) -> object:
        others = [(PASSES[place][0], one.left) for place, one in enumerate(passes) if place]
        return reliable(passes[0].left, others)

    def _equation(
        self, node: ast.Assert, row: int, passes: Sequence[Sight], sides: Sequence[ast.expr]
    ) -> list[str]:
        observed = self._stable(passes)
        if ast.unparse(sides[0]).endswith("status_code"):
            self._statuses.append((passes[0].right, observed))
            if isinstance(observed, Unstable):
                raise NotRefreshable(f"its status {observed.reason}")
        if isinstance(observed, Unstable):
            return []
        tree = tree_of(sides[1], self._source)
        new = merged(
            tree,
            passes[0].right,
            observed,
            lambda name, value: self._table.change(row, name, value),
        )
        return self._plain(node, sides[0], new)

    def _plain(self, node: ast.Assert, left: ast.expr, value: object) -> list[str]:
        if isinstance(value, Unstable):
            return []
        operator = "is" if value is None or isinstance(value, bool) else "=="
        subject = Comparison(Atom(self._code(left)), operator, node_of(value))
        return self._layout.assertion(subject, node.col_offset // INDENT)

    def _text(
        self, node: ast.Assert, row: int, passes: Sequence[Sight], sides: Sequence[ast.expr]
    ) -> list[str]:
        """Return the lines with the new wording of a text."""
        old, pages = str(passes[0].left), [str(sight.right) for sight in passes]
        new = old if all(old in page for page in pages) else closest_text(old, pages)
        if isinstance(sides[0], ast.Name) and sides[0].id in self._table.names:
            if new is None:
                raise NotRefreshable(f"{old!r} is missing, and no other text is similar")
            if new != old:
                self._table.change(row, sides[0].id, new)
            return self._lines_of(node)
        if new is None:
            return []
        subject = Comparison(node_of(new), "in", Atom(self._code(sides[1])))
        return self._layout.assertion(subject, node.col_offset // INDENT)

    def _beginning(
        self, node: ast.Assert, passes: Sequence[Sight], sides: Sequence[ast.expr]
    ) -> list[str]:
        length = len(str(passes[0].right))
        beginnings = {str(sight.left)[:length] for sight in passes}
        if len(beginnings) > 1 or not str(passes[0].left):
            return []
        subject = call(f"{self._code(sides[0])}.startswith", node_of(beginnings.pop()))
        return self._layout.assertion(subject, node.col_offset // INDENT)

    def _code(self, node: ast.expr) -> str:
        return ast.get_source_segment("\n".join(self._source), node) or ast.unparse(node)

    def _lines_of(self, node: ast.stmt) -> list[str]:
        return list(self._source[node.lineno - 1 : node.end_lineno])

    def renamed(self, taken: set[str]) -> str:
        """Return the name of the test with the new status at its end, if it had the old one."""
        for old, new in self._statuses:
            ending = f"_{returned(old)}"
            name = f"{self._function.name.removesuffix(ending)}_{returned(new)}"
            if self._function.name.endswith(ending) and new != old and name not in taken:
                self._name = name
        return self._name

    def lines(self) -> list[str]:
        """Return the lines of the whole function, including decorators."""
        start = first_line(self._function)
        lines = list(self._source[start - 1 : self._function.end_lineno])
        for (first, last), replacement in sorted(self._edits.items(), reverse=True):
            lines[first - start : last - start + 1] = replacement
        while lines and not lines[-1].strip():
            lines.pop()
        if not any(re.match(r"\s+assert ", line) for line in lines):
            raise NotRefreshable("none of its asserted values exists any more")
        old = f"def {self._function.name}("
        return [line.replace(old, f"def {self._name}(", 1) for line in lines]


def _decorator(function: ast.FunctionDef, name: str) -> ast.Call | None:
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(name):
            return decorator
    return None


def _is_marked(function: ast.FunctionDef) -> bool:
    """Say whether a test is expected to fail: only a pass would be a change."""
    return _decorator(function, "xfail") is not None


def closest_text(old: str, pages: Sequence[str]) -> str | None:
    """Return the text on every page that is most similar to `old`, None without one.

    For a response that is no page, compare the first words.
    """
    texts = dict.fromkeys([*(found.text for found in page_texts(pages[0])), first_words(pages[0])])
    if old.startswith(">") and old.endswith("<"):
        texts = dict.fromkeys(f">{text}<" for text in texts)
    shown = [text for text in texts if all(text in page for page in pages)]
    return next(iter(difflib.get_close_matches(old, shown, n=1, cutoff=SIMILAR)), None)
