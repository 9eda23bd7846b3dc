"""Tests of an earlier run, brought up to date after an intended change."""

from __future__ import annotations
