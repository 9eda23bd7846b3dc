"""Every option, in one declarative table, and the frozen `Settings` made of it.

Knows nothing of pytest: `bridge.options` turns the table into command-line options and
ini keys, and hands back plain values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path

from pytest_evosearch.core.budget import Budget


@dataclass(frozen=True)
class Settings:
    """Everything that the user decided, checked and typed."""

    budget: Budget
    seed: int
    rootdir: Path
    app: str | None = None
    """``module:name``, as in ``flask --app``; None to discover."""
    source: tuple[str, ...] = ()
    """Packages to instrument; empty for everything under `rootdir` that the app imports."""
    output: Path | None = None
    """Folder for the written modules; None for the default beside the client's conftest."""
    algorithm: str = "mio"
    level: int = 3
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ("static",)
    schema: str | None = None
    faults: str = "xfail"
    fail_on: frozenset[str] = frozenset()
    plan: bool = False
    report: Path | None = None
    allow_db: bool = False
    allow_net: tuple[str, ...] = ()
    tunables: Mapping[str, str] = field(default_factory=dict)
    """From ``--evosearch-set NAME=VALUE``, raw text; checked names, see `TUNABLES`."""
    command: str = "pytest --evosearch"
    """The command that regenerates, for headers and the ``reproduce:`` line."""
    maximum_faults: int = 0
    """From ``-x``/``--maxfail``: stop at the n-th fault; 0 for never."""
