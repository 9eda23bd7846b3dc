"""Sets up a project of the field, searches it, and runs what was written, all in a namespace.

Everything about a project lies in a folder of its own below the cache: the environment, which is
kept between lots, and the work folder, which is made anew from the commit for each run.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import field_requirements
from benchmarks import field_starts
from benchmarks.clones import Clone
from benchmarks.compatibility_rows import Run
from benchmarks.execute import budget_in_seconds
from benchmarks.field_outcomes import shortened
from benchmarks.field_packages import COMPILED
from benchmarks.field_projects import FieldProject
from benchmarks.field_projects import read_modules
from benchmarks.field_requirements import PYTHONS
from benchmarks.measure import last_line

TOOLS = (
    "pytest",
    "coverage",
    "requests",
    "pyyaml",
    "time-machine",
    "pytest-random-order",
    "setuptools<81",
)
"""What the plugin asks for, a plugin that mixes the order of tests, and what had pkg_resources."""

NOT_BUILT = tuple(f"--only-binary={name}" for name in COMPILED)

SET_UP_LIMIT = 600
"""Seconds for the whole set-up of a project."""
FIRST_LIMIT = 240
"""Seconds for the versions that a project pins; the newest ones get the rest."""
MEMORY = 8 * 1024 * 1024
"""KiB of address space of each process of a project."""
BEYOND = 240
"""Seconds beyond its budget after which a search is ended."""
WITHOUT_TIME = 1800
"""Seconds after which a search is ended whose budget is one of evaluations."""
SUITE_LIMIT = 240
"""Seconds for one run of what was written."""

FIRST_DAY = "2022-09-15"
"""Many versions before this day have no wheels for Python 3.11; Flask 2.2 is from August."""

IMPORT_LIMIT = 120
"""Seconds for importing what a project needs."""
BROKEN = "broken import: "
AS_STATED = "as stated"
OF_ITS_TIME = "versions of "
OTHER_VERSIONS = "the versions that it states cannot be installed, with others: "
"""Begins the reason of a project that does not start by itself with any others."""
SYNTAX = "SyntaxError: "
"""In a reason that another Python may not have."""
IMPORTING = f"""import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except BaseException as error:
        print(f"{BROKEN}{{name}}: {{type(error).__name__}}: {{error}}".splitlines()[0])
"""
"""Says which packages cannot be imported."""

WAYS = {"alone": (), "random": ("--random-order", "--random-order-seed=1")}
"""Ways to run what was written."""

FRAME = " │╰─▶├\u00d7·"
"""What an installer draws around its messages."""

NOT_INHERITED = ("PYTEST", "COV", "FLASK", "PYTHON", "VIRTUAL_ENV", "PIP_", "DATABASE_")


Way = Callable[[], str]
"""Installs packages, and says how; raises `NotSetUp` where that cannot be."""


class NotSetUp(Exception):
    """A project cannot be set up; the message says why."""


@dataclass(frozen=True)
class Environment:
    """An interpreter for a project, and how it came about."""

    python: Path
    how: str
    """``as stated`` or ``newest versions``, and what had to be left out."""
    alone: str = ""
    """Why the project does not start by itself, though nothing is missing; mostly nothing."""


@dataclass(frozen=True)
class Place:
    """The folders of one project below the cache."""

    folder: Path

    @property
    def environment(self) -> Path:
        """Return the folder of the virtual environment."""
        return self.folder / "environment"

    @property
    def work(self) -> Path:
        """Return the folder that the commit is written into."""
        return self.folder / "work"

    @property
    def trial(self) -> Path:
        """Return the folder that the commit is written into to see whether it starts."""
        return self.folder / "trial"

    @property
    def report(self) -> Path:
        """Return the folder of the report."""
        return self.folder / "report"

    def emptied(self, *names: str) -> None:
        """Remove what an earlier run left."""
        for name in names:
            shutil.rmtree(self.folder / name, ignore_errors=True)


def contained(
    command: Sequence[str],
    folder: Path,
    home: Path,
    limit: float,
    variables: Mapping[str, str],
    network: bool = False,
) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run a command in namespaces of its own, and return what came of it and its seconds.

    It sees no process but its own; unless `network` is set, it has a loopback device only.  All
    that it started ends with it.

    Raises:
        subprocess.TimeoutExpired: after `limit` seconds.

    """
    for name in ("temporary", "home"):
        (home / name).mkdir(parents=True, exist_ok=True)
    away = () if network else ("-n",)
    loopback = "" if network else "ip link set lo up; "
    shell = f'{loopback}ulimit -v {MEMORY}; exec "$@"'
    kept = {name: value for name, value in os.environ.items() if not name.startswith(NOT_INHERITED)}
    own = {"HOME": str(home / "home"), "TMPDIR": str(home / "temporary")}
    started = time.monotonic()
    unshared = ["unshare", "-p", "-f", "--kill-child", "--mount-proc", *away]
    finished = subprocess.run(
        [*unshared, "bash", "-c", shell, "contained", *command],
        cwd=folder,
        env={**kept, **own, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=limit,
        check=False,
    )
    return finished, round(time.monotonic() - started, 1)


def prepare(project: FieldProject, clone: Clone, place: Place, is_old: bool = False) -> Environment:
    """Return the environment of a project, made by rule if need be, or as it was made before.

    With `is_old`, the versions of the commit's day are tried first.

    Raises:
        NotSetUp: when it cannot be had; that is remembered, too.

    """
    place.folder.mkdir(parents=True, exist_ok=True)
    with (place.folder / "set_up.json").open("a+", encoding="utf-8") as told:
        fcntl.flock(told, fcntl.LOCK_EX)  # another command may be at it
        told.seek(0)
        text = told.read()
        if not ('"reason"' in text or '"alone"' in text):
            told.truncate(0)
            text = json.dumps(_set_up_and_time(project, clone, place, is_old))
            told.write(text)
    remembered = json.loads(text)
    if "reason" in remembered:
        raise NotSetUp(remembered["reason"])
    return Environment(place.environment / "bin" / "python", remembered["how"], remembered["alone"])


def _set_up_and_time(
    project: FieldProject, clone: Clone, place: Place, is_old: bool
) -> dict[str, str]:
    began = time.monotonic()
    try:
        outcome = _set_up(project, clone, place, is_old)
    except NotSetUp as error:
        outcome = {"reason": str(error)}
    return {**outcome, "seconds": f"{time.monotonic() - began:.0f}"}


def _set_up(project: FieldProject, clone: Clone, place: Place, is_old: bool) -> dict[str, str]:
    """Install what a project asks for in the first way with which it starts by itself.

    Where it starts in none, though no package and no file is missing, its configuration may be: the
    first such way is kept, and why it does not start is told as ``alone``.
    """
    files = clone.files()
    everything = read_modules(clone, files)
    modules = {path: text for path, text in everything.items() if below(path, project.folder)}
    if spoiled := field_requirements.python_2(modules):
        raise NotSetUp(f"no Python 3: {spoiled}")
    lines = field_requirements.stated(project.set_up.split(","), clone.read, modules)
    if large := field_requirements.heavy(lines):
        raise NotSetUp(f"asks for {large}, which takes gigabytes")
    needed = field_requirements.needed(modules, files)
    place.emptied("trial")
    clone.export(place.trial)
    kept: tuple[Way, str] | None = None
    reasons, failed = list[str](), list[str]()
    for way in _ways(project, clone, place, lines, is_old):
        try:
            how = way()
        except NotSetUp as error:
            failed.append(str(error))
            continue
        how, trouble = _with_what_is_missing(project, place, needed, how)
        if not trouble:
            return {"how": how, "alone": ""}
        is_missing = trouble.startswith((field_starts.INCOMPLETE, BROKEN))
        kept = kept or (None if is_missing else (way, trouble))
        reasons.append(trouble.removeprefix(BROKEN))
        if trouble.startswith(field_starts.SLOW):
            return {"how": how, "alone": trouble}
    if any(SYNTAX in reason for reason in reasons) and project.python != PYTHONS[-1]:
        newer = _set_up(replace(project, python=PYTHONS[-1]), clone, place, is_old)
        return {**newer, "how": f"{newer['how']}, Python {PYTHONS[-1]}"}
    if kept is None:
        raise NotSetUp([*reasons, *failed][0])
    how = kept[0]()
    is_other = not how.startswith(AS_STATED) and any("==" in line for line in lines)
    return {"how": how, "alone": f"{OTHER_VERSIONS}{kept[1]}" if is_other else kept[1]}


def _with_what_is_missing(
    project: FieldProject, place: Place, needed: Sequence[str], how: str
) -> tuple[str, str]:
    """Add what a start says is missing, as its user would; return how, and what is wrong still."""
    added: list[str] = []
    day = how.removeprefix(OF_ITS_TIME) if how.startswith(OF_ITS_TIME) else ""
    while True:
        trouble = broken_import(place, needed) or alone(project, place)
        further = [
            one for one in field_requirements.said_to_be_missing(trouble) if one not in added
        ]
        if not further or _add(place, further, FIRST_LIMIT, day):
            return (f"{how}, with {', '.join(added)}" if added else how), trouble
        added += further


def _ways(
    project: FieldProject, clone: Clone, place: Place, lines: list[str], is_old: bool
) -> list[Way]:
    """Return the ways to install what is stated; each says how it was, or why it cannot be."""
    until = time.monotonic() + SET_UP_LIMIT
    newest = field_requirements.without_versions(lines)
    of_its_time = partial(_install_of_its_time, project, clone, place, newest, until)
    ways: list[Way] = [
        partial(_install_stated, project, place, how, wanted, until)
        for how, wanted in _stated_ways(lines)
    ]
    ways.append(partial(_install_newest, project, place, newest, until))
    return [of_its_time, *ways] if is_old else [*ways, of_its_time]


def _install_stated(
    project: FieldProject, place: Place, how: str, lines: Sequence[str], until: float
) -> str:
    limit = min(FIRST_LIMIT, until - time.monotonic())
    if trouble := _install(project, place, lines, limit):
        raise NotSetUp(trouble)
    return how


def _install_newest(project: FieldProject, place: Place, lines: Sequence[str], until: float) -> str:
    if not _install(project, place, lines, until - time.monotonic()):
        return "newest versions"
    missing = _install_singly(project, place, lines, until)
    return f"newest versions, without {', '.join(missing)}"


def _install_of_its_time(
    project: FieldProject, clone: Clone, place: Place, lines: Sequence[str], until: float
) -> str:
    """Install the versions of the commit's day."""
    if not shutil.which("uv"):
        raise NotSetUp("no uv, which knows the versions of a day")
    day = max(clone.day(), FIRST_DAY)
    _make_environment(project, place)
    own = [line for line in lines if field_requirements.package_of(line) not in TOOLS]
    oldest = ".".join(map(str, field_requirements.OLDEST["flask"]))
    trouble = _add(place, [f"flask>={oldest}", *own], until - time.monotonic(), day)
    known = ".".join(map(str, field_requirements.OLDEST["pytest"]))
    tools = [*TOOLS, f"pytest>={known}"]  # what the project asks for may have brought an older one
    if trouble := trouble or _add(place, tools, until - time.monotonic()):
        raise NotSetUp(trouble)
    return f"{OF_ITS_TIME}{day}"


def alone(project: FieldProject, place: Place) -> str:
    """Return why a project does not start by itself; empty where it does."""
    python = place.environment / "bin" / "python"
    return field_starts.trouble(place.trial / project.folder, place.folder, python, contained)


def _stated_ways(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Return the ways to install what is stated; none where a pinned version is too old."""
    if field_requirements.pins_too_old(lines):
        return []
    freed = [
        field_requirements.without_versions([line])[0]
        if field_requirements.package_of(line) in COMPILED
        else line
        for line in lines
    ]
    ways = [(AS_STATED, lines), (f"{AS_STATED}, newest of what is compiled", freed)]
    return ways if freed != lines else ways[:1]


def broken_import(place: Place, needed: Sequence[str]) -> str:
    """Return which package of those that are needed cannot be imported, and why; else nothing."""
    command = [str(place.environment / "bin" / "python"), "-c", IMPORTING, *needed]
    try:
        finished, _seconds = contained(command, place.folder, place.folder, IMPORT_LIMIT, {})
    except subprocess.TimeoutExpired:
        return f"{BROKEN}not done after {IMPORT_LIMIT} s"
    lines = [line for line in finished.stdout.splitlines() if line.startswith(BROKEN)]
    return shortened(lines[0], 160) if lines else ""


def below(path: str, folder: str) -> bool:
    """Say whether a path lies in a folder."""
    return folder == "." or path.startswith(f"{folder}/")


def _make_environment(project: FieldProject, place: Place) -> None:
    place.emptied("environment")
    interpreter = _interpreter(project.python)
    if shutil.which("uv"):
        command = ["uv", "--quiet", "venv", "--python", interpreter, str(place.environment)]
    else:
        command = [interpreter, "-m", "venv", str(place.environment)]
    finished, _seconds = _with_network(command, place, SET_UP_LIMIT)
    if finished.returncode != 0:
        raise NotSetUp(f"no Python {project.python}: {_reason(finished.stderr)}")


def _interpreter(version: str) -> str:
    """Return where Python `version` is, as pyenv keeps it, else its name."""
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    return str(kept[-1]) if kept else f"python{version}"


def _install(project: FieldProject, place: Place, lines: Sequence[str], limit: float) -> str:
    """Install into a new environment, and return why that failed; empty when it did not."""
    _make_environment(project, place)
    return _add(place, [*lines, *TOOLS], limit)


def _add(place: Place, lines: Sequence[str], limit: float, day: str = "") -> str:
    """Install packages, as they were on a day, and return why that failed."""
    python = str(place.environment / "bin" / "python")
    wanted = place.folder / "wanted.txt"
    wanted.write_text("\n".join(dict.fromkeys(lines)) + "\n", encoding="utf-8")
    installer = (
        ["uv", "--quiet", "pip", "install", "--python", python]
        if shutil.which("uv")
        else [python, "-m", "pip", "install", "--quiet"]
    )
    command = [*installer, *NOT_BUILT, "-r", str(wanted)]
    try:
        finished, _seconds = _with_network(command, place, max(limit, 1), day)
    except subprocess.TimeoutExpired:
        return f"not done after {limit:.0f} s"
    return _reason(finished.stderr) if finished.returncode else ""


def _install_singly(
    project: FieldProject, place: Place, lines: Sequence[str], until: float
) -> list[str]:
    """Install one package after the other, and return those that cannot be had.

    Raises:
        NotSetUp: when Flask or pytest is among them, or the time is up.

    """
    trouble = _install(project, place, ["flask"], until - time.monotonic())
    missing = []
    for line in lines:
        if time.monotonic() > until:
            raise NotSetUp(f"not done after {SET_UP_LIMIT} s")
        if reason := _add(place, [line], until - time.monotonic()):
            missing.append(line)
            trouble = trouble or reason
    if not (place.environment / "bin" / "pytest").exists() or len(missing) > len(lines) / 2:
        raise NotSetUp(trouble)
    return missing


def _with_network(
    command: Sequence[str], place: Place, limit: float, day: str = ""
) -> tuple[subprocess.CompletedProcess[str], float]:
    cache = {name: os.environ[name] for name in ("UV_CACHE_DIR",) if name in os.environ}
    variables = {**cache, "UV_NO_CONFIG": "1", "UV_LINK_MODE": "hardlink"}
    variables |= {"UV_EXCLUDE_NEWER": day} if day else {}
    return contained(command, place.folder, place.folder, limit, variables, network=True)


def _reason(text: str) -> str:
    """Return the line of an installer that says what is wrong, without an address."""
    lines = [line.strip(FRAME) for line in text.splitlines() if line.strip(FRAME)]
    telling = [line for line in lines if "rror" in line or "because" in line.lower()]
    chosen = (telling or lines or ["no reason given"])[0]
    return "".join(part for part in chosen.split("`") if "://" not in part)[:160]


def limit_of(budget: str) -> int:
    """Return after how many seconds a search with a budget is ended."""
    seconds = budget_in_seconds(budget)
    return seconds + BEYOND if seconds else WITHOUT_TIME


def search_with_what_is_missing(
    project: FieldProject,
    place: Place,
    environment: Environment,
    plugin: Path,
    budget: str,
    extra: Sequence[str] = (),
) -> tuple[dict[str, Any], str]:
    """Search, once more where a package is said to be missing; return how it was set up, too."""
    python = environment.python
    found = search(project, place, python, plugin, budget, extra)
    missing = field_requirements.said_to_be_missing(found["terminal"] if found["exit"] == 4 else "")
    if not missing or _add(place, missing, FIRST_LIMIT):
        return found, environment.how
    found = search(project, place, python, plugin, budget, extra)
    return found, f"{environment.how}, with {', '.join(missing)}"


def search(
    project: FieldProject,
    place: Place,
    python: Path,
    plugin: Path,
    budget: str,
    extra: Sequence[str] = (),
) -> dict[str, Any]:
    """Search the project as it is in its work folder, and return what came of it."""
    place.emptied("report", "temporary", "home")
    command = [str(python), "-m", "pytest", "-p", "pytest_evosearch.plugin"]
    command += [f"--evosearch={budget}", "--evosearch-seed=1", f"--evosearch-report={place.report}"]
    command += extra
    variables = {"PYTHONPATH": str(_only_plugin(plugin, place)), "PYTHONDONTWRITEBYTECODE": "1"}
    folder = place.work / project.folder
    started = time.monotonic()
    try:
        finished, _seconds = contained(command, folder, place.folder, limit_of(budget), variables)
        exit_code, text = finished.returncode, finished.stdout + finished.stderr
    except subprocess.TimeoutExpired as expired:
        exit_code, text = -1, _text(expired.stdout) + _text(expired.stderr)
    seconds = round(time.monotonic() - started, 1)
    (place.folder / "terminal.txt").write_text(text, encoding="utf-8")
    path = place.report / "report.json"
    report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    return {"exit": exit_code, "seconds": seconds, "terminal": text, "report": report}


def _text(output: bytes | str | None) -> str:
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def _only_plugin(plugin: Path, place: Place) -> Path:
    """Return a folder for the import path with the plugin's package and nothing beside it."""
    folder = place.folder / "path"
    folder.mkdir(exist_ok=True)
    link = folder / "pytest_evosearch"
    link.unlink(missing_ok=True)
    link.symlink_to(plugin.resolve() / "pytest_evosearch")
    return folder


def rerun(
    project: FieldProject, place: Place, python: Path, files: Sequence[str]
) -> dict[str, Run]:
    """Run what was written without the plugin, in every way of `WAYS`."""
    if not files:
        return {}
    folder = place.work / project.folder
    while not (folder / files[0]).exists() and folder != place.work:
        folder = folder.parent  # the files are named from pytest's root
    output = str(Path(files[0]).parent)
    return {way: _run_suite(folder, place, python, [*how, output]) for way, how in WAYS.items()}


def _run_suite(folder: Path, place: Place, python: Path, arguments: Sequence[str]) -> Run:
    command = [str(python), "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", *arguments]
    try:
        finished, _seconds = contained(command, folder, place.folder, SUITE_LIMIT, {})
    except subprocess.TimeoutExpired:
        return Run(-1, f"not done after {SUITE_LIMIT} s", ())
    lines = finished.stdout.splitlines()
    trouble = tuple(line for line in lines if line.startswith(("FAILED ", "ERROR ")))
    (place.folder / "suite.txt").write_text(finished.stdout + finished.stderr, encoding="utf-8")
    return Run(finished.returncode, last_line(finished.stdout), trouble)
