"""Writes the fixture that answers for services: the text is that of the modules that do it.

They are read and not imported: `service_stubs` loads HTTP and TLS, `loop_service_stubs` asyncio.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from pathlib import Path

SERVICES_FIXTURE = "services"
RESPONSES_FIXTURE = "rsps"
RESPONSES_IMPORT = "import responses"
RESPONSES = f'''
@pytest.fixture
def {RESPONSES_FIXTURE}():
    """What other services answer; each answer must be asked for."""
    with responses.RequestsMock() as {RESPONSES_FIXTURE}:
        yield {RESPONSES_FIXTURE}
'''

_FIXTURE = '''\
@pytest.fixture(autouse=True)
def services(monkeypatch):
    """What other services answer; a test fails that calls others than it names."""
    found = {maker}()
    found.install(monkeypatch.setattr)
{no_sleep}    yield found
    found.finish()
'''

_NO_SLEEP = """\
    # The next try of a client follows at once.
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
"""


_STUBS = "service_stubs"
_MARKED = re.compile(r"^ +(.+)  #: (\w+)$", re.MULTILINE)


def services_fixture(needs: Collection[str] = ()) -> tuple[list[str], str]:
    """Return the imports and the source of the fixture.

    The needs are those that `service_stubs` is marked with, ``failing``, ``looping``,
    ``searching``, ``unreached`` and ``waiting``, and ``sleeping`` for clients that try again after
    a while.
    """
    modules = (_STUBS, f"loop_{_STUBS}")[: 1 + ("looping" in needs)]
    imports, texts = zip(*(_parts(one, needs) for one in modules), strict=True)
    maker = "LoopServices" if "looping" in needs else "Services"
    no_sleep = _NO_SLEEP if "sleeping" in needs else ""
    fixture = _FIXTURE.format(maker=maker, no_sleep=no_sleep)
    wanted = {"import time"} if no_sleep else set()
    wanted.update(*imports)
    ordered = sorted(wanted, key=lambda line: (line.startswith("from"), line))
    return ordered, "\n" + "\n\n".join([*texts, fixture])


def _parts(module: str, needs: Collection[str]) -> tuple[list[str], str]:
    """Return the imports from the standard library, and what follows the imports."""
    lines = _needed_lines(_text(module), needs)
    places = [at for at, line in enumerate(lines) if line.startswith(("import ", "from "))]
    own = ("from __future__", "from pytest_evosearch")
    imports = [lines[at].rstrip() for at in places if not lines[at].startswith(own)]
    return imports, "".join(lines[places[-1] + 1 :]).lstrip("\n")


def _text(module: str) -> str:
    return Path(__file__).with_name(f"{module}.py").read_text("utf-8")


def _needed_lines(text: str, needs: Collection[str]) -> list[str]:
    """Return the lines without statements that are marked with another need, and without marks."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        marked = isinstance(node, ast.stmt) and _MARKED.match(lines[node.lineno - 1])
        if isinstance(node, ast.stmt) and marked and marked[2] not in needs:
            begin = node.lineno - 1 - isinstance(node, ast.FunctionDef)  # and the empty line before
            end = node.end_lineno or node.lineno
            lines[begin:end] = [""] * (end - begin)
    return [_MARKED.sub(_without_mark, line) for line in lines if line]


def _without_mark(marked: re.Match[str]) -> str:
    return marked[0].rpartition("  #: ")[0]


def needs_met(conftest: str) -> set[str] | None:
    """Return the needs that the fixture in a conftest.py meets; None where it is not as written."""
    found = {need for code, need in _MARKED.findall(_text(_STUBS)) if code in conftest}
    found |= {"sleeping"} if _NO_SLEEP in conftest else set()
    return found if services_fixture(found)[1] in conftest else None
