from __future__ import annotations


def test_bare_flag_takes_the_default(shop) -> None:
    shop.run("--evosearch", "--evosearch-level=0")
    assert shop.told["settings"]["budget"] == "10m"


def test_bare_flag_takes_the_budget_of_the_ini_file(shop) -> None:
    shop.pytester.makeini("[pytest]\nevosearch = 7x\nevosearch_level = 0\n")
    shop.run("--evosearch")
    assert shop.told["settings"]["budget"] == "7x"


def test_command_line_beats_the_ini_file(shop) -> None:
    shop.pytester.makeini("[pytest]\nevosearch = 7x\nevosearch_level = 0\n")
    shop.run("--evosearch=9x")
    assert shop.told["settings"]["budget"] == "9x"


def test_ini_key_alone_starts_no_search(shop) -> None:
    shop.pytester.makeini("[pytest]\nevosearch = 7x\n")
    shop.run().assert_outcomes(passed=1)


def test_path_after_the_bare_flag_is_a_path(shop) -> None:
    shop.write(tests__test_inside="def test_inside(client): pass\n")
    result = shop.run("--evosearch-level=0", "--evosearch", "tests")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["collected 1 item"])
    assert shop.told["settings"]["budget"] == "10m"
    assert shop.told["settings"]["command"].endswith(" tests")


def test_test_id_after_the_bare_flag_is_a_path(shop) -> None:
    result = shop.run("--evosearch-level=0", "--evosearch", "test_shop.py::test_index")
    result.stdout.fnmatch_lines(["collected 1 item"])


def test_path_with_an_equals_sign_is_refused(shop) -> None:
    result = shop.run("--evosearch-level=0", "--evosearch=test_shop.py")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: evosearch: 'test_shop.py' is a path, not a budget*"])


def test_anything_else_is_refused_in_one_line(shop) -> None:
    # before pytest 8 a refused option makes pluggy warn, which is an error in this process
    result = shop.run("--evosearch", "soon", subprocess=True)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*'soon' is not a budget: write a duration such as 90s*"])


def test_bad_budget_in_the_ini_file_names_the_key(shop) -> None:
    shop.pytester.makeini("[pytest]\nevosearch = soon\nevosearch_level = 0\n")
    result = shop.run("--evosearch")
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["ERROR: evosearch: 'soon' is not a budget*tox.ini sets evosearch*"]
    )
