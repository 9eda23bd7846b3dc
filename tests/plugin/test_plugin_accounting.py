"""Every file, folder, process and entry of the temporary folder of a run is accounted for.

Each application is searched from a copy of its project, with a temporary folder of its own.  What
is there afterwards, and was not before, has to be on a short list.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = sorted(path.parent for path in REPOSITORY.glob("conftest_examples/*/tests"))
APPLICATIONS = sorted(
    path
    for path in (REPOSITORY / "tests" / "apps").iterdir()
    if path.suffix == ".py" or (path / "__init__.py").exists()
)
SECONDS = 100.0

KEEPING = (
    "notes_sqlite",
    "seeded_users",
    "shop_sqlalchemy",
    "unittest_only",
    "session_app_with_rollback",
    "sqlite_file_and_login_form",
)
"""Those that keep something on disk: a run of each takes five seconds of the processor."""

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

EXPECTED = re.compile(r"(tests/)?evosearch(/|$)|\.pytest_cache(/|$)|(.*/)?__pycache__(/|$)")
"""The written tests, the cache of pytest with our reports, and what Python compiles."""
TEMPORARY = re.compile(r"pytest-of-\w+(/|$)|evosearch-idle")
"""pytest keeps the folders of its last three runs."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")


@dataclass
class Workplace:
    """A copy of a project, and a temporary folder."""

    project: Path
    temporary: Path
    before: dict[str, bytes | None]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTEST_", "EVOSEARCH_")) and name != "CI"
        }
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", "pytest_evosearch.plugin", *arguments],
            cwd=self.project,
            env={
                **environment,
                "TMPDIR": str(self.temporary),
                "PYTHONPATH": str(REPOSITORY),
                # All others leave nothing, and are half of what each interpreter costs.
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PYTEST_PLUGINS": "xdist.plugin",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

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
        return found + [f"process: {one}" for one in self.processes()]

    def processes(self) -> list[str]:
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            mine = f"TMPDIR={self.temporary}".encode()
            if mine in read(folder / "environ").split(b"\0"):
                found.append(read(folder / "cmdline").replace(b"\0", b" ").decode())
        return [one for one in found if one]


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
    return Workplace(project, temporary, contents(project))


@pytest.fixture
def notes(tmp_path: Path) -> Workplace:
    return workplace(REPOSITORY / "tests" / "apps" / "notes_sqlite", tmp_path)


@pytest.mark.parametrize("source", SEARCHED, ids=lambda path: path.stem)
def test_a_run_that_ends_leaves_its_tests_only(source: Path, tmp_path: Path) -> None:
    place = workplace(source, tmp_path)
    code, output = place.run("--evosearch=5x", "--evosearch-seed=1")
    assert code in (0, 4, 5), output
    assert place.unaccounted() == []


def test_nothing_to_do_and_bad_input_leave_nothing(notes: Workplace) -> None:
    assert notes.run("--evosearch-plan")[0] == 0
    assert notes.run("--evosearch=5x", "--evosearch-app=nothing.here")[0] == 4
    assert notes.unaccounted() == []
    assert not (notes.project / "evosearch").exists()


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
        code, output = notes.run("--evosearch=5x", "--evosearch-seed=1")
        assert (code, " was called" in output) == (0, False)
    else:
        # One that comes when the search is over already changes nothing.
        is_late = moment == MOMENTS[1] and not ending.endswith("twice")
        assert process.returncode == (0 if is_late else 2)
    assert notes.unaccounted() == []
