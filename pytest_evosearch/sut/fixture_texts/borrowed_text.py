"""Writes fixtures that borrow the application from the project's own test code.

They are for projects without a client fixture that other tests can request: the tests are
`unittest.TestCase` classes, or keep their fixtures in one test module.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.fixture_texts.support_templates import ASGI_IMPORT
from pytest_evosearch.sut.fixture_texts.support_templates import CONNEXION_FRONT
from pytest_evosearch.sut.fixture_texts.support_text import APP_FIXTURE

CASE_FIXTURE = "case"
LOGIN_FIXTURE = "login"
BORROWED_PREFIX = "project_"
"""Prefix for the name of a client fixture that is imported and wrapped."""

PER_TEST = "function"
"""The scope of a fixture that is set up for each test."""

LINE_LENGTH = 79
"""Columns of a line, few enough for the style of every project."""

_ISOLATED = '''\
    """The project's client; each request has its own context."""
    client = {expression}
    send = client.open

    def send_in_new_context(*args, **kwargs):
        return contextvars.Context().run(send, *args, **kwargs)

    client.open = send_in_new_context
    return client
'''

_OPEN_CLIENT = "    send = client.open\n"

_NOT_PRESERVING = """\
    # Made inside of "with" it would keep the context of its last request pushed.
    client.__exit__(None, None, None)
"""

_PLAIN = '''\
    """The project's client."""
    return {expression}
'''


@dataclass(frozen=True)
class CaseText:
    """Source names of a test case to borrow from."""

    module: str
    """Module of the class: ``tests.base``."""
    name: str
    """Name of the class: ``BaseTestCase``."""
    app: str
    """Expression for the application of the prepared case: ``case.client.application``."""
    client: str
    """Expression for a client: ``case.client``."""
    client_attribute: str | None = None
    connexion: str | None = None
    """Expression for a Connexion application, whose layers every request must pass."""
    login_method: str | None = None
    before: Sequence[str] = ("setUp",)
    """Methods that prepare an instance, in order."""
    after: Sequence[str] = ("tearDown",)
    """Methods that undo it, in order."""
    prepares_class: bool = False
    """Whether the project defines ``setUpClass`` and ``tearDownClass``."""
    isolated: bool = False
    """Whether the set-up leaves a context pushed."""


def case_fixtures(case: CaseText) -> str:
    """Return the source of the fixtures ``case``, ``flask_app``, ``client`` and ``login``."""
    client = _client_fixture(case.client, case.isolated)
    if case.connexion is not None:
        client = client_of_connexion(CASE_FIXTURE, case.connexion, case.isolated)
    parts = [_case_fixture(case), _app_fixture(case), client]
    if case.login_method is not None and case.client_attribute is not None:
        parts.append(_login_fixture(case.client_attribute, case.login_method))
    return "\n\n".join(parts)


def _case_fixture(case: CaseText) -> str:
    around = ("setUpClass", "tearDownClass") if case.prepares_class else ()
    lines = [
        "@pytest.fixture",
        f"def {CASE_FIXTURE}():",
        f'    """A `{case.name}` after its set-up; its own tests do not run."""',
        f"    from {case.module} import {case.name}",
        "",
        *(f"    {case.name}.{name}()" for name in around[:1]),
        f"    prepared = {case.name}()",
        *(f"    prepared.{name}()" for name in case.before),
        "    yield prepared",
        *(f"    prepared.{name}()" for name in case.after),
        "    prepared.doCleanups()",
        *(f"    {case.name}.{name}()" for name in around[1:]),
    ]
    return "\n".join(lines) + "\n"


def _app_fixture(case: CaseText) -> str:
    return (
        "@pytest.fixture\n"
        f"def {APP_FIXTURE}({CASE_FIXTURE}):\n"
        '    """The application, as the project prepares it for its tests."""\n'
        f"    return {case.app}\n"
    )


def _client_fixture(expression: str, isolated: bool) -> str:
    requested = CASE_FIXTURE if expression.startswith(f"{CASE_FIXTURE}.") else APP_FIXTURE
    body = (_ISOLATED if isolated else _PLAIN).format(expression=expression)
    return f"@pytest.fixture\ndef client({requested}):\n{body}"


def _login_fixture(attribute: str, method: str) -> str:
    return (
        "@pytest.fixture\n"
        f"def {LOGIN_FIXTURE}({CASE_FIXTURE}):\n"
        '    """Log a client in as the project\'s own tests do."""\n'
        "\n"
        "    def log_in(client):\n"
        f"        {CASE_FIXTURE}.{attribute} = client\n"
        f"        {CASE_FIXTURE}.{method}()\n"
        "\n"
        "    return log_in\n"
    )


def imported_fixtures(
    modules: Mapping[str, Sequence[str]], client: str, isolated: bool, preserving: bool = False
) -> str:
    """Return source that makes fixtures of test modules visible in a folder.

    `modules` maps names of modules to names of their fixtures. `client` is the fixture of the test
    client. An `isolated` client wraps the imported one, which may be `preserving` contexts.
    """
    source = imports_of_fixtures(modules, client if isolated else None)
    if not isolated:
        return source
    expression = f'request.getfixturevalue("{BORROWED_PREFIX}{client}")'
    body = _isolated(preserving).format(expression=expression)
    return f"{source}\n\n@pytest.fixture\ndef {client}(request):\n{body}"


def _isolated(preserving: bool) -> str:
    """Return the body of a fixture that sends each request in a context of its own.

    A client that is `preserving` contexts would otherwise pop them in a wrong context.
    """
    if not preserving:
        return _ISOLATED
    return _ISOLATED.replace(_OPEN_CLIENT, _NOT_PRESERVING + _OPEN_CLIENT)


def imports_of_fixtures(modules: Mapping[str, Sequence[str]], wrapped: str | None = None) -> str:
    """Return the imports of fixtures of test modules; the fixture `wrapped` gets another name."""
    lines = []
    for module in sorted(modules):
        for name in sorted(modules[module]):
            alias = f" as {BORROWED_PREFIX}{name}" if name == wrapped else ""
            lines.append(f"from {module} import {name}{alias}  # noqa: E402, F401")
    return "\n".join(lines) + "\n"


def isolated_client(name: str, preserving: bool = False, scope: str = PER_TEST) -> str:
    """Return the source of a fixture that wraps the project's client fixture `name`.

    It is needed where fixtures leave a context pushed. The client may be `preserving` contexts of
    its requests. The `scope` equals that of the wrapped fixture, because fixtures of a wider scope
    may request it. The source needs ``import contextvars`` above it.
    """
    body = _isolated(preserving).replace("    client = {expression}\n", "").replace("client", name)
    body = body.replace(f"project's {name}", "project's client")
    lasting = "" if scope == PER_TEST else f'(scope="{scope}")'
    return f"@pytest.fixture{lasting}\ndef {name}({name}):\n{body}"


def client_of_fixture(app: str, isolated: bool = False, rows: Sequence[str] = ()) -> str:
    """Return the source of a fixture ``client`` made of the project's fixture `app`.

    It also requests the fixtures `rows`, which create and fill the tables.
    """
    body = (_ISOLATED if isolated else _PLAIN).format(expression=f"{app}.test_client()")
    body = body.replace("The project's client", "A test client of the application")
    return f"{_client_signature(app, rows)}{body}"


def _client_signature(name: str, rows: Sequence[str]) -> str:
    """Return the first lines of a fixture ``client``, in black's layout."""
    flat = f"def client({', '.join((name, *rows))}):"
    if len(flat) > LINE_LENGTH:
        flat = "\n".join(("def client(", *(f"    {one}," for one in (name, *rows)), "):"))
    return f"@pytest.fixture\n{flat}\n"


def client_of_connexion(
    name: str, served: str, isolated: bool = False, rows: Sequence[str] = ()
) -> str:
    """Return the source of a fixture ``client`` of Flask's, in front of all of Connexion's layers.

    `name` is the project's fixture, and `served` the expression for its Connexion application. The
    fixture may be called ``client``: then its value is Starlette's client. The client requests
    `rows`, the fixtures that create and fill the tables.
    """
    body = (_ISOLATED if isolated else _PLAIN).format(expression="application.test_client()")
    summary, _newline, rest = body.partition("\n")
    summary = summary.replace("The project's client", "A test client of the application")
    front = f"    {ASGI_IMPORT}\n\n    served = {served}\n{CONNEXION_FRONT}"
    return f"{_client_signature(name, rows)}{summary}\n{front}{rest}"
