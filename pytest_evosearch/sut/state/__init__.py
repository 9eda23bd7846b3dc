"""Brings back what an application changes: databases, globals, files, caches, randomness."""

from __future__ import annotations
