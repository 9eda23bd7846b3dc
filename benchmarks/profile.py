"""Where the time of a run goes: real searches under py-spy, as a table and flame graphs.

    python -m benchmarks.profile --apps scs,ncs,news,shop,httpbin --budget 30s

Each application is copied and searched once; the main thread's stack is sampled, also while
it waits.  `benchmarks.stacks` says which sample belongs to which room.  The table goes between
the markers of ``profile.md`` in the output folder, beside one SVG for each application.  Needs
``pip install py-spy``.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import applications
from benchmarks import environments
from benchmarks.execute import GRACE
from benchmarks.execute import budget_in_seconds
from benchmarks.execute import copy_project
from benchmarks.execute import revision
from benchmarks.execute import search_command
from benchmarks.flames import flame_graph
from benchmarks.jobs import Job
from benchmarks.run import application_names
from benchmarks.stacks import ORDER
from benchmarks.stacks import SEARCHING
from benchmarks.stacks import Stack
from benchmarks.stacks import phase_of
from benchmarks.stacks import read_stacks
from benchmarks.stacks import shares_of

RATE = 200
"""Samples a second."""

EMPTY = "# Where the time goes\n\n<!-- table -->\n\n\n\n<!-- end of table -->\n"


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=__doc__)
    parser.add_argument("--apps", type=application_names, default=["scs", "news"])
    parser.add_argument("--budget", default="30s")
    parser.add_argument("--algorithm", default="mio")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("docs/benchmarks"))
    parser.add_argument("--stacks", type=Path, help="Folder in which the samples stay")
    parser.add_argument("--cache", type=Path, default=environments.default_cache())
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Search every application that was asked for, and write what took the time."""
    options = parse_arguments(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    profiles: dict[str, list[Stack]] = {}
    with tempfile.TemporaryDirectory(prefix="evosearch-profile-") as scratch:
        kept = options.stacks or Path(scratch) / "stacks"
        kept.mkdir(parents=True, exist_ok=True)
        for name in options.apps:
            application = applications.BY_NAME[name]
            job = Job(application, options.algorithm, options.budget, options.seed)
            samples = kept / f"{name}.txt"
            record(job, options.cache, Path(scratch), samples)
            profiles[name] = read_stacks(samples.read_text(encoding="utf-8"))
            print(f"{name}: {len(profiles[name])} distinct stacks", flush=True)
    for name, stacks in profiles.items():
        title = f"{name}: what the search does in a run of {options.budget}"
        graph = flame_graph(title, search_stacks(stacks))
        (options.output / f"profile-{name}.svg").write_text(graph, encoding="utf-8")
    fill_in(options.output / "profile.md", report(profiles, options))


def sampler() -> Path:
    """Return py-spy, which is looked for beside the interpreter first.

    Raises:
        SystemExit: when there is none.

    """
    beside = Path(sys.executable).with_name("py-spy")
    found = str(beside) if beside.exists() else shutil.which("py-spy")
    if found is None:
        raise SystemExit("py-spy is not installed: pip install py-spy")
    return Path(found)


def record(job: Job, cache: Path, scratch: Path, samples: Path) -> None:
    """Search one application under the sampler; `samples` gets the stacks.

    Raises:
        RuntimeError: when nothing was sampled.

    """
    python = environments.prepare(job.application, cache)
    project = copy_project(job, scratch)
    finished = subprocess.run(
        [*sampling_command(samples), *search_command(job, python, project)],
        cwd=project,
        env=environments.search_environment(),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=budget_in_seconds(job.budget) + GRACE,
        check=False,
    )
    if not samples.exists() or not samples.stat().st_size:
        raise RuntimeError(f"{job.key}: no samples\n{finished.stdout[-2000:]}{finished.stderr}")


def sampling_command(samples: Path) -> list[str]:
    """Write the beginning of a command whose rest is sampled, also while it waits."""
    return [
        str(sampler()),
        *("record", "--format", "raw", "--rate", str(RATE), "--full-filenames", "--idle"),
        *("--output", str(samples), "--"),
    ]


def search_stacks(stacks: Iterable[Stack]) -> list[Stack]:
    """Return the samples of the search phase, each from the search's own frame on."""
    found = []
    for stack in stacks:
        if phase_of(stack.frames) == SEARCHING:
            names = [frame.function.rpartition(".")[2] for frame in stack.frames]
            cut = names.index("_search_beside") + 1 if "_search_beside" in names else 0
            found.append(Stack(stack.frames[cut:], stack.samples))
    return found


def report(profiles: Mapping[str, Sequence[Stack]], options: argparse.Namespace) -> str:
    """Write the tables, and where the flame graphs are."""
    shares = {name: shares_of(stacks) for name, stacks in profiles.items()}
    searching = {name: one.search for name, one in shares.items()}
    whole = {name: one.rooms for name, one in shares.items()}
    phases = {name: one.phases for name, one in shares.items()}
    names = list(dict.fromkeys(phase for one in phases.values() for phase in one))
    apps = ",".join(profiles)
    seconds = ", ".join(f"{name} {one.total / RATE:.0f} s" for name, one in shares.items())
    command = f"python -m benchmarks.profile --apps {apps} --budget {options.budget}"
    measured = f"Revision {revision()}, {time.strftime('%Y-%m-%d')}; percent of the samples."
    parts = [
        f"{measured}  To reproduce:\n\n    {command} --seed {options.seed}\n",
        "### The search phase\n\n" + table(searching, ORDER),
        f"### The whole run ({seconds})\n\n" + table(whole, ORDER),
        "### What the run was busy with\n\n" + table(phases, names),
        "\n\n".join(f"![Flame graph of {name}'s search](profile-{name}.svg)" for name in profiles),
    ]
    return "\n".join(parts)


def table(counts: Mapping[str, Mapping[str, Any]], rows: Sequence[str]) -> str:
    """Write a column for each application, a row for each room that anyone was seen in."""
    lines = ["| | " + " | ".join(counts) + " |", "| --- |" + " --: |" * len(counts)]
    for row in rows:
        if any(one.get(row) for one in counts.values()):
            cells = (percent(one.get(row, 0), sum(one.values())) for one in counts.values())
            lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def percent(part: int, whole: int) -> str:
    """Write a share; a dash for what was never seen."""
    return f"{100 * part / whole:.1f}" if part else "-"


def fill_in(document: Path, content: str) -> None:
    """Put `content` between the markers of `document`, which is made when there is none."""
    text = document.read_text(encoding="utf-8") if document.exists() else EMPTY
    marked = re.compile(r"(<!-- table -->\n\n).*?(\n\n<!-- end of table -->)", re.DOTALL)
    document.write_text(marked.sub(lambda m: m[1] + content + m[2], text), encoding="utf-8")


if __name__ == "__main__":
    main()
