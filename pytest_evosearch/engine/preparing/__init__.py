"""From a host and settings to everything that a search needs."""

from __future__ import annotations
