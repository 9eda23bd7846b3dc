"""Sampled stacks, and the room of the project (or of the application) each belongs to.

A stack comes from ``py-spy record --format raw --full-filenames --idle``: its frames from the
root to the leaf, and how often it was seen.  Three tables classify it:

1. `PHASES`: what the run was busy with.  The first row of which a frame lies on the stack.
2. A stack that goes through a door of `DOORS` is below the call of the WSGI application.
   There the *innermost* frame that is no standard library's decides: the application, its
   framework and its other libraries are "application"; our own code that the application calls
   back into is "probes" (`instrument`) or "watching" (patched containers, SQL, validators).  From
   the leaf, because they lie in each other many times over: a view calls a probe, the
   probe compares, a recorded container is read by Flask.
3. Everything else is classified by `ROOMS`: the first row of which a frame lies on the
   stack.  The rows for small things stand before those for what calls them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

OWN = "/pytest_evosearch/"

APPLICATION = "application"
PROBES = "probes"
WATCHING = "watching reads, SQL, validators"
OTHER = "other"


class Frame(NamedTuple):
    """One frame of a stack."""

    function: str
    path: str
    line: int = 0

    @property
    def name(self) -> str:
        """Return the name of the function without its class: Python 3.10 knows no more."""
        return self.function.rpartition(".")[2]

    @property
    def own(self) -> str | None:
        """Return the path inside of the package where it is the project's own code."""
        _before, found, inside = self.path.rpartition(OWN)
        return inside if found else None

    @property
    def is_standard(self) -> bool:
        """Say whether the frame is the standard library's."""
        return self.path.startswith("<frozen") or (
            _STANDARD.search(self.path) is not None and "site-packages" not in self.path
        )


_STANDARD = re.compile(r"/lib/python3\.\d+/")
_FRAME = re.compile(r"(?P<function>.*) \((?P<path>.*?)(?::(?P<line>\d+))?\)")


@dataclass(frozen=True)
class Stack:
    """A distinct stack, from the root to the leaf, and in how many samples it was seen."""

    frames: tuple[Frame, ...]
    samples: int


class Place(NamedTuple):
    """Code of ours: a path in `pytest_evosearch` (what it begins with) and perhaps functions."""

    path: str
    functions: tuple[str, ...] = ()

    def holds(self, frame: Frame) -> bool:
        """Say whether `frame` is of this place."""
        inside = frame.own
        if inside is None or not inside.startswith(self.path):
            return False
        return not self.functions or frame.name in self.functions


SEARCHING = "search"
ASKING = "asking"
MINIMISING = "minimisation"
VERIFYING = "verification (waiting for other processes)"
WRITING = "writing"
REPORTING = "reports"
LOADING = "discovery and loading"
LOOKING = "checks that the state comes back"

PHASES: tuple[tuple[str, Place], ...] = (
    (LOOKING, Place("engine/selfcheck.py")),
    (LOOKING, Place("engine/fork_fallback.py", ("consider", "begin"))),
    (SEARCHING, Place("engine/loop.py", ("run", "start_with"))),
    (ASKING, Place("engine/checks.py")),
    (ASKING, Place("engine/inquiry.py")),
    (MINIMISING, Place("harvest/harvesting.py")),
    (VERIFYING, Place("write/verification/verify.py")),
    (VERIFYING, Place("write/verification/pytest_process.py")),
    (VERIFYING, Place("engine/writing.py", ("measured", "strength_of_suite"))),
    (WRITING, Place("engine/writing.py")),
    (WRITING, Place("write/")),
    (REPORTING, Place("report/")),
    (REPORTING, Place("engine/summary.py")),
    (LOADING, Place("engine/preparing/preparation.py")),
    (LOADING, Place("bridge/pytest_host.py")),
    (LOADING, Place("instrument/")),
    (LOADING, Place("plugin.py")),
)
"""What the run is busy with; the rows that lie inside of others come first."""

DOORS: tuple[Place, ...] = (
    Place("sut/clients/fast_client.py", ("_call", "_read")),
    Place("sut/clients/client.py", ("_collect", "close_quietly")),
)
"""Functions that call the application or read its answer."""

OPENINGS: tuple[Place, ...] = (
    Place("sut/watching/sqlite_connections.py", ("connect", "__init__")),
    Place("sut/shortcuts/verification_shortcuts.py", ("hurry",)),
)
"""The hook on `sqlite3.connect`: what it does itself is to open what the application asks for.

The first statement of a connection reads the schema.  That is `hurry`'s now, and the application's
without it: 50 microseconds of the 54 that opening and one query take (bcaf031)."""

FOREIGN_DOOR = ("werkzeug/test.py", "run_wsgi_app")
"""The same of Werkzeug's test client."""

EXECUTING = (LOOKING, SEARCHING, ASKING, MINIMISING)
"""The phases in which tests are executed here; others are a room each."""

REQUESTS = "request building"
RESET = "state reset"
GARBAGE = "collecting garbage"
GUARDING = "guarding (signals, time limit, streams)"
FORKS = "waiting for forked tests"
ORACLES = "oracles"
LEARNING = "learning"
VARIATION = "search: sampling and mutation"
ARCHIVE = "search: algorithm and archive"
EXECUTION = "search: executing, loop, counts"

ROOMS: tuple[tuple[str, Place], ...] = (
    (REQUESTS, Place("problem/http/exchanges/request.py")),
    (REQUESTS, Place("execution/transport.py")),
    (REQUESTS, Place("sut/clients/fast_client.py")),
    (REQUESTS, Place("sut/clients/client.py")),
    (REQUESTS, Place("execution/call_sending.py", ("client_of",))),
    (GARBAGE, Place("execution/garbage.py")),
    (RESET, Place("execution/local_executor.py", ("_restore",))),
    (RESET, Place("engine/preparing/state_restorer.py")),
    (FORKS, Place("execution/forked/forks.py")),
    (WATCHING, Place("sut/")),
    (WATCHING, Place("execution/call_sending.py", ("_take_validations", "_reads_of"))),
    (
        WATCHING,
        Place("execution/call_sending.py", ("_evidence_of", "_count_harms", "_is_routed")),
    ),
    (GUARDING, Place("execution/guard.py")),
    (GUARDING, Place("execution/process.py")),
    (GUARDING, Place("execution/sleep.py")),
    (GUARDING, Place("execution/threads.py")),
    (GUARDING, Place("execution/silence.py")),
    (PROBES, Place("instrument/")),
    (ORACLES, Place("oracles/")),
    (LEARNING, Place("problem/http/http_problem.py", ("learn",))),
    (VARIATION, Place("problem/")),
    (VARIATION, Place("genes/")),
    (ARCHIVE, Place("search/")),
    (EXECUTION, Place("execution/")),
)
"""Rooms outside of the application; what none claims belongs to the search, or to its phase."""

ORDER = (
    APPLICATION, PROBES, WATCHING, REQUESTS, RESET, GARBAGE, GUARDING, FORKS, ORACLES, LEARNING,
    VARIATION, ARCHIVE, EXECUTION, LOOKING, LOADING, ASKING, MINIMISING, WRITING, VERIFYING,
    REPORTING, OTHER,
)  # fmt: skip
"""All rooms, as a table shows them."""


def read_stacks(text: str) -> list[Stack]:
    """Read what py-spy wrote: the stacks of the main thread.

    Other threads are left out: they begin in `threading`, and wait while the main one runs.
    """
    found = []
    for line in text.splitlines():
        frames, _space, samples = line.rpartition(" ")
        if samples.isdigit() and frames:
            stack = Stack(tuple(read_frame(one) for one in frames.split(";")), int(samples))
            if not stack.frames[0].path.endswith("threading.py"):
                found.append(stack)
    return found


def read_frame(text: str) -> Frame:
    """Read one frame, such as ``Archive.offer (/home/me/archive.py:42)``."""
    match = _FRAME.fullmatch(text)
    if match is None:
        return Frame(text, "")
    return Frame(match["function"], match["path"], int(match["line"] or 0))


def phase_of(frames: Sequence[Frame]) -> str:
    """Return what the run was busy with."""
    return _first(PHASES, frames) or OTHER


def room_of(frames: Sequence[Frame]) -> str:
    """Return the room to which a sample belongs."""
    door = door_of(frames)
    phase = phase_of(frames)
    if door is not None and any(not is_ours_or_standard(one) for one in frames[door + 1 :]):
        return _behind_the_door(frames[door + 1 :])
    if phase not in EXECUTING:
        return phase
    return _first(ROOMS, frames) or (EXECUTION if phase == SEARCHING else phase)


def door_of(frames: Sequence[Frame]) -> int | None:
    """Return the index of the outermost frame that calls the application."""
    for index, frame in enumerate(frames):
        foreign = frame.name == FOREIGN_DOOR[1] and frame.path.endswith(FOREIGN_DOOR[0])
        if foreign or any(door.holds(frame) for door in DOORS):
            return index
    return None


def is_ours_or_standard(frame: Frame) -> bool:
    """Say whether `frame` is neither the application's nor a library's."""
    return frame.own is not None or frame.is_standard


def _behind_the_door(frames: Sequence[Frame]) -> str:
    for frame in reversed(frames):
        if not is_ours_or_standard(frame) or any(place.holds(frame) for place in OPENINGS):
            return APPLICATION
        if frame.own is not None:
            return PROBES if frame.own.startswith("instrument/") else WATCHING
    return APPLICATION


def _first(rows: Iterable[tuple[str, Place]], frames: Sequence[Frame]) -> str | None:
    for name, place in rows:
        if any(place.holds(frame) for frame in frames):
            return name
    return None


@dataclass(frozen=True)
class Shares:
    """Samples of a run by room, and by what the run was busy with."""

    rooms: Mapping[str, int]
    search: Mapping[str, int]
    """The same of the search phase alone."""
    phases: Mapping[str, int]

    @property
    def total(self) -> int:
        """Return the number of samples."""
        return sum(self.rooms.values())


def shares_of(stacks: Iterable[Stack]) -> Shares:
    """Count the samples of each room."""
    rooms: Counter[str] = Counter()
    search: Counter[str] = Counter()
    phases: Counter[str] = Counter()
    for stack in stacks:
        phase, room = phase_of(stack.frames), room_of(stack.frames)
        rooms[room] += stack.samples
        phases[phase] += stack.samples
        if phase == SEARCHING:
            search[room] += stack.samples
    return Shares(rooms, search, phases)
