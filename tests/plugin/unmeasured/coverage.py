"""Stands in for coverage.py where it is not installed.

An interpreter that measures takes 0.7 s of the processor, and few searches of the plugin tests ask
what the written tests cover.
"""

from __future__ import annotations

raise ModuleNotFoundError("No module named 'coverage'", name="coverage")
