"""Sessions for developers: ``nox -s tests``, ``nox -s lint``, ``nox -s benchmark-quick``."""

from __future__ import annotations

from pathlib import Path

import nox

nox.options.sessions = ["lint", "tests"]
nox.options.default_venv_backend = "venv"


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types."""
    session.install("--editable", ".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")


@nox.session
def tests(session: nox.Session) -> None:
    """Run the whole suite, or what is given behind ``--``."""
    session.install("--editable", ".[dev]")
    session.run("pytest", "-q", "-n", "2", *session.posargs)


@nox.session(name="benchmark-quick")
def benchmark_quick(session: nox.Session) -> None:
    """Compare MIO with random on three small applications in a few minutes.

    What a change did to the search shows in the table; numbers to publish need more seeds.
    """
    session.install("--editable", ".[dev]")
    folder = session.create_tmp()
    session.run(
        *("python", "-m", "benchmarks.run", "--apps", "ncs,scs,shop", "--tools", "mio,random"),
        *("--budgets", "1000x", "--seeds", "2", "--jobs", "2", "--again"),
        *("--results", f"{folder}/raw", "--tables", f"{folder}/tables"),
    )
    session.log(Path(folder, "tables", "README.md").read_text(encoding="utf-8"))
