"""Names of folders that hold no source of the project itself, the only list of them."""

from __future__ import annotations

INSTALLED = frozenset(("site-packages", "dist-packages"))
"""Folders into which installers put packages."""

FOREIGN = frozenset((*INSTALLED, "node_modules", "__pycache__"))
"""Folders whose files other people or programs wrote."""

KEPT = ".pytest_cache/d/evosearch"
"""Where runs keep what they change until they end, below the root folder of the project."""

TESTS = frozenset(("test", "tests", "testing"))
"""Folders that hold tests and what only tests use."""


def is_of_system(path: str) -> bool:
    """Say whether a path leads to a device or to what the system shows as files.

    The memory disk below ``/dev`` holds files like any other folder.
    """
    return path.startswith(("/dev/", "/proc/", "/sys/")) and not path.startswith("/dev/shm/")
