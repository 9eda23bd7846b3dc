from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("script", "arguments", "code"),
    [
        ("plain", [], 0),
        ("load", [], 0),
        ("fault", [], 0),
        ("fault", ["--evosearch-fail-on=fault"], 1),
        ("plain", ["--evosearch-fail-on=fault,unstable"], 0),
        ("unstable", ["--evosearch-fail-on=unstable"], 1),
        ("unverified", [], 1),
        ("interrupted", [], 2),
        ("bug", [], 3),
        ("usage", [], 4),
        ("nothing", [], 5),
        ("lost", [], 5),
        ("lost fault", ["--evosearch-fail-on=fault"], 1),
    ],
)
def test_exit_code(shop, script: str, arguments: list[str], code: int) -> None:
    assert shop.search(*arguments, script=script).ret == code


def test_usage_error_is_one_line(shop) -> None:
    result = shop.search(script="usage")
    result.stderr.fnmatch_lines(["ERROR: evosearch: no Flask application found"])


def test_lines_to_paste_where_no_application_was_found(shop) -> None:
    result = shop.search(script="usage")
    result.stdout.fnmatch_lines(
        ["evosearch: or paste this into conftest.py:", "    @pytest.fixture", "    def client():"]
    )
    result = shop.search("--evosearch-app=shop:create_app", script="usage")
    result.stdout.no_fnmatch_line("*paste this*")


def test_our_own_bug_keeps_its_traceback(shop) -> None:
    result = shop.search(script="bug")
    result.stdout.fnmatch_lines(["INTERNALERROR> *an invariant of ours"])


def test_nothing_to_generate_says_why(shop) -> None:
    result = shop.search(script="nothing")
    result.stdout.fnmatch_lines(["evosearch: no endpoint is left to search"])


def test_interrupted_run_shows_its_summary(shop) -> None:
    result = shop.search(script="interrupted")
    result.stdout.fnmatch_lines(["*= evosearch =*", "reproduce: pytest *"])


def test_new_fault_fails_only_once(shop) -> None:
    arguments = ["-p", "cacheprovider", "--evosearch-fail-on=new-fault"]
    assert shop.search(*arguments, script="fault").ret == 1
    assert shop.search(*arguments, script="fault").ret == 0


def test_a_committed_baseline_knows_its_faults(shop) -> None:
    baseline = shop.path / "faults.json"
    arguments = [f"--evosearch-baseline={baseline}", "--evosearch-fail-on=new-fault"]
    first = shop.search(*arguments, script="fault")
    assert first.ret == 0
    first.stdout.fnmatch_lines(["evosearch: baseline: 1 fault written to *faults.json"])
    assert '"endpoint": "GET /"' in baseline.read_text()
    assert shop.search(*arguments, script="fault").ret == 0

    baseline.write_text('{"version": 1, "faults": [{"id": "0123456789ab"}]}')
    second = shop.search(*arguments, script="fault")
    assert second.ret == 1
    second.stdout.fnmatch_lines(
        [
            "evosearch: failed: 1 new fault (--evosearch-fail-on=new-fault): GET / * [[]*]",
            "evosearch: baseline: 1 of its faults did not occur again",
        ]
    )


def test_a_file_that_is_no_baseline_is_refused_before_the_search(shop) -> None:
    baseline = shop.path / "faults.json"
    baseline.write_text("[]")
    result = shop.search(f"--evosearch-baseline={baseline}", script="fault")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*faults.json: not a list of faults*"])


@pytest.mark.parametrize("source", ["import no_such_module", "import sys; sys.exit(1)"])
def test_modules_that_cannot_be_imported_are_left_out(shop, source) -> None:
    shop.write(test_broken=f"{source}\n")
    result = shop.search("-x", script="load")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["evosearch: could not be collected*: test_broken.py"])
    assert "ModuleNotFoundError" not in result.stdout.str()


def test_maxfail_is_the_number_of_faults(shop) -> None:
    shop.search("--maxfail=3")
    assert shop.told["settings"]["maximum_faults"] == 3


def test_project_without_any_test_is_no_failure(shop) -> None:
    (shop.path / "test_shop.py").unlink()
    assert shop.search(script="load").ret == 0


def test_a_broken_conftest_is_told_by_pytest_alone(shop) -> None:
    shop.write(conftest="from shop import nothing_of_that_name\n")
    result = shop.search(subprocess=True)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    lines = result.stderr.str().splitlines()
    assert lines[0].startswith("ImportError while loading conftest")
    assert lines[-1].startswith("E   ImportError: cannot import name 'nothing_of_that_name'")
