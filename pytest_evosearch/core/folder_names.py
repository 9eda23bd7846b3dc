"""Names of folders that hold no source of the project itself, one for all rooms."""

from __future__ import annotations

INSTALLED = frozenset(("site-packages", "dist-packages"))
"""Where installers put packages."""

FOREIGN = frozenset((*INSTALLED, "node_modules", "__pycache__"))
"""What others wrote, or machines."""

TESTS = frozenset(("test", "tests", "testing"))
"""Where tests stand, and what is there for them alone."""
