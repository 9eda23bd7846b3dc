"""Finds the application of a project, as people name it and as its own tests make it."""

from __future__ import annotations
