from __future__ import annotations

import pytest


def test_header_names_what_can_be_pasted(shop) -> None:
    result = shop.search("--evosearch-seed=7", "--evosearch-app=shop:create_app")
    result.stdout.fnmatch_lines(
        ["evosearch: budget=5x algorithm=mio app=shop:create_app --evosearch-seed=7"]
    )


def test_header_is_hidden_on_demand(shop) -> None:
    result = shop.search("--no-header")
    result.stdout.no_fnmatch_line("evosearch: budget=*")


def test_last_line_counts_generated_tests(shop) -> None:
    shop.search().stdout.fnmatch_lines(["*= 3 generated in *s =*"])


def test_summary_is_hidden_on_demand(shop) -> None:
    result = shop.search("--no-summary")
    result.stdout.no_fnmatch_line("*= evosearch =*")
    result.stdout.fnmatch_lines(["*= 3 generated in *s =*"])


def test_progress_is_eleven_lines_without_a_terminal(shop) -> None:
    lines = [line for line in shop.search().outlines if "% " in line]
    assert len(lines) == 11
    assert "   1%  " in lines[0]


def test_quiet_is_one_line(shop) -> None:
    result = shop.search("-q", "--evosearch-seed=7")
    result.stdout.fnmatch_lines(
        ["evosearch: 3 tests in 1 file, 0 faults, 1 of 1 endpoint reached, seed 7"]
    )
    assert "covered" not in result.stdout.str()


def test_verbose_adds_the_endpoints(shop) -> None:
    result = shop.search("-v")
    result.stdout.fnmatch_lines(["endpoints:", "  GET /  100 calls  200"])


def test_reproduce_line_repeats_the_options(shop) -> None:
    result = shop.search(
        "--evosearch-seed=7",
        "--evosearch-output=made",
        "--evosearch-only=GET /*",
        "test_shop.py",
    )
    result.stdout.fnmatch_lines(
        [
            (
                "reproduce: pytest * --evosearch=5x --evosearch-output=made --evosearch-level=0"
                " '--evosearch-only=GET /[*]' --evosearch-seed=7 test_shop.py"
            )
        ]
    )


def test_command_of_written_files_depends_on_neither_folder_nor_seed(shop) -> None:
    shop.search("--evosearch-seed=7", "--evosearch-output=made", "--evosearch-faults=raises")
    command = shop.told["settings"]["command"]
    given = "-p scripted_engine -p pytest_evosearch.plugin"
    assert command == f"pytest {given} --evosearch=5x --evosearch-level=0 --evosearch-faults=raises"


@pytest.mark.slow("whole commands run")
@pytest.mark.parametrize("arguments", [[], ["-p", "no:capture"], ["--capture=sys"]])
def test_application_is_not_heard(shop, arguments: list[str]) -> None:
    result = shop.search(*arguments, script="load noise", subprocess=True)
    heard = [line for line in result.outlines + result.errlines if "NOISE" in line]
    # pytest's own capture=sys leaves file descriptors alone, and so do we
    assert [line for line in heard if "descriptor" not in line and "child" not in line] == []
    if "--capture=sys" not in arguments:
        assert heard == []
    assert result.ret == 0


@pytest.mark.slow("whole commands run")
def test_application_is_heard_under_s(shop) -> None:
    result = shop.search("-s", script="load noise", subprocess=True)
    result.stdout.fnmatch_lines(["*NOISE from the application", "*NOISE from print"])


def test_live_logs_stay_silent(shop) -> None:
    result = shop.search("-o", "log_cli=true", script="noise", subprocess=True)
    assert "NOISE" not in result.stdout.str()


def test_warnings_of_the_project_are_errors_during_the_search(shop) -> None:
    result = shop.search("-W", "error", script="noise", subprocess=True)
    assert result.ret == 3
    result.stdout.fnmatch_lines(["*UserWarning: NOISE from a warning"])
