"""Environment variables that the project's fixtures need and that are not set.

A fixture that fails because of a missing variable is set up again with a text for it.  The written
tests set the same text, and a notice reports it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pytest_evosearch.core.english import words_of

MOST_ROUNDS = 4
"""How often one fixture is set up: each time it may ask for one more variable."""

FIXTURE = '''\
@pytest.fixture(scope="session", autouse=True)
def variables_of_fixtures():
    """Set what the project's fixtures read from the environment."""
    with pytest.MonkeyPatch.context() as patch:
{lines}
        yield
'''

_VALUES = (
    (("port",), "8000"),
    (("host", "hostname", "server", "domain"), "localhost"),
    (("url", "uri", "endpoint"), "http://localhost"),
    (("email", "mail", "sender"), "inga@example.org"),
    (("dir", "folder", "directory", "path"), "."),
    (("timeout", "size", "limit", "count", "number", "workers"), "1"),
    (("debug", "enabled", "verbose"), "0"),
)
"""Values by the last word of a variable's name, for fixtures that use the value."""

_Value = TypeVar("_Value")


class StandInVariables:
    """Sets missing variables, until `take_back`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.given: dict[str, str] = {}

    def with_missing(
        self, set_up: Callable[[], _Value], forget: Callable[[], object] = bool
    ) -> _Value:
        """Return what `set_up` returns; call it again where it fails because variables are missing.

        `forget` is called before each further try.
        """
        from pytest_evosearch.sut.finding.unset_variables import noted_unset_variables

        for _ in range(MOST_ROUNDS):
            with noted_unset_variables(self._root) as unset:
                try:
                    return set_up()
                except KeyboardInterrupt:
                    raise
                except BaseException:
                    news = [name for name in unset if name not in self.given]
                    if not news:
                        raise
            for name in news:
                self.given[name] = os.environ[name] = stand_in(name)
            forget()
        return set_up()

    def take_back(self) -> None:
        """Unset the variables."""
        for name in self.given:
            os.environ.pop(name, None)

    @property
    def source(self) -> str:
        """Return the fixture that sets them for the written tests."""
        lines = (f'        patch.setenv("{name}", "{text}")' for name, text in self.given.items())
        return FIXTURE.format(lines="\n".join(lines))

    @property
    def notice(self) -> str:
        """Return the notice for the user."""
        given = ", ".join(f"{name}={text}" for name, text in self.given.items())
        return f"fixtures need unset variables: the search and its tests set {given}"


def stand_in(name: str) -> str:
    """Return a text for a variable of the environment."""
    words = words_of(name.lower())
    for endings, text in _VALUES:
        if words and words[-1] in endings:
            return text
    return "a-text-that-only-tests-have-0123456789"
