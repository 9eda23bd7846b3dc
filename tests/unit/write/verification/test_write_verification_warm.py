from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from pytest_evosearch.write.verification.circumstances import ALL
from pytest_evosearch.write.verification.circumstances import BY_MODULE
from pytest_evosearch.write.verification.circumstances import MOVED
from pytest_evosearch.write.verification.circumstances import STRICT
from pytest_evosearch.write.verification.circumstances import TOGETHER
from pytest_evosearch.write.verification.circumstances import joined
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters
from pytest_evosearch.write.verification.warm import Run
from pytest_evosearch.write.verification.warm import divided
from pytest_evosearch.write.verification.warm import is_complete
from pytest_evosearch.write.verification.warm import warmed

FOLDER = (Path("written"),)


def test_a_strict_run_follows_the_one_whose_clock_is_moved() -> None:
    moved, strict = joined(MOVED, BY_MODULE), joined(STRICT, TOGETHER)

    leader, follower = warmed([Run(strict, FOLDER), Run(moved, FOLDER, apart=True)])

    assert (leader.circumstances, follower.circumstances) == (moved, strict)
    assert leader.follower is follower
    assert (leader.apart, leader.leader, follower.leader) == (True, True, False)
    assert "--strict-markers" in leader.options
    told = json.loads(leader.environment["EVOSEARCH_VERIFY_THEN"])
    assert (told["warnings"], told["processes"]) == (["error"], 2)
    assert "PYTHONHASHSEED" not in told["environment"]
    assert follower.alone.leader


@pytest.mark.parametrize(
    "runs",
    [
        [Run(STRICT, FOLDER)],
        [Run(MOVED, FOLDER)],
        [Run(MOVED, FOLDER), Run(STRICT, (Path("one.py"),))],
    ],
)
def test_runs_that_do_not_belong_together_stay_apart(runs: list[Run]) -> None:
    assert warmed(runs) == runs


def test_the_log_of_a_warm_process_is_divided_where_the_circumstances_change() -> None:
    item, ended = {"item": "a::x"}, {"ended": "a::x"}

    first, then = divided([item, {"started": "a::x"}, ended, {"change": True}, ended])

    assert first == [item, {"started": "a::x"}, ended]
    assert then == [item, ended]
    assert is_complete(first)
    assert is_complete([item, {"left out": "a::x"}])
    assert not is_complete(divided([item, ended])[1])
    assert not is_complete([])


OBSERVES = """\
import json
import os
import time
from pathlib import Path


def test_{name}(tmp_path, request):
    seen = {{
        "process": os.getpid(),
        "hash": os.environ["PYTHONHASHSEED"],
        "zone": os.environ.get("TZ"),
        "offset": time.timezone,
        "time": time.time(),
        "worker": getattr(request.config, "workerinput", {{}}).get("workerid"),
        "folder": str(tmp_path),
    }}
    with Path(__file__).with_name("seen").open("a") as file:
        file.write(json.dumps(seen) + "\\n")
"""

WARNS = """\


def test_warns():
    import warnings

    warnings.warn("old", DeprecationWarning)
"""


@pytest.mark.usefixtures("with_xdist")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="one interpreter is forked")
def test_one_interpreter_runs_the_tests_in_all_circumstances(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"test_evosearch_{name}.py").write_text(OBSERVES.format(name=name))
    several = [one for one in ALL if one in (MOVED, STRICT, BY_MODULE, TOGETHER)]
    told: list[str] = []

    verdict = FreshInterpreters(PytestProcess(tmp_path), several, told.append)(tmp_path, 2)

    assert (verdict, len(told)) == (Verdict(), 1)
    *moved, one, other = [json.loads(line) for line in (tmp_path / "seen").read_text().splitlines()]
    assert {one["hash"] for one in (*moved, one, other)} == {"4242"}
    assert len({one["process"] for one in (*moved, one, other)}) == 4
    assert [one["zone"] for one in moved] == ["Pacific/Kiritimati"] * 2
    assert all(one["time"] > time.time() + 9000 * 3600 for one in moved)
    assert {one["worker"] for one in (one, other)} == {"gw0", "gw1"}
    assert (one["zone"], one["offset"]) == ("America/St_Johns", 12600)
    assert abs(one["time"] - time.time()) < 600
    assert len({Path(seen["folder"]).parent for seen in (one, other)}) == 2


@pytest.mark.slow("whole pytest runs of written tests")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="one interpreter is forked")
def test_warnings_are_errors_in_forks_and_then_in_an_interpreter_of_their_own(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_evosearch_a.py").write_text(WARNS)

    verdict = FreshInterpreters(PytestProcess(tmp_path), [MOVED, STRICT])(tmp_path, 1)

    (failure,) = verdict.failures
    assert (failure.test, failure.warning) == ("test_warns", "DeprecationWarning")
