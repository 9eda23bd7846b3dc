"""Where islands leave what they tell one another: files in a folder of the run.

    K-N.message    what island K had to tell in its round N (0, 1, ...)
    K.farewell     the last that it had to tell, and what it counted
    stop           everybody is to come to an end

Each is written under another name first, so that no half-written file is read.
"""

from __future__ import annotations

import pickle
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any

from pytest_evosearch.core.atomic import replace_content
from pytest_evosearch.core.isolation import os
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.search.migration import Emigrant


@dataclass(frozen=True)
class Message:
    """What an island tells in one round."""

    emigrants: Sequence[Emigrant] = ()
    evaluations: int = 0
    """How many it has made so far."""
    callers: Mapping[str, Caller] = field(default_factory=dict)
    """Whom it has found to be let in, by the names of their users."""


@dataclass(frozen=True)
class Farewell:
    """The last message of an island."""

    rounds: int
    """Messages that came before."""
    last: Message = Message()
    calls: Mapping[str, int] = field(default_factory=dict)
    """Requests per endpoint."""
    statuses: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """How often each endpoint answered with each status."""
    refusals: Mapping[str, Collection[int]] = field(default_factory=dict)
    """Statuses by which each endpoint turned callers away."""


@dataclass(frozen=True)
class Mailbox:
    """The folder, as one island uses it."""

    folder: Path
    island: int
    """Its number, from 0 up to `islands`."""
    islands: int

    @property
    def others(self) -> Sequence[int]:
        """The numbers of all other islands, in the order in which they are heard."""
        return [number for number in range(self.islands) if number != self.island]

    def tell(self, number: int, message: object) -> None:
        """Leave the message of the round `number`."""
        self._leave(f"{self.island}-{number}.message", message)

    def say_farewell(self, farewell: Farewell) -> None:
        """Leave the last message."""
        self._leave(f"{self.island}.farewell", farewell)

    def bury(self, island: int) -> None:
        """Leave the last message of an island that has died, in its place."""
        rounds = sum(1 for _ in self.folder.glob(f"{island}-*.message"))
        self._leave(f"{island}.farewell", Farewell(rounds))

    def message(self, island: int, number: int) -> Any:
        """Return the message of `island` for a round, None while there is none."""
        return self._read(f"{island}-{number}.message")

    def farewell(self, island: int) -> Farewell | None:
        """Return the last message of `island`, None while it goes on."""
        found: Farewell | None = self._read(f"{island}.farewell")
        return found

    def has_told(self, island: int, number: int) -> bool:
        """Say whether the message of `island` for a round is there, or will never come."""
        names = (f"{island}-{number}.message", f"{island}.farewell")
        return any(os.path.exists(self.folder / name) for name in names)

    def has_left(self, island: int) -> bool:
        """Say whether `island` has come to its end."""
        return os.path.exists(self.folder / f"{island}.farewell")

    def call_to_stop(self) -> None:
        """Ask all others to come to an end."""
        self._leave("stop", None)

    @property
    def is_called_to_stop(self) -> bool:
        """Say whether everybody is to come to an end; so it is when the folder is gone."""
        return os.path.exists(self.folder / "stop") or not os.path.exists(self.folder)

    def _leave(self, name: str, content: object) -> None:
        with suppress(FileNotFoundError):  # the folder is gone: no other island reads it
            replace_content(self.folder / name, pickle.dumps(content))

    def _read(self, name: str) -> Any:
        with suppress(FileNotFoundError):
            return pickle.loads((self.folder / name).read_bytes())
        return None
