"""Sees what handlers read, open, send and raise while they answer."""

from __future__ import annotations
