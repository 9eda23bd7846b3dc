from __future__ import annotations

import pytest
from test_benchmarks_run import make_result

from benchmarks import run
from benchmarks import summary
from benchmarks.applications import BY_NAME
from benchmarks.evidence import FILE
from benchmarks.evidence import compact
from benchmarks.evidence import read_evidence
from benchmarks.evidence import write_evidence
from benchmarks.jobs import plan

JOBS = plan([BY_NAME["ncs"]], ["mio"], ["60s"], [1, 2, 3])


def bulky(seed):
    moments = [{"seconds": n / 4, "evaluations": 9 * n, "covered": n} for n in range(1, 200)]
    rows = [{"calls": 20, "operation": "GET /a"}, {"calls": 5, "operation": "GET /b"}]
    report = {"targets": {"covered": 199, "of": 300}, "timeline": moments, "endpoints": rows}
    result = make_result(seed, terminal="x" * 8000, report={"report.json": report})
    result |= {"peak_memory": 90, "first_test": 4.5}
    result["suite"]["uncovered_lines"] = ["a.py:1"] * 500
    return result


@pytest.mark.parametrize("metric", [*summary.COLUMNS.values(), *summary.COSTS.values()])
def test_what_is_kept_gives_the_same_tables(metric):
    before, after = metric(bulky(1)), metric(compact(bulky(1)))

    assert after == pytest.approx(before, rel=0.03)


def test_a_line_is_kept_for_each_job(tmp_path):
    path = write_evidence(tmp_path, [bulky(2), bulky(1)])

    lines = path.read_text(encoding="utf-8").splitlines()
    assert [len(line) < 6000 for line in lines] == [True, True]
    assert list(read_evidence(tmp_path, JOBS)) == ["ncs-mio-60s-1", "ncs-mio-60s-2"]
    assert list(read_evidence(tmp_path, JOBS[1:])) == ["ncs-mio-60s-2"]


def test_another_machine_goes_on_where_one_has_stopped(tmp_path, monkeypatch):
    executed = []

    def pretend(job, cache, ways):
        executed.append(job.key)
        return make_result(seed=job.seed, tool=job.tool)

    monkeypatch.setattr(run, "execute", pretend)
    arguments = ["--apps=ncs", "--tools=mio", f"--tables={tmp_path / 'tables'}"]

    run.main([*arguments, "--seeds=2", f"--results={tmp_path / 'here'}"])
    run.main([*arguments, "--seeds=3", f"--results={tmp_path / 'there'}"])

    assert executed == ["ncs-mio-60s-1", "ncs-mio-60s-2", "ncs-mio-60s-3"]
    assert len((tmp_path / "tables" / FILE).read_text(encoding="utf-8").splitlines()) == 3
    assert "| ncs | mio | 3 |" in (tmp_path / "tables" / "README.md").read_text(encoding="utf-8")
