"""Plugins of pytest for the verifying interpreters, copied there: standard library only."""

from __future__ import annotations
