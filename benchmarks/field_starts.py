"""Whether a project of the field starts by itself, as its own texts say, without the plugin.

What its README, ``Procfile`` or ``.flaskenv`` names is started first, then what ``flask`` finds,
then its programs.  The variables that its README exports, or its example of an ``.env`` has, are
set: this asks whether the project was set up, and not whether it does without configuration.
A server is not started: the call that would start it is the end.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.field_outcomes import shortened

LIMIT = 25
"""Seconds for one attempt."""
ATTEMPTS = 6
LONGEST = 300_000
"""Bytes of a text that is read."""

INCOMPLETE = "does not start by itself: "
MISSING = re.compile(r"No module named '(\w+)")
"""Begins the reason where packages or files are missing, or where no Python can read a file."""

SLOW = "no start"
"""Begins the reason where it waits for something; other packages would not change that."""
STARTED = "started"
OUTCOME = "outcome of the start: "
STARTING = f'''import importlib, os, runpy, sys
command, target = sys.argv[1:]
sys.path.insert(0, os.getcwd())
import flask, flask.cli, werkzeug.serving

class Started(BaseException):
    pass

def started(*arguments, **keywords):
    raise Started

flask.Flask.run = werkzeug.serving.run_simple = started
for name, owner in (("flask_socketio", "SocketIO"), ("waitress", None), ("gevent.pywsgi", None)):
    try:
        module = importlib.import_module(name)
    except Exception:
        continue
    if owner:
        getattr(module, owner).run = started
    elif name == "waitress":
        module.serve = started
    else:
        module.WSGIServer.serve_forever = started

def start():
    if command == "python":
        sys.argv = [target]
        sys.path[0] = os.path.dirname(os.path.abspath(target))
        names = runpy.run_path(target, run_name="__main__")
        if not any(isinstance(value, flask.Flask) for value in names.values()):
            raise flask.cli.NoAppException("it starts no server")
        return
    flask.cli.load_dotenv()
    target_or_none = target or os.environ.get("FLASK_APP") or None
    flask.cli.ScriptInfo(app_import_path=target_or_none).load_app()

def lacks(error):
    """Say whether an installed package lacks what was asked of it: another version has it."""
    asked = getattr(error, "obj", None) if isinstance(error, AttributeError) else None
    owner = asked if isinstance(asked, (type(sys), type)) else type(asked)
    name = getattr(owner, "__module__", None) or owner.__name__
    module = sys.modules.get(name.partition(".")[0])
    return "site-packages" in (getattr(module, "__file__", "") or "")

try:
    start()
except Started:
    print("{OUTCOME}")
except BaseException as error:
    while isinstance(error, flask.cli.NoAppException) and error.__context__:
        error = error.__context__
    is_missing = isinstance(error, (ImportError, SyntaxError)) or lacks(error)
    kind = "missing" if is_missing else "other"
    if isinstance(error, flask.cli.NoAppException):
        kind = "no entry"
    print(f"{OUTCOME}{{kind}}: {{type(error).__name__}}: {{error}}".splitlines()[0])
else:
    print("{OUTCOME}")
sys.stdout.flush()
os._exit(0)
'''
"""Starts a program or what ``flask`` finds; prints what comes of it."""

TELLING = re.compile(r"readme|procfile", re.IGNORECASE)
NAMED = (
    ("flask", re.compile(r"\bFLASK_APP\s*=\s*[\"']?([\w./:-]+)")),
    ("flask", re.compile(r"\bflask\s+--app[ =]([\w./:-]+)")),
    ("flask", re.compile(r"\bgunicorn\b[^\n]*?\s([\w.]+:\w+)")),
    ("python", re.compile(r"\bpython[\d.]*\s+(?:-u\s+)?([\w./-]+\.py)\b")),
)
"""How a text says what is to be started."""
PROGRAM = re.compile(r"__main__|^\w+\.run\(", re.MULTILINE)
STARTS = re.compile(r"\b(?:run|serve\w*|main)\(")
VARIABLE = re.compile(r"^\s*(?:\$\s*)?(?:export|set)\s+([A-Z_][A-Z0-9_]*)=(.*)$", re.MULTILINE)
SETTING = re.compile(r"^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$", re.MULTILINE)
EXAMPLES = (".env.example", ".env.sample", ".env.template", "env.example", "example.env")
NOT_SET = frozenset({"PATH", "HOME", "PYTHONPATH", "VIRTUAL_ENV", "FLASK_APP"})

Contained = Callable[..., tuple[subprocess.CompletedProcess[str], float]]


@dataclass(frozen=True)
class Entry:
    """Something to start, and the folder to start it in."""

    command: str
    """``python`` or ``flask``."""
    target: str
    folder: Path
    is_named: bool = False
    """Whether a text of the project names it: how it fails is the reason."""


def texts_of(folder: Path) -> str:
    """Return what tells people and servers how to start a project."""
    named = [path for path in sorted(folder.iterdir()) if TELLING.match(path.name)]
    return "\n".join(map(_read, (folder / ".flaskenv", *named, folder / "Dockerfile")))


def variables(folder: Path) -> dict[str, str]:
    """Return the variables that a README exports, or that the example of an ``.env`` has."""
    found = VARIABLE.findall(texts_of(folder))
    for name in EXAMPLES:
        found += SETTING.findall(_read(folder / name))
    cleaned = {name: value.split(" #")[0].strip().strip("'\"") for name, value in found}
    return {name: value for name, value in cleaned.items() if name not in NOT_SET}


def entries(folder: Path) -> list[Entry]:
    """Return what may be started, what the texts name first."""
    return list(dict.fromkeys(_entries(folder)))[:ATTEMPTS]


def _entries(folder: Path) -> Iterator[Entry]:
    text = texts_of(folder)
    for command, pattern in NAMED:
        for target in pattern.findall(text):
            if command == "flask" or (folder / target).is_file():
                yield Entry(command, target, folder, is_named=True)
    if any((folder / name).is_file() for name in ("wsgi.py", "app.py")):
        yield Entry("flask", "", folder)
    for path in _programs(folder):
        yield Entry("python", path.name, path.parent)
        yield Entry("python", str(path.relative_to(folder)), folder)
    for inside in sorted(folder.glob("*/__init__.py")):
        if re.search(r"\bFlask\(", _read(inside)):
            yield Entry("flask", inside.parent.name, folder)


def _programs(folder: Path) -> list[Path]:
    """Return the programs that may start a server, the shallowest first."""
    found = []
    for pattern in ("*.py", "*/*.py"):
        for path in sorted(folder.glob(pattern)):
            text = _read(path)
            if PROGRAM.search(text) and STARTS.search(text) and "test" not in path.name:
                found.append(path)
    return found


def trouble(
    folder: Path, home: Path, python: Path, contained: Contained, limit: float = LIMIT
) -> str:
    """Return why a project does not start by itself; empty where it does, or where nobody can say.

    The reason begins with `INCOMPLETE` where no configuration can help.
    """
    environment = variables(folder)
    failed: list[tuple[Entry, str]] = []
    for entry in entries(folder):
        reason = _attempt(entry, folder, home, python, contained, environment, limit)
        if reason == STARTED:
            return ""
        if reason.startswith(SLOW):
            return reason
        failed += [(entry, reason)] if reason else []
    named = [reason for entry, reason in failed if entry.is_named]
    other = [reason for _, reason in failed if not reason.startswith(INCOMPLETE)]
    return (*named, *other, *(reason for _, reason in failed), "")[0]


def _attempt(
    entry: Entry,
    folder: Path,
    home: Path,
    python: Path,
    contained: Contained,
    environment: Mapping[str, str],
    limit: float,
) -> str:
    """Return `STARTED`, the reason, or nothing where there is nothing to start."""
    command = [str(python), "-c", STARTING, entry.command, entry.target]
    try:
        finished, _seconds = contained(command, entry.folder, home, limit, environment)
    except subprocess.TimeoutExpired:
        return f"{SLOW} after {limit:.0f} s"
    lines = [line for line in finished.stdout.splitlines() if line.startswith(OUTCOME)]
    if not lines:
        return "it ends without a word"
    kind, _, message = lines[-1].removeprefix(OUTCOME).partition(": ")
    if not kind:
        return STARTED
    if kind == "no entry":
        return ""
    is_lacking = kind == "missing" and not _is_own(message, folder)
    return f"{INCOMPLETE if is_lacking else ''}{shortened(message, 160)}"


def _is_own(message: str, folder: Path) -> bool:
    """Say whether a module that is not found is the project's: it stands in another folder."""
    missing = MISSING.search(message)
    name = missing[1] if missing is not None else ""
    return bool(name) and ((folder / name).is_dir() or (folder / f"{name}.py").exists())


def _read(path: Path) -> str:
    try:
        return path.read_bytes()[:LONGEST].decode("utf-8", errors="replace")
    except OSError:
        return ""
