from __future__ import annotations

import pytest


def load(shop, **files: str):
    shop.write(**files)
    result = shop.search(script="load")
    assert result.ret == 0, result.stdout.str() + result.stderr.str()
    return result


def test_client_and_its_conftest_are_found(shop) -> None:
    (shop.path / "conftest.py").unlink()
    (shop.path / "test_shop.py").unlink()
    load(
        shop,
        tests__conftest=CONFTEST,
        tests__test_shop="def test_index(client): pass\n",
    )
    assert shop.told["client_fixture"] == "client"
    assert shop.told["directory"] == str(shop.path / "tests")
    assert shop.told["findings"]["client"] == 'fixture "client"'
    assert "(tests/conftest.py:6), function scope" in shop.told["findings"]["app"]
    assert not shop.told["sandboxed"]


def test_fixtures_that_a_conftest_imports_belong_to_its_folder(shop) -> None:
    (shop.path / "conftest.py").unlink()
    (shop.path / "test_shop.py").unlink()
    load(
        shop,
        tests____init__="",
        tests__fixtures=CONFTEST,
        tests__conftest="from tests.fixtures import *  # noqa",
        tests__unit__pages__test_shop="def test_index(client): pass\n",
    )
    assert shop.told["client_fixture"] == "client"
    assert shop.told["directory"] == str(shop.path / "tests")


CONFTEST = """
import pytest
from shop import create_app


@pytest.fixture
def app():
    yield create_app({"TESTING": True})


@pytest.fixture
def client(app):
    return app.test_client()
"""


@pytest.mark.parametrize(
    "definition",
    [
        "def web(app): return app.test_client()",
        "def http_client(app):\n    with app.test_client() as found:\n        yield found",
        "def api(app):\n    from werkzeug.test import Client\n    return Client(app)",
        (
            "def api_client(app):\n"
            "    from werkzeug.middleware.proxy_fix import ProxyFix\n"
            "    from werkzeug.test import Client\n"
            "    return Client(ProxyFix(app))"
        ),
    ],
)
def test_client_is_known_by_its_value_not_its_name(shop, definition: str) -> None:
    name = definition.removeprefix("def ").partition("(")[0]
    conftest = CONFTEST.partition("@pytest.fixture\ndef client")[0]
    if name == "api":  # neither name nor source speak of a client, so the usage must
        definition = definition.replace("return", "client = app.test_client()\n    return")
    load(
        shop,
        conftest=f"{conftest}@pytest.fixture\n{definition}\n",
        test_shop=f"def test_index({name}): pass\n",
    )
    assert shop.told["client_fixture"] == name
    assert shop.told["answers"]["anonymous"] == "nobody"


def test_client_of_something_else_is_passed_over(shop) -> None:
    load(
        shop,
        conftest=CONFTEST.replace("def client(app)", "def flask_client(app)")
        + "\n\n@pytest.fixture\ndef client():\n    return object()\n",
        test_shop="def test_a(client): pass\ndef test_b(flask_client): pass\n",
    )
    assert shop.told["client_fixture"] == "flask_client"


def test_failing_fixture_is_told_and_the_next_way_is_tried(shop) -> None:
    broken = CONFTEST.replace("return app.test_client()", "raise RuntimeError('no docker')")
    result = load(
        shop,
        conftest=broken + "\n\n@pytest.fixture\ndef web_client(app): return app.test_client()\n",
        test_shop="def test_a(client): pass\ndef test_b(web_client): pass\n",
    )
    result.stdout.fnmatch_lines(
        ['evosearch: fixture "client" (conftest.py:*) failed: RuntimeError: no docker']
    )
    assert shop.told["client_fixture"] == "web_client"


def test_skipping_fixture_is_no_end(shop) -> None:
    load(
        shop,
        conftest=CONFTEST.replace("def client(app):", "def web_client(app):")
        + "\n\n@pytest.fixture\ndef client():\n    pytest.skip('not here')\n",
        test_shop="def test_a(client): pass\n",
    )
    assert shop.told["client_fixture"] == "web_client"


def test_fixture_that_needs_its_class_gets_it(shop) -> None:
    load(
        shop,
        conftest=CONFTEST.replace("def client(app):", "def client(app, request):")
        + "    # the class says how\n",
        test_shop="""
import pytest


class TestShop:
    @pytest.fixture(autouse=True)
    def prepare(self, request):
        request.cls.prepared = True

    def test_index(self, client):
        pass
""",
    )
    assert shop.told["client_fixture"] == "client"


def test_fixture_that_reads_the_class_of_its_test_serves_no_function(shop) -> None:
    load(
        shop,
        conftest=CONFTEST.replace("def client(app):", "def client(app, request):").replace(
            "return app.test_client()", "assert request.cls.ready\n    return app.test_client()"
        ),
        test_shop="class TestShop:\n    ready = True\n    def test_index(self, client): pass\n",
    )
    assert shop.told["findings"]["client"] == 'of fixture "app"'


def test_parametrized_client(shop) -> None:
    load(
        shop,
        conftest=CONFTEST.replace(
            "@pytest.fixture\ndef client(app):", "@pytest.fixture(params=[1, 2])\ndef client(app):"
        ),
    )
    assert shop.told["client_fixture"] == "client"


GIVEN = """
def pytest_generate_tests(metafunc):
    if "catalogue" in metafunc.fixturenames:
        metafunc.parametrize("catalogue", [{"TESTING": True}])
"""
ASKING = CONFTEST.replace("def app():", "def app(catalogue):").replace(
    'create_app({"TESTING": True})', "create_app(catalogue)"
)


def test_what_fixtures_need_may_be_given_to_every_test(shop) -> None:
    load(shop, conftest=ASKING + GIVEN)
    assert shop.told["findings"]["client"] == 'fixture "client"'


def test_what_only_some_tests_are_given_serves_no_written_test(shop) -> None:
    mark = '@pytest.mark.parametrize("catalogue", [{"TESTING": True}])'
    load(
        shop,
        conftest=ASKING,
        test_shop=f"import pytest\n\n\n{mark}\ndef test_a(client): pass\n",
        test_other=f"{GIVEN}\n\ndef test_b(client): pass\n",
    )
    assert shop.told["findings"]["client"] == "app.test_client()"


def test_own_word_on_the_client_wins(shop) -> None:
    load(
        shop,
        conftest=CONFTEST
        + "\n\n@pytest.fixture\ndef evosearch_client(app):\n"
        + "    client = app.test_client()\n"
        + "    client.environ_base['HTTP_X_API_KEY'] = 'own'\n"
        + "    return client\n",
    )
    assert shop.told["client_fixture"] == "evosearch_client"
    assert shop.told["answers"]["anonymous"] == "own"


def test_client_without_any_test(shop) -> None:
    (shop.path / "test_shop.py").unlink()
    load(shop)
    assert shop.told["client_fixture"] == "client"


INSTALLED = """
import flask


def view():
    return "pages of a library"


def create():
    app = flask.Flask(__name__)
    app.add_url_rule("/pages", view_func=view)
    return app
"""

ITS_FIXTURES = """
import pytest
import wiki_of_others

MADE = []


@pytest.fixture(scope="session")
def app():
    assert not MADE, "its tables are there already"
    MADE.append(1)
    return wiki_of_others.create()


@pytest.fixture
def client(app):
    return app.test_client()
"""


def test_an_installed_application_is_searched_with_the_fixtures_for_it(
    project, tmp_path_factory
) -> None:
    library = tmp_path_factory.mktemp("site-packages")
    (library / "wiki_of_others.py").write_text(INSTALLED)
    project.monkeypatch.syspath_prepend(library)
    project.write(conftest=ITS_FIXTURES)
    result = project.search("--evosearch-source=wiki_of_others", script="load")
    assert result.ret == 0, result.stdout.str()
    assert 'fixture "app" (conftest.py:' in project.told["findings"]["app"]
    assert project.told["client_fixture"] == "client"


def test_client_without_any_test_where_each_module_gets_a_fixture(shop) -> None:
    (shop.path / "test_shop.py").unlink()
    conftest = (shop.path / "conftest.py").read_text()
    automatic = '@pytest.fixture(scope="module", autouse=True)\ndef name(request):\n'
    load(shop, conftest=f"{conftest}\n\n{automatic}    return request.module.__name__\n")
    assert shop.told["findings"]["client"] == 'fixture "client"'


def test_client_that_a_fixture_logged_in_stays_logged_in(shop) -> None:
    load(
        shop,
        conftest=CONFTEST.replace(
            "return app.test_client()",
            "client = app.test_client()\n"
            "    client.post('/login', data={'name': 'alice'})\n"
            "    return client",
        ),
    )
    assert shop.told["answers"]["anonymous"] == "alice"


def test_application_without_a_client_fixture(shop) -> None:
    load(
        shop,
        conftest=CONFTEST.partition("@pytest.fixture\ndef client")[0],
        test_shop="def test_index(app): pass\n",
    )
    assert shop.told["client_fixture"] == "client"
    assert "def client(app):" in shop.told["conftest"]
    assert shop.told["directory"] == str(shop.path)


def test_database_that_tests_ask_for_comes_along(shop) -> None:
    load(
        shop,
        conftest=CONFTEST
        + "\n\n@pytest.fixture\ndef db(app):\n    open('tables', 'w').close()\n    yield\n"
        + "    open('dropped', 'w').close()\n",
        test_shop="def test_a(client, db): pass\ndef test_b(client, db): pass\n",
    )
    assert shop.told["fixtures"] == ["db"]
    assert (shop.path / "tables").exists()
    assert (shop.path / "dropped").exists()


NESTED = """
import pytest
from shop import create_app


@pytest.fixture(scope="session")
def app():
    return create_app({"TESTING": True})


@pytest.fixture(autouse=True)
def context(app):
    with app.app_context():
        yield


@pytest.fixture(scope="session")
def db(app):
    with app.app_context():
        yield


@pytest.fixture
def client(app):
    with app.app_context():
        yield app.test_client()
"""


def test_what_lasts_longer_is_set_up_first_and_torn_down_last(shop) -> None:
    result = load(
        shop,
        conftest=NESTED,
        test_shop="def test_a(client, db): pass\ndef test_b(client, db): pass\n",
    )
    assert shop.told["fixtures"] == ["db"]
    result.stdout.no_fnmatch_line("*tearing the project's fixtures down failed*")


ROWS = """

@pytest.fixture
def tables(app):
    yield ["users"]


@pytest.fixture
def user(tables):
    return {"id": 1}
"""


def test_rows_that_are_there_during_the_search_are_there_for_written_tests(shop) -> None:
    load(shop, conftest=CONFTEST + ROWS, test_shop="def test_a(client): pass\n")
    assert shop.told["fixtures"] == ["user"]


def test_a_client_that_is_written_asks_for_the_rows_itself(shop) -> None:
    conftest = CONFTEST.partition("@pytest.fixture\ndef client")[0]
    load(shop, conftest=conftest + ROWS, test_shop="def test_a(app): pass\n")
    assert shop.told["fixtures"] == []
    assert "def client(app, user):" in shop.told["conftest"]
    assert max(map(len, shop.told["conftest"].splitlines())) <= 88


USER_IN_DATABASE = """

@pytest.fixture
def db(app):
    return []


@pytest.fixture
def user(db):
    db.append("alice")
    return object()
"""


def test_a_row_in_the_database_of_every_test_is_there_for_written_tests(shop) -> None:
    using = "def test_a(client, db): pass\n"
    load(shop, conftest=CONFTEST + USER_IN_DATABASE, test_shop=using)
    assert shop.told["fixtures"] == ["db", "user"]


def test_a_row_that_a_fixture_puts_into_the_application_is_there_for_written_tests(shop) -> None:
    other = "\n\n@pytest.fixture\ndef other_user(app):\n    app.config['OTHER'] = 'bob'\n"
    load(shop, conftest=CONFTEST + other, test_shop="def test_a(client): pass\n")
    assert shop.told["fixtures"] == ["other_user"]


def test_a_client_that_is_written_asks_for_the_database_itself(shop) -> None:
    conftest = CONFTEST.partition("@pytest.fixture\ndef client")[0]
    using = "def test_a(app, db): pass\n"
    load(shop, conftest=conftest + USER_IN_DATABASE, test_shop=using)
    assert shop.told["fixtures"] == []
    assert "def client(app, db, user):" in shop.told["conftest"]


def test_database_that_every_test_gets_is_not_asked_for(shop) -> None:
    load(
        shop,
        conftest=CONFTEST + "\n\n@pytest.fixture(autouse=True)\ndef db(app):\n    return 1\n",
        test_shop="def test_a(client, db): pass\n",
    )
    assert shop.told["fixtures"] == []


AUTH = """

class AuthActions:
    def __init__(self, client):
        self._client = client

    def login(self, name="alice"):
        return self._client.post("/login", data={"name": name})


@pytest.fixture
def auth(client):
    return AuthActions(client)
"""


def test_context_that_stays_pushed_is_kept_from_requests(shop) -> None:
    load(shop)
    assert shop.told["isolation"] is None
    pushing = CONFTEST.replace(
        'yield create_app({"TESTING": True})',
        "app = create_app()\n    with app.app_context():\n        yield app",
    )
    load(shop, conftest=pushing)
    assert "def client(client):" in shop.told["isolation"]


def run_isolated(shop, conftest: str, test: str) -> None:
    """Run a test below the fixture that wraps the client of `conftest`."""
    shop.search(script="load")
    load(shop, conftest=conftest)
    shop.write(
        inner__conftest="import contextvars\n\nimport pytest\n\n\n" + shop.told["isolation"],
        inner__test_inner=test,
    )
    shop.run("inner").assert_outcomes(passed=1)


def test_isolating_fixture_works(shop) -> None:
    pushing = CONFTEST.replace(
        'yield create_app({"TESTING": True})',
        "app = create_app()\n    with app.app_context():\n        yield app",
    )
    run_isolated(
        shop,
        pushing,
        "from flask import g\n\n\n"
        "def test_inner(client):\n"
        "    g.user = 'alice'\n"
        "    client.application.add_url_rule('/g', view_func=lambda: str('user' in g))\n"
        "    assert client.get('/g').text == 'False'\n",
    )


def test_isolating_fixture_lasts_as_long_as_the_client_that_others_ask_for(shop) -> None:
    """The fixture of the tables has session scope, and asks for the client that is wrapped."""
    pushing = CONFTEST.replace(
        'yield create_app({"TESTING": True})',
        "app = create_app()\n    with app.app_context():\n        yield app",
    )
    lasting = pushing.replace("@pytest.fixture\n", '@pytest.fixture(scope="session")\n')
    rows = '\n\n@pytest.fixture(scope="session")\ndef rows(client):\n    return client.get("/")\n'
    run_isolated(
        shop,
        lasting + rows,
        "def test_inner(rows, client):\n    assert rows.status_code == 200\n",
    )
    assert '@pytest.fixture(scope="session")' in shop.told["isolation"]


def test_isolating_fixture_takes_a_client_that_preserves_contexts(shop) -> None:
    preserving = CONFTEST.replace(
        "    return app.test_client()",
        "    with app.test_client() as client:\n        client.get('/')\n        yield client",
    )
    run_isolated(
        shop,
        preserving,
        "def test_inner(client):\n"
        "    assert client.get('/').status_code == 200\n"
        "    assert client.get('/').status_code == 200\n",
    )


def test_clients_of_users_are_isolated_as_well(shop) -> None:
    pushing = CONFTEST.replace(
        'yield create_app({"TESTING": True})',
        "app = create_app()\n    with app.app_context():\n        yield app",
    )
    run_isolated(
        shop,
        pushing
        + "\n\n@pytest.fixture\ndef admin_client(app):\n    client = app.test_client()\n"
        + "    client.post('/login', data={'name': 'root'})\n    return client\n",
        "from flask import g\n\n\n"
        "def test_inner(client, admin_client):\n"
        "    g.user = 'alice'\n"
        "    views = client.application.view_functions\n"
        "    views.update(dict.fromkeys(views, lambda: str('user' in g)))\n"
        "    assert client.get('/').text == 'False'\n"
        "    assert admin_client.get('/').text == 'False'\n",
    )


def test_object_that_logs_in_is_a_user(shop) -> None:
    load(shop, conftest=CONFTEST + AUTH)
    assert shop.told["answers"] == {"anonymous": "nobody", "auth": "alice"}
    assert shop.told["statements"] == {"auth": "auth.login()"}
    assert shop.told["findings"]["auth"] == 'via fixture "auth" (auth.login())'
    assert shop.told["fixtures"] == []


def test_fixture_that_logs_the_client_in_and_yields_it_is_a_user(shop) -> None:
    load(
        shop,
        conftest=CONFTEST
        + "\n\n@pytest.fixture\ndef account():\n    return 'ann'\n"
        + "\n\n@pytest.fixture\ndef auth_client(client, account):\n"
        + "    client.post('/login', data={'name': account})\n    yield client\n"
        + "\n\n@pytest.fixture\ndef user_client(client):\n"
        + "    client.post('/login', data={'name': 'bob'})\n    return client\n",
        test_shop="def test_a(auth_client): pass\n\n\ndef test_b(client): pass\n"
        "\n\ndef test_c(user_client): pass\n",
    )
    assert shop.told["answers"] == {
        "anonymous": "nobody",
        "auth_client": "ann",
        "user_client": "bob",
    }
    assert shop.told["clients"] == {
        "auth_client": ["auth_client", True, True],
        "user_client": ["user_client", True, True],
    }
    assert shop.told["fixtures"] == ["account"]


def test_fixture_that_logs_the_client_in_and_gives_something_else_is_a_user(shop) -> None:
    load(
        shop,
        conftest=CONFTEST
        + "\n\n@pytest.fixture\ndef account():\n    return {'name': 'ann'}\n"
        + "\n\n@pytest.fixture\ndef user(client, account):\n"
        + "    client.post('/login', data=account)\n    yield account\n"
        + "\n\n@pytest.fixture\ndef admin_login(client):\n"
        + "    client.post('/login', data={'name': 'root'})\n",
        test_shop="def test_a(client, user): pass\n\n\ndef test_b(client): pass\n",
    )
    assert shop.told["answers"] == {"anonymous": "nobody", "user": "ann", "admin_login": "root"}
    assert shop.told["clients"] == {
        "user": ["client", True, False],
        "admin_login": ["client", True, False],
    }
    assert shop.told["fixtures"] == ["account"]


def test_what_automatic_fixtures_of_a_module_ask_for_is_requested(shop) -> None:
    load(
        shop,
        conftest=CONFTEST
        + "\n\n@pytest.fixture\ndef admin_of_site(app):\n    return 1\n"
        + "\n\n@pytest.fixture\ndef items(app, admin_of_site):\n    return 2\n",
        test_shop="import pytest\n\n\n@pytest.fixture(autouse=True)\ndef set_up(items):\n"
        "    pass\n\n\ndef test_a(client): pass\n",
    )
    assert shop.told["fixtures"] == ["items"]


def test_headers_are_a_user(shop) -> None:
    load(
        shop,
        conftest=CONFTEST
        + "\n\n@pytest.fixture\ndef admin(): return 1\n"
        + "\n\n@pytest.fixture\ndef admin_headers(admin, client):\n"
        + "    return {'X-Api-Key': 'admin'}\n",
    )
    assert shop.told["answers"]["admin_headers"] == "admin"
    assert shop.told["headers"] == {"admin_headers": "admin_headers"}
    assert shop.told["fixtures"] == ["admin_headers"]


def test_own_users_win_over_guesses(shop) -> None:
    load(
        shop,
        conftest=CONFTEST
        + AUTH
        + "\n\n@pytest.fixture\ndef evosearch_users(app):\n"
        + "    return {'key': {'X-Api-Key': 'k'},\n"
        + "            'bob': lambda client: client.post('/login', data={'name': 'bob'})}\n",
    )
    assert shop.told["answers"] == {"anonymous": "nobody", "key": "k", "bob": "bob"}
    assert shop.told["findings"]["auth"] == 'via fixture "evosearch_users" (key, bob)'


def test_own_reset_and_seeds(shop) -> None:
    load(
        shop,
        conftest=CONFTEST
        + "\n\n@pytest.fixture\ndef evosearch_reset():\n"
        + "    yield lambda: open('was-reset', 'w').close()\n"
        + "\n\n@pytest.fixture\ndef evosearch_seeds():\n    return {'isbn': ('978', '979')}\n",
    )
    assert (shop.path / "was-reset").exists()
    assert shop.told["seeds"] == {"isbn": ["978", "979"]}


def test_failing_teardown_does_not_hide_the_results(shop) -> None:
    failing = CONFTEST.replace(
        'yield create_app({"TESTING": True})', "yield create_app()\n    raise OSError('gone')"
    )
    result = load(shop, conftest=failing)
    result.stdout.fnmatch_lines(["evosearch: tearing the project's fixtures down failed: OSError*"])
    result.stdout.fnmatch_lines(["*3 generated*"])


def test_temporary_folders_and_logs_of_pytest_work(shop) -> None:
    curious = CONFTEST.replace(
        "def app():", "def app(tmp_path, caplog, monkeypatch):\n    caplog.set_level(10)"
    )
    load(shop, conftest=curious)
    assert shop.told["client_fixture"] == "client"


def test_application_by_name_wins_over_fixtures(shop) -> None:
    result = shop.search("--evosearch-app=shop:create_app({'TESTING': True})", script="load")
    assert result.ret == 0
    assert shop.told["sandboxed"]
    assert shop.told["description"] == "shop:create_app({'TESTING': True})"


def test_what_the_sandbox_held_back_is_told(shop) -> None:
    shop.write(
        worker="import subprocess\n\nfrom flask import Flask\n\napp = Flask(__name__)\n\n\n"
        "@app.get('/')\ndef index():\n    try:\n        subprocess.run(['reboot'])\n"
        "    except FileNotFoundError:\n        return 'no'\n    return 'yes'\n"
    )
    result = shop.search("--evosearch-app=worker:app", script="load")
    assert shop.told["answers"] == {"anonymous": "no"}
    result.stdout.fnmatch_lines(["evosearch: the sandbox blocked: run reboot*worker.py:11*"])


def test_unknown_application_is_one_line(shop) -> None:
    result = shop.search("--evosearch-app=shop:nothing", script="load")
    assert result.ret == 4
    assert len([line for line in result.errlines if line]) == 1
    result.stderr.fnmatch_lines(["ERROR: evosearch: --evosearch-app=shop:nothing: *"])


def test_no_application_anywhere_says_what_was_tried(project) -> None:
    project.write(conftest="import pytest\n\n\n@pytest.fixture\ndef client(): return 1\n")
    result = project.search(script="load")
    assert result.ret == 4
    result.stderr.fnmatch_lines(['*no Flask application found; tried *fixture "client" (int)*'])


def test_second_run_learns_nothing_from_what_the_first_wrote(shop) -> None:
    shop.write(
        evosearch__conftest='"""Fixtures for the tests, written once by pytest-evosearch."""\n'
        "import pytest\n\n\n@pytest.fixture\ndef test_client(): raise AssertionError\n",
        evosearch__test_evosearch_shop="def test_a(client, db): pass\n"
        "def test_b(client, db): pass\n",
    )
    load(shop, conftest=CONFTEST + "\n\n@pytest.fixture\ndef db(): return 1\n")
    assert shop.told["fixtures"] == []


def test_written_conftest_is_no_client_of_the_project(shop) -> None:
    (shop.path / "conftest.py").unlink()
    (shop.path / "test_shop.py").unlink()
    load(
        shop,
        evosearch__conftest='"""Fixtures for the tests, written once by pytest-evosearch."""\n'
        + CONFTEST,
        evosearch__test_evosearch_shop="def test_a(client): pass\n",
    )
    assert shop.told["sandboxed"]


def test_token_and_second_client_are_users(shop) -> None:
    load(
        shop,
        conftest=CONFTEST
        + "\n\n@pytest.fixture\ndef admin_token():\n    return 'x' * 20\n"
        + "\n\n@pytest.fixture\ndef admin_client(app):\n    client = app.test_client()\n"
        + "    client.post('/login', data={'name': 'root'})\n    return client\n"
        + "\n\n@pytest.fixture\ndef token_url():\n    return 'http://localhost/token/of/somebody'\n",
        test_shop="def test_a(client): pass\n",
    )
    assert shop.told["answers"]["admin_client"] == "root"
    assert shop.told["answers"]["anonymous"] == "nobody"
    assert shop.told["clients"] == {"admin_client": ["admin_client", False, True]}
    assert shop.told["headers"]["admin_token"] == '{"Authorization": f"Bearer {admin_token}"}'
    assert set(shop.told["answers"]) == {"anonymous", "admin_client", "admin_token"}


def test_what_the_client_of_a_user_sets_up_is_not_requested_once_more(shop) -> None:
    load(
        shop,
        conftest=CONFTEST
        + "\n\n@pytest.fixture\ndef row_of_user(app):\n    return {}\n"
        + "\n\n@pytest.fixture\ndef admin_client(app, row_of_user):\n"
        + "    client = app.test_client()\n"
        + "    client.post('/login', data={'name': 'root'})\n    return client\n",
        test_shop="def test_a(client): pass\n\n\ndef test_b(row_of_user): pass\n",
    )
    assert shop.told["fixtures"] == ["admin_client"]


BARE = """
import sqlite3
from contextlib import closing

from flask import Flask


def create_app(config=None):
    app = Flask(__name__)
    app.config["DATABASE"] = "bare.db"

    @app.get("/")
    def index():
        with closing(sqlite3.connect(app.config["DATABASE"])) as connection:
            return str(connection.execute("SELECT count(*) FROM note").fetchone()[0])

    return app
"""


def test_database_fixture_is_added_where_tables_are_missing(shop) -> None:
    database = (
        "\n\n@pytest.fixture\ndef db(app):\n    import sqlite3\n"
        "    from contextlib import closing\n"
        "    with closing(sqlite3.connect(app.config['DATABASE'])) as connection, connection:\n"
        "        connection.execute('CREATE TABLE note (id INTEGER)')\n"
        "    yield connection\n"
    )
    shop.write(shop=BARE)
    load(
        shop,
        conftest=CONFTEST + database,
        test_shop="def test_mocked(client): pass\ndef test_service(db): pass\n",
    )
    assert shop.told["fixtures"] == ["db"]
    assert shop.told["answers"]["anonymous"] == "0"
    assert shop.told["findings"]["client"] == 'fixture "client" with db'


def test_fixture_of_any_name_is_added_where_it_brings_the_tables(shop) -> None:
    fixtures = (
        "\n\n@pytest.fixture\ndef broken_data(app):\n    raise KeyError('executescript')\n"
        "\n\n@pytest.fixture\ndef other_data(app):\n    'CREATE TABLE elsewhere'\n"
        "\n\n@pytest.fixture\ndef initial_data(app):\n    import sqlite3\n"
        "    from contextlib import closing\n"
        "    with closing(sqlite3.connect(app.config['DATABASE'])) as connection, connection:\n"
        "        connection.execute('CREATE TABLE note (id INTEGER)')\n"
        "    yield\n"
    )
    shop.write(shop=BARE)
    load(
        shop,
        conftest=CONFTEST + fixtures,
        test_shop=(
            "def test_broken(client, broken_data): pass\n"
            "def test_broken_again(client, broken_data): pass\n"
            "def test_other(client, other_data): pass\n"
            "def test_other_again(client, other_data): pass\n"
            "def test_index(client, initial_data): pass\n"
        ),
    )
    assert shop.told["fixtures"] == ["initial_data"]
    assert shop.told["answers"]["anonymous"] == "0"


ONCE = """
from flask import Flask

MADE = []


def create_app(config=None):
    if MADE:
        raise RuntimeError("the table is already defined")
    MADE.append(True)
    app = Flask(__name__)
    app.add_url_rule("/", "index", lambda: "hello")
    return app
"""

SESSION_APP = """
import pytest
from shop import create_app


@pytest.fixture(scope="session", autouse=True)
def app():
    app = create_app()
    with app.app_context():
        yield app
"""

IN_CASE = """
from unittest import TestCase

from flask import current_app


class TestPages(TestCase):
    @classmethod
    def setup_class(cls):
        current_app.config["BUS"] = "dummy"

    def setup_method(self, method):
        self.client = current_app.test_client()

    def test_index(self):
        assert self.client.get("/").status_code == 200
"""

IN_CLASS = IN_CASE.replace("(TestCase)", "")

BY_FIXTURE = """
from unittest import TestCase

import pytest


class TestPages(TestCase):
    @pytest.fixture(autouse=True)
    def prepare(self, app, request):
        self.client = app.test_client()
        assert request.instance is self

    def test_index(self):
        assert self.client.get("/").status_code == 200
"""


@pytest.mark.parametrize("tests", [IN_CASE, IN_CLASS, BY_FIXTURE], ids=["case", "class", "fixture"])
def test_a_class_of_tests_is_entered_as_pytest_enters_it(shop, tests: str) -> None:
    (shop.path / "shop.py").write_text(ONCE)
    load(shop, conftest=SESSION_APP, test_shop=tests)
    assert 'fixture "app"' in shop.told["findings"]["app"]


FOR_A_CONTEXT = """
import pytest
from flask import Flask


@pytest.fixture
def app():
    return Flask(__name__)


def test_context(app): pass
"""


TRIED = """
import pytest
from flask import Flask


@pytest.fixture
def client():
    app = Flask("tried")
    app.add_url_rule("/tried", view_func=lambda: "a decorator of the shop is tried")
    return app.test_client()


def test_tried(client): pass
"""


def test_application_without_an_endpoint_of_the_project_is_passed_over(shop) -> None:
    tests = {"tests__test_context": FOR_A_CONTEXT, "tests__test_tried": TRIED}
    load(shop, conftest="", test_shop="", **tests)
    assert shop.told["description"].startswith("shop:create_app()")
    assert shop.told["sandboxed"]
    (shop.path / "shop.py").unlink()  # a library has no application but that of its tests
    result = load(shop)
    told = "*the application that only tests make is searched: *app.py (absent)*"
    result.stdout.fnmatch_lines([told])
    assert shop.told["client_fixture"] == "client"


SET_UP_ONCE = """
import pathlib
import pytest
from flask import Flask

@pytest.fixture(scope="session")
def app():
    place = pathlib.Path("set_up_before")
    assert not place.exists(), "set up twice"
    place.touch()
    app = Flask("tried")
    app.add_url_rule("/tried", view_func=lambda: "a decorator of the shop is tried")
    return app

@pytest.fixture
def client(app):
    return app.test_client()
"""


def test_application_that_only_tests_make_is_set_up_once(shop) -> None:
    (shop.path / "shop.py").unlink()
    load(shop, conftest=SET_UP_ONCE, test_shop="def test_tried(client): pass\n")
    assert shop.told["client_fixture"] == "client"
