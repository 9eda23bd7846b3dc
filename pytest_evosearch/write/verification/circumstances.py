"""The circumstances under which a written test must hold.

as they are                   what the user will do next: nothing but pytest, order of the files
moved                         another clock, time zone, hash seed, random seed, reversed order;
                              pauses between calls for threads of the application
strict                        warnings are errors, markers are strict, random order
in two processes at once      where pytest-xdist is installed
with the project's own suite  unless that takes long

Moved and strict are one run: a test that holds with another clock while warnings are errors almost
certainly holds in each of the two. Only after a failure is each tried separately.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from enum import Enum

from pytest_evosearch.core.quick_dataclasses import dataclass

WORKERS = 2


class Scope(Enum):
    """What one interpreter runs."""

    FOLDER = "every written test"
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
    """Whether a failure only here means that the test depends on something unstable."""
    optional: bool = False
    """Whether the project itself may fail here: a run without results says nothing about tests."""
    members: tuple[Circumstances, ...] = ()
    """The joined circumstances: after a failure, each is tried."""

    @property
    def moves_clock(self) -> bool:
        """Say whether the clock is moved."""
        return _CLOCK in self.environment


CHEAPLY = {
    "EVOSEARCH_VERIFY_HASHING": "cheap",
    "EVOSEARCH_VERIFY_HURRIED": "1",
    "EVOSEARCH_VERIFY_UNPATCHED": "1",
}
"""The search's replacements, used in every run except the unchanged one.

See `sut.shortcuts.password_hashing`, `sut.shortcuts.verification_shortcuts`, `sut.green_threads`.
"""

_PAUSING = {"EVOSEARCH_VERIFY_PAUSE": "1.05"}
"""Gives time to threads of the application, such as jobs for each second."""

AS_COLLECTED = {"EVOSEARCH_VERIFY_ORDER": "collected"}
"""The order of the files, also where pytest-randomly is installed: other users may not have it."""

PLAIN = Circumstances("in a fresh interpreter")
"""The unchanged run, with nothing of ours in its process (`plain_run`)."""

WATCHED = Circumstances(
    PLAIN.name, {**AS_COLLECTED, **_PAUSING, "EVOSEARCH_VERIFY_HASHING": "late"}
)
"""The same with plugins, for modules that failed: they say what each assertion compared.

Password hashing has its real cost, unless that takes too long.
"""
HURRIED = {"EVOSEARCH_VERIFY_HURRIED": "1"}
"""Shortcuts in each run with plugins when time is limited.

No test can see them, and some runs mostly waited for the disk.
"""

CAUGHT_UP = Circumstances(
    "in a fresh interpreter", {**AS_COLLECTED, **HURRIED, "EVOSEARCH_VERIFY_HASHING": "cheap"}
)
"""Circumstances for tests without time for an unchanged run.

Password hashes are as cheap as in the search.
"""

_WARNINGS = "EVOSEARCH_VERIFY_WARNINGS"

STRICT = Circumstances(
    "where warnings are errors",
    {
        **CHEAPLY,
        "PYTHONHASHSEED": "1",
        "TZ": "America/St_Johns",
        "EVOSEARCH_VERIFY_ORDER": "1",
        _WARNINGS: "error",
    },
    ("--strict-markers",),
    optional=True,
)
LENIENT = replace(
    STRICT, name="in another order", environment={**STRICT.environment, _WARNINGS: ""}
)
"""A failure in strict circumstances that does not happen here comes from a warning."""
TOGETHER = Circumstances("in two processes at once", CHEAPLY, workers=WORKERS, optional=True)
ANOTHER_CLOCK = {"EVOSEARCH_VERIFY_HOURS": "9617"}
"""9617 hours are 400 days and 17 hours: here and in that zone, the hour is another one by seven."""
ANOTHER_SEED = {"EVOSEARCH_VERIFY_SEED": "271828"}
ANOTHER_HASH = {"PYTHONHASHSEED": "4242"}
ANOTHER_ZONE = {"TZ": "Pacific/Kiritimati"}
ANOTHER_ORDER = {"EVOSEARCH_VERIFY_ORDER": "reversed"}
MOVED = Circumstances(
    "with another clock, time zone, hash seed, random seed, order and number of threads",
    {
        **CHEAPLY,
        **ANOTHER_HASH,
        **ANOTHER_ZONE,
        **ANOTHER_ORDER,
        **ANOTHER_CLOCK,
        **ANOTHER_SEED,
        "EVOSEARCH_VERIFY_THREADS": "1",
        **_PAUSING,
    },
    unstable=True,
)
ALL = (
    PLAIN,
    MOVED,
    STRICT,
    TOGETHER,
    Circumstances("with the project's own suite", CHEAPLY, scope=Scope.PROJECT, optional=True),
)
"""All circumstances in the order of their runs."""


def circumstances_for(*, has_own_tests: bool) -> Sequence[Circumstances]:
    """Return the circumstances of a project; one without tests has no suite of its own."""
    return [one for one in ALL if has_own_tests or one.scope is not Scope.PROJECT]


_CLOCK = "EVOSEARCH_VERIFY_HOURS"
_ELEMENTS = {
    "TZ": "in another time zone",
    "PYTHONHASHSEED": "with another hash seed",
    "EVOSEARCH_VERIFY_SEED": "with another random seed",
    "EVOSEARCH_VERIFY_ORDER": "in another order",
    "EVOSEARCH_VERIFY_THREADS": "with another number of threads",
}
"""Variables that change one thing each, with their phrases."""

SOON = Circumstances("with the clock an hour ahead", {**CHEAPLY, _CLOCK: "1.37"}, unstable=True)
"""Replaces a large move of the clock where the project does not work with it."""


def elements(one: Circumstances) -> list[Circumstances]:
    """Return simpler circumstances that together make most of `one`.

    The clock is separate, and all other variables are separate, too.
    """
    parts = {name: value for name, value in one.environment.items() if name in _ELEMENTS}
    rest = Circumstances("in other ways", {**CHEAPLY, **parts}, unstable=True)
    if one.moves_clock:
        return [SOON, rest] if one is not SOON else []
    if len(parts) < 2:
        return []
    return [
        Circumstances(_ELEMENTS[name], {**CHEAPLY, name: value}, unstable=True)
        for name, value in parts.items()
    ]


def blamed_name(one: Circumstances) -> str:
    """Return a name for what is to blame in `one` when its elements are not."""
    if one.moves_clock and one is not SOON:
        return f"with the clock {int(one.environment[_CLOCK]) // 24} days ahead"
    return one.name


JOINED = (STRICT, MOVED)
"""Circumstances that share a run; where they contradict, the later one counts."""


def joined_where_possible(several: Sequence[Circumstances]) -> list[Circumstances]:
    """Return fewer circumstances that are as demanding."""
    if not all(one in several for one in JOINED):
        return list(several)
    joint = Circumstances(
        " and ".join(one.name for one in JOINED),
        {name: value for one in JOINED for name, value in one.environment.items()},
        tuple(option for one in JOINED for option in one.options),
        members=JOINED,
    )
    return [joint, *(one for one in several if one not in JOINED)]
