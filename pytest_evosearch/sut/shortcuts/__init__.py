"""Spares work that is slow on purpose, or that no result depends on."""

from __future__ import annotations
