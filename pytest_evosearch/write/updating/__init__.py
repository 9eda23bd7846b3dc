"""Tests of an earlier run, brought up to date after an intended change.

Start at `update`.
"""

from __future__ import annotations
