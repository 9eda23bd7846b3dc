"""Runs pytest with the recording plugins, and reads their log."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import ANY

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scratch import scratch_folder
from pytest_evosearch.sut import green_threads
from pytest_evosearch.sut.sandbox import child_processes
from pytest_evosearch.sut.shortcuts import password_hashing
from pytest_evosearch.sut.shortcuts import verification_shortcuts
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.plugins import ending
from pytest_evosearch.write.plugins import observing
from pytest_evosearch.write.plugins import orphaned
from pytest_evosearch.write.plugins import perturbation
from pytest_evosearch.write.plugins import preserving
from pytest_evosearch.write.plugins import set_up_once
from pytest_evosearch.write.plugins import staged
from pytest_evosearch.write.plugins import survival
from pytest_evosearch.write.plugins import together
from pytest_evosearch.write.plugins import traces
from pytest_evosearch.write.verification.pytest_process import PytestProcess

CHEAPER = (
    ("evosearch_cheap_hashing", password_hashing.__file__),
    ("evosearch_hurrying", verification_shortcuts.__file__),
    ("evosearch_unpatched", green_threads.__file__),
)
"""Variables that make a run cheaper (`circumstances.CHEAPLY`)."""
ENDING = ("evosearch_ending", ending.__file__)
TRACES = ("evosearch_traces", traces.__file__)

ORPHANED = ("evosearch_orphaned", orphaned.__file__)
SHARING = ("evosearch_set_up_once", set_up_once.__file__)

PLUGINS = (
    ORPHANED,
    ("evosearch_perturbation", perturbation.__file__),
    ("evosearch_observing", observing.__file__),
    ("evosearch_survival", survival.__file__),
    ("evosearch_child_processes", child_processes.__file__),
    ("evosearch_preserving", preserving.__file__),
    *CHEAPER,
    SHARING,
    ENDING,
    TRACES,
    ("evosearch_staged", staged.__file__),
)
"""Names under which the plugin files are copied and loaded."""

TOGETHER = "evosearch_together"
"""Name of the plugin that registers them."""

Entry = Mapping[str, object]
"""A line of the log."""


def run_with_plugins(
    process: PytestProcess,
    targets: Sequence[Path],
    seconds: float,
    *,
    environment: Mapping[str, str],
    options: Sequence[str] = (),
    workers: int = 0,
) -> tuple[list[Entry], int | None, str]:
    """Run pytest on `targets`; return the log, the exit code (None: cut off) and the output."""
    with scratch_folder("verify") as scratch:
        command = ["-m", "pytest", *plugin_arguments(scratch)]
        log = scratch / "outcomes.jsonl"
        extra = {
            **environment,
            "EVOSEARCH_VERIFY_LOG": str(log),
            "PYTHONPATH": process.search_path(scratch),
        }
        command += [*process.pytest_arguments(targets, scratch, workers), *options]
        command.append(temporary_folders(scratch))
        code, output = process.run(command, seconds, extra)
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    return entries_of(text), code, output


def entries_of(text: str) -> list[Entry]:
    """Return the entries of a log, without incomplete lines of processes that were ended.

    Several processes append to one log. A test without a result in it counts as not run.
    """
    entries: list[Entry] = []
    # Text after the last line break is an incomplete line.
    for line in text.split("\n")[:-1]:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            entries.append(entry)
    return entries


def plugin_arguments(scratch: Path, plugins: Iterable[tuple[str, str]] = PLUGINS) -> list[str]:
    """Copy `plugins` into `scratch`, a folder of the search path; return the loading arguments."""
    names = []
    for plugin, file in plugins:
        source = Path(file).read_text(encoding="utf-8")
        (scratch / f"{plugin}.py").write_text(source, encoding="utf-8")
        names.append(plugin)
    source = Path(together.__file__).read_text(encoding="utf-8")
    text = f"{source}\n\nNAMES = {tuple(names)!r}\n"
    (scratch / f"{TOGETHER}.py").write_text(text, encoding="utf-8")
    return ["-p", TOGETHER]


def temporary_folders(scratch: Path) -> str:
    """Return the option that puts the folders of ``tmp_path`` into `scratch`.

    pytest keeps the folders of three runs, so ours would replace those of the user.
    """
    return f"--basetemp={scratch / 'temporary'}"


@dataclass(frozen=True)
class Sight:
    """One assertion of one row in one pass."""

    operator: str
    holds: bool = False
    left: object = None
    right: object = None
    error: str = ""
    """Why it cannot be evaluated; empty when it can."""


def sight_of(entry: Mapping[str, object]) -> Sight:
    """Return the values of an assertion from its log entry."""
    return Sight(
        operator=str(entry["operator"]),
        holds=bool(entry.get("holds")),
        left=decoded(entry.get("left")),
        right=decoded(entry.get("right")),
        error=str(entry.get("error", "")),
    )


def decoded(value: object) -> object:
    """Return the value before `observing.encoded`; one without a literal becomes `Unstable`."""
    if isinstance(value, list):
        return [decoded(element) for element in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"__any__"}:
        return ANY
    if set(value) == {"__bytes__"}:
        return str(value["__bytes__"]).encode("latin-1")
    if set(value) == {"__other__"}:
        return Unstable(f"is a {value['__other__']}")
    return {key: decoded(element) for key, element in value.items()}
