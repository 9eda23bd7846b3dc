"""What cannot be used is told in one line that says what, where and what to do: exit code 4."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_evosearch.core import isolation

BAD = {
    "budget that is no time": ("--evosearch=soon", "'soon' is not a budget*--evosearch=30m*"),
    "negative budget": ("--evosearch=-5s", "'-5s' is not a budget*"),
    "empty budget": ("--evosearch=0x", "*'0x' is empty: write at least*"),
    "application without a value": (
        "--evosearch-app",
        "--evosearch-app needs a value*MODULE:NAME*",
    ),
    "empty application": ("--evosearch-app=", "--evosearch-app needs a value*"),
    "url that is none": (
        "--evosearch-url=shop",
        "--evosearch-url=shop is not the address*http://*",
    ),
    "url with a path": ("--evosearch-url=http://x/a", "*without a path*"),
    "source that is not there": ("--evosearch-source=nopkg", "*nopkg: there is no such package*"),
    "part that is not there": ("--evosearch-source=shop.no", "*shop.no: there is no such package*"),
    "source that is a path": ("--evosearch-source=./shop", "*'./shop' is not the name*"),
    "empty source": ("--evosearch-source=", "--evosearch-source needs a value*"),
    "output that is a file": (
        "--evosearch-output=a.txt",
        "*a.txt is not a folder; choose another*",
    ),
    "output below a file": ("--evosearch-output=a.txt/b/c", "*a.txt is not a folder*"),
    "empty output": ("--evosearch-output=", "--evosearch-output needs a value*"),
    "algorithm": ("--evosearch-algorithm=moi", "'moi' is not a value*mio*"),
    "level beyond": ("--evosearch-level=7", "*no instrumentation level 7*"),
    "negative level": ("--evosearch-level=-1", "*no instrumentation level -1*"),
    "level that is a word": ("--evosearch-level=high", "--evosearch-level*'high'*"),
    "seed that is a word": ("--evosearch-seed=x", "--evosearch-seed takes a whole number*'x'*"),
    "negative seed": ("--evosearch-seed=-1", "--evosearch-seed takes*at least 0*"),
    "seed without a value": ("--evosearch-seed", "--evosearch-seed needs a value*"),
    "empty pattern": ("--evosearch-only=", "--evosearch-only needs a value*"),
    "empty schema": ("--evosearch-schema=", "--evosearch-schema needs a value*"),
    "faults": ("--evosearch-faults=maybe", "'maybe' is not a value of --evosearch-faults*xfail*"),
    "oracles": ("--evosearch-oracles=all,serer-error", "'serer-error'*server-error*"),
    "no oracle": ("--evosearch-oracles=,", "--evosearch-oracles needs a value*"),
    "fail on": ("--evosearch-fail-on=faults", "'faults' is not a value*fault*"),
    "baseline in no folder": ("--evosearch-baseline=no/b.json", "*no folder*no; make it first*"),
    "baseline that is a folder": ("--evosearch-baseline=folder", "*not a list of faults*"),
    "baseline that is none": ("--evosearch-baseline=a.txt", "*a.txt: not a list of faults*"),
    "output above the project": ("--evosearch-output=..", "*the project itself lies in this*"),
    "output nobody can make": ("--evosearch-output=/proc/x", "*/proc cannot be written to*"),
    "report nobody can make": ("--evosearch-report=/proc/x", "*/proc cannot be written to*"),
    "home of no user": ("--evosearch-output=~no-such-user/x", "*there is no such user*"),
    "source that is Python": ("--evosearch-source=json", "*json: this is a part of Python*"),
    "budget without end": ("--evosearch=99999h", "*'99999h' is too large*"),
    "share beyond all": ("--evosearch-set=run.memory=7", "*takes a number from 0 to 1, not '7'*"),
    "no population": ("--evosearch-set=mio.population_size=0", "*from 1 to 10000, not '0'*"),
    "too many mutants": ("--evosearch-mutants=1000001", "*from 0 to 1000000*"),
    "negative mutants": ("--evosearch-mutants=-2", "--evosearch-mutants*from 0 to*"),
    "mutants that are a word": ("--evosearch-mutants=many", "--evosearch-mutants*'many'*"),
    "report that is a file": ("--evosearch-report=a.txt", "*a.txt is not a folder*"),
    "host with a scheme": (
        "--evosearch-allow-net=http://x",
        "'http://x' is not the name of a host*",
    ),
    "setting without a value": ("--evosearch-set=mio", "'mio' is not an assignment*NAME=VALUE*"),
    "unknown setting": ("--evosearch-set=request.timeot=1", "unknown tunable*request.timeout*"),
    "setting of the wrong type": ("--evosearch-set=request.timeout=x", "*'request.timeout'*"),
    "negative setting": ("--evosearch-set=request.timeout=-1", "*from 0.01 to 3600*"),
    "switch with a value": ("--evosearch-plan=3", "--evosearch-plan=3: *takes no value*"),
    "switch with nothing": ("--evosearch-allow-db=", "--evosearch-allow-db=: *takes no value*"),
    "misspelt option": ("--evosearch-sed=3", "*no option --evosearch-sed; did you mean*-seed'*"),
    "both": ("--evosearch-update", "--evosearch-update refreshes*leave out*"),
}
"""What is wrong -> the words of the command line, and what is told."""

KEYS = {
    "evosearch": ("soon", "'soon' is not a budget*"),
    "evosearch_source": ("nopkg", "*nopkg: there is no such package*"),
    "evosearch_output": ("a.txt", "*a.txt is not a folder*"),
    "evosearch_algorithm": ("moi", "'moi' is not a value*"),
    "evosearch_level": ("high", "*high*"),
    "evosearch_seed": ("-1", "*at least 0*"),
    "evosearch_faults": ("maybe", "'maybe' is not a value*"),
    "evosearch_oracles": ("none", "'none' is not a value*"),
    "evosearch_fail_on": ("all", "'all' is not a value*"),
    "evosearch_baseline": ("no/b.json", "*no folder*"),
    "evosearch_plan": ("perhaps", "evosearch_plan in tox.ini cannot be used*"),
    "evosearch_update": ("perhaps", "evosearch_update in tox.ini cannot be used*"),
    "evosearch_allow_db": ("perhaps", "evosearch_allow_db in tox.ini cannot be used*"),
    "evosearch_mutants": ("-2", "*from 0 to*"),
    "evosearch_report": ("a.txt", "*a.txt is not a folder*"),
    "evosearch_url": ("shop", "*not the address of a server*"),
    "evosearch_allow_net": ("http://x", "'http://x' is not the name of a host*"),
    "evosearch_set": ("mio", "'mio' is not an assignment*"),
}
"""Key of the ini file -> a value that cannot be used, and what is told."""


def content(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*") if "__pycache__" not in path.parts}


def check_refused(shop, arguments: list[str], told: str) -> None:
    before = content(shop.path)
    result = shop.run(*arguments, "-q", "-p", "no:cacheprovider", script="usage")
    lines = [line for line in (*result.outlines, *result.errlines) if line.strip()]
    assert result.ret == 4, lines
    assert len(lines) == 1, lines
    result.stderr.fnmatch_lines([f"ERROR: *{told}"])
    assert content(shop.path) == before


@pytest.fixture
def places(shop):
    """Return the project with a file and a folder that options name."""
    (shop.path / "a.txt").write_text("text")
    (shop.path / "folder").mkdir()
    return shop


@pytest.mark.parametrize("wrong", BAD)
def test_a_value_of_the_command_line_that_cannot_be_used(places, wrong: str) -> None:
    word, told = BAD[wrong]
    first = [] if word.startswith("--evosearch=") else ["--evosearch=5x"]
    check_refused(places, [*first, word], told)


@pytest.mark.parametrize("key", KEYS)
def test_a_value_of_the_ini_file_that_cannot_be_used(places, key: str) -> None:
    value, told = KEYS[key]
    places.pytester.makeini(f"[pytest]\n{key} = {value}\n")
    check_refused(places, ["--evosearch"], told)


@pytest.mark.parametrize("asked", ["--evosearch-update=1", "--evosearch-sed=3"])
def test_a_wrong_option_is_told_without_a_search_too(shop, asked: str) -> None:
    check_refused(shop, [asked], f"*{asked.partition('=')[0]}*")


def test_a_switch_with_a_value_in_the_environment(shop, monkeypatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--evosearch-plan=yes")
    check_refused(shop, [], "*--evosearch-plan=yes: the option takes no value*")


def test_an_option_of_the_project_that_begins_like_ours_is_no_mistake(shop) -> None:
    option = 'def pytest_addoption(parser):\n    parser.addoption("--evosearch-shop")\n'
    conftest = shop.path / "conftest.py"
    conftest.write_text(f"{conftest.read_text()}\n\n{option}")
    assert shop.run("--evosearch-shop=1").ret == 0


def test_a_folder_that_may_not_be_written_to(places, monkeypatch) -> None:
    real = os.access

    def access(at: object, mode: int) -> bool:
        return "folder" not in str(at) and real(at, mode)

    # The product's copy of `os` may have been made before this test, or by the run below.
    monkeypatch.setattr(os, "access", access)
    monkeypatch.setattr(isolation.os, "access", access)
    check_refused(places, ["--evosearch=5x", "--evosearch-output=folder/x"], "*cannot be written*")
