from __future__ import annotations

import pytest

native = pytest.mark.skipif(
    pytest.version_tuple < (9, 0), reason="[tool.pytest] came with pytest 9"
)


def test_every_option_is_an_ini_key(shop) -> None:
    shop.write(shelf="")
    shop.pytester.makeini(
        """
        [pytest]
        evosearch = 8x
        evosearch_level = 0
        evosearch_algorithm = random
        evosearch_seed = 7
        evosearch_source =
            shop
            shelf
        evosearch_only = GET /
        evosearch_faults = off
        evosearch_fail_on = fault, unstable
        evosearch_allow_db = true
        evosearch_set = mio.population_size=20
        """
    )
    shop.run("--evosearch")
    told = shop.told["settings"]
    assert told["algorithm"] == "random"
    assert told["seed"] == 7
    assert told["source"] == "('shop', 'shelf')"
    assert told["only"] == "('GET /',)"
    assert told["faults"] == "off"
    assert told["fail_on"] in (
        "frozenset({'fault', 'unstable'})",
        "frozenset({'unstable', 'fault'})",
    )
    assert told["allow_db"] is True
    assert told["tunables"] == {"mio.population_size": "20"}


def test_command_line_replaces_lists(shop) -> None:
    shop.pytester.makeini("[pytest]\nevosearch_only = GET /a\n")
    shop.search("--evosearch-only=GET /b")
    assert shop.told["settings"]["only"] == "('GET /b',)"


def test_command_line_adds_tunables(shop) -> None:
    shop.pytester.makeini("[pytest]\nevosearch_set =\n  test.max_calls=3\n  request.timeout=1\n")
    shop.search("--evosearch-set=test.max_calls=4")
    assert shop.told["settings"]["tunables"] == {"test.max_calls": "4", "request.timeout": "1"}


def test_paths_of_the_ini_file_are_relative_to_it(shop) -> None:
    shop.pytester.makeini("[pytest]\nevosearch_output = generated\n")
    below = shop.path / "below"
    below.mkdir()
    (below / "test_below.py").write_text("def test_below(): pass\n")
    shop.monkeypatch.chdir(below)
    shop.search("--evosearch-report=reports")
    told = (below / "told.json").read_text()
    assert str(shop.path / "generated") in told
    assert str(below / "reports") in told


def test_schema_is_a_file_or_a_route(shop) -> None:
    (shop.path / "api.yaml").write_text("openapi: 3.0.0\n")
    shop.search("--evosearch-schema=api.yaml")
    assert shop.told["settings"]["schema"] == str(shop.path / "api.yaml")
    shop.search("--evosearch-schema=/openapi.json")
    assert shop.told["settings"]["schema"] == "/openapi.json"


def test_pyproject_numbers(shop) -> None:
    (shop.path / "tox.ini").unlink()
    shop.pytester.makepyprojecttoml("[tool.pytest.ini_options]\nevosearch_seed = 7\n")
    shop.search()
    assert shop.told["settings"]["seed"] == 7


@native
def test_native_toml_values(shop) -> None:
    (shop.path / "tox.ini").unlink()
    shop.pytester.makepyprojecttoml(
        '[tool.pytest]\nevosearch_seed = 7\nevosearch_allow_db = true\nevosearch_only = ["GET /"]\n'
    )
    shop.search()
    told = shop.told["settings"]
    assert (told["seed"], told["allow_db"], told["only"]) == (7, True, "('GET /',)")


@native
def test_native_toml_value_of_the_wrong_type_is_a_usage_error(shop) -> None:
    (shop.path / "tox.ini").unlink()
    shop.pytester.makepyprojecttoml("[tool.pytest]\nevosearch_algorithm = 7\n")
    result = shop.search()
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*evosearch_algorithm*"])


@pytest.mark.parametrize("key", ["evosearch_seed", "evosearch_level"])
def test_text_where_a_number_belongs_is_a_usage_error(shop, key: str) -> None:
    shop.pytester.makeini(f"[pytest]\n{key} = many\n")
    result = shop.run("--evosearch=5x")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: *{key.rpartition('_')[2]}*many*"])
