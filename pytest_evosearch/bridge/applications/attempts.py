"""Lists the failed attempts to find the application, in a few words."""

from __future__ import annotations

from dataclasses import field

import pytest

from pytest_evosearch.core.exception_texts import message_of
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.execution.crash import cannot_reach

LONGEST_REASON = 120
"""Characters of a reason that are shown: some drivers report the state of a whole cluster."""

MOST_NAMES = 2
"""Names that are shown for one reason; the other names are only counted."""

MOST_REFUSALS = 2
"""Set-ups that may fail because a service is missing, before no more are tried.

A driver waits half a minute each time.  Where two set-ups need a service, usually all of them do.
"""

START_IT = "the set-up of the tests needs a service that is not running, start it"


@dataclass
class Attempts:
    """Fixtures and test cases that gave no application, each with its reason."""

    _names: dict[str, list[str]] = field(default_factory=dict)
    _refusals: int = 0

    def note(self, name: str, reason: str) -> None:
        """Note that `name` did not work."""
        self._names.setdefault(reason, []).append(name)

    def note_failure(self, name: str, error: BaseException) -> None:
        """Note that setting `name` up raised `error`."""
        self._refusals += cannot_reach(error)
        self.note(name, described(error))

    @property
    def hopeless(self) -> bool:
        """Say whether so many set-ups lacked a service that no more need to be tried."""
        return self._refusals >= MOST_REFUSALS

    def explain(self, error: Exception) -> str:
        """Return the message of `error`, with what was tried before and what to do."""
        if not self._names:
            return str(error)
        if self._refusals:
            return f"{START_IT}: {self._description()}; {error}"
        return f"{error} (also tried {self._description()})"

    def _description(self) -> str:
        return ", ".join(
            f"{' and '.join(_abridged(names))} ({reason})" for reason, names in self._names.items()
        )


def described(error: BaseException) -> str:
    """Return the type and the message of an exception in one line."""
    text = message_of(error).strip().partition("\n")[0]
    if isinstance(error, pytest.FixtureLookupError):
        text = f"no fixture {error.argname!r} is visible there"
    if len(text) > LONGEST_REASON:
        text = f"{text[: LONGEST_REASON - 3]}..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _abridged(names: list[str]) -> list[str]:
    if len(names) <= MOST_NAMES:
        return names
    return [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} more"]
