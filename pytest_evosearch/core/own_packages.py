"""Packages that run or watch a search: what they do is not done by the application."""

from __future__ import annotations

OWN_PACKAGES = frozenset(
    ("pytest_evosearch", "_pytest", "pytest", "pluggy", "coverage", "xdist", "execnet")
)
