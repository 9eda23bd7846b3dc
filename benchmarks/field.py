"""Run the plugin on public projects that nobody picked: ``python -m benchmarks.field --lot 7``.

A lot is drawn by its seed from `field.tsv`: new projects, and three that ran before.  Each is
written out of its clone, set up by rule (`field_runs.py`; what cannot be set up within ten minutes
is recorded with the reason), searched in a namespace, and what was written runs without the plugin.
Every outcome becomes a line of `field_results.jsonl` and is compared with the one before; the
command ends with 1 where something became empty, late or broken.

    --budget 300x       by evaluations: a busy machine then changes nothing but the seconds
    --services WAY      what the plugin is told about services that a project calls: refuse or stub
    --plugin DIR ...    other checkouts of the plugin; each project is run with one after the other
    --projects NAMES    these instead of a lot, split at commas
    --prepare           only set the projects up
    --examine FILE      make `field.tsv` of the repositories named in a file, by the recorded rules
    --table COMMIT      print the whole table and the totals, `COMMIT` being the revision before
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import field_outcomes
from benchmarks import field_projects
from benchmarks import field_runs
from benchmarks.clones import Clone
from benchmarks.clones import find_git_directory
from benchmarks.environments import REPOSITORY
from benchmarks.environments import default_cache
from benchmarks.execute import revision
from benchmarks.field_projects import FieldProject
from benchmarks.field_runs import Place

NAMED = ("docs/**/*.md", "benchmarks/real_projects.py")
"""Files whose projects are known already."""


def found_at(project: FieldProject, options: argparse.Namespace) -> tuple[Clone, Place]:
    """Return the commit of a project, and its folder in the cache.

    Raises:
        FileNotFoundError: when there is no clone, or it lacks the commit.

    """
    clone = Clone(find_git_directory(project.name, options.clones), project.commit)
    if not clone.is_there():
        raise FileNotFoundError(f"the clone of {project.name} lacks commit {project.commit}")
    return clone, Place((options.cache / "field" / project.name.replace("/", "+")).resolve())


def prepare_all(projects: Sequence[FieldProject], options: argparse.Namespace) -> None:
    """Set projects up, and print how each was."""
    for project in projects:
        try:
            ready = field_runs.prepare(project, *found_at(project, options))
            how = f"{ready.how}{ready.alone and ', but alone: '}{ready.alone}"
        except (field_runs.NotSetUp, FileNotFoundError) as error:
            how = f"no: {error}"
        print(f"{project.name}: {how}", flush=True)


def run(project: FieldProject, plugin: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Set up, search and run one project again, and return its outcome."""
    record: dict[str, Any] = {
        "project": project.name,
        "project_commit": project.commit,
        "commit": revision(plugin),
        "budget": options.budget,
        **({"services": options.services} if options.services else {}),
    }
    clone, place = found_at(project, options)
    try:
        environment = field_runs.prepare(project, clone, place)
    except field_runs.NotSetUp as error:
        return {**record, "set_up": "", "reason": field_outcomes.shortened(str(error))}
    place.emptied("work")
    lacking = clone.export(place.work)
    extra = [f"--evosearch-services={options.services}"] if options.services else []
    found, how = field_runs.search_with_what_is_missing(
        project, place, environment, plugin, options.budget, extra
    )
    files = (found.get("report") or {}).get("files", ())
    if found["report"] is None and environment.alone.startswith(field_runs.OTHER_VERSIONS):
        return {**record, "set_up": "", "reason": environment.alone}
    reruns = field_runs.rerun(project, place, environment.python, files)
    processors = len(os.sched_getaffinity(0))
    return {
        **record,
        "set_up": how,
        **({"alone": environment.alone} if environment.alone else {}),
        **({"lacking": len(lacking)} if lacking else {}),
        "load": round(os.getloadavg()[0], 1),
        **field_outcomes.outcome(found, reruns, options.budget, processors),
    }


def run_all(projects: Sequence[FieldProject], options: argparse.Namespace) -> list[str]:
    """Run projects one after another, record them, and return what became worse."""
    trouble = []
    for project, plugin in itertools.product(projects, options.plugin):
        try:
            record = run(project, plugin, options)
        except FileNotFoundError as error:
            print(f"{project.name}: {error}", flush=True)
            continue
        records = field_outcomes.read_outcomes(options.results)
        found = field_outcomes.worse(field_outcomes.earlier(records, record), record)
        field_outcomes.record_outcome(record, options.results)
        print(field_outcomes.line_of(record), flush=True)
        for one in found:
            print(f"    {one}", flush=True)
        trouble += [f"{project.name}: {one}" for one in found]
    return trouble


def examine(names: Sequence[str], clones: Path) -> list[FieldProject]:
    """Return the rows of the repositories that the rules keep, and print why others are left."""
    named = "\n".join(
        path.read_text(encoding="utf-8") for pattern in NAMED for path in REPOSITORY.glob(pattern)
    )
    kept = []
    for name in names:
        try:
            clone = Clone.newest(find_git_directory(name, clones))
        except FileNotFoundError as error:
            print(error)
            continue
        row = field_projects.examine(name, clone, named)
        if isinstance(row, str):
            print(f"{name} {row}")
        else:
            kept.append(row)
    return kept


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field", description=__doc__)
    parser.add_argument("--lot", type=int, default=1, help="The seed that the lot is drawn by")
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--budget", default="30s")
    parser.add_argument("--services", default="", metavar="WAY")
    parser.add_argument("--clones", type=Path, default=Path("/work/.mirror"))
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--results", type=Path, default=field_outcomes.FILE)
    parser.add_argument("--plugin", type=Path, nargs="+", default=[REPOSITORY], metavar="DIR")
    parser.add_argument("--projects", default="", metavar="NAMES")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--examine", type=Path, metavar="FILE")
    parser.add_argument("--table", default="", metavar="COMMIT")
    return parser.parse_args(arguments)


def chosen_projects(options: argparse.Namespace) -> list[FieldProject]:
    """Return the projects that are named, else those of the lot."""
    projects = field_projects.read_table()
    if options.projects:
        names = options.projects.split(",")
        return [project for project in projects if project.name in names]
    records = field_outcomes.read_outcomes(options.results)
    ran = dict.fromkeys(record["project"] for record in records)
    return field_projects.draw(projects, ran, options.lot, options.count)


def print_table(records: Sequence[dict[str, Any]], before: str) -> None:
    """Print the table, and under it the totals before, and after where there are any."""
    print(field_outcomes.table(records, before))
    print()
    for when in (True, False):
        chosen = [record for record in records if (record["commit"] == before) is when]
        if chosen:
            told = [f"{name}: {value}" for name, value in field_outcomes.totals(chosen).items()]
            print(f"- {'before' if when else 'after'}: {'; '.join(told)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a lot, and return 1 where something became worse."""
    options = parse_arguments(arguments)
    if options.examine:
        names = options.examine.read_text(encoding="utf-8").split()
        field_projects.write_table(examine(names, options.clones))
        return 0
    if options.table:
        print_table(field_outcomes.read_outcomes(options.results), options.table)
        return 0
    with tempfile.TemporaryDirectory(prefix="field-") as uv_home:
        os.environ.setdefault("UV_CACHE_DIR", uv_home)
        if options.prepare:
            prepare_all(chosen_projects(options), options)
            return 0
        trouble = run_all(chosen_projects(options), options)
    print("\n".join(["worse:", *trouble]) if trouble else "nothing became worse")
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
