"""The interface between the engine and what runs it: a pytest session, or a test."""

from __future__ import annotations

from typing import Protocol

from pytest_evosearch.sut.handle import AppHandle


class Host(Protocol):
    """Brings the application and says when to stop."""

    def load_app(self) -> AppHandle:
        """Return the application; raise `ApplicationNotFound` with a line that says what to do."""
        ...

    def reset(self) -> None:
        """Restore state that only the project knows about; called before every test."""
        ...

    def stop_requested(self) -> str | None:
        """Return why the search should stop now, or None to go on."""
        ...

    def release(self) -> None:
        """Tear fixtures down, and restore what they changed; keep the sandbox.

        No request is sent after this.  The written tests set the fixtures up in their own
        processes, and may use the files of the project.  A second call does nothing.
        """
        ...

    def put_databases_back(self) -> None:
        """Restore databases that a run of the written tests has changed; call `release` before."""
        ...

    def close(self) -> None:
        """Release the application and leave the sandbox; a second call does nothing."""
        ...
