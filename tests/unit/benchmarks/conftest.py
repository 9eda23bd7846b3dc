"""Puts the repository on the path: the benchmarks are not installed."""

from __future__ import annotations

import sys
from pathlib import Path

REPOSITORY = str(Path(__file__).parents[3])
if REPOSITORY not in sys.path:
    sys.path.insert(0, REPOSITORY)
