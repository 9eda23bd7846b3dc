"""Brings tests of an earlier run up to date after an intended change.

Start at `update`.  Imports the other packages of `write`; only `bridge` imports it.
"""

from __future__ import annotations
