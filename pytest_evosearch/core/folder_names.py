"""Names of folders that hold no source of the project itself, one for all rooms."""

from __future__ import annotations

INSTALLED = frozenset(("site-packages", "dist-packages"))
"""Where installers put packages."""

FOREIGN = frozenset((*INSTALLED, "node_modules", "__pycache__"))
"""What others wrote, or machines."""

KEPT = (".pytest_cache", "d", "evosearch")
"""Where runs keep what they change until they end, below the root folder of the project."""

TESTS = frozenset(("test", "tests", "testing"))
"""Where tests stand, and what is there for them alone."""
