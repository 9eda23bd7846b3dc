"""Environment variables that the project's fixtures need and that are not set.

A fixture that fails because of a missing variable is set up again with a text for it.  The written
tests set the same text, and a notice reports it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from typing import TypeVar

from pytest_evosearch.core.exception_texts import message_of

if TYPE_CHECKING:
    from pytest_evosearch.settings.checked import Settings
    from pytest_evosearch.sut.finding.unset_variables import UnsetVariables
    from pytest_evosearch.sut.handle import AppHandle

MOST_ROUNDS = 4
"""How often one fixture is set up again: each time it may ask for one more variable."""

FIXTURE = '''\
@pytest.fixture(scope="session", autouse=True)
def added_variables_of_fixtures():
    """Set what the project's fixtures read from the environment."""
    with pytest.MonkeyPatch.context() as patch:
{lines}
        yield
'''

_Value = TypeVar("_Value")


class StandInVariables:
    """Sets missing variables, until `take_back`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.given: dict[str, str] = {}
        """What this plugin made up."""
        self.of_files: dict[str, str] = {}
        """What a file has that the ``flask`` command reads."""

    def with_missing(
        self, set_up: Callable[[], _Value], forget: Callable[[], object] = bool
    ) -> _Value:
        """Return what `set_up` returns; call it again where it fails because variables are missing.

        `forget` is called before each further try.  Where none succeeds, the variables are unset
        again, and the failure is raised that no variable has caused.
        """
        from pytest_evosearch.sut.finding.unset_variables import noted_unset_variables

        failures: list[BaseException] = []
        tried: list[str] = []
        while True:
            with noted_unset_variables(self._root) as unset:
                try:
                    return set_up()
                except KeyboardInterrupt:
                    raise
                except BaseException as error:
                    failures.append(error)
            names = self._worth_trying(unset, failures)
            if not names:
                self._unset(tried)
                raise _reason(failures, tried)
            for name in names:
                self._give(name)
            tried += names
            forget()

    def _worth_trying(self, unset: UnsetVariables, failures: Sequence[BaseException]) -> list[str]:
        """Return the variables to set after a failure; first those whose read itself failed."""
        if len(failures) > MOST_ROUNDS or isinstance(failures[-1], ImportError):
            return []
        news = [name for name in unset if name not in os.environ]
        return [name for name in news if name in unset.required] or news

    def _give(self, name: str) -> None:
        """Set a variable as a file of the project says, else to a text of ours."""
        from pytest_evosearch.sut.finding.dotenv_files import variables_of_files
        from pytest_evosearch.sut.finding.unset_variables import stand_in

        found = variables_of_files(self._root).get(name)
        if found is None:
            self.given[name] = found = stand_in(name)
        else:
            self.of_files[name] = found
        os.environ[name] = found

    def _unset(self, names: Iterable[str]) -> None:
        for name in names:
            self.given.pop(name, None)
            self.of_files.pop(name, None)
            os.environ.pop(name, None)

    def take_back(self) -> None:
        """Unset the variables."""
        self._unset([*self.given, *self.of_files])

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


def _reason(failures: Sequence[BaseException], tried: Sequence[str]) -> BaseException:
    """Return the first of `failures` whose message names no variable that was set after it."""
    for error in failures:
        if not any(name in message_of(error) for name in tried):
            return error
    return failures[-1]


def with_variables_of_files(
    handle: AppHandle, settings: Settings, names: Sequence[str], notify: Callable[[str], None]
) -> AppHandle:
    """Return an application whose written tests read what the ``flask`` command reads, too."""
    if not names:
        return handle
    from pytest_evosearch.engine.preparing.folders import output_folder
    from pytest_evosearch.sut.finding.dotenv_files import files_of
    from pytest_evosearch.sut.finding.dotenv_files import source_of

    files = " and ".join(file.name for file in files_of(settings.rootdir))
    notify(f"as the flask command, the search and its tests read {', '.join(names)} from {files}")
    folder = output_folder(settings, handle.support)
    handle = handle.with_source(source_of(settings.rootdir, folder))
    variables = (*handle.support.variables, *names)
    return replace(handle, support=replace(handle.support, variables=variables))
