from __future__ import annotations

import pytest

OPTIONAL = "import pytest\n\n\n@pytest.hookimpl(optionalhook=True)\n"


@pytest.mark.parametrize("place", ["conftest", "deep__conftest"])
def test_misspelt_hook_is_a_usage_error(project, place: str) -> None:
    project.write(
        **{place: OPTIONAL + "def pytest_evosearch_apq(config): return None\n"},
        deep__test_deep="def test_deep(): pass\n",
    )
    result = project.search()
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        [("ERROR: evosearch: unknown hook 'pytest_evosearch_apq' in *conftest.py:*;"
         " did you mean 'pytest_evosearch_app'?*")]
    )  # fmt: skip


def test_unknown_hook_of_another_plugin_is_a_usage_error_unless_optional(project) -> None:
    project.write(conftest="def pytest_unheard_of(config): return None\n")
    assert project.search().ret == 4
    project.write(conftest=OPTIONAL + "def pytest_unheard_of(config): return None\n")
    assert project.search().ret == 0


def test_application_of_the_hook_wins_over_fixtures(shop) -> None:
    shop.write(
        conftest=OPTIONAL
        + "def pytest_evosearch_app(config):\n"
        + "    from flask import Flask\n"
        + "    app = Flask('other')\n"
        + "    app.add_url_rule('/', view_func=lambda: 'from the hook')\n"
        + "    return app\n\n\n"
        + "@pytest.fixture\n"
        + "def client(): raise AssertionError('not to be set up')\n"
    )
    assert shop.search(script="load").ret == 0
    assert shop.told["answers"] == {"anonymous": "from the hook"}
    assert shop.told["directory"] == str(shop.path)


def test_users_of_the_hook(shop) -> None:
    shop.write(
        tests__conftest=OPTIONAL
        + "def pytest_evosearch_users(config, app):\n"
        + "    assert app.name == 'shop'\n"
        + "    return {'key': {'X-Api-Key': 'alice'}}\n",
        tests__test_users="def test_users(client): pass\n",
    )
    shop.search("tests", script="load")
    assert shop.told["answers"] == {"anonymous": "nobody", "key": "alice"}


def test_reset_hook_is_called(shop) -> None:
    shop.write(
        tests__conftest=OPTIONAL
        + "def pytest_evosearch_reset(config, app):\n"
        + "    open('reset-' + app.name, 'w').close()\n",
        tests__test_users="def test_users(client): pass\n",
    )
    shop.search("tests", script="load")
    assert (shop.path / "reset-shop").exists()


def test_finish_hook_sees_the_outcome(shop) -> None:
    shop.write(
        tests__conftest=OPTIONAL
        + "def pytest_evosearch_finish(config, outcome):\n"
        + "    open(f'finished-{outcome.tests}', 'w').close()\n",
        tests__test_users="def test_users(client): pass\n",
    )
    shop.search("tests")
    assert (shop.path / "finished-3").exists()


FAILING = """
def pytest_evosearch_{name}({arguments}):
    raise LookupError("nothing there")
"""


@pytest.mark.parametrize(
    ("name", "arguments", "script"),
    [("app", "config", "load"), ("users", "app", "load"), ("finish", "outcome", "plain")],
)
def test_hook_that_raises_is_named(shop, name: str, arguments: str, script: str) -> None:
    text = OPTIONAL + FAILING.lstrip().format(name=name, arguments=arguments)
    shop.write(tests__conftest=text, tests__test_users="def test_users(client): pass\n")
    result = shop.search("tests", script=script)
    assert result.ret == 4
    line = f"hook pytest_evosearch_{name} (tests/conftest.py:6) raised LookupError: nothing there"
    result.stderr.fnmatch_lines([f"ERROR: evosearch: {line}"])
