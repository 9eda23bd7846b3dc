"""A host for tests that bring their own application."""

from __future__ import annotations

from typing import Any

from pytest_evosearch.sut.handle import AppHandle


class OneApplication:
    """A host for an application at hand; `details` go to its handle."""

    def __init__(self, app: Any, **details: Any) -> None:
        self.app = app
        self.details = details

    def load_app(self) -> AppHandle:
        """Return it with its own client."""
        return AppHandle(self.app, "app", self.app.test_client, **self.details)

    def reset(self) -> None:
        """The state keeper is enough."""

    def stop_requested(self) -> str | None:
        """Never stop."""
        return None

    def release(self) -> None:
        """Nothing is set up."""

    def put_databases_back(self) -> None:
        """Do nothing: the tests are not run."""

    def close(self) -> None:
        """Keep nothing."""
