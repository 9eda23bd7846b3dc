from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def no_plugins_in_interpreters() -> Iterator[None]:
    """Load no plugins by themselves in the interpreters that tests start.

    Those of the development environment (Hypothesis, pytest-randomly with NumPy, pytest-flask ...)
    are half of what such an interpreter costs.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.delenv("PYTEST_PLUGINS", raising=False)
        yield


@pytest.fixture
def with_xdist(monkeypatch: pytest.MonkeyPatch) -> None:
    """Load pytest-xdist in them, with which verification runs tests in two processes at once."""
    monkeypatch.setenv("PYTEST_PLUGINS", "xdist.plugin")
