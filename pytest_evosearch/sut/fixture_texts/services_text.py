"""Writes the fixture that answers for services: the text is that of the modules that do it.

They are read and not imported: `service_stubs` loads HTTP and TLS, `loop_service_stubs` asyncio.
"""

from __future__ import annotations

import ast
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


NEEDS = {
    "failing": "def end(",
    "looping": "found = LoopServices()",
    "sleeping": 'monkeypatch.setattr(time, "sleep"',
    "unreached": "def unreachable(",
    "waiting": "100 Continue",
}
"""What only some tests need -> what only the fixture for them contains.

Services that fail, clients in event loops, tries after a while, hosts out of reach, and clients
that wait for a word before they send a body.
"""

_MARK = "  #: "


def services_fixture(needs: Collection[str] = ()) -> tuple[list[str], str]:
    """Return the imports and the source of the fixture, without what only other needs require."""
    modules = ("service_stubs", "loop_service_stubs")[: 1 + ("looping" in needs)]
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
    lines = _needed_lines(Path(__file__).with_name(f"{module}.py").read_text("utf-8"), needs)
    places = [at for at, line in enumerate(lines) if line.startswith(("import ", "from "))]
    own = ("from __future__", "from pytest_evosearch")
    imports = [lines[at].rstrip() for at in places if not lines[at].startswith(own)]
    return imports, "".join(lines[places[-1] + 1 :]).lstrip("\n")


def _needed_lines(text: str, needs: Collection[str]) -> list[str]:
    """Return the lines without statements that are marked with another need, and without marks."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            begin, end = node.lineno - 1, node.end_lineno or node.lineno
            need = lines[begin].partition(_MARK)[2].strip()
            if need and need not in needs:
                begin -= isinstance(node, ast.FunctionDef)  # the empty line before it
                lines[begin:end] = [""] * (end - begin)
    return [line.partition(_MARK)[0].rstrip() + "\n" for line in lines if line]


def needs_met(conftest: str) -> set[str] | None:
    """Return the needs that the fixture in a conftest.py meets; None where it is not as written."""
    found = {need for need, text in NEEDS.items() if text in conftest}
    return found if services_fixture(found)[1] in conftest else None
