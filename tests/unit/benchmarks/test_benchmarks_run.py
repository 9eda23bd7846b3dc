from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

import pytest

from benchmarks import execute
from benchmarks import reruns
from benchmarks import run
from benchmarks.applications import ALL
from benchmarks.applications import BY_NAME
from benchmarks.environments import environment_folder
from benchmarks.environments import process_environment
from benchmarks.jobs import Job
from benchmarks.jobs import plan

JOB = Job(BY_NAME["ncs"], "mio", "60s", 3)


def make_result(seed=1, **changes):
    counts = {"lines": 50, "branches": 20}
    whole = {"lines": 100, "branches": 40}
    suite = {
        "covered": counts,
        "total": whole,
        "covered_with_creation": counts,
        "total_with_creation": whole,
        "faults": [],
    }
    reruns_part = {"passed": 5, "of": 5, "outcomes": {"passed": 7, "xfailed": 1}}
    return {
        "application": "ncs",
        "tool": "mio",
        "budget": "60s",
        "seed": seed,
        "revision": "abc",
        "exit_code": 0,
        "seconds": 61.0,
        "report": {
            "report.json": {
                "targets": {"covered": 70},
                "timeline": [{"seconds": 5.0, "evaluations": 9, "covered": 70}],
                "endpoints": [{"calls": 20}],
            }
        },
        "suite": suite,
        "reruns": reruns_part,
        "written": {"modules": 1, "lines": 80},
        **changes,
    }


def test_projects_of_the_table_exist():
    projects = [application.project for application in ALL if application.project]

    assert [str(project) for project in projects if not project.is_dir()] == []


def test_installed_project_gets_the_common_conftest(tmp_path):
    copy = execute.copy_project(Job(BY_NAME["bepasty"], "mio", "60s", 1), tmp_path)

    assert sorted(path.name for path in copy.iterdir()) == [
        "application.py",
        "conftest.py",
        "pytest.ini",
    ]


def test_jobs_are_planned_seed_by_seed():
    jobs = plan([BY_NAME["ncs"]], ["mio", "random"], ["60s"], [1, 2])

    assert [job.key for job in jobs] == [
        "ncs-mio-60s-1",
        "ncs-random-60s-1",
        "ncs-mio-60s-2",
        "ncs-random-60s-2",
    ]


@pytest.mark.parametrize(
    ("budget", "seconds"), [("90s", 90), ("2m", 120), ("1h30m", 5400), ("500x", 0)]
)
def test_budget_in_seconds(budget, seconds):
    assert execute.budget_in_seconds(budget) == seconds


def test_search_command_names_everything_that_decides_the_result():
    command = execute.search_command(JOB, Path("python"), Path("/project"))

    assert command[1:5] == ["-m", "pytest", "-p", "pytest_evosearch.plugin"]
    assert {"--evosearch=60s", "--evosearch-seed=3", "--evosearch-algorithm=mio"} < set(command)
    assert f"--evosearch-output={Path('/project/tests/evosearch')}" in command


def test_copy_of_a_project_leaves_earlier_results_behind(tmp_path):
    copy = execute.copy_project(JOB, tmp_path)

    assert (copy / "tests" / "conftest.py").exists()
    assert not (copy / "tests" / "evosearch").exists()


def test_a_project_keeps_its_own_answers_for_itself(tmp_path):
    copy = execute.copy_project(JOB, tmp_path)

    assert [path.name for path in copy.rglob("test_*.py")] == ["test_client.py"]
    assert "client." not in (copy / "tests" / "test_client.py").read_text(encoding="utf-8")


def test_application_from_the_index_gets_an_empty_project(tmp_path):
    copy = execute.copy_project(Job(BY_NAME["httpbin"], "mio", "60s", 1), tmp_path)

    assert [path.name for path in copy.iterdir()] == ["pytest.ini"]


def test_other_requirements_get_another_environment(tmp_path):
    folders = {environment_folder(BY_NAME[name], tmp_path) for name in ("httpbin", "ncs")}

    assert len(folders) == 2
    assert all(folder.parent == tmp_path for folder in folders)


def test_settings_of_the_caller_do_not_reach_the_jobs(monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--maxfail=1")
    monkeypatch.setenv("FLASK_APP", "other")

    environment = process_environment()

    assert "PYTEST_ADDOPTS" not in environment
    assert "FLASK_APP" not in environment


def test_outcomes_are_read_from_the_last_line():
    counts = reruns.count_outcomes("= 12 passed, 2 xfailed, 1 error in 0.5s =")

    assert counts == {"passed": 12, "xfailed": 2, "error": 1}


def test_rerun_with_other_outcomes_did_not_pass():
    results = [
        reruns.Rerun("plain", 0, "2 passed"),
        reruns.Rerun("plain again", 0, "1 passed, 1 skipped"),
        reruns.Rerun("two processes", 1, "1 passed, 1 failed", ("FAILED test_a.py::test_b",)),
    ]

    described = reruns.describe(results)

    assert (described["passed"], described["failures"]) == (1, ["FAILED test_a.py::test_b"])


def test_a_rerun_tells_which_tests_failed():
    output = (
        "F.\nE  FAILED\n=== short test summary info ===\nFAILED test_a.py::test_b - KeyError: 1\n"
    )

    assert reruns.failures(output) == ("FAILED test_a.py::test_b - KeyError: 1",)


def test_unknown_application_is_refused_with_the_known_ones():
    with pytest.raises(argparse.ArgumentTypeError, match="no application; there are ncs, scs"):
        run.application_names("shoe")


def test_results_are_not_computed_again(tmp_path, monkeypatch):
    executed = []

    def pretend(job, cache, ways):
        executed.append(job.key)
        return make_result(seed=job.seed, tool=job.tool)

    monkeypatch.setattr(run, "execute", pretend)
    results, tables = tmp_path / "raw", tmp_path / "tables"
    arguments = ["--apps=ncs", "--seeds=2", f"--results={results}", f"--tables={tables}"]

    run.main(arguments)
    run.main([*arguments, "--seeds=3"])

    assert len(executed) == len(set(executed)) == 6
    assert sorted(path.name for path in tables.iterdir()) == [
        "README.md",
        "branches-60s.svg",
        "lines-60s.svg",
        "results.jsonl",
        "targets-60s.svg",
    ]


def test_failed_job_is_reported_and_tried_again_later(tmp_path, monkeypatch, capsys):
    failure = {**make_result(), "error": "RuntimeError: no"}
    monkeypatch.setattr(run, "execute", lambda job, cache, ways: failure)

    run.main(
        [
            "--apps=ncs",
            "--tools=mio",
            "--seeds=1",
            f"--results={tmp_path}",
            f"--tables={tmp_path / 'tables'}",
        ]
    )

    assert "ncs-mio-60s-1: RuntimeError: no" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["ncs-mio-60s-1.failed"]


def test_result_is_described_in_one_line():
    assert run.describe(make_result()) == (
        "50/100 lines, 20/40 branches, 0 faults, re-runs 5/5, exit 0, 61 s"
    )


def test_written_result_is_json(tmp_path):
    run.write_result(tmp_path / "a.json", {"seed": 1})

    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == {"seed": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_search_that_writes_nothing_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(execute, "search", lambda job, python, project: {"exit_code": 3})

    result = execute.execute(JOB, tmp_path)

    assert result["error"] == "RuntimeError: no suite was written (exit code 3)"


def test_pinned_jobs_have_a_processor_each():
    available = os.sched_getaffinity(0)

    with run.pool_of(1, pinned=True) as pool:
        seen = pool.submit(os.sched_getaffinity, 0).result()

    assert seen == {min(available)}
    assert os.sched_getaffinity(0) == available


def test_more_pinned_jobs_than_processors_are_refused():
    with pytest.raises(SystemExit, match="--pinned: 1025 jobs at once"):
        run.pool_of(1025, pinned=True)


def test_tables_name_pinned_jobs_in_their_command():
    options = run.parse_arguments(["--apps", "ncs", "--jobs", "2", "--pinned"])

    assert run.command(options).endswith("--seeds 5 --jobs 2 --pinned")
