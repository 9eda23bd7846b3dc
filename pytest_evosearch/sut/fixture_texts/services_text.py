"""Writes the fixture that answers for services: the text is that of the modules that do it.

They are read and not imported: `service_stubs` loads HTTP and TLS, `loop_service_stubs` asyncio.
"""

from __future__ import annotations

from itertools import product
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


def services_fixture(in_loops: bool, sleeps: bool) -> tuple[list[str], str]:
    """Return the imports and the source of the fixture.

    `in_loops` says that clients in event loops call, `sleeps` that calls are tried again after a
    while.
    """
    modules = ("service_stubs", "loop_service_stubs")[: 1 + in_loops]
    imports, texts = zip(*map(_parts, modules), strict=True)
    maker = "LoopServices" if in_loops else "Services"
    fixture = _FIXTURE.format(maker=maker, no_sleep=_NO_SLEEP if sleeps else "")
    wanted = {line for lines in imports for line in lines} | ({"import time"} if sleeps else set())
    ordered = sorted(wanted, key=lambda line: (line.startswith("from"), line))
    return ordered, "\n" + "\n\n".join([*texts, fixture])


def _parts(module: str) -> tuple[list[str], str]:
    """Return the imports from the standard library, and what follows the imports."""
    lines = Path(__file__).with_name(f"{module}.py").read_text("utf-8").splitlines(keepends=True)
    places = [at for at, line in enumerate(lines) if line.startswith(("import ", "from "))]
    own = ("from __future__", "from pytest_evosearch")
    imports = [lines[at].rstrip() for at in places if not lines[at].startswith(own)]
    return imports, "".join(lines[places[-1] + 1 :]).lstrip("\n")


def services_fixture_in(conftest: str) -> tuple[list[str], str] | None:
    """Return imports and source of the fixture at the end of a written conftest.py, if any."""
    known = [services_fixture(*needs) for needs in product((False, True), repeat=2)]
    known.append(([RESPONSES_IMPORT], RESPONSES))
    return next((found for found in known if conftest.endswith(found[1])), None)
