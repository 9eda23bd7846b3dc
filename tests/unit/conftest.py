from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def few_plugins_in_interpreters() -> Iterator[None]:
    """Load only pytest-xdist in the interpreters that tests start.

    Verification uses it.  All the other plugins of the development environment (Hypothesis,
    pytest-randomly with NumPy, pytest-flask ...) are half of what such an interpreter costs.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.setenv("PYTEST_PLUGINS", "xdist.plugin")
        yield
