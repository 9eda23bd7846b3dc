"""All that a run leaves is accounted for: files, processes, ports, variables of the environment.

Each application is searched from a copy of its project, with a temporary folder of its own.  What
is there afterwards, and was not before, has to be on a short list.  Processes are those that
descend from the run, which this process adopts meanwhile, or have its temporary folder; a port
counts when one of them listens at it, or none that can be looked at does.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
UNMEASURED = Path(__file__).parent / "unmeasured"
EXAMPLES = sorted(path.parent for path in REPOSITORY.glob("conftest_examples/*/pytest.ini"))
APPLICATIONS = sorted(
    path
    for path in (REPOSITORY / "tests" / "apps").iterdir()
    if path.suffix == ".py" or (path / "__init__.py").exists()
)
SECONDS = 200.0
SEARCHING = ("-p", "pytest_evosearch.plugin")
ADOPT_ORPHANS = 36
"""PR_SET_CHILD_SUBREAPER."""
LISTENS = "0A"

KEEPING = (
    "seeded_users",
    "shop_sqlalchemy",
    "unittest_only",
    "session_app_with_rollback",
    "sqlite_file_and_login_form",
)
"""Those that keep something on disk: a run of each takes five seconds of the processor.

`notes_sqlite` is the one that is interrupted, and searched again after it was killed.
"""
IN_FULL = "sqlite_file_and_login_form"
"""The one of them whose tests are verified in all circumstances, and measured."""

ONCE = ("--evosearch-set", "plan.circumstances=first")

ALL = bool(os.environ.get("EVOSEARCH_ACCOUNT_FOR_ALL"))
"""``EVOSEARCH_ACCOUNT_FOR_ALL=1 pytest tests/plugin/test_plugin_accounting.py`` looks at every one
of them, and interrupts each kind of run at each moment; it takes five minutes of the processor."""

SEARCHED = [one for one in (*EXAMPLES, *APPLICATIONS) if ALL or one.stem in KEEPING]
ENDINGS = ("SIGINT", "SIGINT twice", "SIGTERM", "SIGKILL")
MOMENTS = ("% ", "writing and verifying the tests")
INTERRUPTED = [
    (ending, moment)
    for ending in ENDINGS
    for moment in MOMENTS
    if ALL or moment != MOMENTS[0] or ending == "SIGKILL"
]

EXPECTED = re.compile(
    r"(tests/)?evosearch(/|$)|\.pytest_cache(/|$)|(.*/)?__pycache__(/|$)|evosearch-outcome\.txt$"
)
"""The written tests, the cache of pytest with our reports, what Python compiles, and what a hook of
the example writes itself."""
TEMPORARY = re.compile(r"pytest-of-\w+(/|$)|evosearch-idle")
"""pytest keeps the folders of its last three runs."""

VARIABLES = """
import atexit
import json
import os
import sys

BEFORE = dict(os.environ)


def tell():
    names = sorted(BEFORE.keys() | os.environ.keys())
    changed = [one for one in names if BEFORE.get(one) != os.environ.get(one)]
    with open(os.environ["ACCOUNT"] if "ACCOUNT" in os.environ else BEFORE["ACCOUNT"], "w") as file:
        json.dump(changed, file)


atexit.register(tell)
"""
"""A plugin that tells which variables are others at the end of the interpreter."""

SET_BY_PYTEST = ("PYTEST_VERSION", "PYTEST_XDIST_TESTRUNUID")

pytestmark = [
    pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters"),
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc"),
]


@dataclass
class Workplace:
    """A copy of a project, and a temporary folder."""

    project: Path
    temporary: Path
    before: dict[str, bytes | None]
    processes_before: set[int]
    ports_before: set[str]
    is_in_full: bool = True
    """Whether pytest-xdist and coverage.py are there: five interpreters more in each run."""

    @property
    def account(self) -> Path:
        """Where the run tells which variables it has changed."""
        return self.temporary.parent / "account.json"

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTEST_", "EVOSEARCH_")) and name != "CI"
        }
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", "told_variables", *SEARCHING, *arguments],
            cwd=self.project,
            env={
                **environment,
                "TMPDIR": str(self.temporary),
                "PYTHONPATH": os.pathsep.join(map(str, self._places())),
                "ACCOUNT": str(self.account),
                # All others leave nothing, and are half of what each interpreter costs.
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PYTEST_PLUGINS": "xdist.plugin" if self.is_in_full else "",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _places(self) -> list[Path]:
        places = [REPOSITORY, self.temporary.parent]
        return places if self.is_in_full else [UNMEASURED, *places]

    def run(self, *arguments: str) -> tuple[int, str]:
        process = self.start(*arguments)
        output, _ = process.communicate(timeout=SECONDS)
        return process.returncode, output

    def unaccounted(self) -> list[str]:
        """Return what is there that was not, or is not what it was."""
        now = contents(self.project)
        found = [f"gone: {name}" for name in self.before if name not in now]
        found += [
            f"new or changed: {name}"
            for name, content in now.items()
            if not EXPECTED.match(name) and self.before.get(name, b"\0absent") != content
        ]
        found += [f"stage: {name}" for name in now if "unverified" in name.partition("/")[0]]
        left = contents(self.temporary)
        found += [f"temporary: {name}" for name in left if not TEMPORARY.match(name)]
        mine = self.processes()
        found += [f"process: {command}" for command in mine.values()]
        found += [f"port: {one}" for one in self.ports(mine)]
        return found + [f"variable: {one}" for one in self.variables()]

    def processes(self) -> dict[int, str]:
        """Return the processes of the run that are still there, with their commands."""
        mine = f"TMPDIR={self.temporary}".encode()
        found = descendants_of(os.getpid()) - self.processes_before
        found |= {one for one in numbers() if mine in read_of(one, "environ").split(b"\0")}
        commands = {one: read_of(one, "cmdline").replace(b"\0", b" ").decode() for one in found}
        return {one: command for one, command in commands.items() if command}

    def ports(self, mine: Collection[int]) -> list[str]:
        """Return what listens now and did not, unless another process is known to do that."""
        now = listening()
        others = {one for number in set(numbers()) - set(mine) for one in sockets_of(number)}
        return [now[one] for one in now if one not in self.ports_before and one not in others]

    def variables(self) -> list[str]:
        """Return the names of variables that are not what they were; none when it was killed."""
        changed = json.loads(read(self.account) or b"[]")
        return [name for name in changed if name not in SET_BY_PYTEST]


def numbers() -> list[int]:
    return [int(one.name) for one in Path("/proc").glob("[0-9]*")]


def read_of(process: int, name: str) -> bytes:
    return read(Path("/proc", str(process), name))


def descendants_of(process: int) -> set[int]:
    parents = {one: read_of(one, "stat").rpartition(b")")[2].split()[1:2] for one in numbers()}
    found, waiting = set(), [process]
    while waiting:
        above = str(waiting.pop()).encode()
        below = {one for one, parent in parents.items() if parent == [above]} - found
        found |= below
        waiting += below
    return found


def listening() -> dict[str, str]:
    """Return the sockets that listen, by number: with protocol and address."""
    found = {}
    for protocol in ("tcp", "tcp6"):
        for line in read(Path("/proc/net", protocol)).decode().splitlines()[1:]:
            _number, local, _remote, state, *_others = fields = line.split()
            if state == LISTENS:
                found[fields[9]] = f"{protocol} {int(local.rpartition(':')[2], 16)}"
    return found


def sockets_of(process: int) -> set[str]:
    found = set()
    for path in Path("/proc", str(process), "fd").glob("*"):
        with suppress(OSError):
            found |= set(re.findall(r"socket:\[(\d+)\]", str(path.readlink())))
    return found


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def contents(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if "__pycache__" not in path.parts
    }


def workplace(source: Path, tmp_path: Path) -> Workplace:
    project, temporary = tmp_path / "project", tmp_path / "tmp"
    temporary.mkdir()
    ignored = shutil.ignore_patterns("__pycache__", ".pytest_cache", "evosearch")
    if source.is_dir() and not (source / "__init__.py").exists():
        shutil.copytree(source, project, ignore=ignored)
    elif source.is_dir():
        shutil.copytree(source, project / "app", ignore=ignored)
    else:
        project.mkdir()
        shutil.copy(source, project / "app.py")
    if not (project / "pyproject.toml").exists():
        (project / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "told_variables.py").write_text(VARIABLES)
    return Workplace(
        project, temporary, contents(project), descendants_of(os.getpid()), set(listening())
    )


@pytest.fixture(autouse=True)
def adopted_orphans() -> Iterator[None]:
    """Let whatever loses its parent become a child of this process, and end it afterwards."""
    before = descendants_of(os.getpid())
    libc = ctypes.CDLL(None)
    libc.prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
    yield
    libc.prctl(ADOPT_ORPHANS, 0, 0, 0, 0)
    for one in descendants_of(os.getpid()) - before:
        with suppress(OSError):
            os.kill(one, signal.SIGKILL)
            os.waitpid(one, 0)


@pytest.fixture
def notes(tmp_path: Path) -> Workplace:
    return workplace(REPOSITORY / "tests" / "apps" / "notes_sqlite", tmp_path)


@pytest.mark.parametrize("source", SEARCHED, ids=lambda path: path.stem)
def test_a_run_that_ends_leaves_its_tests_only(source: Path, tmp_path: Path) -> None:
    place = workplace(source, tmp_path)
    place.is_in_full = ALL or source.stem == IN_FULL
    verified = () if place.is_in_full else ONCE
    code, output = place.run("--evosearch=5x", "--evosearch-seed=1", *verified)
    assert code in (0, 4, 5), output
    assert place.unaccounted() == []


def test_nothing_to_do_and_bad_input_leave_nothing(notes: Workplace) -> None:
    assert notes.run("--evosearch-plan")[0] == 0
    assert notes.run("--evosearch=5x", "--evosearch-app=nothing.here")[0] == 4
    assert notes.unaccounted() == []
    assert not (notes.project / "evosearch").exists()


def is_at_work(project: Path) -> bool:
    """Say whether a process has to do with a project, by its command line or its folder."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # one that has just ended
            command, folder = (process / "cmdline").read_bytes(), (process / "cwd").readlink()
            if os.fsencode(project) in command or project in (folder, *folder.parents):
                return True
    return False


def wait_for_what_was_started(project: Path) -> None:
    """Wait until the processes of a run that was killed have seen that it is gone, and ended."""
    over = time.monotonic() + SECONDS
    while time.monotonic() < over and is_at_work(project):
        time.sleep(0.2)


@pytest.mark.parametrize(("ending", "moment"), INTERRUPTED)
def test_an_interrupted_run_leaves_nothing_else(ending: str, moment: str, notes: Workplace) -> None:
    # Long enough to be interrupted while it searches; what comes then takes seconds anyway.
    budget = 300 if moment == MOMENTS[0] else 20
    process = notes.start(f"--evosearch={budget}x", "--evosearch-seed=1")
    assert process.stdout is not None
    for line in process.stdout:
        if moment in line and line.startswith("evosearch: "):
            break
    number = getattr(signal, ending.partition(" ")[0])
    process.send_signal(number)
    if ending.endswith("twice"):
        time.sleep(0.1)
        process.send_signal(number)
    process.communicate(timeout=SECONDS)
    if ending == "SIGKILL":
        assert process.returncode == -signal.SIGKILL
        assert not (notes.project / "evosearch").exists()  # nothing that is not verified
        wait_for_what_was_started(notes.project)
        code, output = notes.run("--evosearch=5x", "--evosearch-seed=1", *ONCE)
        assert (code, " was called" in output) == (0, False)
    else:
        # One that comes when the search is over already changes nothing.
        is_late = moment == MOMENTS[1] and not ending.endswith("twice")
        assert process.returncode == (0 if is_late else 2)
    assert notes.unaccounted() == []


FAILING_FIXTURE = """
import pytest


@pytest.fixture
def client(tmp_path):
    (tmp_path / "left").write_text("by a fixture")
    raise RuntimeError("no database")
"""

FAILING_MODULE = """
import pathlib
import tempfile

folder = tempfile.TemporaryDirectory()
pathlib.Path(folder.name, "left").write_text("by a module")
raise RuntimeError("no database")
"""


@pytest.mark.parametrize(
    ("file", "text", "code"), [("conftest.py", FAILING_FIXTURE, 5), ("app.py", FAILING_MODULE, 4)]
)
def test_a_set_up_that_fails_leaves_nothing(
    file: str, text: str, code: int, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "app.py").write_text("import flask\n\napp = flask.Flask(__name__)\n")
    (source / file).write_text(text)
    place = workplace(source, tmp_path)
    given = ["--evosearch=5x", "--evosearch-seed=1", "--evosearch-app=app:app"]
    found, output = place.run(*(given if code == 4 else given[:2]))
    assert (found, "no database" in output) == (code, True), output
    assert place.unaccounted() == []


LEAVING = """
import os
import subprocess
import sys

SERVER = "import socket, time; server = socket.create_server(('', 0)); time.sleep(60)"
command = [sys.executable, "-c", SERVER]
subprocess.Popen(command, env={}, start_new_session=True, stdout=-3, stderr=-3)
os.environ["LEFT"] = "1"
"""


def test_what_is_left_is_found(notes: Workplace) -> None:
    (notes.temporary.parent / "leaving.py").write_text(LEAVING)
    assert notes.run("-p", "leaving", "--collect-only")[0] == 5
    time.sleep(0.5)
    kinds = [one.partition(":")[0] for one in notes.unaccounted()]
    assert kinds == ["process", "port", "variable"]
