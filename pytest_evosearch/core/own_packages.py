"""Packages that run or watch a search; what they do does not count as the application's work."""

from __future__ import annotations

OWN_PACKAGES = frozenset(
    ("pytest_evosearch", "_pytest", "pytest", "pluggy", "coverage", "xdist", "execnet")
)
