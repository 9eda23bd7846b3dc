"""Sessions for developers: ``nox -s tests``, ``nox -s lint``, ``nox -s benchmark-quick``."""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.sessions = ["lint", "types", "tests"]
nox.options.error_on_missing_interpreters = False

# Each supported Python once, spread over the supported versions of pytest and Flask.
MATRIX = [
    ("3.10", "pytest~=7.4.4", "flask~=2.2.5 werkzeug~=2.2.3"),
    ("3.11", "pytest~=8.0.2", "flask~=2.3.3 werkzeug~=2.3.8"),
    ("3.12", "pytest~=8.3.5", "flask~=3.0.3 werkzeug~=3.0.6"),
    ("3.13", "pytest~=8.4.2", "flask~=3.1.0"),
    ("3.14", "pytest>=9", "flask>=3.1"),
]


@nox.session
@nox.parametrize(("python", "pytest_version", "flask_versions"), MATRIX)
def tests(session: nox.Session, pytest_version: str, flask_versions: str) -> None:
    """Run the whole suite on one row of the matrix."""
    session.install(pytest_version, *flask_versions.split(), ".[dev]")
    session.run("python", "-m", "pytest", "-m", "", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and formatting."""
    session.install("ruff")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check types, strictly."""
    session.install(".[dev]")
    session.run("mypy")


@nox.session(name="benchmark-quick")
def benchmark_quick(session: nox.Session) -> None:
    """Compare MIO with random search on three small applications, in a few minutes.

    What a change did to the search shows in the table; numbers to publish need more seeds.
    """
    session.install("--editable", ".[dev]")
    folder = session.create_tmp()
    session.run(
        *("python", "-m", "benchmarks.run", "--apps", "ncs,scs,shop", "--tools", "mio,random"),
        *("--budgets", "1000x", "--seeds", "2", "--jobs", "2", "--again"),
        *("--results", f"{folder}/raw", "--tables", f"{folder}/tables", *session.posargs),
    )
    session.log(Path(folder, "tables", "README.md").read_text(encoding="utf-8"))
