"""The circumstances under which a written test must hold.

as they are                   what the user will do next
moved                         another clock, time zone, hash seed, random seed, reversed order
strict                        warnings are errors, markers are strict, random order
module by module              each in a process of its own, without the plugin
in two processes at once      where pytest-xdist is installed
with the project's own suite  unless that takes long

Two of them at once take the time of one: what holds in a process of its own under another clock
holds under either, most certainly.  Only where something fails is each tried by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from enum import Enum

WORKERS = 2


class Scope(Enum):
    """What one interpreter runs."""

    FOLDER = "every written test"
    MODULES = "one module"
    PROJECT = "the project's own suite too"


@dataclass(frozen=True)
class Circumstances:
    """One way to run the written tests."""

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    scope: Scope = Scope.FOLDER
    workers: int = 0
    unstable: bool = False
    """A test that fails only here depends on what changes from run to run."""
    optional: bool = False
    """The project may not bear them itself: a run without results says nothing of the tests."""
    members: tuple[Circumstances, ...] = ()
    """Those that are joined here: where something fails, each of them tells."""

    @property
    def moves_clock(self) -> bool:
        """Say whether the clock is moved."""
        return "EVOSEARCH_VERIFY_HOURS" in self.environment

    @property
    def is_by_module(self) -> bool:
        """Say whether each module runs by itself."""
        return self.scope is Scope.MODULES


CHEAPLY = {
    "EVOSEARCH_VERIFY_HASHING": "cheap",
    "EVOSEARCH_VERIFY_HURRIED": "1",
    "EVOSEARCH_VERIFY_UNPATCHED": "1",
}
"""The stand-ins that the search has, too, in every run but the one of the tests as they are.

See `sut.shortcuts.password_hashing`, `sut.shortcuts.verification_shortcuts`, `sut.green_threads`.
"""

APART = {"EVOSEARCH_VERIFY_APART": "1"}
"""See `write.plugins.apart`: one process a module."""

PLAIN = Circumstances("in a fresh interpreter")
STRICT = Circumstances(
    "where warnings are errors",
    {
        **CHEAPLY,
        "PYTHONHASHSEED": "1",
        "TZ": "America/St_Johns",
        "EVOSEARCH_VERIFY_ORDER": "1",
    },
    ("-W", "error", "--strict-markers"),
    optional=True,
)
LENIENT = replace(STRICT, name="in another order", options=("--strict-markers",))
"""What fails only where it is strict fails by a warning."""
TOGETHER = Circumstances("in two processes at once", CHEAPLY, workers=WORKERS, optional=True)
MOVED = Circumstances(
    "with another clock, time zone, hash seed, random seed, order and number of threads",
    {
        **CHEAPLY,
        "PYTHONHASHSEED": "4242",
        "TZ": "Pacific/Kiritimati",
        "EVOSEARCH_VERIFY_ORDER": "reversed",
        "EVOSEARCH_VERIFY_HOURS": "9613",
        "EVOSEARCH_VERIFY_SEED": "271828",
        "EVOSEARCH_VERIFY_THREADS": "1",
    },
    unstable=True,
)
"""9613 hours are 400.5 days."""
BY_MODULE = Circumstances(
    "as a module by itself",
    CHEAPLY,
    options=("-p", "no:evosearch"),
    scope=Scope.MODULES,
    unstable=True,
    optional=True,
)
ALL = (
    PLAIN,
    MOVED,
    STRICT,
    BY_MODULE,
    TOGETHER,
    Circumstances("with the project's own suite", CHEAPLY, scope=Scope.PROJECT, optional=True),
)
"""In the order in which they are run."""


_ELEMENTS: tuple[tuple[str, tuple[str, ...], Mapping[str, str]], ...] = (
    ("the clock 400 days ahead", ("EVOSEARCH_VERIFY_HOURS",), {}),
    ("the clock an hour ahead", (), {"EVOSEARCH_VERIFY_HOURS": "1.37"}),
    ("another time zone", ("TZ",), {}),
    ("another hash seed", ("PYTHONHASHSEED",), {}),
    ("another random seed", ("EVOSEARCH_VERIFY_SEED",), {}),
    ("the tests in another order", ("EVOSEARCH_VERIFY_ORDER",), {}),
    ("another number of threads", ("EVOSEARCH_VERIFY_THREADS",), {}),
)
"""What circumstances consist of: a name, the variables that are taken over, further ones."""


def elements(one: Circumstances) -> list[Circumstances]:
    """Return circumstances of which each changes one thing that `one` changes, too."""
    found = []
    for name, variables, further in _ELEMENTS:
        taken = {key: one.environment[key] for key in variables if key in one.environment}
        replaced = {key: value for key, value in further.items() if key in one.environment}
        if taken or replaced:
            environment = {**CHEAPLY, **taken, **replaced}
            found.append(Circumstances(f"with {name}", environment, unstable=True))
    if any(option == "error" for option in one.options):
        found.append(Circumstances("where warnings are errors", CHEAPLY, ("-W", "error")))
    return found


def joined(one: Circumstances, other: Circumstances) -> Circumstances:
    """Return what is the case under both of two circumstances that do not contradict."""
    scope = other.scope if one.scope is Scope.FOLDER else one.scope
    return Circumstances(
        f"{one.name} and {other.name}",
        {**one.environment, **other.environment},
        (*one.options, *other.options),
        scope,
        one.workers or other.workers,
        members=(one, other),
    )


def joined_where_possible(
    several: Sequence[Circumstances], forks: bool, workers: bool
) -> list[Circumstances]:
    """Return fewer circumstances that are just as hard.

    `forks` says that modules can run in forks of one process, `workers` that there is pytest-xdist.
    """
    pairs = [(MOVED, BY_MODULE)] if forks else []
    pairs += [(STRICT, TOGETHER)] if workers else []
    possible = [pair for pair in pairs if all(one in several for one in pair)]
    covered = [one for pair in possible for one in pair]
    return [joined(*pair) for pair in possible] + [one for one in several if one not in covered]
