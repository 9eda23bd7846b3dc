"""Executes individuals: the only room where application, probes and oracles meet.

May import everything below rank 5; never pytest.
"""

from __future__ import annotations
