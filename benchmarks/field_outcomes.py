"""Outcomes of the field: what a run showed, compared with the run before, and as a table.

An outcome is one line of `field_results.jsonl`; nothing of a project's own code stands in it but
the places and messages of what went wrong.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.compatibility_rows import Run
from benchmarks.compatibility_rows import one_line
from benchmarks.compatibility_rows import share
from benchmarks.execute import budget_in_seconds
from benchmarks.timekeeping import allowed

FILE = Path(__file__).with_name("field_results.jsonl")

INTERNAL = re.compile(r"INTERNALERROR|internal error", re.IGNORECASE)
LET_IN = re.compile(r"let in: ([\w.@-]+)")
SHUT_OUT = "no one was let in"
LOG_IN = re.compile(r"log[-_]?in|sign[-_]?in|/auth\b|/token\b|/session", re.IGNORECASE)
REFUSALS = (401, 403)
NO_USERS = ("", "none")
LESS = 0.9
"""A covered share below this part of the earlier one counts as less."""
NOTHING_FOUND = (
    "ERROR: evosearch: no Flask application found; tried factory calls in tests (none); "
)
LONGEST_CELL = 200
"""Characters of a reason in the table, at most."""

FEW = 5
"""Branches that chance takes or gives."""


def outcome(
    found: Mapping[str, Any], reruns: Mapping[str, Run], budget: str, processors: int
) -> dict[str, Any]:
    """Return the record of a search and of the runs of what it wrote."""
    terminal, report = found["terminal"], found.get("report")
    record: dict[str, Any] = {
        "started": bool(report and report["endpoints"]),
        "exit": found["exit"],
        "seconds": found["seconds"],
        "late": is_late(found["seconds"], budget, processors),
        "internal": internal_error(terminal),
    }
    if not report:
        cut = "ended from outside, at: " if found["exit"] < 0 else ""
        return {**record, "reason": f"{cut}{reason(terminal)}"}
    record.update(figures(report))
    record["users"] = users(report, terminal)
    record["notices"] = notices(report)
    record["reruns"] = {way: run.describe() for way, run in reruns.items()}
    record["passing"] = bool(reruns) and all(run.exit_code == 0 for run in reruns.values())
    record["empty"] = is_empty(record)
    return record


def is_late(seconds: float, budget: str, processors: int) -> bool:
    """Say whether a command took longer than its budget allows; one of evaluations allows all."""
    return bool(budget_in_seconds(budget)) and seconds > allowed(budget, processors)


def figures(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counts of a report."""
    coverage = report["coverage"] or {}
    dropped: dict[str, int] = {}
    for row in report["dropped"]:
        dropped[shortened(row["reason"])] = dropped.get(shortened(row["reason"]), 0) + 1
    return {
        "evaluations": report["run"]["evaluations"],
        "endpoints": [
            sum(bool(row["statuses"]) for row in report["endpoints"]),
            len(report["endpoints"]),
        ],
        "lines": [coverage.get("covered_lines", 0), coverage.get("total_lines", 0)],
        "branches": [coverage.get("covered_branches", 0), coverage.get("total_branches", 0)],
        "targets": report["targets"]["covered"],
        "kept": len(report["tests"]),
        "dropped": len(report["dropped"]),
        "dropped_because": dict(sorted(dropped.items(), key=lambda item: -item[1])[:4]),
        "unverified": len(report["unverified"]),
        "faults": sum(row["rank"] == "fault" for row in report["faults"]),
        "minor_faults": sum(row["rank"] != "fault" for row in report["faults"]),
        "untested_faults": sum(row["test"] is None for row in report["faults"]),
    }


def users(report: Mapping[str, Any], terminal: str) -> dict[str, Any]:
    """Return whether the project has a log-in, and who was let in."""
    known = str(report["run"]["findings"].get("auth", ""))
    refusing = any(status in REFUSALS for row in report["endpoints"] for status in row["statuses"])
    login = any(LOG_IN.search(row["endpoint"]) for row in report["endpoints"])
    told = "\n".join((terminal, *report["notices"]))
    names = sorted({*LET_IN.findall(told), *(row["user"] for row in report["faults"])} - {None, ""})
    return {
        "log_in": login or refusing,
        "known": "" if known in NO_USERS else shortened(known),
        "let_in": len(names),
        "shut_out": SHUT_OUT in told,
    }


def notices(report: Mapping[str, Any]) -> list[str]:
    """Return the notices that tell of something that failed or was left out."""
    telling = re.compile(
        r"internal|fail|error|not restored|did not come back|left out|could not|cannot|no test",
        re.IGNORECASE,
    )
    chosen = [shortened(one) for one in report["notices"] if telling.search(one)]
    return chosen[:8]


def is_empty(record: Mapping[str, Any]) -> bool:
    """Say whether nothing was kept although something was found."""
    return record["kept"] == 0 and bool(record["targets"] or record["faults"])


def internal_error(terminal: str) -> str:
    """Return the last line of an internal error; empty where there was none."""
    lines = [line for line in terminal.splitlines() if INTERNAL.search(line)]
    return shortened(lines[-1]) if lines else ""


def reason(terminal: str) -> str:
    """Return why a command brought no report: the line that starts with ERROR, or the last."""
    lines = [line.strip() for line in terminal.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR", "INTERNALERROR"))]
    return shortened((errors or lines or ["nothing was printed"])[-1], 400)


def shortened(text: str, longest: int = 200) -> str:
    """Return a text on one line, without folders of this machine, and not longer than that."""
    line = re.sub(r"/(?:tmp|root|work)/[^\s:'\"]*/(?:work|trial|lib)/", "", one_line(text))
    return line if len(line) <= longest else f"{line[: longest - 3]}..."


def read_outcomes(path: Path = FILE) -> list[dict[str, Any]]:
    """Return the recorded outcomes in their order."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def record_outcome(record: Mapping[str, Any], path: Path = FILE) -> None:
    """Add an outcome to the file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def earlier(records: Sequence[Mapping[str, Any]], record: Mapping[str, Any]) -> Any:
    """Return the last outcome of the project at another commit of the plugin, or None."""
    same = [
        one
        for one in records
        if one["project"] == record["project"]
        and one["commit"] != record["commit"]
        and one["budget"] == record["budget"]
        and one.get("services") == record.get("services")
    ]
    return same[-1] if same else None


def worse(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> list[str]:
    """Return what became worse, or is bad by itself: empty, late or broken."""
    found = [f"internal error: {after['internal']}"] if after.get("internal") else []
    if after.get("empty"):
        found.append(f"nothing kept although {after['targets']} targets were found")
    if after.get("kept") and not after.get("passing"):
        found.append(f"what was written fails: {after['reruns']}")
    if before is None or not before.get("set_up") or not after.get("set_up"):
        return found
    if before["started"] and not after["started"]:
        found.append(f"does not start any more: {after.get('reason', '')}")
    if after["late"] and not before["late"]:
        found.append(f"late: {after['seconds']} s after {before['seconds']} s")
    if before["started"] and after["started"]:
        found += _less(before, after)
    return found


def _less(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return which counts of a run became clearly smaller."""
    found = []
    for what in ("endpoints", "branches"):
        was, now = before[what][0], after[what][0]
        if now < LESS * was and was - now >= (FEW if what == "branches" else 1):
            found.append(f"fewer {what}: {now} after {was}")
    if before["kept"] and after["kept"] < before["kept"] / 2:
        found.append(f"fewer tests: {after['kept']} after {before['kept']}")
    if before["users"]["let_in"] and not after["users"]["let_in"]:
        found.append("nobody let in any more")
    return found


def line_of(record: Mapping[str, Any]) -> str:
    """Return one line for the terminal."""
    name = f"{record['project']} ({record['commit']})"
    if not record.get("set_up"):
        return f"{name}: not set up: {record['reason']}"
    if "kept" not in record:
        return f"{name}: exit {record['exit']} after {record['seconds']} s: {record['reason']}"
    reached, known = record["endpoints"]
    return (
        f"{name}: exit {record['exit']}, {record['seconds']} s, {reached} of {known} endpoints, "
        f"{share(*record['lines'])} and {share(*record['branches'])}, {record['kept']} kept, "
        f"{record['dropped']} dropped, {record['faults']}+{record['minor_faults']} faults, "
        f"{record['users']['let_in']} let in, {'passes' if record['passing'] else record['reruns']}"
    )


def table(records: Iterable[Mapping[str, Any]], before: str) -> str:
    """Return the table of docs/compatibility.md: each project, `before` and at its newest."""
    by_project: dict[str, list[Mapping[str, Any]]] = {}
    for record in records:
        by_project.setdefault(record["project"], []).append(record)
    head = "| project | commit | set up | before | after |\n|---|---|---|---|---|"
    rows = []
    for name, runs in sorted(by_project.items(), key=lambda item: item[0].lower()):
        first = [run for run in runs if run["commit"] == before]
        later = [run for run in runs if run["commit"] != before]
        newest = (later or first)[-1]
        how = f"{newest['set_up']}, but alone: {newest['alone']}" if newest.get("alone") else ""
        cells = [name, newest["project_commit"][:8], how or newest.get("set_up") or "no"]
        if not newest.get("set_up"):
            cells += [shortened(newest["reason"], LONGEST_CELL), "-"]
        else:
            cells += [cell(first[-1]) if first else "-", cell(later[-1]) if later else "-"]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join((head, *rows))


def cell(record: Mapping[str, Any]) -> str:
    """Return what came of one run in a few words."""
    if "kept" not in record:
        why = shortened(record["reason"].removeprefix(NOTHING_FOUND), LONGEST_CELL)
        return f"exit {record['exit']}, {record['seconds']:.0f} s: {why}"
    reached, known = record["endpoints"]
    verdict = "passes" if record["passing"] else "does not pass" if record["kept"] else "no suite"
    return (
        f"{record['kept']} kept, {record['dropped']} dropped, {reached} of {known} endpoints, "
        f"{share(*record['lines'])} and {share(*record['branches'])}, {record['faults']} faults, "
        f"{record['users']['let_in']} let in, {verdict}, {record['seconds']:.0f} s"
    )


def _is_dead(record: Mapping[str, Any]) -> bool:
    """Say whether a project started neither with the plugin nor by itself."""
    return bool(record.get("alone")) and not record["started"]


def totals(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return what the issue asks of the field, of the newest run of each project."""
    newest = {record["project"]: record for record in records}.values()
    ready = [record for record in newest if record.get("set_up")]
    started = [record for record in ready if record["started"]]
    good = [one for one in started if one["passing"] and not one["late"]]
    shares = [one["branches"][0] / one["branches"][1] for one in started if one["branches"][1]]
    doors = [one for one in started if one["users"]["log_in"]]
    let_in = [one for one in doors if one["users"]["let_in"] or one["users"]["known"]]
    return {
        "drawn": str(len(newest)),
        "set up": str(len(ready)),
        "started": f"{len(started)} of {len(ready)}",
        "neither with the plugin nor alone": str(sum(_is_dead(one) for one in ready)),
        "a suite that passes, in time": f"{len(good)} of {len(ready)}",
        "late": str(sum(one["late"] for one in ready)),
        "internal errors": str(sum(bool(one["internal"]) for one in ready)),
        "empty although something was found": str(sum(one["empty"] for one in started)),
        "median branch coverage": f"{statistics.median(shares):.0%}" if shares else "-",
        "let in, of those with a log-in": f"{len(let_in)} of {len(doors)}",
    }
