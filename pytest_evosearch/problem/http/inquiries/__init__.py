"""Tests made on purpose, for oracles to judge what a search for coverage rarely shows."""

from __future__ import annotations
