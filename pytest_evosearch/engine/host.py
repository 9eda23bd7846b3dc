"""The seam between the engine and what runs it: a pytest session, or a test."""

from __future__ import annotations

from typing import Protocol

from pytest_evosearch.sut.handle import AppHandle


class Host(Protocol):
    """Brings the application and says when to stop."""

    def load_app(self) -> AppHandle:
        """Return the application; raise `ApplicationNotFound` with one helpful line."""
        ...

    def reset(self) -> None:
        """Bring back state that only the project knows about; called before every test."""
        ...

    def stop_requested(self) -> str | None:
        """Return why the search should stop now, or None to go on."""
        ...

    def release(self) -> None:
        """Tear fixtures down, and put back what they changed; the sandbox stays where there is one.

        No request is sent after this: the written tests set the same fixtures up, in processes
        of their own, and may use the same file.  Twice does no harm.
        """
        ...

    def close(self) -> None:
        """Release the application and leave the sandbox; twice does no harm."""
        ...
