# ruff: noqa: E501 - a table of messages reads best unbroken
from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("--evosearch-algorithm=moi", "'moi' is not a value of --evosearch-algorithm; did you mean 'mio'?*"),
        ("--evosearch-faults=xfial", "'xfial' is not a value of --evosearch-faults; did you mean 'xfail'?*"),
        ("--evosearch-fail-on=faults", "*; did you mean 'fault'?*"),
        ("--evosearch-fail-on=fault,unstabel", "*; did you mean 'unstable'?*"),
        ("--evosearch-set=mio.population=5", "unknown tunable 'mio.population'; did you mean 'mio.population_size'?*"),
        ("--evosearch-set=qlearning.gama=0.9", "unknown tunable 'qlearning.gama'; did you mean 'qlearning.gamma'?*"),
        ("--evosearch-set=mio.focus", "'mio.focus' is not an assignment: write --evosearch-set NAME=VALUE"),
        ("--evosearch-set=mio.focus=soon", "tunable 'mio.focus' takes a number from 0 to 1, not 'soon'*"),
        ("--evosearch-set=test.max_calls=0", "*takes a whole number from 1 to 1000, not '0'*"),
        ("--evosearch-level=4", "there is no instrumentation level 4*"),
        ("--evosearch-level=high", "--evosearch-level takes a whole number, not 'high'"),
        ("--evosearch-seed=pi", "--evosearch-seed takes a whole number, not 'pi'"),
        ("--evosearch-source=src/shop", "'src/shop' is not the name of a package*"),
    ],
)  # fmt: skip
def test_unusable_value_is_one_helpful_line(shop, argument: str, expected: str) -> None:
    result = shop.search(argument)
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: evosearch: {expected}"])


def test_values_are_checked_before_anything_is_collected(shop) -> None:
    result = shop.search("--evosearch-algorithm=moi")
    assert "collected" not in result.stdout.str()


def test_skipping_keeps_static_out_too(shop) -> None:
    shop.search("--evosearch-skip=GET /admin/*")
    assert shop.told["settings"]["skip"] == "('static', 'GET /admin/*')"


def test_empty_skip_lets_static_in(shop) -> None:
    shop.search("--evosearch-skip=")
    assert shop.told["settings"]["skip"] == "()"


def test_help_lists_the_options(project) -> None:
    result = project.run("--help")
    result.stdout.fnmatch_lines(
        [
            "search-based test generation for Flask:",
            "  --evosearch=*BUDGET*",
            "  --evosearch-app=*MODULE:NAME*",
            "*evosearch_app (string)*",
        ]
    )
