"""Search public projects for faults that people reported: ``python -m benchmarks.field_faults``.

`field_faults.tsv` names reports that were drawn by search words: each with the commit before its
repair, what triggers it, and how it shows.  Each project is set up at that commit, with the
versions of its day where these can be had, and searched as `benchmarks.field` does.  A line of
`field_fault_results.jsonl` has all faults that were found; ``found`` says whether one of them is at
the reported endpoint and of the reported kind, as far as a comparison of words can tell.  A
reader decides about those that it leaves open.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import fields
from pathlib import Path
from typing import Any

from benchmarks import field_outcomes
from benchmarks import field_projects
from benchmarks import field_runs
from benchmarks.clones import Clone
from benchmarks.clones import find_git_directory
from benchmarks.environments import default_cache
from benchmarks.execute import revision
from benchmarks.field_runs import Place

TABLE = Path(__file__).with_name("field_faults.tsv")
RESULTS = Path(__file__).with_name("field_fault_results.jsonl")

KIND = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")


@dataclass(frozen=True)
class Report:
    """A fault that people reported."""

    project: str
    report: str
    reported: str
    found_by: str
    """The words of the search that found the report."""
    commit_before: str
    endpoint: str
    trigger: str
    failure: str


def read_reports() -> list[Report]:
    """Return the rows of the table."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t") == [column.name for column in fields(Report)]
    return [Report(*line.split("\t")) for line in lines[1:]]


def is_reported(fault: Mapping[str, Any], report: Report) -> bool:
    """Say whether a fault is at the reported endpoint and of the reported kind."""
    shown = f"{fault['code']} {fault['kind']} {fault['message']}"
    kinds = KIND.findall(report.failure)
    is_redirect = "redirect" in report.failure
    if is_redirect != ("redirect" in shown) or (kinds and not any(one in shown for one in kinds)):
        return False
    method, _, path = report.endpoint.partition(" ")
    if not path.startswith("/"):
        return True
    asked = [
        fault["endpoint"],
        *(one["endpoint"] for one in fault["elsewhere"] if "endpoint" in one),
    ]
    return any(same_place(one, method, path) for one in asked)


def same_place(endpoint: str, method: str, path: str) -> bool:
    """Say whether two endpoints have one method and one path, whatever parameters are called."""
    own_method, _, own_path = endpoint.partition(" ")
    bare = [re.sub(r"\{[^}]*\}|<[^>]*>", "{}", each).rstrip("/") for each in (own_path, path)]
    return own_method == method and bare[0] == bare[1]


def run(report: Report, plugin: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Search a project at the commit before a repair, and return what was found."""
    clone = Clone(find_git_directory(report.project, options.clones), report.commit_before)
    folder = f"{report.project.replace('/', '+')}@{report.commit_before[:8]}"
    place = Place((options.cache / "field" / folder).resolve())
    files = clone.files()
    modules = field_projects.read_modules(clone, files)
    project = field_projects.row_of(report.project, clone, files, modules)
    record: dict[str, Any] = {
        "project": report.project,
        "report": report.report,
        "commit": revision(plugin),
        "budget": options.budget,
    }
    try:
        environment = field_runs.prepare(project, clone, place, is_old=True)
    except field_runs.NotSetUp as error:
        return {**record, "set_up": "", "reason": field_outcomes.shortened(str(error))}
    record["set_up"] = environment.how
    place.emptied("work")
    clone.export(place.work)
    found, record["set_up"] = field_runs.search_with_what_is_missing(
        project, place, environment, plugin, options.budget
    )
    outcome = field_outcomes.outcome(found, {}, options.budget, 1)
    kept = ("started", "exit", "seconds", "internal", "reason", "endpoints", "branches", "users")
    record |= {name: outcome[name] for name in kept if name in outcome}
    faults = (found.get("report") or {}).get("faults", ())
    told = ("endpoint", "kind", "file", "line", "message")
    record["faults"] = [
        {name: field_outcomes.shortened(str(fault[name])) for name in told} for fault in faults
    ]
    return {**record, "found": any(is_reported(fault, report) for fault in faults)}


def line_of(record: Mapping[str, Any], report: Report) -> str:
    """Return a line about one report."""
    head = f"{record['project']} {record['report']} ({report.endpoint}: {report.failure}): "
    if not record["set_up"] or not record["started"]:
        return f"{head}{'not set up' if not record['set_up'] else 'no start'}: {record['reason']}"
    others = "; ".join(
        f"{one['endpoint']} {one['kind']}: {one['message']}"[:90] for one in record["faults"]
    )
    return f"{head}{'FOUND' if record['found'] else 'not found'} among: {others or 'none'}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field_faults", description=__doc__)
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--clones", type=Path, default=Path("/work/.mirror"))
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--plugin", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--only", nargs="*", help="Names of projects; all by default")
    options = parser.parse_args(arguments)
    for report in read_reports():
        if options.only and report.project not in options.only:
            continue
        record = run(report, options.plugin.resolve(), options)
        with RESULTS.open("a", encoding="utf-8") as results:
            results.write(json.dumps(record, ensure_ascii=False) + "\n")
        print(line_of(record, report), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
