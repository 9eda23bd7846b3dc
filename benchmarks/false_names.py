"""Repairs the named causes of written suites, and counts those that do not hold.

    python -m benchmarks.false_names --python PYTHON PROJECT REPORT.json

The search proves a cause inside its own process.  Here the written test itself is run by pytest
alone, once as it is and once with the part of its request put back to the good value that the
report names.  A cause holds if the refusal, or the crash, is gone then, or a success has another
kind of answer.  Of causes that hide how the call fails next, the next failure must be another one.
Causes whose good value needs further calls are counted apart.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any

from benchmarks.measure import INSIDE

LIMIT = 300
"""Seconds for one run of a suite."""

REFUSED = 400
FAILED = 500
DOORS = (401, 403, 404)
"""Statuses for who asks, or for what: these end where the contents are refused instead."""
CONTENTS = (400, 409, 415, 422)
"""Statuses for what is sent."""
MOST_CAUSES = 2
"""Causes of one row of a test."""


@dataclass
class Count:
    """The named causes of one suite."""

    holding: int = 0
    elsewhere: int = 0
    """Causes that no change of the request alone repairs, or whose call is not found."""
    failing: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return the numbers in words."""
        repaired = self.holding + len(self.failing)
        return (
            f"{repaired + self.elsewhere} causes, {repaired} repaired, "
            f"{len(self.failing)} do not hold, {self.elsewhere} need more than the request"
        )


def is_ended(before: Any, after: Any) -> bool:
    """Say whether another answer shows that a repair mattered; None stands for an exception."""
    if after is None:
        return False
    if before is None or before[0] >= FAILED:
        return bool(after[0] < FAILED)
    if before[0] >= REFUSED:
        return bool(after[0] < REFUSED or (before[0] in DOORS and after[0] in CONTENTS))
    return bool(before != after)


def holds(cause: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Say whether a repair shows that a cause is true."""
    is_another = "text" in after and before.get("text") != after["text"]  # or another exception
    hidden = bool(cause.get("hides_another")) and is_another
    return hidden or is_ended(before["answer"], after["answer"])


def run_suite(
    python: Path, project: Path, files: Sequence[str], given: dict[str, Any], number: int
) -> dict[str, list[dict[str, Any]]]:
    """Run a suite with the plugin, and return the calls of each test."""
    with tempfile.TemporaryDirectory() as name:
        causes, answers = Path(name) / "causes.json", Path(name) / "answers.jsonl"
        causes.write_text(json.dumps(given), encoding="utf-8")
        answers.touch()
        variables = {
            "EVOSEARCH_CAUSES": str(causes),
            "EVOSEARCH_ANSWERS": str(answers),
            "EVOSEARCH_REPAIRED": str(number),
            "PYTHONPATH": str(INSIDE),
        }
        command = [str(python), "-m", "pytest", "-q", "-p", "repairing", "-p", "no:cacheprovider"]
        subprocess.run(
            [*command, *files],
            cwd=project,
            env={**os.environ, **variables},
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
        lines = map(json.loads, answers.read_text(encoding="utf-8").splitlines())
        return {one["test"]: one["calls"] for one in lines}


def count_false_names(python: Path, project: Path, report: dict[str, Any]) -> Count:
    """Repair every cause that a report names, and count those that do not hold."""
    causes = {one["name"]: one["causes"] for one in report["tests"] if one.get("causes")}
    total = sum(map(len, causes.values()))
    count = Count()
    plain = run_suite(python, project, report["files"], {"causes": causes, "places": []}, 0)
    places: list[dict[str, Any]] = [{}]
    for number in range(MOST_CAUSES):
        found = {test: place for test in plain if (place := _place(plain[test], number))}
        places.append(found)
    given = {"causes": causes, "places": places}
    for number in range(1, MOST_CAUSES + 1):
        if not places[number]:
            continue
        after = run_suite(python, project, report["files"], given, number)
        for test, place in places[number].items():
            call, calls = place["call"], after.get(test, [])
            after_repair = calls[call] if call < len(calls) else {"answer": None}
            if holds(place["cause"], plain[test][call], after_repair):
                count.holding += 1
            else:
                count.failing.append(f"{test}: {place['cause']}")
    count.elsewhere = max(0, total - count.holding - len(count.failing))
    return count


def _place(calls: Sequence[dict[str, Any]], number: int) -> dict[str, Any] | None:
    """Return the last call that shows a cause which the request alone repairs."""
    for call in reversed(range(len(calls))):
        shown = [one for one in calls[call]["shows"] if one.get("usual") != "linked"]
        if len(shown) > number:
            return {"call": call, "cause": shown[number]}
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Count for one project; a cause that does not hold ends with 1."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("project", type=Path)
    parser.add_argument("report", type=Path)
    options = parser.parse_args(arguments)
    report = json.loads(options.report.read_text(encoding="utf-8"))
    count = count_false_names(options.python, options.project, report)
    print(count.line())
    for one in count.failing:
        print(f"    {one}")
    return 1 if count.failing else 0


if __name__ == "__main__":
    sys.exit(main())
