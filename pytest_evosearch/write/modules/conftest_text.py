"""Adds a fixture to a conftest.py, and completes an older one."""

from __future__ import annotations

import ast
from collections.abc import Collection
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.sut.fixture_texts.services_text import RESPONSES
from pytest_evosearch.sut.fixture_texts.services_text import RESPONSES_FIXTURE
from pytest_evosearch.sut.fixture_texts.services_text import RESPONSES_IMPORT
from pytest_evosearch.sut.fixture_texts.services_text import SERVICES_FIXTURE
from pytest_evosearch.sut.fixture_texts.services_text import needs_met
from pytest_evosearch.sut.fixture_texts.services_text import services_fixture
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.write.answers.stub_styles import OWN
from pytest_evosearch.write.answers.stub_styles import StubStyle
from pytest_evosearch.write.content.stubbed_services import needs_of

EMPTY = '''\
"""Fixtures for the tests in this folder, written once by pytest-evosearch.

Edit them as you like: pytest-evosearch never overwrites this file.
"""

import pytest
'''

_IMPORTS = ("import ", "from ")
_PYTEST_IMPORT = "import pytest"


def with_fixture(conftest: str | None, imports: Sequence[str], fixture: str) -> str:
    """Return a conftest.py with one more fixture.

    `conftest` is the text of the present one, None for none. `imports` come from the standard
    library. `fixture` is the source, which begins and ends with a line break.
    """
    lines = (conftest or EMPTY).splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(_IMPORTS))
    end = next((place for place in range(start, len(lines)) if not lines[place]), len(lines))
    block = lines[start:end]
    if any("pytest" in line for line in block):  # no import of the standard library yet
        block = [*imports, "", *block]
    else:
        block = sorted({*imports, *block}, key=lambda line: (line.startswith("from"), line))
    return "\n".join([*lines[:start], *block, *lines[end:]]) + f"\n\n{fixture}"


def with_stubs(support: Support, asked: Sequence[Exchange], style: StubStyle) -> Support:
    """Return the support with the fixture that answers for services, where `asked` needs one."""
    if style.fixture == RESPONSES_FIXTURE:
        return replace(support, conftest=_with_responses(support.conftest))
    if not asked or style is not OWN:
        return support
    imports, fixture = services_fixture(needs_of(asked))
    return replace(support, conftest=with_fixture(support.conftest, imports, fixture))


def _with_responses(conftest: str | None) -> str:
    beside = f"\n{_PYTEST_IMPORT}\n{RESPONSES_IMPORT}\n"
    text = (conftest or EMPTY).replace(f"\n{_PYTEST_IMPORT}\n", beside, 1)
    return f"{text.rstrip()}\n\n{RESPONSES}"


def with_missing_fixtures(support: Support, conftest: str) -> Support:
    """Return support with tests that request fixtures which an existing client lacks.

    The existing conftest.py is never overwritten, and may be older than the project's fixture that
    creates or fills the tables. A client written today requests that fixture after the application.
    """
    rows = _asked_for(support.conftest or "", support.client_fixture)[1:]
    asked = _asked_for(conftest, support.client_fixture)
    missing = tuple(name for name in rows if name not in asked)
    return replace(support, fixtures=(*support.fixtures, *missing)) if asked else support


def with_missing_services(support: Support, conftest: str) -> str:
    """Return an existing conftest.py, completed by the fixture that answers for services.

    Without it, each test that calls one would fail. What an earlier run wrote for fewer needs is
    completed; nothing else that is there changes.
    """
    with suppress(SyntaxError, ValueError):
        body = ast.parse(conftest).body
        found = _fixture_missing(support.conftest or "", conftest, _functions(body))
        if found is None:
            return conftest
        imports, fixture, rest = found
        lines = rest.splitlines()
        at = _end_of_opening(body)
        missing = {*imports, _PYTEST_IMPORT}.difference(lines)
        block = sorted(missing, key=lambda line: (line.startswith("from"), line))
        completed = "\n".join([*lines[:at], *["", *block][not at :], *lines[at:]])
        ast.parse(completed)
        return f"{completed.rstrip()}\n\n{fixture}"
    return conftest


def _fixture_missing(
    wanted: str, conftest: str, functions: Collection[str]
) -> tuple[list[str], str, str] | None:
    """Return imports and source of the fixture that an existing conftest.py needs, and its rest.

    The rest lacks our own fixture of an earlier run, if it meets fewer needs.
    """
    needs, met = needs_met(wanted), needs_met(conftest)
    if needs is None:
        has_it = RESPONSES not in wanted or RESPONSES_FIXTURE in functions
        return None if has_it else ([RESPONSES_IMPORT], RESPONSES, conftest)
    if met is not None and not needs <= met:
        return *services_fixture(needs | met), conftest.replace(services_fixture(met)[1], "")
    return None if SERVICES_FIXTURE in functions else (*services_fixture(needs), conftest)


def _functions(body: Sequence[ast.stmt]) -> set[str]:
    return {node.name for node in body if isinstance(node, ast.FunctionDef)}


def _end_of_opening(body: Sequence[ast.stmt]) -> int:
    """Return the number of lines that must stay first: a docstring, and ``__future__``."""
    end = 0
    for node in body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_text and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        end = node.end_lineno or end
    return end


def _asked_for(conftest: str, fixture: str) -> list[str]:
    """Return the fixtures that a fixture of a conftest.py requests; none where it is missing."""
    with suppress(SyntaxError, ValueError):
        for node in ast.parse(conftest).body:
            if isinstance(node, ast.FunctionDef) and node.name == fixture:
                return [argument.arg for argument in node.args.args]
    return []
