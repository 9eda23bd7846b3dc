"""Messages between islands: files in a folder of the run.

    K-N.message    the message of island K in its round N (0, 1, ...)
    K.farewell     the last message of island K, with its counts
    stop           all islands must end

Each file is written under another name first, so that no island reads an unfinished file.
"""

from __future__ import annotations

import pickle
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from pytest_evosearch.core.atomic import replace_content
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.search.migration import Emigrant


@dataclass(frozen=True)
class Message:
    """The message of an island in one round."""

    emigrants: Sequence[Emigrant] = ()
    evaluations: int = 0
    """Number of evaluations that it has made so far."""
    callers: Mapping[str, Caller] = field(default_factory=dict)
    """Callers whom the application lets in, by the names of their users."""


@dataclass(frozen=True)
class Farewell:
    """The last message of an island."""

    rounds: int
    """Number of messages before this one."""
    last: Message = Message()
    calls: Mapping[str, int] = field(default_factory=dict)
    """Number of requests by endpoint."""
    statuses: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """Number of responses by endpoint and status."""
    refusals: Mapping[str, Collection[int]] = field(default_factory=dict)
    """Statuses by which each endpoint refused callers."""


@dataclass(frozen=True)
class Mailbox:
    """The folder, as one island uses it."""

    folder: Path
    island: int
    """Its number, from 0 to `islands` - 1."""
    islands: int

    @property
    def others(self) -> Sequence[int]:
        """Return the numbers of all other islands, in the order of reading their messages."""
        return [number for number in range(self.islands) if number != self.island]

    def post(self, number: int, message: object) -> None:
        """Write the message of the round `number`."""
        self._leave(f"{self.island}-{number}.message", message)

    def say_farewell(self, farewell: Farewell) -> None:
        """Write the last message."""
        self._leave(f"{self.island}.farewell", farewell)

    def bury(self, island: int) -> None:
        """Write the last message for an island that died without one."""
        rounds = sum(1 for _ in self.folder.glob(f"{island}-*.message"))
        self._leave(f"{island}.farewell", Farewell(rounds))

    def message(self, island: int, number: int) -> Any:
        """Return the message of `island` in a round; None while there is none."""
        return self._read(f"{island}-{number}.message")

    def farewell(self, island: int) -> Farewell | None:
        """Return the last message of `island`; None while it goes on."""
        found: Farewell | None = self._read(f"{island}.farewell")
        return found

    def has_posted(self, island: int, number: int) -> bool:
        """Say whether `island` has sent its message of a round, or will never send it."""
        names = (f"{island}-{number}.message", f"{island}.farewell")
        return any(os.path.exists(self.folder / name) for name in names)

    def has_left(self, island: int) -> bool:
        """Say whether `island` has ended."""
        return os.path.exists(self.folder / f"{island}.farewell")

    def call_to_stop(self) -> None:
        """Ask all other islands to end."""
        self._leave("stop", None)

    @property
    def is_called_to_stop(self) -> bool:
        """Say whether all islands must end; a missing folder means yes."""
        return os.path.exists(self.folder / "stop") or not os.path.exists(self.folder)

    def _leave(self, name: str, content: object) -> None:
        with suppress(FileNotFoundError):  # the folder is missing: no other island reads it
            replace_content(self.folder / name, pickle.dumps(content))

    def _read(self, name: str) -> Any:
        with suppress(FileNotFoundError):
            return pickle.loads((self.folder / name).read_bytes())
        return None
