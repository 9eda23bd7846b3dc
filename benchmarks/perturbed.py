"""Runs a written suite twenty times, each time under other circumstances.

Every run is a new interpreter.  The clock, the order and the seed are changed by the plugin
file that the tool's own verification uses; it also records the outcome of every test.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path

from benchmarks.environments import process_environment

REPOSITORY = Path(__file__).parents[1]
PLUGIN = REPOSITORY / "pytest_evosearch" / "write" / "plugins" / "perturbation.py"
PLUGIN_NAME = "evosearch_perturbation"

TIME_LIMIT = 900
"""Seconds for one run of pytest; a hanging one must not hold up the others."""

CLOCK = {"EVOSEARCH_VERIFY_HOURS": "9613"}
"""400.5 days ahead."""

STRICT = ("-W", "error", "--strict-markers")
PARALLEL = ("-p", "xdist.plugin", "-n", "2")

FOLDER, MODULES, TESTS, OWN = "folder", "modules", "tests", "own"
"""What one interpreter runs: all, a module, a test, or all with the project's own suite."""


@dataclass(frozen=True)
class Way:
    """One of the ways to run a suite again."""

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    unit: str = FOLDER


WAYS = (
    Way("as it is"),
    Way("without the tool", arguments=("-p", "no:evosearch")),
    Way("clock + 400 days", CLOCK),
    Way("other random seed", {"EVOSEARCH_VERIFY_SEED": "271828"}),
    Way("PYTHONHASHSEED=1", {"PYTHONHASHSEED": "1"}),
    Way("PYTHONHASHSEED=4242", {"PYTHONHASHSEED": "4242"}),
    Way("TZ=Pacific/Kiritimati", {"TZ": "Pacific/Kiritimati"}),
    Way("TZ=America/Los_Angeles", {"TZ": "America/Los_Angeles"}),
    Way("reversed order", {"EVOSEARCH_VERIFY_ORDER": "reversed"}),
    Way("random order 1", {"EVOSEARCH_VERIFY_ORDER": "1"}),
    Way("random order 2", {"EVOSEARCH_VERIFY_ORDER": "2"}),
    Way("random order 3", {"EVOSEARCH_VERIFY_ORDER": "3"}),
    Way("each module alone", unit=MODULES),
    Way("each test alone", unit=TESTS),
    Way("-n 2", arguments=PARALLEL),
    Way("-n 2, random order", {"EVOSEARCH_VERIFY_SEED": "7"}, (*PARALLEL, "--dist=loadfile")),
    Way("-W error --strict-markers", arguments=STRICT),
    Way("with the project's own suite", unit=OWN),
    Way(
        "clock, seeds, TZ and order at once",
        {
            **CLOCK,
            "EVOSEARCH_VERIFY_SEED": "99",
            "EVOSEARCH_VERIFY_ORDER": "4",
            "PYTHONHASHSEED": "99",
            "TZ": "Asia/Kathmandu",
        },
    ),
    Way(
        "the same, -W error",
        {
            **CLOCK,
            "EVOSEARCH_VERIFY_SEED": "5",
            "EVOSEARCH_VERIFY_ORDER": "reversed",
            "PYTHONHASHSEED": "5",
            "TZ": "America/St_Johns",
        },
        STRICT,
    ),
)
"""Twenty runs; together they are every circumstance that a kept test must bear."""


@dataclass(frozen=True)
class Rerun:
    """What came of one way."""

    way: str
    tests: int
    """Tests of the written suite that were run (rows count one by one)."""
    failures: tuple[str, ...]
    """Their node ids, with the reason behind a colon."""
    own_failures: int = 0
    """Failing tests of the project itself."""
    broken: str = ""
    """The last line of a run that ended without results."""


@dataclass(frozen=True)
class Suite:
    """A written suite, and how pytest is run for its project."""

    python: Path
    project: Path
    output: Path
    arguments: tuple[str, ...] = ()
    """Further arguments of every run: plugins that the project needs."""

    def run(self, way: Way, targets: Sequence[str]) -> tuple[list[dict[str, object]], str]:
        """Run `targets` once; return what the plugin recorded and pytest's last line."""
        with tempfile.TemporaryDirectory(prefix="evosearch-rerun-") as name:
            scratch = Path(name)
            log = scratch / "outcomes.jsonl"
            source = PLUGIN.read_text(encoding="utf-8")
            (scratch / f"{PLUGIN_NAME}.py").write_text(source, encoding="utf-8")
            command = [str(self.python), "-m", "pytest", "-q", "-p", PLUGIN_NAME]
            # Node ids are relative to the root: so they can be handed back as arguments.
            command += [
                f"--rootdir={self.project}",
                "-p",
                "no:cacheprovider",
                *self.arguments,
                *way.arguments,
                *targets,
            ]
            environment = {
                **process_environment(),
                **way.environment,
                "PYTHONPATH": str(scratch),
                "EVOSEARCH_VERIFY_LOG": str(log),
            }
            try:
                finished = subprocess.run(
                    command,
                    cwd=self.project,
                    env=environment,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    timeout=TIME_LIMIT,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return [], "timed out"
            lines = [line for line in finished.stdout.splitlines() if line.strip()]
            text = log.read_text(encoding="utf-8") if log.exists() else ""
        last = lines[-1] if lines else finished.stderr[-300:]
        return [json.loads(line) for line in text.splitlines()], last


def rerun(suite: Suite, ways: Sequence[Way] = WAYS) -> list[Rerun]:
    """Run the suite in every way."""
    modules = sorted(suite.output.glob("test_*.py"))
    entries, _ = suite.run(WAYS[0], [str(suite.output)])
    tests = list(dict.fromkeys(str(entry["item"]) for entry in entries if "item" in entry))
    targets = {
        FOLDER: [[str(suite.output)]],
        MODULES: [[str(module)] for module in modules],
        TESTS: [[test] for test in tests],
        OWN: [[]],
    }
    return [_rerun(suite, way, targets[way.unit]) for way in ways]


def _rerun(suite: Suite, way: Way, runs: Sequence[Sequence[str]]) -> Rerun:
    ran: set[str] = set()
    failures: dict[str, str] = {}
    own: set[str] = set()
    broken = ""
    names = {path.name for path in suite.output.glob("test_*.py")}
    for targets in runs:
        entries, last = suite.run(way, targets)
        reports = [entry for entry in entries if "report" in entry]
        broken = broken or ("" if reports else last)
        for entry in entries:
            node = str(entry.get("report", entry.get("uncollected", "")))
            ours = Path(node.partition("::")[0]).name in names
            if "report" in entry and ours:
                ran.add(node)
            if entry.get("outcome") == "failed" or "uncollected" in entry:
                if ours:
                    failures.setdefault(node, str(entry.get("reason")))
                else:
                    own.add(node)
    shown = tuple(f"{node}: {reason}" for node, reason in sorted(failures.items()))
    return Rerun(way.name, len(ran), shown, len(own), broken)
